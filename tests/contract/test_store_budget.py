"""What the leader reads, and a budget steered for some hours, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

from sentinel.leading.budget import JOB
from sentinel.records import Partition
from sentinel.sampling.budget import Budget
from sentinel.store import checkpoints, frame, schedule, scheduled_runs
from sentinel.store.database import Database
from sentinel.store.frame import WINDOW, CellCounts, CellKey, WindowCounts
from tests.contract.store_samples import NOON, NOW, PARTITION
from tests.statistical.budget_traffic import BEGAN, HOUR, Simulation


def test_counts_by_window_are_summed_over_partitions_and_kept_apart_otherwise(database: Database) -> None:
    other = Partition("answers", 4)
    one = CellCounts(events=2, size_micros=300, expected_micros=70)
    with database.begin() as conn:
        assert frame.first_window(conn) is None
        cells = {
            CellKey(NOON, PARTITION, "d1"): one,
            CellKey(NOON, other, "d1"): one,
            CellKey(NOON, other, "d2"): one,
            CellKey(NOON + WINDOW, PARTITION, "d1"): one,
            CellKey(NOON + 2 * WINDOW, PARTITION, "d1"): one,
            CellKey(NOON, PARTITION, "d1", "indicator", "user_correction"): one,
            CellKey(NOON, PARTITION, "d1", "indicator", "abstained"): one,
            CellKey(NOON, PARTITION, "d1", "model", "user_correction"): one,
        }
        frame.add_cells(conn, cells)
        assert frame.first_window(conn) == NOON
        assert frame.by_window(conn, NOON, NOON + 2 * WINDOW) == (
            WindowCounts(NOON, "", "d1", one + one),
            WindowCounts(NOON, "", "d2", one),
            WindowCounts(NOON + WINDOW, "", "d1", one),
        )
        signals = ("user_correction", "safety_incident")
        assert frame.by_window(conn, NOON, NOON + WINDOW, "indicator", signals) == (
            WindowCounts(NOON, "user_correction", "d1", one),
        )
        assert frame.by_window(conn, NOON + 3 * WINDOW, NOON + 9 * WINDOW) == ()


def test_the_last_commit_is_that_of_any_partition(database: Database) -> None:
    with database.begin() as conn:
        assert checkpoints.last_commit(conn) is None
        checkpoints.advance(conn, PARTITION, None, 1, NOW)
        checkpoints.advance(conn, Partition("answers", 9), None, 1, NOW - timedelta(hours=1))
        assert checkpoints.last_commit(conn) == NOW


def test_a_budget_is_steered(database: Database) -> None:
    simulation = Simulation(database, Budget(200), 1, answers_an_hour=lambda _: 100.0)
    hours = simulation.run(BEGAN, BEGAN + 6 * HOUR)
    with database.read() as conn:
        rows = schedule.read_rows(conn)
        done = scheduled_runs.done_windows(conn, JOB)
        counted = frame.by_window(conn, BEGAN, BEGAN + 6 * HOUR)
    assert len(done) == 6
    assert set(done.values()) == {1}
    assert [row.reason for row in rows[:2]] == ["first row", "budget: 200 a week"]
    assert sum(one.counts.events for one in counted) == sum(hour.events for hour in hours)
    expected = sum(hour.expected for hour in hours)
    assert abs(sum(one.counts.expected_micros for one in counted) / 1e6 - expected) < 1e-3
    # 600 of the 16,800 answers of such a week: about a twenty-eighth of the budget, less the first hour.
    assert 3.0 < sum(hour.expected for hour in hours) < 9.0
