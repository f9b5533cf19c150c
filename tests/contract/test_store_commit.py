"""The one commit point: everything or nothing, once, whoever else writes and whatever breaks."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import sqlalchemy as sa

from sentinel.errors import RejoinError, RetryError, SentinelError, StopError
from sentinel.records import Partition
from sentinel.store import checkpoints, deduplication, frame, minute_counts, units
from sentinel.store.database import Database, StoreParams
from sentinel.store.schema import units as unit_table
from tests.contract.store_samples import DAY, NOON, NOW, PARTITION, a_unit, commit_step


def counts_of(database: Database, partition: Partition = PARTITION) -> tuple[int, int, int, int, int]:
    """Return next offset, units, frame events, minute events, hashes of a partition."""
    with database.read() as conn:
        offset = checkpoints.next_offset(conn, partition) or 0
        written = conn.scalar(
            sa.select(sa.func.count())
            .select_from(unit_table)
            .where(unit_table.c.topic == partition.topic, unit_table.c.partition == partition.number)
        )
        cells = frame.totals(conn, NOON, NOON + DAY)
        minutes = list(minute_counts.iter_minutes(conn, NOON, NOON + DAY))
        hashes = deduplication.load(conn, NOON, 10_000, [partition])
    events = sum(counts.events for counts in cells.values())
    return (
        offset,
        written or 0,
        events,
        sum(m.counts["events"] for m in minutes),
        sum(len(seen.hashes) for seen in hashes.values()),
    )


@pytest.mark.parametrize("expected", [1, 0, 6, None])
def test_a_wrong_expectation_fails_and_leaves_nothing(database: Database, expected: int | None) -> None:
    with database.begin() as conn:
        checkpoints.advance(conn, PARTITION, None, 5, NOW)
    with pytest.raises(RejoinError, match="answers/3"):
        commit_step(database, "late", PARTITION, expected)
    assert counts_of(database) == (5, 0, 0, 0, 0)


def test_a_checkpoint_that_should_be_there_but_is_not(database: Database) -> None:
    with pytest.raises(RejoinError):
        commit_step(database, "late", PARTITION, 4)
    assert counts_of(database) == (0, 0, 0, 0, 0)


def test_a_checkpoint_never_moves_back(database: Database) -> None:
    with database.begin() as conn:
        checkpoints.advance(conn, PARTITION, None, 5, NOW)
        checkpoints.advance(conn, PARTITION, 5, 5, NOW)
        with pytest.raises(ValueError, match="back"):
            checkpoints.advance(conn, PARTITION, 5, 4, NOW)
    assert counts_of(database)[0] == 5


def test_an_error_after_the_writes_takes_them_back(database: Database) -> None:
    def fail() -> None:
        with database.begin() as conn:
            checkpoints.advance(conn, PARTITION, None, 5, NOW)
            units.insert_units(conn, [a_unit("e1")], NOW)
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert counts_of(database) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("rounds", [20])
def test_two_workers_on_one_partition_take_turns(database: Database, rounds: int) -> None:
    gate = threading.Barrier(2)

    def race(worker: str, expected: int | None) -> bool:
        gate.wait(timeout=30)
        try:
            commit_step(database, worker, PARTITION, expected)
        except RejoinError:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        for number in range(rounds):
            outcomes = list(pool.map(race, ("a", "b"), (number or None,) * 2))
            assert sorted(outcomes) == [False, True]
    assert counts_of(database) == (rounds,) * 5


def test_a_holder_blocks_the_second_until_it_is_done(database: Database) -> None:
    with ThreadPoolExecutor(1) as pool:
        with database.begin() as conn:
            checkpoints.advance(conn, PARTITION, None, 1, NOW)
            second = pool.submit(commit_step, database, "second", PARTITION, None)
            time.sleep(0.3)
            assert not second.done()
        with pytest.raises(RejoinError):
            second.result(timeout=30)
    assert counts_of(database) == (1, 0, 0, 0, 0)


def test_frame_adds_of_four_threads_are_exact(database: Database) -> None:
    cells = [frame.CellKey(NOON, PARTITION, "design-1", "app", f"app-{n}") for n in range(12)]
    minutes = [minute_counts.MinuteKey(NOON, PARTITION, f"app-{n}") for n in range(12)]
    rounds = 15

    def add(seed: int) -> None:
        draw = random.Random(seed)
        for _ in range(rounds):
            draw.shuffle(cells_of := list(cells))
            draw.shuffle(minutes_of := list(minutes))
            with database.begin() as conn:
                frame.add_cells(conn, {c: frame.CellCounts(1, 1, 0, 333_333, 7, 2) for c in cells_of})
                frame.add_not_covered(conn, {(NOON, PARTITION, reason): 1 for reason in ("b", "a")})
                minute_counts.add_minutes(conn, {m: {"events": 1, f"worker_{seed}": 2} for m in minutes_of})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    with database.read() as conn:
        totals = frame.totals(conn, NOON, NOON + frame.WINDOW, "app")
        assert len(totals) == 12
        assert set(totals.values()) == {frame.CellCounts(60, 60, 0, 60 * 333_333, 60 * 7, 120)}
        assert frame.not_covered_totals(conn, NOON, NOON + frame.WINDOW) == {"a": 60, "b": 60}
        for minute in minute_counts.iter_minutes(conn, NOON, NOON + DAY):
            assert minute.counts == {"events": 60} | {f"worker_{n}": 30 for n in range(4)}


def test_minutes_of_two_threads_are_exact_without_other_locks(database: Database) -> None:
    keys = [minute_counts.MinuteKey(NOON, PARTITION, f"app-{n}") for n in range(5)]

    def add(_worker: int) -> None:
        for _ in range(40):
            with database.begin() as conn:
                minute_counts.add_minutes(conn, {key: {"events": 1} for key in keys})

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, range(2)))
    with database.read() as conn:
        assert [m.counts for m in minute_counts.iter_minutes(conn, NOON, NOON + DAY)] == [{"events": 80}] * 5


def _child(mode: str, url: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.contract.store_samples", mode, url]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() in ("holding", "looping")
    return process


def _kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=30)


def test_a_kill_inside_the_transaction_leaves_nothing(database: Database, store_url: str) -> None:
    _kill(_child("hold", store_url))
    assert commit_step(database, "next", PARTITION, None) == 1
    assert counts_of(database) == (1,) * 5


def test_kills_at_any_moment_leave_whole_commits(database: Database, store_url: str) -> None:
    draw = random.Random(20)
    reached = 0
    for _ in range(5):
        child = _child("loop", store_url)
        time.sleep(draw.uniform(0.05, 0.3))
        _kill(child)
        counts = counts_of(database)
        assert len(set(counts)) == 1
        assert counts[0] >= reached
        reached = counts[0]
    assert reached > 5


def _raised_by(action: Callable[[], object]) -> SentinelError:
    with pytest.raises(SentinelError) as caught:
        action()
    return caught.value


@pytest.mark.parametrize("kind", [RetryError])
def test_a_connection_cut_by_the_server_is_worth_a_retry(
    database: Database, store_url: str, kind: type[SentinelError]
) -> None:
    if not store_url.startswith("postgresql"):
        pytest.skip("SQLite has no connection to lose")

    def cut(*, at_commit: bool) -> None:
        with database.begin() as conn:
            checkpoints.advance(conn, PARTITION, None, 1, NOW)
            pid = conn.scalar(sa.text("SELECT pg_backend_pid()"))
            with psycopg.connect(store_url, autocommit=True) as admin:
                admin.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            if not at_commit:
                units.insert_units(conn, [a_unit("e1")], NOW)

    for at_commit in (False, True):
        assert type(_raised_by(lambda at=at_commit: cut(at_commit=at))) is kind
        assert counts_of(database) == (0, 0, 0, 0, 0)
    assert commit_step(database, "again", PARTITION, None) == 1


def test_a_pool_of_connections_from_before_a_restart_mends_itself(database: Database, store_url: str) -> None:
    if not store_url.startswith("postgresql"):
        pytest.skip("SQLite has no server to restart")
    commit_step(database, "before", PARTITION, None)
    with psycopg.connect(store_url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert commit_step(database, "after", PARTITION, 1) == 2


def test_a_server_that_is_away_is_worth_a_retry(tmp_path: object) -> None:
    with Database(f"postgresql://u:hunter2@/d?host={tmp_path}", StoreParams(wait_seconds=2)) as database:
        error = _raised_by(database.schema_version)
    assert type(error) is RetryError
    assert "hunter2" not in str(error)


def test_a_database_that_does_not_exist_is_not(postgresql_server: str) -> None:
    with Database(postgresql_server.format(name="nowhere")) as database:
        assert type(_raised_by(database.schema_version)) is StopError


def test_waiting_too_long_for_a_lock_is_worth_a_retry(database: Database, store_url: str) -> None:
    with (
        Database(store_url, StoreParams(wait_seconds=0.2)) as impatient,
        database.begin() as conn,
    ):
        checkpoints.advance(conn, PARTITION, None, 1, NOW)
        error = _raised_by(lambda: commit_step(impatient, "b", PARTITION, None))
        assert type(error) is RetryError
    assert counts_of(database)[0] == 1


def test_a_deadlock_is_worth_a_retry(database: Database, store_url: str) -> None:
    if not store_url.startswith("postgresql"):
        pytest.skip("SQLite has one writer at a time")
    gate = threading.Barrier(2)
    first, second = Partition("answers", 0), Partition("answers", 1)

    def cross(order: tuple[Partition, Partition]) -> str:
        try:
            with database.begin() as conn:
                checkpoints.advance(conn, order[0], None, 1, NOW)
                gate.wait(timeout=30)
                checkpoints.advance(conn, order[1], None, 1, NOW)
        except SentinelError as error:
            return type(error).__name__
        return "committed"

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(cross, [(first, second), (second, first)]))
    assert sorted(outcomes) == ["RetryError", "committed"]


def test_a_full_disk_is_worth_a_retry(database: Database, store_url: str) -> None:
    if not store_url.startswith("sqlite"):
        pytest.skip("a full disk cannot be had from PostgreSQL without filling one")
    commit_step(database, "before", PARTITION, None)
    with Database(store_url, StoreParams(pool_size=1)) as small:
        with small.begin() as conn:
            pages = conn.scalar(sa.text("PRAGMA page_count"))
            conn.execute(sa.text(f"PRAGMA max_page_count = {pages + 2}"))

        def fill() -> None:
            with small.begin() as conn:
                checkpoints.advance(conn, PARTITION, 1, 2, NOW)
                big = {"answer": "x" * 10_000}
                units.insert_units(conn, [a_unit(f"big-{n}", content=big) for n in range(50)], NOW)

        error = _raised_by(fill)
        assert type(error) is RetryError
        assert "xxx" not in str(error)
    assert counts_of(database) == (1,) * 5
    assert commit_step(database, "after", PARTITION, 1) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"probability": 1.5},
        {"probability": 0.0},
        {"probability": float("nan")},
        {"size_measure": float("inf")},
        {"content": {"answer": "Jane Roe", "score": float("nan")}},
        {"content": {"answer": {"Jane Roe"}}},
        {"offset": 2**70},
        {"offset": "Jane Roe"},
        {"session_hash": 1.5},
        {"event_time": NOW.replace(tzinfo=None)},
        {"redactor": None},
    ],
)
def test_a_value_that_cannot_be_stored_is_refused_without_being_shown(
    database: Database, change: dict[str, object]
) -> None:
    unit = a_unit("Jane Roe", domains={"app": "Jane Roe"}, **change)  # type: ignore[arg-type]

    def write() -> None:
        with database.begin() as conn:
            checkpoints.advance(conn, PARTITION, None, 1, NOW)
            units.insert_units(conn, [unit], NOW)

    error = _raised_by(write)
    assert type(error) is StopError
    assert "Jane" not in str(error)
    assert error.__suppress_context__
    assert error.__cause__ is None
    assert counts_of(database) == (0, 0, 0, 0, 0)
