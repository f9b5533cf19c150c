"""The review queue as pages: which units there are, a page at a time, without what could sway a reviewer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.known_values import all_values
from sentinel.store.schema import unit_contents, units
from sentinel.store.unit_rows import StoredUnit, UnitStatus, from_row

STATUSES: tuple[UnitStatus, ...] = ("pending", "labelled", "lost", "purged")
_QUESTION_CHARACTERS = 90
_REASON_SETS = 500


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which units: of one status, one app, drawn for one reason; None is all.

    A reason looks at labelled units only, so that nobody labels with it in mind.
    """

    status: UnitStatus | None = None
    app: str | None = None
    reason: str | None = None

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return what a row of `units` must fulfil."""
        wanted: list[sa.ColumnElement[bool]] = []
        if self.reason is not None:
            wanted += [_holds(units.c.reasons, json_text(self.reason)), units.c.status == "labelled"]
        elif self.status is not None:
            wanted.append(units.c.status == self.status)
        if self.app is not None:
            wanted.append(_holds(units.c.domains, f'"app":{json_text(self.app)}'))
        return wanted


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One unit as the queue shows it. `question` is the beginning of the redacted question."""

    id: int
    event_time: datetime
    app: str
    workflow: str
    status: UnitStatus
    question: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Rows in order of event time; `before` and `after` are the ids to page on from, None at an end."""

    rows: tuple[QueueRow, ...]
    before: int | None
    after: int | None


def json_text(value: str) -> str:
    """Return a string as the store's JSON columns write it."""
    return json.dumps(value, ensure_ascii=False)


def status_totals(conn: Connection) -> Counter[str]:
    """Return the number of units by status."""
    query = sa.select(units.c.status, sa.func.count().label("units")).group_by(units.c.status)
    return Counter({row.status: row.units for row in conn.execute(query)})


def known_apps(conn: Connection) -> list[str]:
    """Return the apps that have been seen, in order."""
    return sorted(value for _, value in all_values(conn, "app"))


def known_reasons(conn: Connection) -> list[str]:
    """Return the reasons for which labelled units were drawn, in order."""
    query = sa.select(units.c.reasons).where(units.c.status == "labelled").distinct().limit(_REASON_SETS)
    return sorted({reason for reasons in conn.scalars(query) for reason in reasons})


def queue_page(
    conn: Connection, wanted: QueueFilter, size: int, *, after: int | None = None, before: int | None = None
) -> QueuePage:
    """Return up to `size` units after (or before) the unit with an id, in order of event time."""
    backwards = before is not None
    pivot = before if backwards else after
    order = (units.c.event_time, units.c.id)
    query = (
        sa.select(units, unit_contents.c.content)
        .select_from(units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id))
        .where(*wanted.conditions())
        .order_by(*(column.desc() if backwards else column for column in order))
        .limit(size + 1)
    )
    if pivot is not None:
        query = query.where(*_beyond(pivot, backwards))
    found = [_row(row) for row in conn.execute(query)]
    more, rows = len(found) > size, found[:size]
    if backwards:
        rows.reverse()
    if not rows:
        return QueuePage((), None, None)
    has_before = more if backwards else pivot is not None
    has_after = True if backwards else more
    return QueuePage(tuple(rows), rows[0].id if has_before else None, rows[-1].id if has_after else None)


def unit_by_id(conn: Connection, unit_id: int) -> StoredUnit | None:
    """Return one unit with its content; None where there is none."""
    joined = units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id)
    query = sa.select(units, unit_contents.c.content).select_from(joined).where(units.c.id == unit_id)
    row = conn.execute(query).one_or_none()
    return None if row is None else from_row(row, row.content)


def _beyond(pivot: int, backwards: bool) -> tuple[sa.ColumnElement[bool], ...]:
    moment = sa.select(units.c.event_time).where(units.c.id == pivot).scalar_subquery()
    if backwards:
        tied = sa.and_(units.c.event_time == moment, units.c.id < pivot)
        return (units.c.event_time <= moment, sa.or_(units.c.event_time < moment, tied))
    tied = sa.and_(units.c.event_time == moment, units.c.id > pivot)
    return (units.c.event_time >= moment, sa.or_(units.c.event_time > moment, tied))


def _holds(column: sa.Column[Any], part: str) -> sa.ColumnElement[bool]:
    """Whether the JSON text of a column holds `part`; exact, unlike LIKE, in both databases.

    `part` has its quotation marks, which inside of a JSON string could only stand escaped.
    """
    text = sa.type_coerce(column, sa.Text)
    return sa.func.replace(text, part, "") != text


def beginning(content: Mapping[str, Any] | None) -> str:
    """Return the beginning of a stored question, in whole words."""
    words = " ".join(str((content or {}).get("question") or "")[: 4 * _QUESTION_CHARACTERS].split())
    if len(words) <= _QUESTION_CHARACTERS:
        return words
    return words[:_QUESTION_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _row(row: sa.Row[Any]) -> QueueRow:
    domains = row.domains
    return QueueRow(
        row.id,
        row.event_time,
        domains.get("app", ""),
        domains.get("workflow", ""),
        row.status,
        beginning(row.content),
    )
