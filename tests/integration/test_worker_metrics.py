"""What a worker exports after it has worked: distributions, the schedule row, how far behind it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock
from sentinel.pipeline.accounting import Accounting
from sentinel.records import Partition
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store import schedule
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.harness import WEEK, event, fill, fresh_database, settings_for, with_rate

EVENTS = [event(number, WEEK + timedelta(minutes=number)) for number in range(60)]


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def worked(database: Database, settings: Settings, *topics: MemoryTopic) -> Metrics:
    metrics = Metrics()
    salt, clock = Salt.of(settings.sampling.salt), FixedClock(WEEK + timedelta(days=7))
    for topic in topics:
        source = MemorySource(topic)
        with worker(settings, source, database, salt, metrics, Health(), clock) as working:
            working.agent.run(until_end=True)
    return metrics


@pytest.mark.parametrize("scope", ["stored", "all"])
def test_risk_and_time_of_redaction_are_observed_once_per_answer(tmp_path: Path, scope: str) -> None:
    settings = settings_for(rate=0.4)
    settings = replace(settings, redaction=replace(settings.redaction, scope=scope))
    fill(topic := MemoryTopic("t"), EVENTS)
    with fresh_database(tmp_path) as database:
        metrics = worked(database, settings, topic)
    assert value(metrics, "sentinel_answer_predicted_risk_ratio_count") == 60
    assert 0 < (value(metrics, "sentinel_answer_predicted_risk_ratio_sum") or 0) < 60
    drawn = value(metrics, "sentinel_sampling_units_total") or 0
    assert 0 < drawn < 60
    redacted = 60 if scope == "all" else drawn
    assert value(metrics, "sentinel_redaction_seconds_count") == redacted
    assert (value(metrics, "sentinel_redaction_seconds_sum") or 0) > 0


def test_the_schedule_row_is_that_of_the_latest_answer(tmp_path: Path) -> None:
    settings = settings_for(rate=0.4)
    fill(first := MemoryTopic("first"), EVENTS[:30])
    fill(later := MemoryTopic("later"), [event(900, WEEK + timedelta(days=3))])
    fill(late := MemoryTopic("late"), [event(901, WEEK + timedelta(minutes=7))])
    with fresh_database(tmp_path) as database:
        assert value(worked(database, settings, first), "sentinel_sampling_schedule_row") == 0
        other = with_rate(settings, 0.2)
        assert value(worked(database, other, later), "sentinel_sampling_schedule_row") == 1
        assert value(worked(database, other, late), "sentinel_sampling_schedule_row") == 0
        with database.read() as connection:
            assert [row.id for row in schedule.read_rows(connection)] == [0, 1]


def test_what_a_worker_does_not_know_it_does_not_show() -> None:
    metrics = Metrics()
    accounting = Accounting(metrics)
    lag, held = "sentinel_stream_consumer_lag_records", "sentinel_stream_assigned_partitions"
    for part in ("source", "store"):
        accounting.idle({Partition("t", 0): 5, Partition("t", 1): 7})
        assert (value(metrics, lag), value(metrics, held)) == (12, 2)
        accounting.retried(part)
        # Of a source that is away nothing is known; while the store is, the source is still asked.
        assert (value(metrics, lag), value(metrics, held)) == (None if part == "source" else 12, 2)
    accounting.idle({Partition("t", 0): 0})
    assert (value(metrics, lag), value(metrics, held)) == (0, 1)
    accounting.idle(None)
    assert (value(metrics, lag), value(metrics, held)) == (None, None)
    accounting.idle({})
    assert (value(metrics, lag), value(metrics, held)) == (None, 0)
