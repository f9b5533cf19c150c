"""When jobs are looked at: APScheduler's timers, and what becomes of a job that fails."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from datetime import UTC
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.combining import OrTrigger
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from sentinel.clock import Clock
from sentinel.errors import SentinelError
from sentinel.leading.jobs import Job, Turn
from sentinel.leading.params import LeaderParams
from sentinel.store.database import Database
from sentinel.store.leases import Lease, LeaseLostError
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.health import Health
from sentinel.telemetry.logs import get_logger
from sentinel.telemetry.metrics import Metrics

log = get_logger("leading")


class Timetable:
    """Runs each job in a thread of its own, one run at a time, while `lease` returns one.

    APScheduler only wakes the jobs: what is due they find in the store. A timer that fires too often, too
    late, twice, or not at all while the clock is changed costs a look and never a run.
    """

    def __init__(
        self,
        database: Database,
        jobs: Sequence[Job],
        params: LeaderParams,
        lease: Callable[[], Lease | None],
        metrics: Metrics,
        health: Health,
        clock: Clock,
    ) -> None:
        self._database = database
        self._jobs = {job.name: job for job in jobs}
        self._params = params
        self._lease = lease
        self._metrics = metrics
        self._health = health
        self._clock = clock
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        self._lock = threading.Lock()
        self._scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(max(len(jobs), 1))},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone=UTC,
        )

    def start(self) -> None:
        """Start the timers."""
        # It warns at every look that finds the run before still at work, which is how long jobs look.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        for job in self._jobs.values():
            self._scheduler.add_job(self._wake, _trigger(job), args=(job,), id=job.name)
            self._health.note(f"job {job.name}", "no run yet")
        self._scheduler.start()

    def stop(self) -> None:
        """Stop the timers and wait for running jobs."""
        self._scheduler.shutdown(wait=True)

    def look_now(self) -> None:
        """Have every job looked at now: a new leader, or a clock that was set under the timers."""
        for name in self._jobs:
            with contextlib.suppress(JobLookupError):  # stopped meanwhile
                self._scheduler.modify_job(name, next_run_time=self._clock.now())

    def _wake(self, job: Job) -> None:
        lease = self._lease()
        if lease is None or self._clock.monotonic_seconds() < self._not_before.get(job.name, 0.0):
            return
        try:
            job.run(Turn(self._database, lease))
        except LeaseLostError as error:
            log.warning("lease lost", job=job.name, error=str(error))
        except SentinelError as error:
            log.warning("job failed", job=job.name, error=str(error))
            self._failed(job)
        except Exception:
            log.exception("job failed", job=job.name)
            self._failed(job)
        else:
            self._succeeded(job)

    def _failed(self, job: Job) -> None:
        with self._lock:
            before = self._failures.get(job.name, 0)
            wait = min(self._params.retry_seconds * 2.0**before, self._params.longest_retry_seconds)
            self._failures[job.name] = min(before + 1, 32)
            self._not_before[job.name] = self._clock.monotonic_seconds() + wait
        self._metrics.increment(c.LEADER_JOB_RUNS, task=job.name, outcome="failed")

    def _succeeded(self, job: Job) -> None:
        with self._lock:
            self._failures.pop(job.name, None)
            self._not_before.pop(job.name, None)
        now = self._clock.now()
        self._metrics.increment(c.LEADER_JOB_RUNS, task=job.name, outcome="succeeded")
        self._metrics.set(c.LEADER_JOB_LAST_SUCCESS, now.timestamp(), task=job.name)
        self._health.note(f"job {job.name}", f"last success {now:%Y-%m-%dT%H:%M:%SZ}")


def _trigger(job: Job) -> Any:
    looks = IntervalTrigger(seconds=job.every_seconds, timezone=UTC)
    if job.at is None:
        return looks
    planned = CronTrigger(day_of_week=job.at.weekday, hour=job.at.hour, minute=0, timezone=job.at.zone)
    return OrTrigger([planned, looks])
