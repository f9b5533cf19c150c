"""A draw by size measure has the π it records (pandas #61516, svy PR 81, StatsBase.jl #37 did not)."""

from __future__ import annotations

import numpy as np
import pytest

from sentinel.sampling.allocation import uniform_and_multiplier
from sentinel.sampling.selection import Salt, random_number

DRAWS = 20_000
#: Size measures, expected units, uniform share, and π where it can be said by hand.
CASES = {
    "one giant": ([100, 1, 1], 2.0, 0.0, [1.0, 0.5, 0.5]),
    "two giants": ([100, 80, 1, 1], 3.0, 0.0, [1.0, 1.0, 0.5, 0.5]),
    "a giant found in the second round": ([100, 20, 1, 1], 3.0, 0.0, [1.0, 1.0, 0.5, 0.5]),
    "all alike": ([7, 7, 7, 7], 2.0, 0.0, [0.5, 0.5, 0.5, 0.5]),
    "proportional": ([1, 2, 3, 4], 2.0, 0.0, [0.2, 0.4, 0.6, 0.8]),
    "nobody reaches one": ([1, 1, 2], 1.0, 0.0, [0.25, 0.25, 0.5]),
    "a mixture": ([100, 1, 1], 1.5, 0.4, None),
    "uniform": ([100, 1, 1], 1.2, 1.0, [0.4, 0.4, 0.4]),
    "one that measures nothing": ([0, 1, 3], 1.0, 0.3, None),
    "everything": ([5, 1, 1], 3.0, 0.0, [1.0, 1.0, 1.0]),
    "a hair below everything": ([3, 2, 1], 2.9, 0.0, [1.0, 1.0, 0.9]),
    "four orders of magnitude": ([10_000, 100, 10, 1], 2.0, 0.0, None),
}


@pytest.mark.parametrize("name", CASES)
def test_units_are_drawn_as_often_as_recorded(name):
    sizes, expected, share, by_hand = CASES[name]
    uniform, multiplier = uniform_and_multiplier(sizes, expected / len(sizes), share)
    probability = np.minimum(1.0, uniform + multiplier * np.asarray(sizes, dtype=float))
    if by_hand is not None:
        assert probability == pytest.approx(by_hand)
    assert probability.sum() == pytest.approx(expected)
    salts = [Salt.of(f"salt-{number}") for number in range(DRAWS)]
    drawn = np.array(
        [[random_number(f"event-{place}", salt) for place in range(len(sizes))] for salt in salts]
    )
    taken = drawn < probability
    assert np.abs(taken.mean(axis=0) - probability).max() < 0.01
    possible = probability > 0
    weights = np.divide(taken, probability, where=possible, out=np.zeros(taken.shape)).sum(axis=1)
    error = np.sqrt(np.sum((1 - probability[possible]) / probability[possible]) / DRAWS)
    assert weights.mean() == pytest.approx(possible.sum(), abs=max(4 * error, 1e-9))
