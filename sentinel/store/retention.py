"""What is deleted when it has been kept long enough: contents, minute counts, dead letters.

Units with their probabilities, frame, labels, schedule and reports stay: rates are computed from them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.dead_letters import purge_dead_letters
from sentinel.store.minute_counts import purge_minutes
from sentinel.store.schema import dead_letters, minute_counts, slice_counts, unit_contents, units
from sentinel.store.slice_counts import purge_slices
from sentinel.store.units import purge_contents

#: Opens one write transaction.
Begin = Callable[[], AbstractContextManager[Connection]]
#: Between two transactions workers get their turn: each deletes no more than this.
_UNITS_AT_ONCE = 500
_TIME_AT_ONCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RetentionParams:
    """For how many days things are kept; None keeps them for good.

    `contents_days`: the redacted text of a drawn answer, from its event time. `minute_counts_days`: the
    counts that shifts are detected in, by minute and by slice. `dead_letters_days`: where a bad record stands
    and why it was parked, from its parking; how many there were stays counted as not covered.
    """

    contents_days: float | None = 400.0
    minute_counts_days: float | None = 400.0
    dead_letters_days: float | None = 400.0

    def __post_init__(self) -> None:
        for name in ("contents_days", "minute_counts_days", "dead_letters_days"):
            days = getattr(self, name)
            if days is not None and not 1.0 <= days <= 36_500.0:
                raise ValueError(f"{name} {days:g} is not between 1 and 36500; null keeps for good")


@dataclass(frozen=True, slots=True)
class Purged:
    """Rows that are (or would be) deleted; `unlabelled` of the contents still waited for a label."""

    contents: int
    unlabelled: int
    minute_counts: int
    dead_letters: int


def due(conn: Connection, params: RetentionParams, now: datetime) -> Purged:
    """Return what a purge would delete now."""
    before = _before(params.contents_days, now)
    contents = unlabelled = 0
    if before is not None:
        waiting = sa.func.sum(sa.case((units.c.status == "pending", 1), else_=0))
        held = units.join(unit_contents, unit_contents.c.unit_id == units.c.id)
        query = sa.select(sa.func.count(), waiting).select_from(held).where(units.c.event_time < before)
        contents, unlabelled = conn.execute(query).one()
    return Purged(
        contents,
        int(unlabelled or 0),
        _older(conn, minute_counts.c.minute, _before(params.minute_counts_days, now)),
        _older(conn, dead_letters.c.created_at, _before(params.dead_letters_days, now)),
    )


def purge(begin: Begin, params: RetentionParams, now: datetime) -> Purged:
    """Delete what has been kept long enough and return what that was; may be repeated at any time.

    A unit that still waited for a label becomes `purged`; one whose content was lost stays `lost`. Many
    short transactions, each through `begin`, so that a worker's commit never waits for all of it: an
    error leaves what was deleted before.
    """
    contents = unlabelled = 0
    before = _before(params.contents_days, now)
    while before is not None:
        with begin() as conn:
            _overwrite(conn)
            deleted, waiting = purge_contents(conn, before, _UNITS_AT_ONCE)
        contents, unlabelled = contents + deleted, unlabelled + waiting
        if deleted < _UNITS_AT_ONCE:
            break
    counts_before = _before(params.minute_counts_days, now)
    _by_time(begin, slice_counts.c.window_start, counts_before, purge_slices)
    return Purged(
        contents,
        unlabelled,
        _by_time(begin, minute_counts.c.minute, counts_before, purge_minutes),
        _by_time(
            begin, dead_letters.c.created_at, _before(params.dead_letters_days, now), purge_dead_letters
        ),
    )


def _before(days: float | None, now: datetime) -> datetime | None:
    return None if days is None else now - timedelta(days=days)


def _overwrite(conn: Connection) -> None:
    """Have SQLite overwrite what it deletes: by default the text stays in the file's free pages."""
    if conn.dialect.name == "sqlite":
        conn.exec_driver_sql("PRAGMA secure_delete = ON")


def _older(conn: Connection, column: sa.Column[datetime], before: datetime | None) -> int:
    if before is None:
        return 0
    return conn.execute(sa.select(sa.func.count()).where(column < before)).scalar_one()


def _by_time(
    begin: Begin,
    column: sa.Column[datetime],
    before: datetime | None,
    delete: Callable[[Connection, datetime], int],
) -> int:
    """Delete the rows before a time, the oldest day that has any first."""
    deleted = 0
    while before is not None:
        with begin() as conn:
            oldest = conn.scalar(sa.select(sa.func.min(column)).where(column < before))
            if oldest is None:
                break
            deleted += delete(conn, min(oldest + _TIME_AT_ONCE, before))
    return deleted
