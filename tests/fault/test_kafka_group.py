"""Workers of one Kafka group that come, go, sleep and die: every answer counts once."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaProducer

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock, SystemClock
from sentinel.records import Partition
from sentinel.redaction import RedactionParams
from sentinel.sampling.selection import Salt
from sentinel.store import checkpoints
from sentinel.store.database import Database
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_source import KafkaSource
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.fault.contents import assert_same, contents, event_counts
from tests.fault.processes import REDACTED, Run, kafka_settings, run_to_end, wait_until
from tests.fault.streams import mixed
from tests.fault.workers import Worker, small_batches
from tests.harness import WEEK, encoded, event, settings_for, units_of
from tests.services.topics import make_topic

pytestmark = pytest.mark.kafka
SLOW = {"pipeline": {"batch_records": 4, "poll_seconds": 0.1}}
COUNT = 300
PARTITIONS = 4


def filled(bootstrap: str, name: str, values: list[bytes], partitions: int) -> str:
    topic = f"{name}-{time.time_ns()}"
    # The records are older than the broker would keep them.
    make_topic(bootstrap, topic, partitions, {"retention.ms": "-1"})
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=5)
    for position, value in enumerate(values):
        keyed = sum(value[14:22]) if value.startswith(b'{"event_id": "e') else position
        producer.send(topic, value, partition=keyed % partitions, timestamp_ms=int(WEEK.timestamp() * 1000))
    producer.flush(timeout=30)
    producer.close()
    return topic


@pytest.fixture(scope="module")
def topic(kafka_bootstrap: str) -> str:
    return filled(kafka_bootstrap, "group", mixed(COUNT), PARTITIONS)


@pytest.fixture(scope="module")
def undisturbed(kafka_bootstrap: str, topic: str, tmp_path_factory: Any) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("calm")
    url = f"sqlite:///{folder / 's.db'}"
    totals = run_to_end(folder, "kafka", url, settings=kafka_settings(kafka_bootstrap, topic, "calm"))
    assert totals["events"] == COUNT
    return held(url)


def held(url: str) -> dict[str, Any]:
    with Database(url) as database:
        return contents(database, without_first_seen=True)


def position(url: str, topic: str) -> int:
    """How many records of the topic are done."""
    with Database(url) as database, database.read() as connection:
        return sum(
            checkpoints.next_offset(connection, Partition(topic, number)) or 0 for number in range(PARTITIONS)
        )


@pytest.mark.postgres
def test_three_workers_join_leave_and_die(
    kafka_bootstrap: str, topic: str, undisturbed: dict[str, Any], postgres_url: str, tmp_path: Path
) -> None:
    settings = kafka_settings(kafka_bootstrap, topic, "lively") | SLOW
    with Database(postgres_url) as database:
        database.upgrade()

    def start() -> Run:
        return Run(tmp_path, "kafka", postgres_url, until_end=False, settings=settings)

    with start() as first:
        wait_until(lambda: position(postgres_url, topic) > 10, run=first)
        with start() as second, start() as third:
            time.sleep(1.0)
            first.send(signal.SIGKILL)
            time.sleep(1.0)
            second.send(signal.SIGTERM)
            assert second.ends(15) == 0, second.log
            with start() as fourth:
                time.sleep(0.5)
                third.send(signal.SIGSTOP)
                time.sleep(3.0)  # past the session timeout: the group goes on without it
                third.send(signal.SIGCONT)
                total = sum(topic_ends(undisturbed))
                wait_until(lambda: position(postgres_url, topic) == total, 60, fourth)
                for run in (third, fourth):
                    run.send(signal.SIGTERM)
                    assert run.ends(15) == 0, run.log
    assert_same(undisturbed, held(postgres_url))


def topic_ends(found: dict[str, Any]) -> Iterator[int]:
    for row in found["checkpoints"]:
        yield int(row.rstrip(")").rsplit(",", 1)[1])


class SleepingClock(FixedClock):
    """Stands for a handler that takes too long once, with records in hand."""

    def __init__(self, now: datetime) -> None:
        super().__init__(now)
        self.sleep_next_seconds = 0.0

    def now(self) -> datetime:
        seconds, self.sleep_next_seconds = self.sleep_next_seconds, 0.0
        time.sleep(seconds)
        return super().now()


def test_a_handler_sleeps_past_the_poll_limit_and_the_group_rebalances(
    kafka_bootstrap: str, topic: str, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = small_batches(settings_for(), 10)
    # What the command redacts, so that the units of either worker hold the same.
    settings = replace(settings, redaction=RedactionParams(entities=REDACTED))
    params = KafkaParams(
        bootstrap_servers=(kafka_bootstrap,),
        topic=topic,
        group_id="sleepy",
        session_timeout_seconds=6.0,
        heartbeat_interval_seconds=0.4,
        max_poll_interval_seconds=2.0,
    )
    clock, source = SleepingClock(SystemClock().now()), KafkaSource(params, 1 << 20)
    health, metrics = Health(), Metrics()
    salt = Salt.of(settings.sampling.salt)
    with Database(url) as database:
        database.upgrade()
        with worker(settings, source, database, salt, metrics, health, clock) as wired:
            sleeper = Worker(wired.agent, wired.accounting, health, metrics)
            other: list[Run] = []

            def after_batch(_: object) -> None:
                if not other and sleeper.accounting.events > 20:
                    reading = kafka_settings(kafka_bootstrap, topic, "sleepy", session_timeout_seconds=6.0)
                    other.append(Run(tmp_path, "kafka", url, until_end=False, settings=reading))
                    clock.sleep_next_seconds = 8.0

            try:
                sleeper.run(after_batch)
                assert sleeper.error is None
                run = other[0]
                total = sum(topic_ends(undisturbed))
                wait_until(lambda: position(url, topic) == total, 30, run)
                run.send(signal.SIGTERM)
                assert run.ends(15) == 0, run.log
                events = sleeper.accounting.events + run.summary["events"]
            finally:
                for run in other:
                    run.__exit__()
                source.close()
    assert metrics.registry.get_sample_value("sentinel_pipeline_rejoins_total"), "its batch was rolled back"
    found = held(url)
    with Database(url) as database:
        assert event_counts(database)["events"] == events == COUNT
    assert_same(undisturbed, found)


def test_what_was_slow_to_redact_comes_again_after_a_kill(kafka_bootstrap: str, tmp_path: Path) -> None:
    """The second answer's work is done when the process dies in the first's batch: neither is passed over."""
    long = "Ask ana.q@mail.test about it. " * 900
    signals = {"user_correction": True}
    slow = encoded(event(1, WEEK, answer=long, signals=signals))
    quick = encoded(event(2, WEEK, answer="Yes.", signals=signals))
    name = filled(kafka_bootstrap, "slow", [slow, quick], 1)
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = kafka_settings(kafka_bootstrap, name, name)
    for point in ("redacted", "units_written", "before_commit"):
        with Run(tmp_path, "kafka", url, point=point, settings=settings) as run:
            assert run.ends() == -signal.SIGKILL, (point, run.summary, run.log)
        assert not committed(kafka_bootstrap, name), "nothing is committed past the first"
        with Database(url) as database, database.read() as connection:
            assert checkpoints.next_offset(connection, Partition(name, 0)) == 0
    totals = run_to_end(tmp_path, "kafka", url, settings=settings)
    assert (totals["events"], totals["sampled"], totals["duplicates"]) == (2, 2, 0)
    assert committed(kafka_bootstrap, name) == [2]
    with Database(url) as database:
        assert set(units_of(database)) == {"e00001", "e00002"}


def committed(bootstrap: str, group: str) -> list[int]:
    """Return the offsets that the group has told the broker."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        found = admin.list_group_offsets({group: None})[group]
    finally:
        admin.close()
    return [at.offset for at in found.values() if at.offset >= 0]
