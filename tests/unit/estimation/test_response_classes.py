"""Weighting classes: thick enough to weight by, whatever is drawn and labelled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.estimation.nonresponse import adjust_for_nonresponse, worst_case_bounds
from sentinel.estimation.ratios import explained_rate
from sentinel.estimation.response_classes import response_classes
from sentinel.estimation.sample import Sample
from sentinel.estimation.weighting import design_weighting


def sizes(classes, labelled):
    return {str(name): int(labelled[classes == name].sum()) for name in np.unique(classes)}


@given(st.integers(0, 2**32 - 1), st.integers(10, 300), st.floats(0.05, 1.0), st.integers(1, 4))
def test_every_class_has_enough_labels_if_there_are_enough(seed, number, share, groups):
    rng = np.random.default_rng(seed)
    labelled = rng.random(number) < share
    risk = rng.choice([0.1, 0.2, 0.3, rng.random()], number)
    names = np.array([f"g{n}" for n in rng.integers(0, groups, number)])
    classes = response_classes(risk, names, labelled)
    found = sizes(classes, labelled)
    if labelled.sum() >= 10:
        assert min(found.values()) >= 10
    else:
        assert len(found) == 1


def test_bands_follow_the_risk():
    risk = np.linspace(0, 1, 200)
    classes = response_classes(risk, np.full(200, "routine"), np.ones(200, dtype=bool))
    assert [str(name) for name in classes[::40]] == [f"routine, risk band {n}" for n in range(1, 6)]
    assert list(classes) == sorted(classes)


def test_a_small_group_joins_the_others():
    names = np.array(["routine"] * 100 + ["signal"] * 8 + ["new"] * 5)
    labelled = np.ones(113, dtype=bool)
    joined = response_classes(np.full(113, 0.1), names, labelled)
    assert set(joined) == {"routine, risk band 1", "other, risk band 1"}
    few = response_classes(np.full(105, 0.1), names[np.r_[0:100, 108:113]], labelled[:105])
    assert set(few) == {"routine, risk band 1"}


def test_labels_missing_by_risk_bias_the_plain_ratio_and_not_the_adjusted_one():
    """Risky answers wait longer for a label: complete cases look too good, classes take that back."""
    rng = np.random.default_rng(8)
    plain, adjusted, hits = [], [], 0
    truth = np.mean(np.minimum(1.5 * rng.beta(1.3, 5, 200_000), 1))
    for _ in range(300):
        risk = rng.beta(1.3, 5, 400)
        failing = rng.random(400) < np.minimum(1.5 * risk, 1)
        labelled = rng.random(400) < 0.95 - 0.8 * risk
        sample = Sample(
            inclusion_probability=np.full(400, 0.1),
            labelled=labelled,
            answered=np.ones(400, dtype=bool),
            verifiable_claims=np.ones(400),
            unsupported_claims=failing.astype(float),
            critical_unsupported=np.zeros(400),
        )
        classes = response_classes(risk, np.full(400, "routine"), labelled)
        weighting = adjust_for_nonresponse(sample, classes)
        plain.append(explained_rate(design_weighting(sample), "case_rate").estimate.estimate)
        rate = explained_rate(weighting, "case_rate").estimate
        adjusted.append(rate.estimate)
        hits += rate.lower <= truth <= rate.upper
        low, high = worst_case_bounds(sample)
        assert low <= rate.estimate <= high
    assert np.mean(plain) < truth - 0.03
    assert np.mean(adjusted) == pytest.approx(truth, abs=0.01)
    assert hits >= 270
