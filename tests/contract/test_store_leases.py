"""Leases: one holder at a time, tokens that only grow, and no write by who slept through its own."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sentinel.store import leases, scheduled_runs
from sentinel.store.database import Database
from sentinel.store.leases import Lease, LeaseLostError
from tests.contract.store_samples import NOW

SHORT = 0.3


def taken(database: Database, holder: str, seconds: float = 60.0, name: str = "work") -> Lease | None:
    with database.begin() as conn:
        return leases.acquire(conn, name, holder, seconds)


def held(database: Database, lease: Lease) -> bool:
    try:
        with database.begin() as conn:
            leases.hold(conn, lease)
    except LeaseLostError:
        return False
    return True


def test_one_holds_and_the_other_waits_for_the_end(database: Database) -> None:
    first = taken(database, "a", SHORT)
    assert first is not None
    assert first.token == 1
    assert taken(database, "b") is None
    assert held(database, first)
    time.sleep(SHORT + 0.05)
    second = taken(database, "b")
    assert second is not None
    assert second.token == 2
    assert taken(database, "a") is None
    assert held(database, second)
    assert not held(database, first)


def test_renewing_in_time_keeps_the_token_and_moves_the_end(database: Database) -> None:
    first = taken(database, "a", 30.0)
    renewed = taken(database, "a", 60.0)
    assert first is not None
    assert renewed is not None
    assert renewed.token == first.token == 1
    assert renewed.expires_at > first.expires_at
    assert held(database, first), "the token counts, not the end it had when it was granted"


def test_a_lease_that_ended_is_lost_even_where_nobody_took_it(database: Database) -> None:
    first = taken(database, "a", SHORT)
    assert first is not None
    time.sleep(SHORT + 0.05)
    assert not held(database, first)
    again = taken(database, "a")
    assert again is not None
    assert again.token == 2, "the time in between was nobody's: another could have led"
    assert not held(database, first)
    assert held(database, again)


def test_a_lease_given_back_is_free_at_once(database: Database) -> None:
    first = taken(database, "a")
    assert first is not None
    with database.begin() as conn:
        leases.release(conn, first)
    assert not held(database, first)
    second = taken(database, "b")
    assert second is not None
    assert second.token == 2
    with database.begin() as conn:
        leases.release(conn, first)
    assert held(database, second), "the earlier holder cannot give back what is no longer its own"


def test_leases_of_other_names_are_others(database: Database) -> None:
    assert taken(database, "a") is not None
    other = taken(database, "b", name="other work")
    assert other is not None
    assert other.token == 1
    with pytest.raises(LeaseLostError, match="never granted"), database.begin() as conn:
        leases.hold(conn, Lease("unheard of", "a", 1, NOW))


def test_what_a_lost_lease_would_have_written_is_not_written(database: Database) -> None:
    first = taken(database, "a", SHORT)
    assert first is not None
    time.sleep(SHORT + 0.05)
    second = taken(database, "b")
    assert second is not None
    for lease in (first, second):
        try:
            with database.begin() as conn:
                scheduled_runs.record_run(conn, "job", f"by {lease.holder}", lease.token, NOW)
                leases.hold(conn, lease)
        except LeaseLostError:
            assert lease is first
    with database.read() as conn:
        assert scheduled_runs.done_windows(conn, "job") == {"by b": 2}


def test_nobody_takes_a_lease_while_its_holder_writes(database: Database) -> None:
    first = taken(database, "a", SHORT)
    assert first is not None
    inside, may_end = threading.Event(), threading.Event()

    def write_slowly() -> None:
        with database.begin() as conn:
            leases.hold(conn, first)
            inside.set()
            assert may_end.wait(20)
            scheduled_runs.record_run(conn, "job", "slow", first.token, NOW)

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(write_slowly)
        assert inside.wait(20)
        time.sleep(SHORT + 0.05)
        taking = pool.submit(taken, database, "b")
        time.sleep(0.3)
        assert not taking.done(), "the end has passed, but the holder's transaction is still under way"
        may_end.set()
        writing.result(20)
        second = taking.result(20)
    assert second is not None
    assert second.token == 2
    with database.read() as conn:
        assert scheduled_runs.done_windows(conn, "job") == {"slow": 1}


def test_of_eight_that_ask_at_once_one_is_granted_it(database: Database) -> None:
    gate = threading.Barrier(8)

    def ask(number: int) -> Lease | None:
        gate.wait(timeout=30)
        return taken(database, f"holder {number}")

    for round_ in range(1, 4):
        with ThreadPoolExecutor(8) as pool:
            granted = [lease for lease in pool.map(ask, range(8)) if lease is not None]
        assert [lease.token for lease in granted] == [round_]
        with database.begin() as conn:
            leases.release(conn, granted[0])


def test_tokens_only_grow_whatever_happens(database: Database) -> None:
    tokens = []
    for number in range(12):
        lease = taken(database, f"holder {number % 3}", SHORT / 10)
        while lease is None:
            lease = taken(database, f"holder {number % 3}", SHORT / 10)
        tokens.append(lease.token)
        if number % 2:
            with database.begin() as conn:
                leases.release(conn, lease)
        else:
            time.sleep(SHORT / 8)
    assert tokens == list(range(1, 13))


def test_a_window_is_noted_once_with_its_token(database: Database) -> None:
    with database.begin() as conn:
        assert scheduled_runs.last_window(conn, "job") is None
        assert scheduled_runs.record_run(conn, "job", "2026-W47", 3, NOW)
        assert scheduled_runs.record_run(conn, "job", "2026-W48", 4, NOW)
        assert not scheduled_runs.record_run(conn, "job", "2026-W47", 5, NOW)
        assert scheduled_runs.record_run(conn, "another", "2026-W47", 5, NOW)
        assert scheduled_runs.done_windows(conn, "job") == {"2026-W47": 3, "2026-W48": 4}
        assert scheduled_runs.last_window(conn, "job") == "2026-W48"
        assert scheduled_runs.forget_runs(conn, "job", "2026-W48") == 1
        assert scheduled_runs.done_windows(conn, "job") == {"2026-W48": 4}
        assert scheduled_runs.done_windows(conn, "another") == {"2026-W47": 5}
