"""Sizes become probabilities that add up to what was asked for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.sampling.allocation import size_measure, uniform_and_multiplier

SIZES = st.lists(st.floats(0.001, 10.0), min_size=1, max_size=60)


def probabilities(sizes: list[float], uniform: float, multiplier: float) -> list[float]:
    return [min(1.0, uniform + multiplier * size) for size in sizes]


def test_certainties_are_set_aside_and_the_rest_shared_out_again() -> None:
    uniform, multiplier = uniform_and_multiplier([100.0, 1.0, 1.0], rate=2 / 3, uniform_share=0.0)
    assert probabilities([100.0, 1.0, 1.0], uniform, multiplier) == pytest.approx([1.0, 0.5, 0.5])


@given(SIZES, st.floats(0.001, 0.999), st.floats(0.0, 1.0))
def test_probabilities_add_up_to_the_expected_sample(sizes: list[float], rate: float, share: float) -> None:
    uniform, multiplier = uniform_and_multiplier(sizes, rate, share)
    total = math.fsum(probabilities(sizes, uniform, multiplier))
    assert total == pytest.approx(rate * len(sizes), rel=1e-9)


@given(SIZES, st.floats(0.001, 1.0), st.floats(0.0, 1.0))
def test_no_probability_is_below_the_defensive_share(sizes: list[float], rate: float, share: float) -> None:
    uniform, multiplier = uniform_and_multiplier(sizes, rate, share)
    assert multiplier >= 0.0
    assert min(probabilities(sizes, uniform, multiplier)) >= rate * share


def test_a_rate_of_one_takes_everything_whatever_its_size() -> None:
    assert uniform_and_multiplier([0.1, 5.0], 1.0, 0.3) == (1.0, 0.0)


def test_sizes_of_zero_leave_the_draw_uniform() -> None:
    assert uniform_and_multiplier([0.0, 0.0], 0.2, 0.3) == (0.2, 0.0)


@pytest.mark.parametrize(("rate", "share"), [(0.0, 0.3), (-0.1, 0.3), (1.1, 0.3), (0.5, -0.1), (0.5, 1.1)])
def test_what_is_no_share_is_refused(rate: float, share: float) -> None:
    with pytest.raises(ValueError, match="not in"):
        uniform_and_multiplier([1.0], rate, share)


@pytest.mark.parametrize("base_rate", [0.0, 0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("risk", [0.0, 0.02, 0.2, 0.5, 0.9, 1.0])
def test_size_is_the_root_of_the_mean_squared_residuals(risk: float, base_rate: float) -> None:
    # The outcome is 1 with chance r: around the rate for the plain estimate, around r for the calibrated.
    plain = risk * (1 - base_rate) ** 2 + (1 - risk) * base_rate**2
    calibrated = risk * (1 - risk) ** 2 + (1 - risk) * risk**2
    assert size_measure(risk, base_rate) ** 2 == pytest.approx((plain + calibrated) / 2)


@pytest.mark.parametrize("base_rate", [0.01, 0.05, 0.2])
def test_no_size_is_zero_and_few_are_far_from_others(base_rate: float) -> None:
    sizes = [size_measure(number / 100, base_rate) for number in range(2, 91)]
    assert sizes[0] > 0.0
    assert max(sizes) / min(sizes) < 6.0
    assert sizes[:49] == sorted(sizes[:49]), "what looks worse is drawn more often, up to a risk of a half"
