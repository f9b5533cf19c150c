"""Turns of the leader's jobs: traffic over weeks, a clock, and a lease as the scheduler would hold it."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from sentinel.cli.scheduled_work import jobs_of
from sentinel.clock import FixedClock
from sentinel.leading.jobs import Turn
from sentinel.settings import Settings
from sentinel.store import leases
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemoryTopic
from sentinel.telemetry.metrics import Metrics
from tests.harness import WEEK, consume_topic, event, fill, settings_for

DAY = timedelta(days=1)
LEASE = "scheduled work"


def traffic(database: Database, answers: int, hours_apart: int, began: datetime = WEEK) -> None:
    """Consume so many answers, so far apart, at the end of the last one's week."""
    apart = timedelta(hours=hours_apart)
    topic = MemoryTopic()
    fill(topic, [event(number, began + number * apart) for number in range(answers)])
    consume_topic(
        topic, database, settings_for(), now=began + math.ceil(answers * apart / (7 * DAY)) * 7 * DAY
    )


def take_turn(
    database: Database,
    job: str,
    now: datetime,
    *,
    settings: Settings | None = None,
    metrics: Metrics | None = None,
    lost: bool = False,
) -> None:
    """Run the job of this name as the leading process does at `now`; `lost`: another leads by then."""
    with database.begin() as conn:
        lease = leases.acquire(conn, LEASE, "a test", 60.0)
        assert lease is not None
        if lost:
            leases.release(conn, lease)
            assert leases.acquire(conn, LEASE, "next", 60.0) is not None
    for one in jobs_of(settings or settings_for(), metrics or Metrics(), FixedClock(now), None):
        if one.name == job:
            one.run(Turn(database, lease))
