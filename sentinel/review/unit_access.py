"""One unit for a step of a review: found, and in a write transaction locked until its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.review.refusals import no_such_answer, without_content
from sentinel.store.schema import unit_contents, units
from sentinel.store.unit_rows import StoredUnit, UnitStatus, from_row


@dataclass(frozen=True, slots=True)
class UnitAtHand:
    """What a step needs of a unit; `content` None is lost or purged."""

    id: int
    event_id: str
    status: UnitStatus
    app: str
    content: Mapping[str, Any] | None = field(repr=False)

    def texts(self) -> list[str]:
        """Return every stored text of the answer, all of them redacted."""
        return [] if self.content is None else list(strings_in(self.content))


def unit_by_id(conn: Connection, unit_id: int) -> StoredUnit | None:
    """Return one unit with its content."""
    joined = units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id)
    query = sa.select(units, unit_contents.c.content).select_from(joined).where(units.c.id == unit_id)
    row = conn.execute(query).one_or_none()
    return None if row is None else from_row(row, row.content)


def at_hand(conn: Connection, unit_id: int, *, lock: bool = False, needs_content: bool = True) -> UnitAtHand:
    """Return a unit; with `lock`, steps of other people on it wait until this transaction ends.

    Raises:
        RefusedError: `not_found`, or `gone` where its content is needed and no longer there.
    """
    query = sa.select(units.c.id, units.c.event_id, units.c.status, units.c.app).where(units.c.id == unit_id)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise no_such_answer()
    content = conn.scalar(sa.select(unit_contents.c.content).where(unit_contents.c.unit_id == unit_id))
    if content is None and needs_content:
        raise without_content()
    return UnitAtHand(row.id, row.event_id, row.status, row.app, content)


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string of a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from strings_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from strings_in(part)
