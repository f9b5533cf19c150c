"""Which windows of scheduled work are done, and under which token of the leader's lease."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.schema import scheduled_runs
from sentinel.store.upsert import insert_into


def record_run(conn: Connection, job: str, window: str, token: int, now: datetime) -> bool:
    """Note that a window's work is done; return False where it had been noted before.

    Written in the transaction of the work itself, it makes a second run of the window show.
    """
    values = {"job": job, "window": window, "token": token, "ran_at": now}
    statement = insert_into(conn, scheduled_runs).values(values).on_conflict_do_nothing()
    return conn.execute(statement.returning(scheduled_runs.c.window)).one_or_none() is not None


def done_windows(conn: Connection, job: str) -> dict[str, int]:
    """Return the windows of a job that are done, with the token each was done under."""
    rows = conn.execute(sa.select(scheduled_runs).where(scheduled_runs.c.job == job))
    return {row.window: row.token for row in rows}


def last_window(conn: Connection, job: str) -> str | None:
    """Return the greatest window of a job that is done (windows of one job sort in order of time)."""
    query = sa.select(sa.func.max(scheduled_runs.c.window)).where(scheduled_runs.c.job == job)
    window: str | None = conn.execute(query).scalar_one()
    return window


def forget_runs(conn: Connection, job: str, before: str) -> int:
    """Delete the windows of a job that sort before `before` and return how many there were."""
    old = (scheduled_runs.c.job == job) & (scheduled_runs.c.window < before)
    return conn.execute(sa.delete(scheduled_runs).where(old)).rowcount
