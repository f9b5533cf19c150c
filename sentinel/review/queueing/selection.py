"""Which answers a person can open: filters, order, counts, and the one to take next.

A reviewer's queue holds answers without an opinion and, among them, answers that wait for a second one. They
stand in one order (priority, then time of the answer), look the same and are counted together, so that
neither order nor counts tell which is which. What is counted is what can be opened: not what somebody else
has open, not what the person has labelled, not what has no content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.columns import stored_key
from sentinel.store.metadata import QUEUE_SLICES
from sentinel.store.review_schema import reservations, unit_events
from sentinel.store.schema import unit_contents, units

_ORDER = (units.c.priority, units.c.event_time, units.c.id)
#: A skipped answer is not offered again to the same person for this long; the list still shows it.
SKIPPED_FOR = timedelta(hours=12)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_POSITION = re.compile(r"(-?\d{1,4})_(-?\d{1,17})_(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class WorkFilter:
    """Which answers: slices by field, drawn for one reason, and how old an answer is; None is no limit."""

    slices: Mapping[str, str] = field(default_factory=dict)
    reason: str | None = None
    answered_before: datetime | None = None
    answered_after: datetime | None = None

    def __post_init__(self) -> None:
        strange = set(self.slices) - set(QUEUE_SLICES)
        if strange:
            message = f"the queue cannot be filtered by {', '.join(sorted(strange))}"
            raise ValueError(message)

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return what a row of `units` must fulfil."""
        wanted = [units.c[name] == stored_key(value) for name, value in sorted(self.slices.items())]
        if self.reason is not None:
            wanted.append(holds(units.c.reasons, self.reason))
        if self.answered_before is not None:
            wanted.append(units.c.event_time < self.answered_before)
        if self.answered_after is not None:
            wanted.append(units.c.event_time >= self.answered_after)
        return wanted


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One answer of a person's queue. `mine`: it is reserved for them."""

    id: int
    priority: int
    event_time: datetime
    app: str
    workflow: str
    mine: bool
    question: str = field(repr=False)

    @property
    def position(self) -> Position:
        """Return its place in the order of the queue."""
        return Position(self.priority, self.event_time, self.id)


@dataclass(frozen=True, slots=True)
class WorkPage:
    """Rows in order; `before` and `after` are positions to page on from, None at an end."""

    rows: tuple[WorkRow, ...]
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the order of the queue."""

    priority: int
    event_time: datetime
    id: int

    def __str__(self) -> str:
        return f"{self.priority}_{(self.event_time - _EPOCH) // _MICROSECOND}_{self.id}"

    @classmethod
    def parse(cls, text: str | None) -> Position | None:
        """Return the place that a text names, None where it names none."""
        match = _POSITION.fullmatch(text or "")
        if match is None:
            return None
        priority, micros, number = (int(part) for part in match.groups())
        try:
            return cls(priority, _EPOCH + micros * _MICROSECOND, number)
        except OverflowError:
            return None


def holds(column: sa.Column[Any], value: str) -> sa.ColumnElement[bool]:
    """Whether a stored list of strings holds one; exact, unlike LIKE, in both databases."""
    part = json.dumps(value, ensure_ascii=False)
    text = sa.type_coerce(column, sa.Text)
    return sa.func.replace(text, part, "") != text


def work_totals(person_id: str, wanted: WorkFilter, now: datetime) -> sa.Subquery:
    """Return one row: how many answers the person can open (`open`), and how many wanted ones (`shown`).

    Both come from one read of the index of open answers. With what is wanted among its conditions, SQLite,
    which has no statistics here, would rather read another index and then the table.
    """
    base, among = _open_to(person_id), sa.and_(sa.true(), *wanted.conditions())
    # Few are reserved: taking them off is quicker than looking for a reservation of each open answer.
    reserved = sa.select(reservations.c.unit_id).where(*_reserved_by_other(person_id, now))
    every, taken = (
        sa.select(sa.func.count().label("open"), sa.func.count().filter(among).label("shown"))
        .select_from(units)
        .where(*conditions)
        .subquery()
        for conditions in (base, [units.c.id.in_(reserved), *base])
    )
    return (
        sa.select(*((every.c[name] - taken.c[name]).label(name) for name in ("open", "shown")))
        .select_from(every.join(taken, sa.true()))
        .subquery()
    )


def count_work(conn: Connection, person_id: str, wanted: WorkFilter, now: datetime) -> int:
    """Return how many answers the person can open."""
    return conn.scalar(sa.select(work_totals(person_id, wanted, now).c.shown)) or 0


def work_page(
    conn: Connection,
    person_id: str,
    wanted: WorkFilter,
    size: int,
    now: datetime,
    *,
    after: Position | None = None,
    before: Position | None = None,
) -> WorkPage:
    """Return up to `size` answers that the person can open, after (or before) a position, in order."""
    backwards = before is not None
    pivot = before if backwards else after
    mine = sa.exists().where(
        reservations.c.unit_id == units.c.id,
        reservations.c.slot == "opinion",
        reservations.c.annotator == stored_key(person_id),
        reservations.c.expires_at > now,
    )
    query: sa.Select[Any] = (
        sa.select(*_ORDER, units.c.app, units.c.workflow, mine.label("mine"), unit_contents.c.content)
        .select_from(units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id))
        .where(*_open_to(person_id), *wanted.conditions(), ~_taken_by_others(person_id, now))
        .order_by(*(column.desc() if backwards else column for column in _ORDER))
        .limit(size + 1)
    )
    if pivot is not None:
        query = query.where(_beyond(pivot, backwards))
    found = [_row(row) for row in conn.execute(query)]
    more, rows = len(found) > size, found[:size]
    if backwards:
        rows.reverse()
    if not rows:
        return WorkPage((), None, None)
    has_before, has_after = (more, True) if backwards else (pivot is not None, more)
    return WorkPage(
        tuple(rows),
        str(rows[0].position) if has_before else None,
        str(rows[-1].position) if has_after else None,
    )


def next_candidates(
    conn: Connection, person_id: str, wanted: WorkFilter, now: datetime, most: int
) -> list[int]:
    """Return the ids of the answers to offer next, what is reserved for the person first."""
    mine = (
        sa.select(units.c.id)
        .join(reservations, reservations.c.unit_id == units.c.id)
        .where(
            reservations.c.annotator == stored_key(person_id),
            reservations.c.expires_at > now,
            reservations.c.slot == "opinion",
            *_open_to(person_id),
        )
    )
    skipped = sa.exists().where(
        unit_events.c.unit_id == units.c.id,
        unit_events.c.annotator == person_id,
        unit_events.c.kind == "skipped",
        unit_events.c.created_at > now - SKIPPED_FOR,
    )
    first = conn.scalars(mine.where(~skipped).order_by(*_ORDER).limit(most))
    open_to = sa.select(units.c.id).where(
        *_open_to(person_id), *wanted.conditions(), ~_taken_by_others(person_id, now), ~skipped
    )
    open_ids = conn.scalars(open_to.order_by(*_ORDER).limit(most))
    return list(dict.fromkeys([*first, *open_ids]))[:most]


def is_open_to(conn: Connection, unit_id: int, person_id: str, now: datetime) -> bool:
    """Return whether the person can give an opinion on an answer now."""
    query = sa.select(units.c.id).where(
        units.c.id == unit_id, *_open_to(person_id), ~_taken_by_others(person_id, now)
    )
    return conn.execute(query).first() is not None


def open_unit_ids(conn: Connection, wanted: WorkFilter, now: datetime, most: int | None = None) -> list[int]:
    """Return the ids of all answers that wait for an opinion of anybody and that nobody has, in order."""
    query = sa.select(units.c.id).where(*_unreserved(now), *wanted.conditions())
    return list(conn.scalars(query.order_by(*_ORDER).limit(most)))


def count_unreserved(conn: Connection, wanted: WorkFilter, now: datetime) -> int:
    """Return how many answers `open_unit_ids` would return."""
    among = sa.and_(sa.true(), *wanted.conditions())
    query = sa.select(sa.func.count().filter(among)).select_from(units)
    return conn.scalar(query.where(*_unreserved(now))) or 0


def _unreserved(now: datetime) -> list[sa.ColumnElement[bool]]:
    taken = sa.select(reservations.c.unit_id).where(
        reservations.c.slot == "opinion", reservations.c.expires_at > now
    )
    return [units.c.awaits_opinion, units.c.first_annotator == "", units.c.id.not_in(taken)]


def _open_to(person_id: str) -> list[sa.ColumnElement[bool]]:
    """What an answer fulfils that waits for this person's opinion, unless somebody else has it open."""
    mine = units.c.first_annotator == stored_key(person_id)
    return [units.c.awaits_opinion, ~mine]


def _reserved_by_other(person_id: str, now: datetime) -> list[sa.ColumnElement[bool]]:
    return [
        reservations.c.slot == "opinion",
        reservations.c.expires_at > now,
        reservations.c.annotator != stored_key(person_id),
    ]


def _taken_by_others(person_id: str, now: datetime) -> sa.ColumnElement[bool]:
    return sa.exists().where(reservations.c.unit_id == units.c.id, *_reserved_by_other(person_id, now))


def _beyond(pivot: Position, backwards: bool) -> sa.ColumnElement[bool]:
    place = sa.tuple_(*_ORDER)
    given = sa.tuple_(
        sa.literal(pivot.priority),
        sa.literal(pivot.event_time, units.c.event_time.type),
        sa.literal(pivot.id),
    )
    return place < given if backwards else place > given


def _row(row: sa.Row[Any]) -> WorkRow:
    return WorkRow(
        row.id, row.priority, row.event_time, row.app, row.workflow, bool(row.mine), beginning(row.content)
    )


def beginning(content: Mapping[str, Any] | None, most: int = 90) -> str:
    """Return the beginning of a stored question, in whole words."""
    words = " ".join(str((content or {}).get("question") or "")[: 4 * most].split())
    return words if len(words) <= most else words[:most].rsplit(" ", 1)[0] + " …"
