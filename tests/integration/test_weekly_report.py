"""The weekly report by itself: once a week, made up where it was missed, one writer among several."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from sentinel.cli.scheduled_work import jobs_of
from sentinel.clock import FixedClock
from sentinel.reporting.params import ReportParams, ReportSchedule
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.planned import WEEKLY_REPORT
from sentinel.reporting.revisions import publish
from sentinel.settings import Settings
from sentinel.store import leases, scheduled_runs
from sentinel.store.database import Database
from sentinel.store.leases import LeaseLostError
from sentinel.store.reports import StoredReport, recent_reports
from sentinel.stream.memory_source import MemoryTopic
from sentinel.telemetry.metrics import Metrics
from tests.fault.processes import Run
from tests.harness import WEEK, consume_topic, event, fill, fresh_database, settings_for
from tests.integration.leading_turns import DAY, take_turn, traffic
from tests.services.ports import free_port

ROOT = Path(__file__).parents[2]
#: Three weeks of traffic from Monday 16 November; week 47 is planned for Wednesday 25 November, 6:00.
PLANNED = [datetime(2026, 11, 25, 6, tzinfo=UTC) + timedelta(days=7 * number) for number in range(3)]
MINUTE = timedelta(minutes=1)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with fresh_database(tmp_path) as opened:
        traffic(opened, 100, 5)
        yield opened


def looked(database: Database, now: datetime, settings: Settings | None = None) -> list[str]:
    """Look for weeks to report as the leader does, and return the names of those that were done."""
    metrics = Metrics()
    before = windows(database)
    take_turn(database, WEEKLY_REPORT, now, settings=settings, metrics=metrics)
    done = sorted(windows(database) - before)
    assert metrics.registry.get_sample_value("sentinel_report_runs_total", {"outcome": "succeeded"}) == len(
        done
    )
    return done


def windows(database: Database) -> set[str]:
    with database.read() as conn:
        return set(scheduled_runs.done_windows(conn, WEEKLY_REPORT))


def reports_of(database: Database) -> list[StoredReport]:
    with database.read() as conn:
        return sorted(recent_reports(conn), key=lambda one: (one.period.start, one.report.revision))


def test_each_week_is_reported_once_at_its_planned_time(database: Database) -> None:
    assert looked(database, PLANNED[0] - MINUTE) == []
    assert looked(database, PLANNED[0]) == ["2026-W47"]
    assert looked(database, PLANNED[0] + MINUTE) == []
    assert looked(database, PLANNED[1] - MINUTE) == []
    assert looked(database, PLANNED[1] + MINUTE) == ["2026-W48"]
    assert [(one.period.start, one.report.revision) for one in reports_of(database)] == [
        (WEEK, 1),
        (WEEK + 7 * DAY, 1),
    ]


@pytest.mark.parametrize("late", [timedelta(0), timedelta(hours=5), 3 * DAY, 6 * DAY])
def test_missed_weeks_are_made_up_for_their_own_window(database: Database, late: timedelta) -> None:
    assert looked(database, PLANNED[2] + late) == ["2026-W47", "2026-W48", "2026-W49"]
    periods = [(one.period.start, one.period.end) for one in reports_of(database)]
    assert periods == [(WEEK + number * 7 * DAY, WEEK + (number + 1) * 7 * DAY) for number in range(3)]
    assert looked(database, PLANNED[2] + late + MINUTE) == []


def test_no_more_is_made_up_than_was_asked_for(database: Database) -> None:
    plan = ReportSchedule(make_up_weeks=1)
    settings = replace(settings_for(), report=ReportParams(schedule=plan))
    assert looked(database, PLANNED[2] + DAY, settings) == ["2026-W49"]


def test_a_clock_set_back_and_forth_writes_nothing_twice(database: Database) -> None:
    for now in (PLANNED[0], PLANNED[0] - 3 * DAY, PLANNED[0], PLANNED[1], PLANNED[0], PLANNED[1]):
        looked(database, now)
    assert [one.report.revision for one in reports_of(database)] == [1, 1]


def test_a_week_that_somebody_reported_since_is_done(database: Database) -> None:
    settings = settings_for()
    by_hand = ReportPeriod(WEEK.date(), (WEEK + 7 * DAY).date(), "UTC")
    publish(database, by_hand, settings.report, FixedClock(PLANNED[0] + MINUTE))
    assert looked(database, PLANNED[0] + DAY) == []
    assert len(reports_of(database)) == 1


def test_a_report_by_hand_before_the_planned_time_does_not_stand_for_it(database: Database) -> None:
    settings = settings_for()
    by_hand = ReportPeriod(WEEK.date(), (WEEK + 7 * DAY).date(), "UTC")
    publish(database, by_hand, settings.report, FixedClock(WEEK + 3 * DAY))
    assert looked(database, PLANNED[0]) == ["2026-W47"]
    assert looked(database, PLANNED[0] + MINUTE) == []


def test_a_week_that_is_still_coming_in_waits(tmp_path: Path) -> None:
    """A replay of last week: reported once it is through, or once nobody is at it any more."""
    with fresh_database(tmp_path) as database:
        topic = MemoryTopic()
        fill(topic, [event(number, WEEK + number * timedelta(hours=5)) for number in range(60)])
        now = PLANNED[1] + DAY
        first_half = MemoryTopic()
        fill(first_half, [event(number, WEEK + number * timedelta(hours=5)) for number in range(20)])
        consume_topic(first_half, database, settings_for(), now=now)
        assert looked(database, now + MINUTE) == []
        assert looked(database, now + 20 * MINUTE) == ["2026-W47", "2026-W48"]
    with fresh_database(tmp_path, "whole.db") as database:
        consume_topic(topic, database, settings_for(), now=now)
        assert looked(database, now + MINUTE) == ["2026-W47"]


def test_an_empty_store_and_a_switched_off_schedule_have_nothing_due(
    tmp_path: Path, database: Database
) -> None:
    with fresh_database(tmp_path, "empty.db") as empty:
        assert looked(empty, PLANNED[2]) == []
    off = replace(settings_for(), report=ReportParams(schedule=ReportSchedule(enabled=False)))
    assert WEEKLY_REPORT not in [one.name for one in jobs_of(off, Metrics(), FixedClock(PLANNED[2]), None)]


def test_a_leader_that_lost_its_lease_reports_nothing(database: Database) -> None:
    with pytest.raises(LeaseLostError):
        take_turn(database, WEEKLY_REPORT, PLANNED[0], lost=True)
    assert reports_of(database) == []
    assert windows(database) == set()


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe"])
def test_days_are_those_of_the_configured_zone(database: Database, zone: str) -> None:
    plan = ReportSchedule(weekday="monday", hour=0, label_days=0)
    settings = replace(settings_for(), report=ReportParams(timezone=zone, schedule=plan))
    assert (
        looked(database, PLANNED[1], settings)
        == ["2026-W46", "2026-W47", "2026-W48"][zone != "America/Santiago" :]
    )
    for one in reports_of(database):
        assert one.period.timezone == zone
        assert one.period.end - one.period.start == 7 * DAY


# As processes


def environment() -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SENTINEL_")}
    return {
        **clean,
        "PYTHONPATH": str(ROOT),
        "SENTINEL_LEADER__LEASE_SECONDS": "2",
        "SENTINEL_TELEMETRY__LOGS__LEVEL": "info",
    }


@contextmanager
def serving(store: str, log: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    command = [sys.executable, "-m", "sentinel", "serve", "--store", store, "--port", "0"]
    with log.open("wb") as stderr:
        process = subprocess.Popen(command, stderr=stderr, env=environment())
    try:
        deadline = time.monotonic() + 60
        while not (found := re.search(r"(http://\S+)/ ", log.read_text())):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield process, found[1]
    finally:
        process.kill()
        process.wait(30)


def scraped(url: str) -> dict[str, float]:
    """Series → value; empty while the server does not answer yet."""
    try:
        text = httpx.get(f"{url}/metrics", timeout=10).text
    except httpx.TransportError:
        return {}
    return {
        name: float(number)
        for name, number in (line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    }


def wait_for(read: Any, holds: Any, seconds: float = 60.0) -> Any:
    deadline = time.monotonic() + seconds
    while not holds(found := read()):
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    return found


def test_of_two_workbenches_one_writes_the_missed_report(tmp_path: Path) -> None:
    """Both come up after the planned time; then the one that leads is killed and the other follows."""
    store = f"sqlite:///{tmp_path / 'store.db'}"
    began = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 30 * DAY
    with fresh_database(tmp_path) as database:
        traffic(database, 70, 9, began)
        with (
            serving(store, tmp_path / "one.log") as (one, first),
            serving(store, tmp_path / "other.log") as (other, second),
        ):
            wait_for(lambda: windows(database), lambda done: len(done) >= 3)
            gauge = "sentinel_report_last_success_timestamp_seconds"
            for url in (first, second):
                # The three weeks may be written before the other one answers at all.
                seen = wait_for(lambda url=url: scraped(url), lambda found: gauge in found)
                assert seen[gauge] == pytest.approx(time.time(), abs=120)
            assert {one.report.revision for one in reports_of(database)} == {1}
            urls = {first: one, second: other}
            active = {url: scraped(url)["sentinel_leader_active"] for url in urls}
            assert sorted(active.values()) == [0.0, 1.0]
            leader = max(active, key=lambda url: active[url])
            follower = min(active, key=lambda url: active[url])
            urls[leader].send_signal(signal.SIGKILL)
            urls[leader].wait(30)
            wait_for(lambda: scraped(follower), lambda seen: seen.get("sentinel_leader_active") == 1.0)
            written = len(reports_of(database))
            notes = httpx.get(f"{follower}/readyz", timeout=10).json()["notes"]
            assert "job weekly_report" in notes
            urls[follower].send_signal(signal.SIGTERM)
            assert urls[follower].wait(30) == 0
        assert len(reports_of(database)) == written
        with database.read() as conn:
            done = scheduled_runs.done_windows(conn, WEEKLY_REPORT)
        # Whichever of the two led when a week's turn came: each has one report, and no second revision.
        published = reports_of(database)
        assert {one.report.revision for one in published} == {1}
        assert len(done) == len({one.period.start for one in published}) == len(published)


def test_an_agent_that_leads_exports_the_latest_report(tmp_path: Path) -> None:
    """A lone sidecar: `run --lead` writes the missed reports, and its own metrics follow them."""
    store = f"sqlite:///{tmp_path / 'store.db'}"
    began = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 30 * DAY
    with fresh_database(tmp_path) as database:
        traffic(database, 70, 9, began)
        port = free_port()
        (tmp_path / "answers.jsonl").write_text("")
        settings = {"telemetry": {"http": {"port": port}}, "sampling": {"rate": 0.3}}
        url = f"http://127.0.0.1:{port}"
        with Run(
            tmp_path,
            f"file:{tmp_path / 'answers.jsonl'}",
            store,
            until_end=False,
            settings=settings,
            options=["--lead"],
        ) as run:
            seen = wait_for(
                lambda: scraped(url), lambda seen: "sentinel_report_last_success_timestamp_seconds" in seen
            )
            wait_for(lambda: windows(database), lambda done: len(done) >= 3)
            seen = scraped(url)
            assert seen["sentinel_leader_active"] == 1.0
            assert seen["sentinel_label_coverage_ratio"] == 0.0, "drawn, and nobody labelled anything"
            assert not any(name.startswith("sentinel_audited_rate") for name in seen), "no data is not 0 %"
            assert seen["sentinel_review_pending_units"] > 0
            runs = 'sentinel_report_runs_total{outcome="succeeded"}'
            assert seen[runs] == len(windows(database))
            run.send(signal.SIGTERM)
            assert run.ends(60) == 0, run.log
        with database.begin() as conn:
            assert leases.acquire(conn, "scheduled work", "the next", 5.0) is not None, "it was given back"
