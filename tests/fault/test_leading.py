"""One leader at a time: processes stopped, continued, killed and started again on one store."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sentinel.clock import SystemClock
from sentinel.errors import SentinelError
from sentinel.store import scheduled_runs
from sentinel.store.database import Database, StoreParams
from tests.fault.leading_process import JOB, LEASE_SECONDS
from tests.fault.processes import ROOT


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'shared.db'}"
    else:
        url = request.getfixturevalue("postgres_url")
    with Database(url, StoreParams(wait_seconds=1.0)) as opened:
        opened.upgrade()
        yield opened


@pytest.fixture
def start(database: Database) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []

    def one() -> subprocess.Popen[bytes]:
        url = database._url.render_as_string(hide_password=False)
        command = [sys.executable, "-m", "tests.fault.leading_process", url]
        running.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL))
        return running[-1]

    yield one
    for process in running:
        process.kill()
        process.wait(20)


def tokens(database: Database) -> list[int]:
    """The tokens of all writes so far, in the order of the writes."""
    with database.read() as conn:
        return [token for _, token in sorted(scheduled_runs.done_windows(conn, JOB).items())]


def wait_for(database: Database, holds: Callable[[list[int]], bool], seconds: float = 30.0) -> list[int]:
    deadline = time.monotonic() + seconds
    while not holds(found := tokens(database)):
        assert time.monotonic() < deadline, f"after {len(found)} writes, the last under {found[-1:]}"
        time.sleep(0.05)
    return found


def stop_between_writes(database: Database, process: subprocess.Popen[bytes]) -> None:
    """Stop a process, but not while it holds the write lock of a SQLite file, which nobody else can break."""
    while True:
        process.send_signal(signal.SIGSTOP)
        try:
            with database.begin() as conn:
                scheduled_runs.record_run(conn, "another", str(time.monotonic()), 0, SystemClock().now())
        except SentinelError:
            process.send_signal(signal.SIGCONT)
            time.sleep(0.03)
        else:
            return


def many_after(token: int, enough: int) -> Callable[[list[int]], bool]:
    """Some leader after the one of this token has written so often under one token.

    Not the next token: on a slow machine a leader may lose its lease and take it again.
    """
    return lambda found: any(found.count(later) >= enough for later in set(found) if later > token)


def test_a_leader_that_slept_through_its_lease_writes_no_more(
    database: Database, start: Callable[[], subprocess.Popen[bytes]]
) -> None:
    first = start()
    wait_for(database, lambda found: len(found) >= 5)
    stop_between_writes(database, first)
    slept = tokens(database)
    second = start()
    written = wait_for(database, many_after(slept[-1], 5))
    assert written == sorted(written)
    assert written[: len(slept)] == slept
    first.send_signal(signal.SIGCONT)
    time.sleep(3 * LEASE_SECONDS)
    after = tokens(database)
    assert after == sorted(after), "a write of the first leader came after one of the second"
    assert after.count(slept[-1]) == slept.count(slept[-1]), "the first leader wrote after it had woken up"
    assert len(after) > len(written), "the second leader went on"
    second.kill()
    second.wait(20)
    third = wait_for(database, many_after(after[-1], 5))
    assert third == sorted(third), "the first one leads again, under a token of its own"


def test_a_killed_leader_is_followed_once_its_lease_ends(
    database: Database, start: Callable[[], subprocess.Popen[bytes]]
) -> None:
    first = start()
    wait_for(database, lambda found: len(found) >= 3)
    first.kill()
    first.wait(20)
    before = tokens(database)
    second = start()
    after = wait_for(database, many_after(before[-1], 3))
    assert after == sorted(after)
    assert after[: len(before)] == before
    second.kill()
    second.wait(20)
    start()
    wait_for(database, many_after(tokens(database)[-1], 3))


def test_of_three_one_leads(database: Database, start: Callable[[], subprocess.Popen[bytes]]) -> None:
    for _ in range(3):
        start()
    wait_for(database, lambda found: len(found) >= 40)
    assert set(tokens(database)) == {1}
