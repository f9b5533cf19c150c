"""Shift detection keeps its budget of false alarms, neither more nor far less, and is fast all the same.

A small, seeded version of `tests/benchmarks/bench_shift_detection.py`; limits are binomial or Poisson, at
one in a thousand.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.stats import binom, poisson

from sentinel.detection.baseline import Baseline
from sentinel.detection.charts import Charts, chart_weights, threshold
from sentinel.detection.detector import Detector
from sentinel.detection.params import ShiftParams
from sentinel.monitoring.series import are_rates
from tests.statistical.minute_traffic import IS_RATE, MONDAY, RATE_SERIES, SERIES, Change, Traffic

APPS = 24
HISTORY_DAYS = 6
RARE = 0.001


@pytest.mark.parametrize(
    ("per_minute", "rate", "longest_wait"),
    [(3, 0.05, 5), (20, 0.05, 5), (200, 0.05, 5), (3, 0.4, 5), (20, 0.4, 5), (200, 0.4, 60)],
)
def test_a_chart_that_knows_its_baseline_alarms_as_rarely_as_its_threshold_says(
    per_minute: int, rate: float, longest_wait: float
) -> None:
    charts, minutes, mean_wait = 300, 3000, 1000.0
    rng, params = np.random.default_rng(per_minute), ShiftParams(smallest_band=1e-6)
    ones = np.ones(charts)
    known = Baseline(ones > 0, ones * rate, ones * rate * (1 - rate), ones * 0.0, ones)
    weights, running = chart_weights(known, ones > 0, params), Charts.empty(charts, 4)
    alarms = 0
    for minute in range(minutes):
        count = rng.poisson(per_minute, charts).astype(float)
        total = rng.binomial(count.astype(int), rate).astype(float)
        running.add_minute(minute, np.stack((count, total)), count * rate, weights, ones > 0, 5.0)
        for direction in (0, 1):
            over = running.evidence[:, direction].mean(axis=1) >= mean_wait
            alarms += int(over.sum())
            running.evidence[over, direction] = 0.0
    most = charts * minutes * 2 / mean_wait
    assert alarms <= poisson.ppf(1 - RARE, most)
    # The threshold is a bound. Evidence comes in jumps that overshoot it, so the wait is some times longer,
    # and much longer where one minute tells so much that chance hardly ever looks like the least shift.
    assert alarms >= poisson.ppf(RARE, most / longest_wait)


def test_as_many_series_are_simulated_as_are_watched() -> None:
    assert IS_RATE.tolist() == are_rates().tolist()


@pytest.fixture(scope="module", params=[5.0, 100.0])
def settled(request: pytest.FixtureRequest) -> tuple[float, Detector, int, np.random.Generator]:
    """Apps that were watched from an empty store on, and the false alarms of that time."""
    level, rng = request.param, np.random.default_rng(11)
    params = ShiftParams()
    detector = Detector.empty(np.tile(IS_RATE, APPS), threshold(SERIES, params), params)
    alarms = 0
    for minute, sums in Traffic(level, APPS, rng).hours(MONDAY, HISTORY_DAYS * 24 + 9):
        alarms += sum(change.kind == "begin" for change in detector.add_minute(minute, sums)[""])
    return level, detector, alarms, rng


def test_false_alarms_of_all_series_together_stay_within_two_a_month(
    settled: tuple[float, Detector, int, np.random.Generator],
) -> None:
    _, _, alarms, _ = settled
    allowed = 2.0 * APPS * HISTORY_DAYS / 30.0
    assert alarms <= poisson.ppf(1 - RARE, allowed)


@pytest.mark.parametrize(
    ("series", "change", "within", "not_before"),
    [
        (0, Change({0: 0.10}), {100.0: 15, 5.0: 240}, {100.0: 2, 5.0: 15}),
        (6, Change({6: 0.0}), {100.0: 8, 5.0: 120}, {100.0: 1, 5.0: 15}),
        (RATE_SERIES, Change({}, {0: 1.25}), {100.0: 15, 5.0: 240}, {100.0: 1, 5.0: 10}),
    ],
    ids=["5 % to 10 %", "5 % to 0 %", "a quarter longer"],
)
def test_a_change_is_found_in_time_and_not_before_counts_can_tell(
    settled: tuple[float, Detector, int, np.random.Generator],
    series: int,
    change: Change,
    within: dict[float, int],
    not_before: dict[float, int],
) -> None:
    level, detector, _, rng = settled
    seen, first = copy.deepcopy(detector), dict.fromkeys(range(APPS), 10_000)
    start = MONDAY + HISTORY_DAYS * 1440 + 9 * 60
    traffic = Traffic(level, APPS, rng, steady=True)
    for minute, sums in traffic.hours(start, 1 + within[level] // 60, change):
        for found in seen.add_minute(minute, sums)[""]:
            if found.kind == "begin" and found.series % SERIES == series:
                app = found.series // SERIES
                first[app] = min(first[app], minute - start + 1)
    in_time = sum(minutes <= within[level] for minutes in first.values())
    too_early = sum(minutes <= not_before[level] for minutes in first.values())
    # A median within the limit: more than half are in time, as far as so few apps can tell.
    assert in_time >= binom.ppf(RARE, APPS, 0.5)
    assert in_time > APPS / 2
    assert too_early <= binom.ppf(1 - RARE, APPS, 0.05)
