"""SIGTERM: the batch in hand is committed, the process ends soon, the next start goes on exactly there."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path

import psycopg
import pytest
from kafka import KafkaAdminClient

from sentinel.store.database import Database
from tests.fault.contents import assert_same, contents
from tests.fault.processes import Run, kafka_settings, readiness, run_to_end, wait_until
from tests.fault.streams import mixed
from tests.fault.topics import by_identity, counted, done, new_topic, send
from tests.services.ports import free_port
from tests.services.postgres import PostgresServer

SLOW = {"pipeline": {"batch_records": 2, "poll_seconds": 0.1}}


def stream(folder: Path, count: int) -> Path:
    path = folder / "answers.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in mixed(count)))
    return path


@pytest.mark.parametrize("fresh", [True, False], ids=["command", "fork"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_in_the_middle_is_clean_and_the_next_start_goes_on(
    number: signal.Signals, fresh: bool, tmp_path: Path
) -> None:
    path = stream(tmp_path, 300)
    url, calm = f"sqlite:///{tmp_path / 's.db'}", f"sqlite:///{tmp_path / 'calm.db'}"
    with Run(tmp_path, f"file:{path}", url, until_end=False, fresh=fresh, settings=SLOW) as run:
        wait_until(lambda: counted(url) > 10, run=run)
        run.send(number)
        began = time.monotonic()
        assert run.ends(10) == 0, run.log
        assert time.monotonic() - began < 5.0
        done = run.summary
    assert done["events"] == counted(url) < 300, "what was counted is what was committed"
    rest = run_to_end(tmp_path, f"file:{path}", url)
    undisturbed = run_to_end(tmp_path, f"file:{path}", calm)
    assert {key: done[key] + rest[key] for key in done} == undisturbed
    with Database(url) as one, Database(calm) as other:
        assert_same(contents(other), contents(one))


def test_a_stop_while_it_waits_for_more(tmp_path: Path) -> None:
    path = stream(tmp_path, 20)
    url = f"sqlite:///{tmp_path / 's.db'}"
    with Run(tmp_path, f"file:{path}", url, until_end=False) as run:
        wait_until(lambda: counted(url) == 20, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(5) == 0, run.log
        assert run.summary["events"] == 20


def test_a_stop_while_a_locked_store_is_waited_for(tmp_path: Path) -> None:
    path = stream(tmp_path, 300)
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = SLOW | {"database": {"wait_seconds": 0.2}}
    with Run(tmp_path, f"file:{path}", url, until_end=False, settings=settings) as run:
        wait_until(lambda: counted(url) > 10, run=run)
        stranger = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
        stranger.execute("BEGIN IMMEDIATE")
        wait_until(lambda: "retry" in run.log, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(5) == 0, run.log
        assert "stopped while store or source was away" in run.log
        assert run.summary["events"] == counted(url), "what was counted is what is committed"
        stranger.execute("ROLLBACK")
        stranger.close()
    run_to_end(tmp_path, f"file:{path}", url)
    assert counted(url) == 300


@pytest.mark.postgres
def test_a_stop_while_the_server_is_away(tmp_path: Path) -> None:
    server = PostgresServer()
    try:
        server.start()
        with psycopg.connect(server.conninfo(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE stopping")
        url = server.url("stopping")
        path = stream(tmp_path, 300)
        with Run(tmp_path, f"file:{path}", url, until_end=False, settings=SLOW) as run:
            wait_until(lambda: counted(url) > 10, run=run)
            server.kill()
            wait_until(lambda: "retry" in run.log, run=run)
            run.send(signal.SIGTERM)
            assert run.ends(10) == 0, run.log
            assert "stopped while store or source was away" in run.log
            done = run.summary["events"]
        server.start()
        assert counted(url) == done
        run_to_end(tmp_path, f"file:{path}", url)
        assert counted(url) == 300
    finally:
        server.close()


def test_a_call_that_does_not_return_cannot_hold_the_process_past_its_grace(tmp_path: Path) -> None:
    """SQLite waits for a lock inside one call, for as long as its own patience: half a minute here."""
    path = stream(tmp_path, 300)
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = {"pipeline": SLOW["pipeline"] | {"stop_seconds": 1.0}, "database": {"wait_seconds": 30.0}}
    with Run(tmp_path, f"file:{path}", url, until_end=False, settings=settings) as run:
        wait_until(lambda: counted(url) > 10, run=run)
        stranger = sqlite3.connect(tmp_path / "s.db", isolation_level=None, timeout=30.0)
        stranger.execute("BEGIN IMMEDIATE")
        time.sleep(0.5)
        run.send(signal.SIGTERM)
        began = time.monotonic()
        assert run.ends(10) == 0, run.log
        assert 0.9 < time.monotonic() - began < 4.0
        assert "did not return" in run.log
        stranger.execute("ROLLBACK")
        stranger.close()
        assert run.summary["events"] == counted(url)
    run_to_end(tmp_path, f"file:{path}", url)
    assert counted(url) == 300


@pytest.mark.postgres
def test_a_start_waits_for_a_store_that_is_away(tmp_path: Path) -> None:
    server = PostgresServer()
    try:
        url, path, port = server.url(), stream(tmp_path, 30), free_port()
        settings = {"telemetry": {"http": {"port": port}}}
        with Run(tmp_path, f"file:{path}", url, until_end=False, settings=settings) as run:
            wait_until(lambda: "store" in readiness(port)[1], run=run)
            run.send(signal.SIGTERM)
            assert run.ends(10) == 0, run.log
            assert "stopped before the store was there" in run.log
            assert run.summary["events"] == 0
        with Run(tmp_path, f"file:{path}", url, settings=settings) as run:
            assert run.ends(15) == 1, "who waits for the end hears at once that it cannot begin"
        with Run(tmp_path, f"file:{path}", url, until_end=False, settings=settings) as run:
            wait_until(lambda: readiness(port)[0] == 503, run=run)
            assert "no connection to the store" in readiness(port)[1]["store"]
            server.start()
            wait_until(lambda: counted(url) == 30, run=run)
            assert readiness(port) == (200, {})
            run.send(signal.SIGTERM)
            assert run.ends(10) == 0, run.log
    finally:
        server.close()


@pytest.mark.kafka
def test_a_stop_commits_leaves_the_group_and_the_next_start_resumes_exactly(
    kafka_bootstrap: str, tmp_path: Path
) -> None:
    """With a session of a minute: a member that only vanished would hold its partitions for as long."""
    topic = new_topic(kafka_bootstrap, "leaves", 2)
    placed = by_identity(mixed(300), 2)
    send(kafka_bootstrap, topic, placed)
    settings = SLOW | kafka_settings(kafka_bootstrap, topic, topic, session_timeout_seconds=60.0)
    url, calm = f"sqlite:///{tmp_path / 's.db'}", f"sqlite:///{tmp_path / 'calm.db'}"
    with Run(tmp_path, "kafka", url, until_end=False, settings=settings) as run:
        wait_until(lambda: counted(url) > 20, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
        first = run.summary
    assert 0 < first["events"] == counted(url) < 300
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    try:
        group = admin.describe_groups([topic])[topic]
        told = admin.list_group_offsets({topic: None})[topic]
    finally:
        admin.close()
    assert not group["members"], "it has left"
    committed = {number: offset for number, offset in done(url, topic).items() if offset}
    assert {at.partition: known.offset for at, known in told.items()} == committed
    began = time.monotonic()
    rest = run_to_end(tmp_path, "kafka", url, settings=settings | {"pipeline": {"batch_records": 100}})
    assert time.monotonic() - began < 30.0, "nobody had to wait for a session to end"
    assert first["events"] + rest["events"] == 300
    calm_settings = kafka_settings(kafka_bootstrap, topic, "calm-leaves")
    undisturbed = run_to_end(tmp_path, "kafka", calm, settings=calm_settings)
    assert {key: first[key] + rest[key] for key in first} == undisturbed
    with Database(url) as one, Database(calm) as other:
        assert_same(contents(other, without_first_seen=True), contents(one, without_first_seen=True))
