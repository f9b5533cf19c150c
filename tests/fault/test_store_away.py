"""A database or broker that goes away: the process lives, says why it is not ready, and catches up."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from kafka import KafkaProducer

from sentinel.errors import RetryError, SentinelError
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from tests.fault.contents import assert_same, contents, event_counts
from tests.fault.processes import Run, kafka_settings, metric_of, readiness, run_to_end, wait_until
from tests.fault.streams import answers, mixed
from tests.fault.workers import metric, small_batches, working
from tests.harness import WEEK, encoded, fresh_database, settings_for
from tests.services.kafka import KafkaServer
from tests.services.ports import free_port
from tests.services.postgres import PostgresServer
from tests.services.topics import make_topic

SETTINGS = small_batches(settings_for(), 10)
DATABASE = "outages"


def with_telemetry(port: int, **sections: Any) -> dict[str, Any]:
    pace = {"batch_records": 5, "poll_seconds": 0.1, "longest_wait_seconds": 0.5}
    return {"telemetry": {"http": {"port": port}}, "pipeline": pace, **sections}


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[PostgresServer]:
    """A server of this module's own, to be stopped at will."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def database_url(own_postgres: PostgresServer) -> str:
    name = f"{DATABASE}_{time.time_ns()}"
    with psycopg.connect(own_postgres.conninfo(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    return own_postgres.url(name)


def written(path: Path, values: list[bytes]) -> Path:
    with path.open("ab") as file:
        file.write(b"".join(value + b"\n" for value in values))
    return path


def calm(folder: Path, values: list[bytes], path: Path) -> dict[str, Any]:
    """What the store holds of a file that was read in peace."""
    url = f"sqlite:///{folder / 'calm.db'}"
    run_to_end(folder, f"file:{path}", url)
    with Database(url) as database:
        return contents(database, without_first_seen=True)


def counted(url: str) -> int:
    try:
        with Database(url) as database:
            return event_counts(database)["events"]
    except SentinelError:
        return -1  # the store is away or has no tables yet


@pytest.mark.postgres
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_postgresql_goes_away_and_comes_back(
    how: str, own_postgres: PostgresServer, database_url: str, tmp_path: Path
) -> None:
    values = mixed(200)
    path = written(tmp_path / "answers.jsonl", values[:60])
    port = free_port()
    settings = with_telemetry(port)
    with Run(tmp_path, f"file:{path}", database_url, until_end=False, settings=settings) as run:
        wait_until(lambda: readiness(port) == (200, {}), run=run)
        written(path, values[60:])
        getattr(own_postgres, how)()
        wait_until(lambda: readiness(port)[0] == 503, run=run)
        assert set(readiness(port)[1]) == {"store"}
        assert "store" in readiness(port)[1]["store"]
        time.sleep(1.0)
        assert run.lives
        own_postgres.start()
        wait_until(lambda: readiness(port) == (200, {}), run=run)
        wait_until(lambda: counted(database_url) == 200, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(10) == 0, run.log
    # The last lines are poison or repeats: another start shows that they were not counted twice.
    run_to_end(tmp_path, f"file:{path}", database_url)
    undisturbed = calm(tmp_path, values, path)
    with Database(database_url) as database:
        found = contents(database, without_first_seen=True)
    # A file's records bear the time at which it was opened; nothing here is derived from it but that.
    for held in (undisturbed, found):
        for name in ("not_covered", "dead_letters", "units"):
            held.pop(name)
    assert_same(undisturbed, found)


@pytest.mark.postgres
def test_connections_that_break_at_any_moment(
    own_postgres: PostgresServer, database_url: str, tmp_path: Path
) -> None:
    """Backends are ended every few milliseconds: in statements, in COMMIT, between them."""
    topic = MemoryTopic()
    for value in mixed(240):
        topic.append(value, WEEK)
    with fresh_database(tmp_path) as database, working(MemorySource(topic), database, SETTINGS) as worker:
        worker.run()
        undisturbed = contents(database, without_first_seen=True)
    with Database(database_url) as database:
        database.upgrade()
        with working(MemorySource(topic), database, SETTINGS) as worker:
            thread = worker.in_thread()
            ended = end_backends_while(thread, own_postgres)
            thread.join(60)
            assert worker.error is None
            retries = worker.metrics.registry.get_sample_value(
                "sentinel_pipeline_retries_total", {"part": "store"}
            )
            assert ended > 10
            assert (retries or 0) > 5
            assert worker.accounting.summary()["events"] == 240
            assert metric(worker, "sentinel_stream_events_total") == 240
        assert_same(undisturbed, contents(database, without_first_seen=True))


def end_backends_while(thread: threading.Thread, server: PostgresServer) -> int:
    ended = 0
    with psycopg.connect(server.conninfo(), autocommit=True) as connection:
        deadline = time.monotonic() + 60
        while thread.is_alive() and time.monotonic() < deadline:
            rows = connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                f" WHERE datname LIKE '{DATABASE}%' AND pid <> pg_backend_pid()"
            ).fetchall()
            ended += len(rows)
            time.sleep(0.05)
    return ended


def undisturbed_run(tmp_path: Path, number: int) -> tuple[MemoryTopic, dict[str, Any]]:
    """A topic of so many answers, and what a worker that nobody disturbs makes of it."""
    topic = MemoryTopic()
    for value in mixed(number):
        topic.append(value, WEEK)
    with fresh_database(tmp_path, "calm.db") as database:
        with working(MemorySource(topic), database, SETTINGS) as worker:
            worker.run()
        return topic, contents(database)


def test_an_answer_to_commit_that_is_lost_counts_once(tmp_path: Path) -> None:
    """The transaction is in the store, but the worker was told that the connection had gone."""
    topic, undisturbed = undisturbed_run(tmp_path, 120)
    with fresh_database(tmp_path) as database, working(MemorySource(topic), database, SETTINGS) as worker:
        lost = 0

        def after_commit(connection: sa.Connection) -> None:
            # The driver raises after the server has committed, as when the answer is lost on its way.
            nonlocal lost
            cursor = connection.connection.cursor()
            has_new = cursor.execute("SELECT count(*) FROM checkpoints").fetchone()[0]
            if has_new and lost < 5 and connection.get_execution_options().get("sentinel_writes"):
                connection.connection.commit()
                lost += 1
                raise RetryError("the connection was lost while it committed")

        sa.event.listen(database._engine, "commit", after_commit)
        worker.run()
        sa.event.remove(database._engine, "commit", after_commit)
        assert lost == 5
        assert worker.accounting.summary()["events"] == 120
        assert_same(undisturbed, contents(database))


def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    topic, undisturbed = undisturbed_run(tmp_path, 300)
    with fresh_database(tmp_path) as database, working(MemorySource(topic), database, SETTINGS) as worker:
        limit = 70

        def bounded(connection: sa.Connection) -> None:
            connection.exec_driver_sql(f"PRAGMA max_page_count={limit}")

        sa.event.listen(database._engine, "begin", bounded)
        thread = worker.in_thread()
        wait_until(lambda: "store" in worker.health.not_ready() and worker.accounting.events > 0, 20)
        stuck_at = worker.accounting.events
        assert "SQLITE_FULL" in worker.health.not_ready()["store"]
        time.sleep(0.5)
        assert thread.is_alive()
        assert 0 < stuck_at == worker.accounting.events < 300
        limit = 1_000_000
        thread.join(30)
        assert worker.error is None
        assert worker.health.is_ready
        assert worker.accounting.events == 300
        assert_same(undisturbed, contents(database))


@pytest.fixture(scope="module")
def own_kafka() -> Iterator[KafkaServer]:
    server = KafkaServer()
    try:
        server.start()
        yield server
    finally:
        server.close()


def send(bootstrap: str, topic: str, values: list[bytes], compression: str | None = None) -> None:
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=5, compression_type=compression)
    for position, value in enumerate(values):
        producer.send(topic, value, partition=position % 2)
    producer.flush(timeout=30)
    producer.close()


@pytest.mark.kafka
def test_the_broker_is_killed_and_comes_back(own_kafka: KafkaServer, tmp_path: Path) -> None:
    make_topic(own_kafka.bootstrap, "away", partitions=2)
    events = [encoded(one) for one in answers(300)]
    send(own_kafka.bootstrap, "away", events[:150])
    port = free_port()
    patience = {"silence_seconds": 1.0, "connect_timeout_seconds": 2.0, "request_timeout_seconds": 3.0}
    settings = with_telemetry(port, **kafka_settings(own_kafka.bootstrap, "away", "away", **patience))
    url = f"sqlite:///{tmp_path / 's.db'}"
    with Run(tmp_path, "kafka", url, until_end=False, settings=settings) as run:
        wait_until(lambda: counted(url) > 0, run=run)
        own_kafka.kill()
        wait_until(lambda: readiness(port)[0] == 503, run=run)
        assert set(readiness(port)[1]) == {"source"}
        time.sleep(2.0)
        assert run.lives, run.log
        own_kafka.start()
        send(own_kafka.bootstrap, "away", events[150:])
        wait_until(lambda: counted(url) == 300, 60, run)
        wait_until(lambda: readiness(port) == (200, {}), run=run)
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
        assert run.summary["events"] == 300
        assert run.summary["duplicates"] == 0


@pytest.mark.kafka
def test_a_stop_while_the_broker_is_away(own_kafka: KafkaServer, tmp_path: Path) -> None:
    """With the waits as they are by default: an orderly end within the grace time, and nothing is lost."""
    topic = f"stop-{time.time_ns()}"
    make_topic(own_kafka.bootstrap, topic, partitions=2)
    events = [encoded(one) for one in answers(100)]
    send(own_kafka.bootstrap, topic, events[:60])
    settings = kafka_settings(own_kafka.bootstrap, topic, topic)
    url = f"sqlite:///{tmp_path / 's.db'}"
    with Run(tmp_path, "kafka", url, until_end=False, settings=settings) as run:
        wait_until(lambda: counted(url) == 60, run=run)
        own_kafka.kill()
        try:
            wait_until(lambda: "retry" in run.log, run=run)
            run.send(signal.SIGTERM)
            began = time.monotonic()
            assert run.ends(30) == 0, run.log
            assert time.monotonic() - began < 21.0
            assert run.summary["events"] == 60
        finally:
            own_kafka.start()
    send(own_kafka.bootstrap, topic, events[60:])
    totals = run_to_end(tmp_path, "kafka", url, settings=settings)
    assert (totals["events"], totals["duplicates"]) == (40, 0)


def resident_megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@pytest.mark.kafka
@pytest.mark.postgres
def test_memory_is_bounded_and_reading_pauses_while_the_store_is_away(
    kafka_bootstrap: str, own_postgres: PostgresServer, database_url: str, tmp_path: Path
) -> None:
    """Eighty megabytes arrive meanwhile: they stay in the topic, and so does the group's membership."""
    topic = f"flood-{time.time_ns()}"
    make_topic(kafka_bootstrap, topic, partitions=2)
    filler = {"attributes": {"trace": "x" * 16_000}}
    few = [encoded(one | filler) for one in answers(50)]
    port = free_port()
    settings = with_telemetry(port, **kafka_settings(kafka_bootstrap, topic, topic))
    settings["pipeline"]["batch_records"] = 500
    with Run(tmp_path, "kafka", database_url, until_end=False, settings=settings) as run:
        send(kafka_bootstrap, topic, few)
        wait_until(lambda: counted(database_url) == 50, run=run)
        before = resident_megabytes(run.pid)
        own_postgres.stop()
        try:
            send(kafka_bootstrap, topic, few * 100, "gzip")  # a few kilobytes on their way
            wait_until(lambda: readiness(port)[0] == 503, run=run)
            most = before
            for _ in range(30):  # longer than a session of the group
                time.sleep(0.1)
                most = max(most, resident_megabytes(run.pid))
            # Nothing is fetched, and yet the metric says how far behind it is.
            wait_until(lambda: metric_of(port, "sentinel_stream_consumer_lag_records") >= 4000, run=run)
        finally:
            own_postgres.start()
        assert most - before < 40, f"{before:.0f} MB grew to {most:.0f} MB"
        send(kafka_bootstrap, topic, [encoded(one) for one in answers(10, first=900)])
        wait_until(lambda: counted(database_url) == 60, 90, run)
        assert metric_of(port, "sentinel_stream_duplicates_total") == 5000
        assert "revoked" not in run.log, "the group kept it as a member all the time"
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
