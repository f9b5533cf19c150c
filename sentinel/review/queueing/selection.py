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
from sentinel.store.review_schema import reservations, second_reviews, unit_events
from sentinel.store.schema import annotation_records, unit_contents, units

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


def count_work(conn: Connection, person_id: str, wanted: WorkFilter, now: datetime) -> int:
    """Return how many answers the person can open."""
    conditions = wanted.conditions()
    taken = _taken_by_others(person_id, now)
    fresh = sa.select(sa.func.count()).select_from(units).where(units.c.status == "pending", *conditions)
    kept = sa.select(sa.func.count()).select_from(
        reservations.join(units, units.c.id == reservations.c.unit_id).outerjoin(
            second_reviews, second_reviews.c.unit_id == units.c.id
        )
    )
    kept = kept.where(
        units.c.status == "pending",
        second_reviews.c.unit_id.is_(None),
        *_reserved_by_other(person_id, now),
        *conditions,
    )
    escalated = sa.select(sa.func.count()).select_from(
        second_reviews.join(units, units.c.id == second_reviews.c.unit_id)
    )
    escalated = escalated.where(
        second_reviews.c.state == "escalated", units.c.status == "pending", *conditions
    )
    second = sa.select(sa.func.count()).select_from(units)
    second = second.where(*_second_for(person_id), ~taken, *conditions)
    total = conn.scalar(fresh) or 0
    total -= (conn.scalar(kept) or 0) + (conn.scalar(escalated) or 0)
    return total + (conn.scalar(second) or 0)


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
    places: list[tuple[int, datetime, int]] = []
    for query in _open_to(person_id, wanted, now):
        ordered = query.order_by(*(column.desc() if backwards else column for column in _ORDER))
        if pivot is not None:
            ordered = ordered.where(_beyond(pivot, backwards))
        places += [(row.priority, row.event_time, row.id) for row in conn.execute(ordered.limit(size + 1))]
    places.sort(reverse=backwards)
    more, places = len(places) > size, places[:size]
    places.sort()
    if not places:
        return WorkPage((), None, None)
    has_before, has_after = (more, True) if backwards else (pivot is not None, more)
    rows = _rows(conn, [place[2] for place in places], person_id, now)
    return WorkPage(
        rows,
        str(Position(*places[0])) if has_before else None,
        str(Position(*places[-1])) if has_after else None,
    )


def next_candidates(
    conn: Connection, person_id: str, wanted: WorkFilter, now: datetime, most: int
) -> list[int]:
    """Return the ids of the answers to offer next, what is reserved for the person first."""
    mine = (
        sa.select(*_ORDER)
        .join(reservations, reservations.c.unit_id == units.c.id)
        .where(
            reservations.c.annotator == person_id,
            reservations.c.expires_at > now,
            reservations.c.slot == "opinion",
        )
    )
    skipped = sa.exists().where(
        unit_events.c.unit_id == units.c.id,
        unit_events.c.annotator == person_id,
        unit_events.c.kind == "skipped",
        unit_events.c.created_at > now - SKIPPED_FOR,
    )
    found: list[tuple[int, datetime, int]] = []
    for query in _open_to(person_id, wanted, now):
        limited = query.where(~skipped).order_by(*_ORDER).limit(most)
        found += [(row.priority, row.event_time, row.id) for row in conn.execute(limited)]
    kept = [row.id for row in conn.execute(mine.where(~skipped).order_by(*_ORDER).limit(most))]
    open_ids = [place[2] for place in sorted(found)]
    first = [unit for unit in kept if is_open_to(conn, unit, person_id, now)]
    return list(dict.fromkeys([*first, *open_ids]))[:most]


def is_open_to(conn: Connection, unit_id: int, person_id: str, now: datetime) -> bool:
    """Return whether the person can give an opinion on an answer now."""
    queries = _open_to(person_id, WorkFilter(), now)
    return any(conn.execute(query.where(units.c.id == unit_id)).first() is not None for query in queries)


def open_unit_ids(conn: Connection, wanted: WorkFilter, now: datetime, most: int | None = None) -> list[int]:
    """Return the ids of all answers that wait for an opinion of anybody and that nobody has, in order."""
    return list(conn.scalars(_unreserved(wanted, now).order_by(*_ORDER).limit(most)))


def count_unreserved(conn: Connection, wanted: WorkFilter, now: datetime) -> int:
    """Return how many answers `open_unit_ids` would return."""
    return conn.scalar(sa.select(sa.func.count()).select_from(_unreserved(wanted, now).subquery())) or 0


def _unreserved(wanted: WorkFilter, now: datetime) -> sa.Select[Any]:
    taken = sa.exists().where(
        reservations.c.unit_id == units.c.id,
        reservations.c.slot == "opinion",
        reservations.c.expires_at > now,
    )
    begun = sa.exists().where(second_reviews.c.unit_id == units.c.id)
    return sa.select(units.c.id).where(units.c.status == "pending", ~taken, ~begun, *wanted.conditions())


def _open_to(person_id: str, wanted: WorkFilter, now: datetime) -> tuple[sa.Select[Any], sa.Select[Any]]:
    """The two kinds of open answers: without an opinion, and waiting for a second one."""
    taken = _taken_by_others(person_id, now)
    begun = sa.exists().where(second_reviews.c.unit_id == units.c.id)
    first = sa.select(*_ORDER).where(units.c.status == "pending", ~begun, ~taken, *wanted.conditions())
    second = sa.select(*_ORDER).where(*_second_for(person_id), ~taken, *wanted.conditions())
    return first, second


def _second_for(person_id: str) -> list[sa.ColumnElement[bool]]:
    said = sa.exists().where(
        annotation_records.c.event_id == units.c.event_id,
        annotation_records.c.annotator == stored_key(person_id),
        annotation_records.c.replaces.is_(None),
    )
    return [units.c.awaits_second, ~said]


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


def _rows(conn: Connection, ids: list[int], person_id: str, now: datetime) -> tuple[WorkRow, ...]:
    mine = sa.exists().where(
        reservations.c.unit_id == units.c.id,
        reservations.c.slot == "opinion",
        reservations.c.annotator == stored_key(person_id),
        reservations.c.expires_at > now,
    )
    query = (
        sa.select(*_ORDER, units.c.app, units.c.workflow, mine.label("mine"), unit_contents.c.content)
        .select_from(units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id))
        .where(units.c.id.in_(ids))
        .order_by(*_ORDER)
    )
    return tuple(
        WorkRow(
            row.id,
            row.priority,
            row.event_time,
            row.app,
            row.workflow,
            bool(row.mine),
            beginning(row.content),
        )
        for row in conn.execute(query)
    )


def beginning(content: Mapping[str, Any] | None, most: int = 90) -> str:
    """Return the beginning of a stored question, in whole words."""
    words = " ".join(str((content or {}).get("question") or "")[: 4 * most].split())
    return words if len(words) <= most else words[:most].rsplit(" ", 1)[0] + " …"
