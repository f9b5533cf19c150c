"""Drawn answers a page at a time, each page in a transaction of its own, so that no reader holds one open."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.review.queue import QueueFilter
from sentinel.store.database import Database
from sentinel.store.schema import unit_contents, units
from sentinel.store.unit_rows import StoredUnit, from_row

_PAGE = 200


def unit_page(conn: Connection, wanted: QueueFilter, limit: int, after: int | None) -> list[StoredUnit]:
    """Return up to `limit` units after the unit with an id, in order of event time."""
    query = (
        sa.select(units, unit_contents.c.content)
        .select_from(units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id))
        .where(*wanted.conditions())
        .order_by(units.c.event_time, units.c.id)
        .limit(limit)
    )
    if after is not None:
        query = query.where(*_after(after))
    return [from_row(row, row.content) for row in conn.execute(query)]


def all_lines(
    database: Database, wanted: QueueFilter, lines_of: Callable[[Connection, list[StoredUnit]], list[str]]
) -> Iterator[str]:
    """Yield the lines of all units of a query; no connection is held while a slow reader takes them."""
    after: int | None = None
    while True:
        with database.read() as conn:
            found = unit_page(conn, wanted, _PAGE, after)
            lines = lines_of(conn, found)
        yield from lines
        if len(found) < _PAGE:
            return
        after = found[-1].id


def _after(pivot: int) -> tuple[sa.ColumnElement[bool], ...]:
    moment = sa.select(units.c.event_time).where(units.c.id == pivot).scalar_subquery()
    tied = sa.and_(units.c.event_time == moment, units.c.id > pivot)
    return (units.c.event_time >= moment, sa.or_(units.c.event_time > moment, tied))
