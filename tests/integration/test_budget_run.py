"""A budget in the real agent: `run --lead` over a file is steered hour by hour of its event time."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock, SystemClock
from sentinel.errors import SentinelError
from sentinel.leading.budget import JOB, BudgetSteps, Pacer
from sentinel.leading.jobs import Turn
from sentinel.leading.leader import Leader
from sentinel.leading.params import LeaderParams
from sentinel.reporting.period import zone_of
from sentinel.sampling.budget import Budget
from sentinel.sampling.schedule import ScheduleRow, row_in_force
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store import frame, leases, schedule, scheduled_runs
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.fault.contents import assert_same, contents
from tests.fault.processes import Run, run_to_end, wait_until
from tests.harness import WEEK, event, fill, fresh_database, settings_for, units_of

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def with_budget(units: float, per: Any = "week", **more: Any) -> Settings:
    settings = settings_for("a salt of the tests", None, batch_units=10_000, **more)
    return replace(settings, sampling=replace(settings.sampling, budget=Budget(units, per)))


def traffic(hours: int, an_hour: int = 12, began: datetime = WEEK, first: int = 0) -> list[dict[str, Any]]:
    return [
        event(first + hour * an_hour + number, began + hour * HOUR + number * HOUR / an_hour)
        for hour in range(hours)
        for number in range(an_hour)
    ]


@contextmanager
def leading_worker(
    topic: MemoryTopic, database: Database, settings: Settings, metrics: Metrics | None = None
) -> Iterator[Any]:
    metrics = metrics or Metrics()
    clock = FixedClock(WEEK + 60 * DAY)
    budget = settings.sampling.budget
    assert budget is not None
    steps = BudgetSteps(budget, zone_of(settings.report.timezone), metrics, clock)
    leader = Leader(database, (), LeaderParams(), Metrics(), Health(), SystemClock())
    with leader:
        pacer = Pacer(steps, database, leader.lease, metrics)
        salt = Salt.of(settings.sampling.salt)
        source = MemorySource(topic)
        with worker(settings, source, database, salt, metrics, Health(), clock, pacer) as wired:
            yield wired


def replayed(events: list[dict[str, Any]], database: Database, settings: Settings) -> None:
    topic = MemoryTopic(f"from {events[0]['event_id']}")
    fill(topic, events)
    with leading_worker(topic, database, settings) as wired:
        wired.agent.run(until_end=True)


def rows_of(database: Database) -> tuple[ScheduleRow, ...]:
    with database.read() as conn:
        return schedule.read_rows(conn)


def expected_units(database: Database, start: datetime, end: datetime) -> float:
    with database.read() as conn:
        cells = frame.totals(conn, start, end, domain="")
    return sum(one.expected_micros for one in cells.values()) / 1e6


def test_a_replayed_week_keeps_its_budget_hour_by_hour(tmp_path: Path) -> None:
    """One poll brings eighty hours; each of them still has its step before its first answer."""
    with fresh_database(tmp_path) as database:
        replayed(traffic(168), database, with_budget(150))
        rows, units = rows_of(database), units_of(database)
        with database.read() as conn:
            steps = scheduled_runs.done_windows(conn, JOB)
        expected = expected_units(database, WEEK, WEEK + 7 * DAY)
    assert len(steps) == 168
    assert set(steps.values()) == {1}
    assert 135 <= expected <= 165, expected
    variance = sum(one.unit.decision.inclusion_probability for one in units.values())
    assert abs(len(units) - expected) < 5 * variance**0.5
    budget_rows = [row for row in rows if row.reason == "budget: 150 a week"]
    assert budget_rows[0].effective_at <= WEEK + HOUR + timedelta(minutes=2), "within the first hour"
    for row in budget_rows:
        into_the_hour = (row.effective_at - WEEK) % HOUR
        assert into_the_hour <= timedelta(minutes=1, seconds=1)
        assert row.floor > 0
        assert row.uniform_probability > 0
    effective = [row.effective_at for row in rows]
    assert effective == sorted(effective)
    assert len({(at - WEEK) // HOUR for at in effective[1:]}) == len(effective) - 1, "one an hour at most"
    # A probability follows from the row in force at the answer's own time.
    for stored in units.values():
        decision = stored.unit.decision
        assert decision.schedule_row == row_in_force(rows, stored.unit.facts.sampling_time).id


@pytest.mark.parametrize("batch", [7, 60, 1000])
def test_the_steps_do_not_depend_on_how_much_a_poll_brings(tmp_path: Path, batch: int) -> None:
    """Batches that end before their hour lead to the same numbers as those that are cut at it."""
    plain = with_budget(60)
    settings = replace(plain, pipeline=replace(plain.pipeline, batch_records=batch))
    with fresh_database(tmp_path) as database:
        replayed(traffic(30), database, settings)
        # The horizon, and with it the moment within the hour, follows from the batches; the plan does not.
        found = [
            ((row.effective_at - WEEK) // HOUR, round(row.multiplier, 9)) for row in rows_of(database)[1:]
        ]
    with fresh_database(tmp_path, "other.db") as database:
        replayed(traffic(30), database, plain)
        other = [
            ((row.effective_at - WEEK) // HOUR, round(row.multiplier, 9)) for row in rows_of(database)[1:]
        ]
    assert [hour for hour, _ in found] == [hour for hour, _ in other]
    assert [m for _, m in found] == pytest.approx([m for _, m in other], rel=0.05)


def test_two_replays_of_a_file_are_the_same(tmp_path: Path) -> None:
    with fresh_database(tmp_path, "one.db") as one, fresh_database(tmp_path, "other.db") as other:
        busier = traffic(15, an_hour=50, began=WEEK + 15 * HOUR, first=1000)
        for database in (one, other):
            replayed(traffic(15) + busier, database, with_budget(40))
        assert_same(contents(one), contents(other))
        assert len(rows_of(one)) > 2


def test_a_changed_budget_is_a_new_row_and_no_new_design(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        replayed(traffic(24), database, with_budget(100))
        replayed(traffic(24, began=WEEK + DAY, first=1000), database, with_budget(103))
        rows = rows_of(database)
    reasons = [row.reason for row in rows]
    assert "budget: 100 a week" in reasons
    assert "budget: 103 a week" in reasons, "even a change within the dead band"
    assert reasons.index("budget: 103 a week") > reasons.index("budget: 100 a week")
    assert len({row.design_id for row in rows}) == 1


def test_from_a_rate_to_a_budget_and_back(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        fixed = settings_for(rate=0.5)
        with_it = with_budget(100)
        for number, settings in enumerate((fixed, with_it, fixed)):
            topic = MemoryTopic(f"topic {number}")
            fill(topic, traffic(10, began=WEEK + number * DAY, first=number * 1000))
            if settings.sampling.budget is None:
                salt = Salt.of(settings.sampling.salt)
                clock = FixedClock(WEEK + 60 * DAY)
                with worker(
                    settings, MemorySource(topic), database, salt, Metrics(), Health(), clock
                ) as wired:
                    wired.agent.run(until_end=True)
            else:
                with leading_worker(topic, database, settings) as wired:
                    wired.agent.run(until_end=True)
        rows = rows_of(database)
    designs = list(dict.fromkeys(row.design_id for row in rows))
    assert len(designs) == 2
    assert rows[-1].design_id == designs[0], "the same settings are the same design again"
    assert rows[-1].multiplier == rows[0].multiplier
    assert not any(row.reason.startswith("budget") for row in rows if row.design_id == designs[0])


def test_nothing_is_steered_without_the_lease(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        with database.begin() as conn:
            leases.acquire(conn, "scheduled work", "another", 3600.0)
        replayed(traffic(12), database, with_budget(100))
        assert [row.reason for row in rows_of(database)] == ["first row"]


def test_a_worker_that_does_not_lead_is_steered_from_outside(tmp_path: Path) -> None:
    """Live: workers read, a leader elsewhere looks at the horizon they have come to."""
    settings = with_budget(100)
    budget = settings.sampling.budget
    assert budget is not None
    with fresh_database(tmp_path) as database:
        steps = BudgetSteps(budget, zone_of("UTC"), Metrics(), FixedClock(WEEK))
        job = steps.job()
        with database.begin() as conn:
            lease = leases.acquire(conn, "scheduled work", "the workbench", 3600.0)
        assert lease is not None
        job.run(Turn(database, lease))  # before there is anything
        salt = Salt.of(settings.sampling.salt)
        clock = FixedClock(WEEK + 60 * DAY)
        for hour in range(6):
            topic = MemoryTopic(f"hour {hour}")
            fill(topic, traffic(1, began=WEEK + hour * HOUR, first=hour * 100))
            with worker(settings, MemorySource(topic), database, salt, Metrics(), Health(), clock) as wired:
                wired.agent.run(until_end=True)
            for _ in range(3):
                job.run(Turn(database, lease))
        rows = rows_of(database)
        with database.read() as conn:
            done = scheduled_runs.done_windows(conn, JOB)
            horizon = schedule.read_horizon(conn)
    # The step of an hour is taken once the workers are well into it.
    assert [name[11:13] for name in sorted(done)] == ["00", "01", "02", "03", "04", "05"]
    assert len(rows) >= 2
    assert all(row.reason == "budget: 100 a week" for row in rows[1:])
    assert rows[-1].effective_at <= horizon + timedelta(microseconds=1)


def test_a_budget_larger_than_the_traffic_takes_everything(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        replayed(traffic(48), database, with_budget(100_000))
        last = [one for one in units_of(database).values() if one.unit.facts.event_time > WEEK + 2 * HOUR]
        assert len(last) == 12 * 46 - 1
        assert {one.unit.decision.inclusion_probability for one in last} == {1.0}


@pytest.mark.parametrize("leads", [True, False])
def test_the_command_steers_only_where_it_leads(tmp_path: Path, leads: bool) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(one) + "\n" for one in traffic(100)))
    store = f"sqlite:///{tmp_path / 'store.db'}"
    settings: dict[str, Any] = {
        "sampling": {"rate": None, "budget": {"units": 80, "per": "week", "expected_answers": 2000}}
    }
    totals = run_to_end(
        tmp_path, f"file:{answers}", store, settings=settings, fresh=True, options=["--lead"] if leads else []
    )
    with Database(store) as database:
        reasons = {row.reason for row in rows_of(database)}
        expected = expected_units(database, WEEK, WEEK + 7 * DAY)
    assert totals["events"] == 1200
    assert reasons == ({"first row", "budget: 80 a week"} if leads else {"first row"})
    assert 30 < expected < 85
    assert abs(totals["sampled"] - expected) < 5 * expected**0.5


def test_a_run_that_follows_a_killed_one_waits_for_its_lease_and_steers(tmp_path: Path) -> None:
    """kill -9 in the middle; the next start must not race through the rest of the file unsteered."""
    events = traffic(100)
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(one) + "\n" for one in events))
    store = f"sqlite:///{tmp_path / 'store.db'}"
    settings: dict[str, Any] = {
        "sampling": {"rate": None, "budget": {"units": 80, "per": "week", "expected_answers": 2000}},
        "leader": {"lease_seconds": 3.0},
    }
    source = f"file:{answers}"
    with Run(tmp_path, source, store, settings=settings, options=["--lead"]) as run:
        with Database(store) as database:

            def steps_taken() -> int:
                try:
                    with database.read() as conn:
                        return len(scheduled_runs.done_windows(conn, JOB))
                except SentinelError:
                    return 0  # the schema is not there yet

            wait_until(lambda: steps_taken() >= 10, run=run)
        run.send(signal.SIGKILL)
        run.ends()
    run_to_end(tmp_path, source, store, settings=settings, options=["--lead"])
    with Database(store) as database, database.read() as conn:
        done = scheduled_runs.done_windows(conn, JOB)
        cells = frame.totals(conn, WEEK, WEEK + 7 * DAY, domain="")
    assert sum(one.events for one in cells.values()) == len(events)
    assert len(done) == 100, "every hour of the file had its step"
    assert sorted(done.values()) == list(dict(sorted(done.items())).values()), "tokens grow with the hours"
    assert set(done.values()) == {1, 2}


def test_a_run_beside_a_leader_that_lives_does_not_wait_for_long(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        params = LeaderParams(lease_seconds=2.0)
        with (
            Leader(database, (), params, Metrics(), Health(), SystemClock()),
            Leader(database, (), params, Metrics(), Health(), SystemClock()) as other,
        ):
            began = time.monotonic()
            other.settle()
            assert time.monotonic() - began < 1.9, "it renews every two thirds of a second"
            assert other.lease() is None
