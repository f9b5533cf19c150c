"""Charts: what they weigh, when they alarm, and that their threshold is the budget it says."""

import numpy as np
import pytest

from sentinel.detection.baseline import Baseline, null_means
from sentinel.detection.charts import DOWN, UP, Charts, chart_weights, threshold
from sentinel.detection.params import ShiftParams

PARAMS = ShiftParams()


def known(mean: float, *, rate: bool = True, error: float = 0.0, dispersion: float = 1.0) -> Baseline:
    variance = mean * (1 - mean) if rate else 0.49
    return Baseline(*(np.array([value]) for value in (True, mean, variance, error, dispersion)))


def minutes_to_alarm(
    baseline: Baseline, count: float, total: float, *, rate: bool = True, most: int = 10_000
) -> tuple[int, int]:
    """Minutes of the same counts until the chart of one series of a 13-series app alarms, and its side."""
    is_rate = np.array([rate])
    charts, weights = Charts.empty(1, 4), chart_weights(baseline, is_rate, PARAMS)
    sums = np.array([[count], [total]])
    for minute in range(most):
        charts.add_minute(minute, sums, sums[0] * baseline.mean, weights, np.array([True]), 5.0)
        if charts.mixed().max() >= threshold(13, PARAMS):
            return minute + 1, int(np.argmax(charts.mixed()[0]))
    return most, -1


@pytest.mark.parametrize(
    ("mean", "count", "total", "side", "within"),
    [
        (0.05, 100, 10, UP, 12),
        (0.05, 5, 0.5, UP, 200),
        (0.05, 100, 0, DOWN, 5),
        (0.05, 5, 0, DOWN, 75),
        (0.05, 1, 0, DOWN, 350),
        (0.95, 100, 90, DOWN, 12),
        (0.95, 100, 100, UP, 5),
        (0.50, 100, 70, UP, 5),
        (0.50, 100, 30, DOWN, 5),
        (0.001, 100, 2, UP, 12),
        (0.30, 500, 150 * 1.25, UP, 6),
    ],
)
def test_a_shift_of_a_rate_is_found_on_its_side_in_time(
    mean: float, count: float, total: float, side: int, within: int
) -> None:
    minutes, found = minutes_to_alarm(known(mean), count, total)
    assert found == side
    assert minutes <= within


@pytest.mark.parametrize("factor", [1.25, 1 / 1.25, 1.6, 0.5])
def test_a_shift_of_a_mean_is_found_on_its_side(factor: float) -> None:
    baseline = known(4.6, rate=False, dispersion=1.3)
    minutes, found = minutes_to_alarm(baseline, 100, 100 * (4.6 + np.log(factor)), rate=False)
    assert found == (UP if factor > 1 else DOWN)
    assert minutes <= 8


@pytest.mark.parametrize(
    ("mean", "total"), [(0.05, 5.0), (0.05, 5.2), (0.001, 0.3), (0.9, 90.5), (0.998, 99.9)]
)
def test_what_lies_within_the_band_never_alarms(mean: float, total: float) -> None:
    assert minutes_to_alarm(known(mean), 100, total)[1] == -1


def test_no_single_minute_alarms() -> None:
    assert minutes_to_alarm(known(0.05), 100_000, 100_000)[0] >= 3
    assert minutes_to_alarm(known(0.05), 100_000, 0)[0] >= 3


def test_minutes_without_answers_change_nothing() -> None:
    baseline = known(0.05)
    weights, charts = chart_weights(baseline, np.array([True]), PARAMS), Charts.empty(1, 4)
    charts.add_minute(1, np.array([[20.0], [3.0]]), np.array([1.0]), weights, np.array([True]), 5.0)
    before = charts.evidence.copy()
    charts.add_minute(2, np.zeros((2, 1)), np.zeros(1), weights, np.array([True]), 5.0)
    assert (charts.evidence == before).all()
    assert before.max() > 1


def test_an_unsure_baseline_has_a_wider_band_and_a_later_alarm() -> None:
    is_rate = np.array([True])
    sure, unsure = known(0.05), known(0.05, error=0.2)
    (low, high), (lower, higher) = null_means(sure, is_rate, PARAMS), null_means(unsure, is_rate, PARAMS)
    assert lower[0] < low[0] < 0.05 < high[0] < higher[0]
    assert minutes_to_alarm(unsure, 100, 10)[0] > minutes_to_alarm(sure, 100, 10)[0]


def test_overdispersion_delays_an_alarm_in_proportion() -> None:
    plain, scattered = (minutes_to_alarm(known(0.05, dispersion=d), 5, 0.5)[0] for d in (1.0, 1.5))
    assert 1.3 < scattered / plain < 1.7


def test_the_onset_is_where_the_shift_began() -> None:
    baseline, is_rate = known(0.05), np.array([True])
    charts, weights = Charts.empty(1, 4), chart_weights(baseline, is_rate, PARAMS)
    for minute in range(200):
        total = 5.0 if minute < 180 else 12.0
        sums = np.array([[100.0], [total]])
        charts.add_minute(minute, sums, sums[0] * 0.05, weights, is_rate, 5.0)
    onset, sums_since = charts.best(0, UP)
    assert onset == 180
    assert sums_since.tolist() == pytest.approx([2000, 240, 100])


def test_the_threshold_is_the_budget_over_all_charts() -> None:
    assert threshold(13, PARAMS) == 43_200 * 26
    assert threshold(13, ShiftParams(false_alarms_per_30_days=2.0)) == 43_200 * 13
