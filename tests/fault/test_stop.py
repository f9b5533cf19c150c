"""SIGTERM: the batch in hand is committed, the process ends soon, the next start goes on exactly there."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path

import psycopg
import pytest

from sentinel.errors import SentinelError
from sentinel.store.database import Database
from tests.fault.contents import assert_same, contents, event_counts
from tests.fault.processes import Run, run_to_end, wait_until
from tests.fault.streams import mixed
from tests.services.postgres import PostgresServer

SLOW = {"pipeline": {"batch_records": 2, "poll_seconds": 0.1}}


def stream(folder: Path, count: int) -> Path:
    path = folder / "answers.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in mixed(count)))
    return path


def counted(url: str) -> int:
    try:
        with Database(url) as database:
            return event_counts(database)["events"]
    except SentinelError:
        return -1  # no tables yet


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
