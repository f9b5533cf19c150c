"""Every sample that a tiny population can give: the estimators' expectations are exact sums."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sentinel.estimation.rates import totals
from sentinel.estimation.weighting import design_weighting, poisson_variance
from tests.unit.estimation.samples import sample_of_rows

POPULATION = (
    (0.1, 3, 1),
    (0.9, 5, 0),
    (0.35, 2, 2),
    (0.5, 7, 4),
    (1.0, 4, 1),
    (0.05, 1, 0),
    (0.72, 6, 6),
    (0.2, 0, 0),
)


def _outcomes():
    """Yield (probability, rows drawn) of all 2^N Poisson samples."""
    for drawn in itertools.product((False, True), repeat=len(POPULATION)):
        chance = np.prod([pi if d else 1 - pi for d, (pi, _, _) in zip(drawn, POPULATION, strict=True)])
        if chance > 0:
            yield float(chance), [row for d, row in zip(drawn, POPULATION, strict=True) if d]


def test_the_outcomes_are_all_there_is():
    assert sum(chance for chance, _ in _outcomes()) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", ["verifiable_claims", "unsupported_claims", "hallucinated_cases", "units"])
def test_total_and_its_variance_are_exactly_unbiased(name):
    values = {
        "verifiable_claims": [row[1] for row in POPULATION],
        "unsupported_claims": [row[2] for row in POPULATION],
        "hallucinated_cases": [int(row[2] > 0) for row in POPULATION],
        "units": [1] * len(POPULATION),
    }[name]
    true_variance = sum((1 - row[0]) / row[0] * y**2 for row, y in zip(POPULATION, values, strict=True))
    mean = square = variance = 0.0
    for chance, rows in _outcomes():
        total = totals(sample_of_rows(rows))[name]
        mean += chance * total.estimate
        square += chance * total.estimate**2
        variance += chance * total.standard_error**2
    assert mean == pytest.approx(sum(values), rel=1e-12)
    assert square - mean**2 == pytest.approx(true_variance, rel=1e-9)
    assert variance == pytest.approx(true_variance, rel=1e-12)


def test_domain_totals_are_exactly_unbiased():
    mean = 0.0
    for chance, rows in _outcomes():
        units = sample_of_rows(rows)
        inside = units.verifiable_claims > 2
        mean += chance * float(np.sum((units.design_weights * units.unsupported_claims)[inside]))
    assert mean == pytest.approx(sum(u for _, v, u in POPULATION if v > 2), rel=1e-12)


def test_variance_of_any_score_is_exactly_unbiased():
    scores = np.asarray([0.3, -1.2, 2.0, 0.0, 5.0, -0.4, 1.1, 0.7])
    by_row = dict(zip(POPULATION, scores, strict=True))
    true_variance = sum((1 - row[0]) / row[0] * y**2 for row, y in by_row.items())
    mean = 0.0
    for chance, rows in _outcomes():
        drawn = np.asarray([by_row[row] for row in rows])
        probability = np.asarray([row[0] for row in rows])
        mean += chance * poisson_variance(probability, drawn / probability)
    assert mean == pytest.approx(true_variance, rel=1e-12)


def test_difference_estimator_with_a_fixed_judge_weight_is_exactly_unbiased():
    judge = dict(zip(POPULATION, (0.2, 0.1, 0.9, 0.8, 0.5, 0.0, 0.7, 0.3), strict=True))
    mean = 0.0
    for chance, rows in _outcomes():
        units = sample_of_rows(rows)
        drawn = np.asarray([judge[row] for row in rows])
        correction = float(np.sum(design_weighting(units).weights * (units.failing - drawn)))
        mean += chance * (sum(judge.values()) + correction)
    assert mean == pytest.approx(sum(u > 0 for _, _, u in POPULATION), rel=1e-12)
