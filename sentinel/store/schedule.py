"""The sampling schedule as it is kept: designs, append-only rows, and how far workers have read.

A worker raises the horizon before it treats an event past it; a new row takes effect after the
horizon. So no event at or after a row's `effective_at` was ever treated before the row existed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.errors import StopError
from sentinel.sampling.schedule import Rule, ScheduleRow
from sentinel.store.columns import encode_json
from sentinel.store.schema import designs, schedule_horizon, schedule_rows
from sentinel.store.upsert import insert_into

_MICROSECOND = timedelta(microseconds=1)
_HORIZON = sa.select(schedule_horizon.c.reaches_to)


def save_design(conn: Connection, design_id: str, spec: Mapping[str, Any], now: datetime) -> None:
    """Register a design; raise `StopError` if another one already bears this id."""
    stored = _spec_of(conn, design_id)
    if stored is None:
        values = {"design_id": design_id, "spec": spec, "created_at": now}
        conn.execute(insert_into(conn, designs).values(values).on_conflict_do_nothing())
        stored = _spec_of(conn, design_id)
    if encode_json(stored) != encode_json(spec):
        message = f"design {design_id} is in the store with another content: give this one a new id"
        raise StopError(message)


def design_spec(conn: Connection, design_id: str) -> Mapping[str, Any] | None:
    """Return what is frozen under a design id; None for an unknown one."""
    return _spec_of(conn, design_id)


def create_first_row(conn: Connection, row: ScheduleRow, now: datetime) -> ScheduleRow:
    """Write row 0 at `row.effective_at` unless there is one, and return the row 0 that stands.

    The design of `row` must have been saved. Of several processes exactly one writes.
    """
    _lock_horizon(conn)
    for stored in read_rows(conn):
        return stored
    first = replace(row, id=0)
    _insert(conn, first, now)
    return read_rows(conn)[0]


def append_row(conn: Connection, row: ScheduleRow, not_before: datetime, now: datetime) -> ScheduleRow:
    """Append a row and return it with its id and `effective_at` (those given are ignored).

    It takes effect at the latest of `not_before`, one microsecond past the horizon, and the time at which
    the last row does: rows take effect in the order in which they were appended, so that one planned
    ahead is not overtaken. `StopError` if there is no row 0 yet.
    """
    horizon = _lock_horizon(conn)
    rows = read_rows(conn)
    if not rows:
        raise StopError("the schedule has no first row: start `sentinel run` once before changing it")
    planned = max(stored.effective_at for stored in rows)
    effective_at = max(not_before, horizon + _MICROSECOND, planned)
    appended = replace(row, id=rows[-1].id + 1, effective_at=effective_at)
    _insert(conn, appended, now)
    return read_rows(conn)[-1]


def extend_horizon(conn: Connection, to: datetime, after: int = -1) -> tuple[ScheduleRow, ...]:
    """Raise the horizon to `to` unless it is there, and return the rows past id `after`, in order of id.

    Once the transaction has committed, the rows are complete for all times up to and including `to`;
    those up to `after` are the ones an earlier call returned, for rows are appended under this lock.
    """
    if _lock_horizon(conn) < to:
        conn.execute(sa.update(schedule_horizon).values(reaches_to=to))
    return read_rows(conn, after)


def read_rows(conn: Connection, after: int = -1) -> tuple[ScheduleRow, ...]:
    """Return all rows past id `after`, in order of id."""
    past = schedule_rows.c.id > after
    rows = conn.execute(sa.select(schedule_rows).where(past).order_by(schedule_rows.c.id))
    return tuple(
        ScheduleRow(
            id=row.id,
            effective_at=row.effective_at,
            design_id=row.design_id,
            uniform_probability=row.uniform_probability,
            multiplier=row.multiplier,
            floor=row.floor,
            take_all=tuple((signal, float(probability)) for signal, probability in row.take_all),
            rules=tuple(_rule(parts) for parts in row.rules),
            reason=row.reason,
        )
        for row in rows
    )


def read_horizon(conn: Connection) -> datetime:
    """Return the time up to which workers may have treated events."""
    reaches_to: datetime = conn.execute(sa.select(schedule_horizon.c.reaches_to)).scalar_one()
    return reaches_to


def _lock_horizon(conn: Connection) -> datetime:
    """Return the time up to which workers may have treated events; nobody else moves it meanwhile."""
    reaches_to: datetime = conn.execute(_HORIZON.with_for_update()).scalar_one()
    return reaches_to


def _insert(conn: Connection, row: ScheduleRow, now: datetime) -> None:
    values = {
        "id": row.id,
        "effective_at": row.effective_at,
        "design_id": row.design_id,
        "uniform_probability": row.uniform_probability,
        "multiplier": row.multiplier,
        "floor": row.floor,
        "take_all": row.take_all,
        "rules": [
            {
                "field": rule.field,
                "value": rule.value,
                "probability": rule.probability,
                "until": rule.until.isoformat() if rule.until else None,
            }
            for rule in row.rules
        ],
        "reason": row.reason,
        "written_at": now,
    }
    conn.execute(sa.insert(schedule_rows).values(values))


def _rule(parts: Mapping[str, Any]) -> Rule:
    until = parts["until"]
    return Rule(
        field=parts["field"],
        value=parts["value"],
        probability=float(parts["probability"]),
        until=datetime.fromisoformat(until) if until else None,
    )


def _spec_of(conn: Connection, design_id: str) -> Mapping[str, Any] | None:
    return conn.scalar(sa.select(designs.c.spec).where(designs.c.design_id == design_id))
