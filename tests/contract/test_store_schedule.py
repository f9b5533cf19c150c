"""The schedule: row 0 once, rows always ahead of what was treated, exact values."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from sentinel.errors import StopError
from sentinel.sampling.schedule import Rule, ScheduleRow, row_in_force
from sentinel.store import schedule
from sentinel.store.database import Database
from tests.contract.store_samples import NOON, NOW, a_row

TICK = timedelta(microseconds=1)


@pytest.fixture
def started(database: Database) -> Database:
    """A store with design-1 and row 0."""
    with database.begin() as conn:
        schedule.save_design(conn, "design-1", {"share": 0.3}, NOW)
        schedule.create_first_row(conn, a_row(), NOW)
    return database


def test_row_0_comes_back_as_it_was(started: Database) -> None:
    with started.read() as conn:
        assert schedule.read_rows(conn) == (a_row(id=0),)
        assert schedule.design_spec(conn, "design-1") == {"share": 0.3}
        assert schedule.design_spec(conn, "design-2") is None


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": (Rule("model", "gpt-x", 0.1 + 0.2, NOON.replace(microsecond=1)),)},
        {"rules": (Rule("model", "é ' \" \\ 😀", 1.0, None), Rule("app", "", 5e-324, None))},
        {"rules": (Rule("class", "policy", 1 / 3, NOON.astimezone(timezone(timedelta(hours=-8)))),)},
        {"take_all": ()},
        {"take_all": (("user_correction", 1.0), ("safety_incident", 0.7))},
        {"multiplier": 1e22, "floor": 2**-1074, "uniform_probability": 1 / 3},
        {"multiplier": 12345678901234567.0},
        {"reason": ""},
        {"reason": "budget: 300 a week → 0.031"},
        {"uniform_probability": 1.0, "multiplier": 0.0, "floor": 1.0},
    ],
)
def test_an_appended_row_comes_back_as_it_was(started: Database, changes: dict[str, object]) -> None:
    given = a_row(**changes)
    with started.begin() as conn:
        written = schedule.append_row(conn, given, NOON, NOW)
        assert written == replace(given, id=1, effective_at=NOON)
        assert schedule.read_rows(conn)[1] == written


def test_a_row_takes_effect_after_what_was_treated(started: Database) -> None:
    with started.begin() as conn:
        assert schedule.append_row(conn, a_row(), NOON, NOW).effective_at == NOON
        assert len(schedule.extend_horizon(conn, NOON + TICK)) == 2
        assert schedule.append_row(conn, a_row(), NOON, NOW).effective_at == NOON + 2 * TICK
        assert schedule.append_row(conn, a_row(), NOON + 2 * TICK, NOW).effective_at == NOON + 2 * TICK
        assert schedule.append_row(conn, a_row(), NOON + 3 * TICK, NOW).effective_at == NOON + 3 * TICK
        assert [row.id for row in schedule.read_rows(conn)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("horizon", [None, NOON - TICK, NOON, NOON + timedelta(hours=1)])
def test_a_row_never_takes_effect_before_one_that_was_planned(
    started: Database, horizon: datetime | None
) -> None:
    """A budget planned two hours ahead, then a novelty row that wants to act now, then another budget."""
    ahead = NOON + timedelta(hours=2)
    with started.begin() as conn:
        if horizon is not None:
            schedule.extend_horizon(conn, horizon)
        planned = schedule.append_row(conn, a_row(reason="budget", uniform_probability=0.5), ahead, NOW)
        novelty = schedule.append_row(conn, a_row(reason="novelty", uniform_probability=0.6), NOON, NOW)
        last = schedule.append_row(conn, a_row(reason="budget"), ahead + TICK, NOW)
        rows = schedule.read_rows(conn)
    assert [row.id for row in rows] == [0, 1, 2, 3]
    assert [row.effective_at for row in rows[1:]] == [ahead, ahead, ahead + TICK]
    # Of two rows that take effect at once the later one, made from the earlier one, is in force.
    assert row_in_force(rows, ahead - TICK).id == 0
    assert row_in_force(rows, ahead) == novelty
    assert row_in_force(rows, ahead + TICK) == last
    assert planned.id == 1


def test_the_horizon_never_moves_back(started: Database) -> None:
    with started.begin() as conn:
        schedule.extend_horizon(conn, NOW)
        schedule.extend_horizon(conn, NOON)
        assert schedule.append_row(conn, a_row(), NOON, NOW).effective_at == NOW + TICK
        later = (NOW + TICK).astimezone(timezone(timedelta(hours=9)))
        schedule.extend_horizon(conn, later)
        assert schedule.append_row(conn, a_row(), NOON, NOW).effective_at == NOW + 2 * TICK


def test_a_schedule_without_row_0_takes_no_other(database: Database) -> None:
    with pytest.raises(StopError, match="first row"), database.begin() as conn:
        schedule.append_row(conn, a_row(), NOON, NOW)
    with database.begin() as conn:
        assert schedule.extend_horizon(conn, NOON) == ()


def test_a_row_needs_its_design(started: Database) -> None:
    with pytest.raises(StopError), started.begin() as conn:
        schedule.append_row(conn, a_row(design_id="design-2"), NOON, NOW)


def test_a_design_id_means_one_design(started: Database) -> None:
    with started.begin() as conn:
        schedule.save_design(conn, "design-1", {"share": 0.3}, NOW + TICK)
    with pytest.raises(StopError, match="design-1"), started.begin() as conn:
        schedule.save_design(conn, "design-1", {"share": 0.4}, NOW)


def test_of_four_starters_one_writes_row_0(database: Database) -> None:
    gate = threading.Barrier(4)

    def start(worker: int) -> ScheduleRow:
        gate.wait(timeout=30)
        with database.begin() as conn:
            schedule.save_design(conn, f"design-{worker % 2}", {"share": worker % 2}, NOW)
            row = a_row(design_id=f"design-{worker % 2}", reason=f"starter {worker}")
            return schedule.create_first_row(conn, row, NOW)

    with ThreadPoolExecutor(4) as pool:
        rows = set(pool.map(start, range(4)))
    assert len(rows) == 1
    with database.read() as conn:
        assert schedule.read_rows(conn) == tuple(rows)


def test_no_event_is_treated_before_a_row_that_is_in_force_for_it(started: Database) -> None:
    """Workers race against a writer; each remembers under which rows it treated each time."""
    treated: list[tuple[datetime, int]] = []

    def in_force(rows: tuple[ScheduleRow, ...], moment: datetime) -> int:
        reached = (row for row in rows if row.effective_at <= moment)
        return max(reached, key=lambda row: (row.effective_at, row.id)).id

    written = threading.Event()

    def work(seed: int) -> None:
        draw = random.Random(seed)
        moment = NOON
        rounds_after = 0
        while rounds_after < 15:
            # Whichever side is held up by the store's lock, some rounds lie behind the last row.
            rounds_after += written.is_set()
            to = moment + timedelta(seconds=5)
            with started.begin() as conn:
                rows = schedule.extend_horizon(conn, to)
            while moment <= to:
                treated.append((moment, in_force(rows, moment)))
                moment += timedelta(microseconds=draw.randrange(1, 2_000_000))
            time.sleep(0.002)

    appended = 12
    with ThreadPoolExecutor(3) as pool:
        workers = [pool.submit(work, seed) for seed in range(3)]
        try:
            for _ in range(appended):
                with started.begin() as conn:
                    schedule.append_row(conn, a_row(), NOON, NOW)
                time.sleep(0.002)
        finally:
            written.set()
        for worker in workers:
            worker.result()
    with started.read() as conn:
        rows = schedule.read_rows(conn)
    assert [row.id for row in rows] == list(range(appended + 1))
    assert len(treated) > 100
    assert len({row for _, row in treated}) > 1
    for moment, row in treated:
        assert in_force(rows, moment) == row
    assert all(row.effective_at.tzinfo is UTC for row in rows)
