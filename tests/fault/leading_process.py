"""A process that leads where it can and then writes as fast as it can, under its lease."""

from __future__ import annotations

import sys
import threading
import time

import sqlalchemy as sa

from sentinel.clock import SystemClock
from sentinel.leading.jobs import Job, Turn
from sentinel.leading.leader import Leader
from sentinel.leading.params import LeaderParams
from sentinel.store import scheduled_runs, schema
from sentinel.store.database import Database, StoreParams
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics

JOB = "writes"
LEASE_SECONDS = 1.0
#: A process that is stopped in the middle of a transaction loses it after twice this.
PATIENCE = StoreParams(wait_seconds=2.0)


def write_until_lost(turn: Turn) -> None:
    """Number the writes of all leaders through, each with its token, until the lease is lost."""
    while True:
        with turn.begin() as conn:
            number = conn.execute(sa.select(sa.func.count()).select_from(schema.scheduled_runs)).scalar_one()
            now = SystemClock().now()
            scheduled_runs.record_run(conn, JOB, f"{number:08d}", turn.lease.token, now)
        time.sleep(0.02)


def main(url: str) -> None:
    """Lead until killed."""
    jobs = (Job(JOB, 0.2, write_until_lost),)
    params = LeaderParams(lease_seconds=LEASE_SECONDS)
    with (
        Database(url, PATIENCE) as database,
        Leader(database, jobs, params, Metrics(), Health(), SystemClock()),
    ):
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
