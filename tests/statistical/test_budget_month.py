"""A month under a budget: ordinary weeks, a surge, an outage, a storm; limits on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from scipy import stats

from sentinel.sampling.budget import Budget
from sentinel.sampling.schedule import ScheduleRow
from sentinel.sampling.steering import LEAST_SHARE
from sentinel.store import schedule
from tests.harness import fresh_database
from tests.statistical.budget_month import BEGAN, END, STORM, WEEKS, month
from tests.statistical.budget_traffic import DAY, HOUR, Hour, Simulation, day_and_week, weekly

Months = list[tuple[Sequence[Hour], Sequence[ScheduleRow]]]
UNITS = 200.0
SEEDS = (1, 2)


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Months:
    lived: Months = []
    for seed in SEEDS:
        with fresh_database(tmp_path_factory.mktemp("month"), f"{seed}.db") as database:
            hours = month(database, Budget(UNITS), seed)
            with database.read() as conn:
                lived.append((hours, schedule.read_rows(conn)))
    return lived


@pytest.mark.slow
def test_ordinary_weeks_come_to_the_budget_and_odd_ones_not_far_from_it(
    months: Months,
) -> None:
    for hours, _ in months:
        for name, week in zip(WEEKS, weekly(hours), strict=True):
            low, high = {"start": (0.9, 1.05), "storm": (1.0, 2.0)}.get(name, (0.95, 1.05))
            assert low * UNITS <= week["expected"] <= high * UNITS, (name, week)


@pytest.mark.slow
def test_what_is_drawn_follows_what_was_to_be_expected(
    months: Months,
) -> None:
    """Each week and all of them together: as independent draws spread, and not closer."""
    squares, weeks = 0.0, 0
    for hours, _ in months:
        for week in weekly(hours):
            z = (week["drawn"] - week["expected"]) / week["variance"] ** 0.5
            assert abs(z) < 4.5
            squares += z * z
            weeks += 1
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], weeks)
    assert low < squares < high


@pytest.mark.slow
def test_a_storm_overspends_by_its_first_hour_and_a_fifth(
    months: Months,
) -> None:
    for hours, _ in months:
        storm = [hour for hour in hours if STORM[0] <= hour.start < STORM[1]]
        week = [hour for hour in hours if hour.start >= BEGAN + 28 * DAY]
        first = storm[0].expected
        rest = sum(hour.expected for hour in storm[1:])
        corrections = sum(0.3 * hour.events for hour in storm[1:])
        assert rest < 0.12 * corrections, "the cap holds from the second hour on"
        total = sum(hour.expected for hour in week)
        assert total <= UNITS * (1 + LEAST_SHARE) + first
        after = [hour for hour in week if hour.start >= STORM[1] and hour.events]
        even = UNITS / sum(hour.events for hour in week)
        assert all(
            hour.expected / hour.events >= 0.8 * LEAST_SHARE * even for hour in after if hour.events > 50
        )


@pytest.mark.slow
def test_pacing_is_even_where_traffic_is_known(
    months: Months,
) -> None:
    """In the second week each day's share of the sample is its share of the answers, within a third."""
    for hours, _ in months:
        second = [hour for hour in hours if BEGAN + 7 * DAY <= hour.start < BEGAN + 14 * DAY]
        even = sum(hour.expected for hour in second) / sum(hour.events for hour in second)
        for day in range(6):
            of_day = [h for h in second if (h.start - BEGAN) // DAY == 7 + day]
            rate = sum(h.expected for h in of_day) / sum(h.events for h in of_day)
            assert 0.67 * even < rate < 1.5 * even, (day, rate / even)


@pytest.mark.slow
def test_rows_do_not_explode(months: Months) -> None:
    for _, rows in months:
        written = [row.effective_at for row in rows[1:]]
        assert written == sorted(written)
        hours = [(at - BEGAN) // HOUR for at in written]
        assert len(set(hours)) == len(hours), "at most one an hour"
        assert len(written) < 0.35 * (END - BEGAN) / HOUR
        assert all(row.floor > 0 and row.uniform_probability > 0 for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("units", "per", "mean"), [(30, "day", 40.0), (2000, "week", 40.0), (12, "week", 3.0)]
)
def test_other_budgets_and_other_traffic(tmp_path: Path, units: float, per: str, mean: float) -> None:
    """Daily windows, a third of all answers, an app with three answers an hour."""
    with fresh_database(tmp_path) as database:
        simulation = Simulation(
            database,
            Budget(units, per),
            5,
            answers_an_hour=lambda moment: day_and_week(moment, mean),  # type: ignore[arg-type]
        )
        hours = simulation.run(BEGAN, BEGAN + 14 * DAY)
    windows = 14 if per == "day" else 2
    for number in range(windows // 2, windows):
        length = DAY if per == "day" else 7 * DAY
        start = BEGAN + number * length
        window = [hour for hour in hours if start <= hour.start < start + length]
        expected = sum(hour.expected for hour in window)
        weekend = per == "day" and start.weekday() >= 5
        assert (0.5 if weekend else 0.8) * units <= expected <= 1.25 * units, (number, expected)
