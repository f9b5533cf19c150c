"""What people did with a unit besides labelling it: skipped, escalated, cleaned; append-only.

But for words of a person, which are taken out of the details when somebody finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.audit import record_deed
from sentinel.store.review_schema import unit_events

Kind = Literal["skipped", "escalated", "cleaned", "assigned", "released"]


@dataclass(frozen=True, slots=True)
class UnitEvent:
    """One step; `detail` is redacted text or None."""

    id: int
    unit_id: int
    annotator: str
    kind: str
    detail: str | None = field(repr=False)
    created_at: datetime


def add_event(
    conn: Connection, unit_id: int, annotator: str, kind: Kind, now: datetime, detail: str | None = None
) -> None:
    """Write a step, also into the audit trail; `detail` must be free of personal data."""
    values = {"unit_id": unit_id, "annotator": annotator, "kind": kind, "detail": detail, "created_at": now}
    conn.execute(sa.insert(unit_events).values(values))
    record_deed(conn, annotator, kind, now, unit_id=unit_id)


def reword_events(conn: Connection, unit_id: int, change: Callable[[str], str]) -> None:
    """Take words out of the details of a unit's steps; the store allows it after a `cleaned` step alone."""
    for event in events_of_unit(conn, unit_id):
        if event.detail is not None and (new := change(event.detail)) != event.detail:
            conn.execute(sa.update(unit_events).where(unit_events.c.id == event.id).values(detail=new))


def events_of_unit(conn: Connection, unit_id: int) -> tuple[UnitEvent, ...]:
    """Return what was done with a unit, in order."""
    query = sa.select(unit_events).where(unit_events.c.unit_id == unit_id).order_by(unit_events.c.id)
    return tuple(UnitEvent(*row) for row in conn.execute(query))
