"""The bound that may be looked at every hour: honest at all looks together, and not for nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from sentinel.errors import StopError
from sentinel.estimation.confidence_sequence import anytime_lower_bound
from tests.statistical.stream_of_answers import Week


def test_nothing_bad_bounds_nothing():
    assert anytime_lower_bound(np.array([]), 1000) == 0.0


def test_a_census_of_bad_answers_approaches_one():
    assert anytime_lower_bound(np.ones(2000), 2000) > 0.98


def test_more_bad_answers_raise_it_and_more_answers_lower_it():
    by_bad = [anytime_lower_bound(np.full(bad, 20.0), 5_000) for bad in (5, 10, 20, 40)]
    by_answers = [anytime_lower_bound(np.full(20, 20.0), answers) for answers in (2_000, 5_000, 20_000)]
    by_level = [anytime_lower_bound(np.full(20, 20.0), 5_000, level=level) for level in (0.8, 0.95, 0.999)]
    assert by_bad == sorted(by_bad)
    assert by_answers == sorted(by_answers, reverse=True)
    assert by_level == sorted(by_level, reverse=True)


def test_a_label_that_is_missing_only_lowers_it():
    weights = np.linspace(5, 50, 30)
    for missing in range(30):
        assert anytime_lower_bound(np.delete(weights, missing), 5_000) <= anytime_lower_bound(weights, 5_000)


def test_one_heavy_weight_does_not_carry_it():
    assert anytime_lower_bound(np.array([5_000.0]), 10_000) < 0.01


@pytest.mark.parametrize(
    ("weights", "answers", "level"),
    [
        ([0.5], 10, 0.95),
        ([float("nan")], 10, 0.95),
        ([float("inf")], 10, 0.95),
        ([1.0, 1.0], 1, 0.95),
        ([2.0], 10, 1.0),
        ([2.0], 10, 0.0),
    ],
)
def test_what_cannot_be_is_refused(weights, answers, level):
    with pytest.raises(StopError):
        anytime_lower_bound(np.array(weights), answers, level=level)


def looks_of(week: Week, rng: np.random.Generator, every: int) -> list[tuple[int, np.ndarray]]:
    """One drawn week, looked at after every `every` answers: (answers so far, weights of the bad drawn)."""
    drawn = (rng.random(week.answers) < week.probability) & week.failing
    places = np.flatnonzero(drawn)
    weights = 1.0 / week.probability[places]
    ends = range(every, week.answers + 1, every)
    return [(end, weights[: np.searchsorted(places, end)]) for end in ends]


@pytest.mark.parametrize(("bad_share", "level"), [(0.02, 0.9), (0.1, 0.9), (0.3, 0.8)])
def test_looking_every_hour_errs_no_more_often_than_promised(bad_share, level):
    """84 looks a week: the share of weeks in which any look was wrong stays below 1 − level."""
    week = Week(seed=31, bad_share=bad_share, answers=8_400)
    rng, wrong, weeks = np.random.default_rng(32), 0, 80
    truth = np.cumsum(week.failing) / np.arange(1, week.answers + 1)
    for _ in range(weeks):
        wrong += any(
            anytime_lower_bound(weights, end, level=level) > truth[end - 1]
            for end, weights in looks_of(week, rng, 100)
        )
    assert wrong <= binom.ppf(0.999, weeks, 1.0 - level)


def test_a_fixed_lower_limit_errs_more_often_when_looked_at_every_hour():
    """What the bound is for: a one-sided 90 % limit of one look, read 84 times, is wrong in more weeks."""
    week = Week(seed=33, bad_share=0.1, answers=8_400)
    rng, wrong, weeks = np.random.default_rng(34), 0, 80
    truth = np.cumsum(week.failing) / np.arange(1, week.answers + 1)
    for _ in range(weeks):
        for end, weights in looks_of(week, rng, 100):
            spread = np.sqrt(np.sum((1.0 - 1.0 / weights) * weights**2))
            if (weights.sum() - 1.2816 * spread) / end > truth[end - 1]:
                wrong += 1
                break
    assert wrong > 0.2 * weeks


def test_it_has_power():
    """With the truth at 10 % and a week of 200 labels it proves, on average, over a third of that."""
    week = Week(seed=35, bad_share=0.1, answers=8_400)
    rng = np.random.default_rng(36)
    bounds = [anytime_lower_bound(looks_of(week, rng, 8_400)[0][1], 8_400) for _ in range(60)]
    assert np.mean(bounds) > 0.35 * week.failing.mean()
    assert np.mean(np.array(bounds) > 0.02) > 0.9
