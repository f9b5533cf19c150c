"""Kappa and alpha: equal to what the field's packages give."""

from __future__ import annotations

import numpy as np
import pytest
from krippendorff import alpha as reference_alpha
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from sentinel.labelling.reliability import cohen_kappa, krippendorff_alpha

SHAPES = [(9, 2, 0.5), (12, 2, 0.3), (30, 3, 0.2), (60, 3, 0.6), (200, 5, 0.4), (500, 2, 0.05), (80, 4, 0.9)]


def said(things: int, kinds: int, noise: float, raters: int = 2) -> np.ndarray:
    rng = np.random.default_rng(things * 7 + kinds)
    truth = rng.integers(0, kinds, things)
    return np.where(rng.random((raters, things)) < noise, rng.integers(0, kinds, (raters, things)), truth)


@pytest.mark.parametrize(("things", "kinds", "noise"), SHAPES)
def test_kappa_and_its_interval_are_those_of_statsmodels(things: int, kinds: int, noise: float) -> None:
    heard = said(things, kinds, noise)
    ours = cohen_kappa([tuple(pair) for pair in heard.T.tolist()])
    theirs = cohens_kappa(to_table(heard.T)[0])
    assert ours.value == pytest.approx(theirs.kappa, abs=1e-12)
    assert ours.lower == pytest.approx(max(-1.0, theirs.kappa_low), abs=1e-9)
    assert ours.upper == pytest.approx(min(1.0, theirs.kappa_upp), abs=1e-9)


@pytest.mark.parametrize("raters", [2, 3, 5])
@pytest.mark.parametrize(("things", "kinds", "noise"), SHAPES)
def test_alpha_is_that_of_the_package_also_with_gaps(
    things: int, kinds: int, noise: float, raters: int
) -> None:
    heard = said(things, kinds, noise, raters).astype(float)
    heard[np.random.default_rng(1).random(heard.shape) < 0.25] = np.nan
    columns = [[value for value in column if not np.isnan(value)] for column in heard.T]
    ours = krippendorff_alpha([column for column in columns if column])
    theirs = reference_alpha(reliability_data=heard, level_of_measurement="nominal")
    assert ours.value == pytest.approx(theirs, abs=1e-12)


def test_the_interval_of_alpha_is_the_jackknifes() -> None:
    heard = said(40, 3, 0.3).T.tolist()
    whole = krippendorff_alpha(heard)
    left = [krippendorff_alpha(heard[:n] + heard[n + 1 :]).value for n in range(40)]
    spread = np.sqrt(39 / 40 * np.sum((np.array(left) - np.mean(left)) ** 2))
    assert whole.lower == pytest.approx(whole.value - 1.959963984540054 * spread, abs=1e-9)
    assert whole.upper == pytest.approx(min(1.0, whole.value + 1.959963984540054 * spread), abs=1e-9)


@pytest.mark.parametrize("pairs", [[], [(1, 1)], [(1, 1)] * 9])
def test_what_cannot_be_worked_out_is_none(pairs: list[tuple[int, int]]) -> None:
    for found in (cohen_kappa(pairs), krippendorff_alpha(pairs)):
        assert (found.value, found.lower, found.upper) == (None, None, None)
        assert (found.units, found.agreeing) == (len(pairs), len(pairs))


def test_kappa_has_no_interval_where_one_of_the_two_always_says_the_same() -> None:
    """It is 0 then whatever the other says: the formula's error of 0 would claim to know it exactly."""
    for pairs in ([(0, 0)] * 6 + [(1, 0)] * 2, [(0, 1), (0, 0)]):
        found = cohen_kappa(pairs)
        assert found.value == 0.0
        assert (found.lower, found.upper) == (None, None)


def test_total_disagreement_is_below_chance() -> None:
    pairs = [(0, 1), (1, 0)] * 5
    assert cohen_kappa(pairs).value == -1.0
    assert krippendorff_alpha(pairs).value == pytest.approx(-0.9)
