"""A leader in one process: its lease, jobs that fail, clocks that are set."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from sentinel.clock import SystemClock
from sentinel.errors import RetryError
from sentinel.leading.jobs import Job, Turn
from sentinel.leading.leader import Leader
from sentinel.leading.params import LeaderParams
from sentinel.store import leases, scheduled_runs
from sentinel.store.database import Database, StoreParams
from sentinel.store.leases import LeaseLostError
from sentinel.telemetry.health import Health
from sentinel.telemetry.http import respond
from sentinel.telemetry.metrics import Metrics
from tests.contract.store_samples import NOW

QUICK = LeaderParams(lease_seconds=1.0, retry_seconds=0.2, longest_retry_seconds=0.4)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(f"sqlite:///{tmp_path / 'store.db'}", StoreParams(wait_seconds=5)) as opened:
        opened.upgrade()
        yield opened


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_a_failing_job_is_tried_again_and_harms_nobody(database: Database) -> None:
    tried: list[float] = []
    other: list[int] = []

    def fails_three_times(_turn: Turn) -> None:
        tried.append(time.monotonic())
        if len(tried) == 1:
            raise RetryError("the store is away")
        if len(tried) <= 3:
            raise ZeroDivisionError

    jobs = (
        Job("weekly_report", 0.05, fails_three_times),
        Job("budget", 0.05, lambda turn: other.append(turn.lease.token)),
    )
    metrics, health = Metrics(), Health(("store",))
    health.set_ready("store")
    with Leader(database, jobs, QUICK, metrics, health, SystemClock()):
        wait_until(lambda: len(tried) >= 5)
        wait_until(lambda: len(other) >= 5)
        assert value(metrics, "sentinel_leader_active") == 1.0
        answer = respond("/readyz", "", metrics, health)
        assert answer.status == 200, "a failing report does not take the workbench away"
        assert b'"job weekly_report": "last success ' in answer.body
    runs = "sentinel_leader_job_runs_total"
    assert value(metrics, runs, task="weekly_report", outcome="failed") == 3.0
    assert (value(metrics, runs, task="weekly_report", outcome="succeeded") or 0) >= 2.0
    assert value(metrics, runs, task="budget", outcome="failed") == 0.0
    last = value(metrics, "sentinel_leader_job_last_success_timestamp_seconds", task="weekly_report")
    assert last == pytest.approx(time.time(), abs=30)
    pauses = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert pauses[0] >= 0.2
    assert pauses[1] >= 0.4
    assert pauses[2] >= 0.4, "not beyond the longest wait, which would be 0.8"
    assert value(metrics, "sentinel_leader_active") == 0.0


def test_a_job_that_never_succeeded_says_so(database: Database) -> None:
    def fails(_turn: Turn) -> None:
        raise ValueError("nobody's text belongs into a log")

    metrics, health = Metrics(), Health()
    with Leader(database, (Job("retention", 0.05, fails),), QUICK, metrics, health, SystemClock()):
        wait_until(
            lambda: (
                (value(metrics, "sentinel_leader_job_runs_total", task="retention", outcome="failed") or 0)
                >= 2
            )
        )
    assert health.notes() == {"job retention": "no run yet"}
    assert value(metrics, "sentinel_leader_job_last_success_timestamp_seconds", task="retention") is None


def test_of_two_one_leads_and_the_other_follows_at_once_when_it_ends(database: Database) -> None:
    ran: dict[str, list[int]] = {"one": [], "other": []}

    def leader(name: str) -> Leader:
        job = Job("budget", 0.05, lambda turn: ran[name].append(turn.lease.token))
        return Leader(database, (job,), QUICK, Metrics(), Health(), SystemClock())

    with leader("other") as second:
        wait_until(lambda: len(ran["other"]) >= 2)
        with leader("one"):
            time.sleep(1.5)
            assert ran["one"] == []
            second.stop()
            wait_until(lambda: len(ran["one"]) >= 2, QUICK.lease_seconds)
    assert set(ran["other"]) == {1}
    assert set(ran["one"]) == {2}


def test_a_lease_taken_away_stops_the_work(database: Database) -> None:
    tokens: list[int] = []
    lost: list[str] = []

    def work(turn: Turn) -> None:
        try:
            with turn.begin() as conn:
                scheduled_runs.record_run(conn, "job", f"{len(tokens):04d}", turn.lease.token, NOW)
        except LeaseLostError as error:
            lost.append(str(error))
            raise
        tokens.append(turn.lease.token)

    metrics = Metrics()
    with Leader(database, (Job("budget", 0.05, work),), QUICK, metrics, Health(), SystemClock()):
        wait_until(lambda: len(tokens) >= 2)
        with database.begin() as conn:
            leases.release(conn, leases.Lease("scheduled work", "", 1, NOW))
            taken = leases.acquire(conn, "scheduled work", "another", 1.5)
        assert taken is not None
        written = len(tokens)
        wait_until(lambda: len(lost) >= 1)
        assert len(tokens) == written
        wait_until(lambda: len(tokens) > written)
    assert set(tokens) == {1, 3}
    failed = value(metrics, "sentinel_leader_job_runs_total", task="budget", outcome="failed")
    assert failed == 0.0, "not to lead any more is no failure of the job"


class SetClock(SystemClock):
    """The machine's clock with an offset that somebody sets."""

    def __init__(self) -> None:
        self.offset = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.offset


def test_a_clock_that_is_set_back_holds_no_job_up(database: Database) -> None:
    """The timers go by the wall clock: set back by an hour they would sleep for an hour more."""
    looks: list[float] = []
    clock = SetClock()
    job = Job("weekly_report", 3600.0, lambda _turn: looks.append(time.monotonic()))
    with Leader(database, (job,), QUICK, Metrics(), Health(), clock):
        wait_until(lambda: len(looks) == 1)
        clock.offset = timedelta(hours=-1)
        wait_until(lambda: len(looks) == 2)
        time.sleep(1.0)
    assert len(looks) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"lease_seconds": 0.5},
        {"lease_seconds": 4000.0},
        {"retry_seconds": 0.0},
        {"retry_seconds": -1.0},
        {"retry_seconds": 10.0, "longest_retry_seconds": 5.0},
        {"lease_seconds": float("nan")},
    ],
)
def test_settings_that_cannot_work_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="_seconds"):
        LeaderParams(**wrong)
