"""Who works on which unit: short leases of open pages, long ones of assignments; both end by themselves.

One row per unit and slot. It is replaced by whoever comes after its end, so nothing has to be cleaned up
after a crash, and a restart changes nothing. A reservation only keeps two people from the same work; what
counts is decided when an opinion is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.review_schema import reservations
from sentinel.store.upsert import insert_into

Slot = Literal["opinion", "adjudication"]
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Reservation:
    """A unit kept for one annotator until `expires_at`; `assigned_by` None: they opened it themselves."""

    unit_id: int
    slot: Slot
    annotator: str
    assigned_by: str | None
    expires_at: datetime


def reserve(
    conn: Connection,
    unit_id: int,
    slot: Slot,
    annotator: str,
    now: datetime,
    until: datetime,
    assigned_by: str | None = None,
) -> Reservation | None:
    """Keep the unit for an annotator until `until` (or longer, where it is kept longer already).

    Returns None where another annotator's reservation has not ended.
    """
    fresh = {
        "unit_id": unit_id,
        "slot": slot,
        "annotator": annotator,
        "assigned_by": assigned_by,
        "expires_at": until,
    }
    statement = insert_into(conn, reservations).values(fresh)
    new = statement.excluded
    mine = reservations.c.annotator == annotator
    longer = mine & (reservations.c.expires_at > new.expires_at)
    later = sa.case((longer, reservations.c.expires_at), else_=new.expires_at)
    by = sa.case(
        (mine & (reservations.c.expires_at > now) & new.assigned_by.is_(None), reservations.c.assigned_by),
        else_=new.assigned_by,
    )
    upsert = statement.on_conflict_do_update(
        index_elements=[reservations.c.unit_id, reservations.c.slot],
        set_={
            "annotator": new.annotator,
            "assigned_by": by,
            "expires_at": later,
        },
        where=mine | (reservations.c.expires_at <= now),
    )
    row = conn.execute(upsert.returning(*reservations.c)).one_or_none()
    return None if row is None else Reservation(*row)


def active_reservation(conn: Connection, unit_id: int, slot: Slot, now: datetime) -> Reservation | None:
    """Return the reservation of a unit that has not ended; None where there is none."""
    query = sa.select(reservations).where(
        reservations.c.unit_id == unit_id, reservations.c.slot == slot, reservations.c.expires_at > now
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else Reservation(*row)


def release(conn: Connection, unit_ids: Iterable[int], slot: Slot, annotator: str | None = None) -> int:
    """Give units back, those of one annotator or anybody's; return how many were kept."""
    wanted, gone = sorted(set(unit_ids)), 0
    for start in range(0, len(wanted), _CHUNK):
        statement = sa.delete(reservations).where(
            reservations.c.unit_id.in_(wanted[start : start + _CHUNK]), reservations.c.slot == slot
        )
        if annotator is not None:
            statement = statement.where(reservations.c.annotator == annotator)
        gone += conn.execute(statement).rowcount
    return gone
