"""Baselines: hour of the week with history, the recent past with doubt without."""

import numpy as np
import pytest

from sentinel.detection.baseline import hourly_baseline, weekly_means
from sentinel.detection.params import ShiftParams
from sentinel.detection.profile import Profile

RATE = np.array([True])
MEAN = np.array([False])
MONDAY_HOUR = 20_419 * 24


def learnt(
    hours: int, rate_of: object, per_minute: float = 50.0, seed: int = 1, mean: bool = False
) -> Profile:
    """A profile after so many hours of binomial (or normal) minutes."""
    rng, profile = np.random.default_rng(seed), Profile.empty(1, ShiftParams())
    keep = np.array([True])
    for hour in range(MONDAY_HOUR, MONDAY_HOUR + hours):
        rate = rate_of(hour)  # type: ignore[operator]
        for minute in range(60):
            count = rng.poisson(per_minute)
            if mean:
                total = count * rate + rng.normal() * 0.7 * count**0.5
                squares = count * 0.49 + total**2 / max(count, 1)
            else:
                total = squares = rng.binomial(count, rate)
            profile.add_minute(hour * 60 + minute, np.array([[count], [total], [squares]], dtype=float), keep)
        profile.close_hour(hour, keep)
        profile.settle_early(hour)
    return profile


def test_nothing_is_watched_before_the_warm_up() -> None:
    assert not hourly_baseline(Profile.empty(1, ShiftParams()), RATE, MONDAY_HOUR).ready[0]
    assert not hourly_baseline(learnt(3, lambda _: 0.05), RATE, MONDAY_HOUR + 3).ready[0]
    assert hourly_baseline(learnt(5, lambda _: 0.05), RATE, MONDAY_HOUR + 5).ready[0]
    assert not hourly_baseline(learnt(5, lambda _: 0.05, per_minute=0.5), RATE, MONDAY_HOUR + 5).ready[0]


def test_a_flat_rate_is_learnt_and_doubt_shrinks_with_history() -> None:
    errors = []
    for hours in (5, 26, 24 * 8, 24 * 22):
        baseline = hourly_baseline(learnt(hours, lambda _: 0.05), RATE, MONDAY_HOUR + hours)
        assert baseline.mean[0] == pytest.approx(0.05, rel=0.15)
        errors.append(float(baseline.error[0]))
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.15
    assert errors[-1] < 0.05


def test_a_rhythm_of_the_day_is_learnt_in_days() -> None:
    profile = learnt(24 * 5, lambda hour: 0.10 if hour % 24 < 8 else 0.05)
    means, _ = weekly_means(profile, RATE)
    assert means[0, np.arange(168) % 24 == 3].mean() == pytest.approx(0.10, rel=0.1)
    assert means[0, np.arange(168) % 24 == 15].mean() == pytest.approx(0.05, rel=0.1)


def test_a_rhythm_of_the_week_is_learnt_in_weeks() -> None:
    def rate(hour: int) -> float:
        return 0.12 if (hour - MONDAY_HOUR) // 24 % 7 >= 5 else 0.05

    profile = learnt(24 * 22, rate)
    saturday = hourly_baseline(profile, RATE, MONDAY_HOUR + 24 * 26 + 10)
    tuesday = hourly_baseline(profile, RATE, MONDAY_HOUR + 24 * 22 + 10)
    assert saturday.mean[0] == pytest.approx(0.12, rel=0.1)
    assert tuesday.mean[0] == pytest.approx(0.05, rel=0.1)


def test_a_mean_is_learnt_with_its_spread() -> None:
    baseline = hourly_baseline(learnt(48, lambda _: 4.6, mean=True), MEAN, MONDAY_HOUR + 48)
    assert baseline.mean[0] == pytest.approx(4.6, abs=0.02)
    assert baseline.variance[0] == pytest.approx(0.49, rel=0.05)


@pytest.mark.parametrize("ratio", [1.0, 1.3, 2.0])
def test_dispersion_is_estimated(ratio: float) -> None:
    rng, profile, keep = np.random.default_rng(4), Profile.empty(1, ShiftParams()), np.array([True])
    for minute in range(MONDAY_HOUR * 60, MONDAY_HOUR * 60 + 60 * 48):
        share = 0.1
        if ratio > 1:
            concentration = 99 / (ratio - 1) - 1
            share = rng.beta(0.1 * concentration, 0.9 * concentration)
        fired = rng.binomial(100, share)
        profile.add_minute(minute, np.array([[100.0], [fired], [fired]]), keep)
        if minute % 60 == 59:
            profile.close_hour(minute // 60, keep)
    assert profile.dispersion()[0] == pytest.approx(ratio, abs=0.2)


def test_bursts_longer_than_a_minute_are_scatter_too() -> None:
    rng, profile, keep = np.random.default_rng(5), Profile.empty(1, ShiftParams()), np.array([True])
    for block in range(6 * 48):
        share = rng.beta(0.1 * 200, 0.9 * 200)
        for minute in range(block * 10, block * 10 + 10):
            fired = rng.binomial(100, share)
            profile.add_minute(minute, np.array([[100.0], [fired], [fired]]), keep)
        if block % 6 == 5:
            profile.close_hour(block // 6, keep)
    assert profile.minute_scatter.dispersion(1.3)[0] < 1.7
    assert profile.dispersion()[0] > 3


def test_what_belongs_to_a_shift_is_forgotten() -> None:
    profile = learnt(60, lambda hour: 0.05 if hour < MONDAY_HOUR + 57 else 0.5)
    before = profile.cells.copy()
    profile.forget_since(MONDAY_HOUR + 57, np.array([True]))
    for hour in range(MONDAY_HOUR + 60, MONDAY_HOUR + 70):
        profile.close_hour(hour, np.array([False]))
    assert hourly_baseline(profile, RATE, MONDAY_HOUR + 70).mean[0] == pytest.approx(0.05, rel=0.1)
    assert profile.cells[0].sum() > before[0].sum()
