"""Reading sampled units: one by its event id, many in order of event time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.schema import unit_contents, units
from sentinel.store.unit_rows import StoredUnit, UnitStatus, from_row

_PAGE = 500
#: Pages of rows without content are small; a report of a large week reads hundreds of thousands.
_LARGE_PAGE = 5_000


@dataclass(frozen=True, slots=True)
class UnitFilter:
    """Which units: event time in [`start`, `end`), status, design; None is no limit."""

    start: datetime | None = None
    end: datetime | None = None
    statuses: tuple[UnitStatus, ...] | None = None
    design_id: str | None = None

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return what a row of `units` must fulfil."""
        wanted: list[sa.ColumnElement[bool]] = []
        if self.start is not None:
            wanted.append(units.c.event_time >= self.start)
        if self.end is not None:
            wanted.append(units.c.event_time < self.end)
        if self.statuses is not None:
            wanted.append(units.c.status.in_(self.statuses))
        if self.design_id is not None:
            wanted.append(units.c.design_id == self.design_id)
        return wanted


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """What a report has to know of a drawn answer; the fields are those of the unit."""

    event_id: str
    event_time: datetime
    created_at: datetime
    inclusion_probability: float
    first_inclusion_probability: float
    predicted_risk: float
    size_measure: float
    design_id: str
    schedule_row: int
    redactor: str
    reasons: Sequence[str] = field(repr=False)
    indicators: Mapping[str, Any] = field(repr=False)
    domains: Mapping[str, str] = field(repr=False)
    status: UnitStatus
    arrivals: int


def iter_drawn(conn: Connection, start: datetime, end: datetime) -> Iterator[DrawnRow]:
    """Yield the units with an event time in [`start`, `end`) in its order, without what no rate needs."""
    names = [one.name for one in fields(DrawnRow)]
    columns = [units.c[name] for name in names]
    wanted = UnitFilter(start=start, end=end).conditions()
    for row in _pages(conn, sa.select(units.c.id, *columns).where(*wanted), _LARGE_PAGE):
        yield DrawnRow(**{name: row[place] for place, name in enumerate(names, start=1)})


def any_drawn(conn: Connection, start: datetime, end: datetime) -> bool:
    """Return whether there is a unit with an event time in [`start`, `end`)."""
    wanted = UnitFilter(start=start, end=end).conditions()
    return conn.execute(sa.select(units.c.id).where(*wanted).limit(1)).first() is not None


def find_unit(conn: Connection, event_id: str) -> StoredUnit | None:
    """Return the unit of an event with its content; None where the event was not drawn."""
    row = conn.execute(_select(with_content=True).where(units.c.event_id == event_id)).one_or_none()
    return None if row is None else from_row(row, row.content)


def iter_units(
    conn: Connection, wanted: UnitFilter | None = None, *, with_content: bool = True
) -> Iterator[StoredUnit]:
    """Yield units in order of event time, a page at a time: memory does not grow with the store."""
    query = _select(with_content).where(*(wanted or UnitFilter()).conditions())
    for row in _pages(conn, query, _PAGE):
        yield from_row(row, row.content if with_content else None)


def _pages(conn: Connection, query: sa.Select[Any], size: int) -> Iterator[sa.Row[Any]]:
    """Yield the rows of a query on units in order of event time, a page at a time."""
    ordered = query.order_by(units.c.event_time, units.c.id).limit(size)
    page = ordered
    while rows := conn.execute(page).all():
        yield from rows
        last = rows[-1]
        after_last = sa.or_(
            units.c.event_time > last.event_time,
            sa.and_(units.c.event_time == last.event_time, units.c.id > last.id),
        )
        page = ordered.where(units.c.event_time >= last.event_time, after_last)


def _select(with_content: bool) -> sa.Select[Any]:
    if not with_content:
        return sa.select(units)
    joined = units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id)
    return sa.select(units, unit_contents.c.content).select_from(joined)
