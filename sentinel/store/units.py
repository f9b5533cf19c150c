"""Sampled units: written once, met again, raised by late signals, purged of content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects import sqlite

from sentinel.errors import DeadLetterError, StopError
from sentinel.records import SampledUnit
from sentinel.store.columns import stored_event_id
from sentinel.store.meetings import meet_units
from sentinel.store.open_units import CLOSED, open_marks
from sentinel.store.review_schema import drafts
from sentinel.store.row_sets import insert_new
from sentinel.store.schema import unit_contents, units
from sentinel.store.unit_rows import UnitStatus, to_row

_CHUNK = 500
_STRICT = sqlite.dialect()
_CONTENTS = sa.insert(unit_contents)


@dataclass(frozen=True, slots=True)
class InsertOutcome:
    """Event ids in the order given: those that became units, and those that met a unit already there.

    An id that stands twice in one call is inserted once and met once.
    """

    inserted: tuple[str, ...]
    met: tuple[str, ...]


def insert_units(conn: Connection, drawn: Sequence[SampledUnit], now: datetime) -> InsertOutcome:
    """Write drawn units; an event id that is there already counts one more arrival.

    Meeting a unit leaves its content and its first inclusion probability untouched; what else becomes
    of it is said at `meetings.meet_units`.
    """
    return _write(conn, drawn, now, counts_arrivals=True)


def raise_units(conn: Connection, drawn: Sequence[SampledUnit], now: datetime) -> InsertOutcome:
    """Write units drawn because of a late signal: like `insert_units`, but a meeting is no arrival."""
    return _write(conn, drawn, now, counts_arrivals=False)


def set_status(conn: Connection, event_ids: Iterable[str], status: UnitStatus) -> int:
    """Set the status of units and return how many there were."""
    changed = 0
    values = {"status": status, **open_marks(sa.literal(status))}
    wanted = sorted(set(event_ids))
    for start in range(0, len(wanted), _CHUNK):
        among = units.c.event_id.in_(wanted[start : start + _CHUNK])
        changed += conn.execute(sa.update(units).where(among).values(values)).rowcount
    return changed


def purge_contents(conn: Connection, before: datetime, limit: int = 1000) -> tuple[int, int]:
    """Delete the content of at most `limit` units with an event time before `before`.

    Returns how many, and how many of them still waited for a label: those become `purged`. What is
    counted stays.
    """
    old = (
        sa.select(units.c.id)
        .join(unit_contents, unit_contents.c.unit_id == units.c.id)
        .where(units.c.event_time < before)
        .order_by(units.c.event_time, units.c.id)
        .limit(limit)
    )
    ids = list(conn.scalars(old))
    unlabelled = 0
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        conn.execute(sa.delete(unit_contents).where(unit_contents.c.unit_id.in_(chunk)))
        # Drafts hold words of the answer, and without it nobody can give an opinion.
        conn.execute(sa.delete(drafts).where(drafts.c.unit_id.in_(chunk)))
        awaiting = units.c.id.in_(chunk) & units.c.awaits_opinion
        conn.execute(sa.update(units).where(awaiting).values(CLOSED))
        waiting = units.c.id.in_(chunk) & (units.c.status == "pending")
        unlabelled += conn.execute(sa.update(units).where(waiting).values(status="purged")).rowcount
    return len(ids), unlabelled


def check_storable(unit: SampledUnit) -> None:
    """Raise `DeadLetterError` (`unstorable`) where a commit would fail because of this unit alone.

    Asked before a unit joins a batch, it lets a bad value cost one event instead of the batch.
    """
    if not 0.0 < unit.decision.inclusion_probability <= 1.0:
        raise DeadLetterError("unstorable", "inclusion_probability must be in (0, 1]")
    values = to_row(unit, unit.facts.record_timestamp)
    if unit.answer is not None:
        values["content"] = unit.answer.content
    for name, value in values.items():
        column = unit_contents.c.content if name == "content" else units.c[name]
        if value is None and not column.nullable:
            raise DeadLetterError("unstorable", f"{name} is missing")
        bind = column.type.dialect_impl(_STRICT).bind_processor(_STRICT)
        try:
            if bind is not None:
                bind(value)
        except (StopError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            raise DeadLetterError("unstorable", f"{name} is not a value of its column") from None


def _write(
    conn: Connection, drawn: Sequence[SampledUnit], now: datetime, *, counts_arrivals: bool
) -> InsertOutcome:
    if not drawn:
        return InsertOutcome((), ())
    first: dict[str, SampledUnit] = {}
    for unit in drawn:
        first.setdefault(stored_event_id(unit.facts.event_id), unit)
    ids = _insert(conn, [first[event_id] for event_id in sorted(first)], now)
    inserted: list[str] = []
    met: list[SampledUnit] = []
    for unit in drawn:
        event_id = stored_event_id(unit.facts.event_id)
        if event_id in ids and first[event_id] is unit:
            inserted.append(unit.facts.event_id)
        else:
            met.append(unit)
    contents = [
        {"unit_id": ids[event_id], "content": answer.content}
        for event_id in sorted(ids)
        if (answer := first[event_id].answer) is not None
    ]
    if contents:
        conn.execute(_CONTENTS, contents)
    meet_units(conn, met, counts_arrivals=counts_arrivals)
    return InsertOutcome(tuple(inserted), tuple(unit.facts.event_id for unit in met))


def _insert(conn: Connection, ordered: Sequence[SampledUnit], now: datetime) -> dict[str, int]:
    """Insert what is new and return its row ids by event id."""
    rows = [to_row(unit, now) for unit in ordered]
    inserted = insert_new(conn, units, rows, unique=("event_id",), returning=("event_id", "id"))
    return {row.event_id: row.id for row in inserted}


@dataclass(frozen=True, slots=True)
class Backlog:
    """Units that wait for a label, and the time at which the oldest of them was written."""

    pending: int
    oldest_created_at: datetime | None


def backlog(conn: Connection) -> Backlog:
    """Return how many units wait for a label, and since when."""
    waiting: Literal["pending"] = "pending"
    query = sa.select(sa.func.count().label("pending"), sa.func.min(units.c.created_at).label("oldest"))
    row = conn.execute(query.where(units.c.status == waiting)).one()
    return Backlog(row.pending, row.oldest)
