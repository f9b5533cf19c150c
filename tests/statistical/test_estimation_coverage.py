"""Does the 95 % interval hold the truth as often as it says? Seeded draws from a known traffic.

Both sides are checked: too few hits mean a dishonest interval, too many a useless one. The limits are
binomial, so that a correct estimator fails less than once in ten thousand seeds.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

from sentinel.estimation.rates import case_rate, claim_rate, difference
from sentinel.estimation.sample import Sample

ANSWERS, EXPECTED, DRAWS = 10_000, 200, 1_500
#: Korn–Graubard with the switch is conservative for few failures: coverage between these is wanted.
LEAST, MOST = 0.945, 0.995


class Traffic:
    """Answers with a risk, of which a share of `bad_share` fails, riskier ones more often."""

    def __init__(self, seed: int, bad_share: float) -> None:
        rng = np.random.default_rng(seed)
        risk = rng.beta(1, 6, ANSWERS)
        self.answered = rng.random(ANSWERS) < 0.92
        failing = (rng.random(ANSWERS) < bad_share * risk / risk.mean()) & self.answered
        self.verifiable = rng.integers(2, 9, ANSWERS) * self.answered
        self.unsupported = np.where(failing, rng.integers(1, 3, ANSWERS), 0)
        size = np.sqrt(risk)
        self.probability = np.minimum(EXPECTED * (0.7 * size / size.sum() + 0.3 / ANSWERS), 1.0)
        self.case_rate = failing.sum() / self.answered.sum()
        self.claim_rate = self.unsupported.sum() / self.verifiable.sum()

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return one risk-weighted Poisson sample, fully labelled."""
        drawn = rng.random(ANSWERS) < self.probability
        return Sample(
            inclusion_probability=self.probability[drawn],
            labelled=np.ones(drawn.sum(), dtype=bool),
            answered=self.answered[drawn],
            verifiable_claims=self.verifiable[drawn],
            unsupported_claims=self.unsupported[drawn],
            critical_unsupported=np.zeros(drawn.sum()),
        )


def _limits(draws: int) -> tuple[int, int]:
    return int(binom.ppf(1e-4, draws, LEAST)), int(binom.ppf(1 - 1e-4, draws, MOST))


@pytest.mark.parametrize("bad_share", [0.02, 0.05])
def test_intervals_cover_the_truth_as_often_as_they_say(bad_share):
    traffic = Traffic(seed=round(1000 * bad_share), bad_share=bad_share)
    rng = np.random.default_rng(11)
    hits, errors = Counter(), []
    for _ in range(DRAWS):
        sample = traffic.draw(rng)
        case, claim = case_rate(sample), claim_rate(sample)
        wald = case_rate(sample, interval="normal")
        hits["case"] += case.lower <= traffic.case_rate <= case.upper
        hits["claim"] += claim.lower <= traffic.claim_rate <= claim.upper
        hits["wald"] += wald.lower <= traffic.case_rate <= wald.upper
        errors.append((case.estimate - traffic.case_rate, case.standard_error))
    least, most = _limits(DRAWS)
    assert least <= hits["case"] <= most
    assert least <= hits["claim"] <= most
    if bad_share == 0.02:
        assert hits["wald"] < least, "p ± z·se should fail this test; if it does not, the test is too weak"
    deviation, error = np.asarray(errors).T
    assert abs(deviation.mean()) < 4 * deviation.std() / np.sqrt(DRAWS)
    assert np.sqrt(np.mean(error**2)) == pytest.approx(deviation.std(), rel=0.08)


def test_difference_of_two_weeks_covers_its_truth():
    weeks = Traffic(seed=7, bad_share=0.03), Traffic(seed=8, bad_share=0.06)
    truth = weeks[1].case_rate - weeks[0].case_rate
    rng, hits = np.random.default_rng(12), 0
    for _ in range(1_000):
        found = difference(weeks[0].draw(rng), weeks[1].draw(rng), "case_rate")
        hits += found.lower <= truth <= found.upper
    least, most = _limits(1_000)
    assert least <= hits <= most


def test_without_any_failure_the_bound_is_the_one_promised():
    """All failures absent: the upper bound at 95 % two-sided is about 3.7 / effective size."""
    traffic = Traffic(seed=9, bad_share=0.0)
    found = case_rate(traffic.draw(np.random.default_rng(13)))
    assert found.status == "zero_observed"
    assert found.upper == pytest.approx(3.69 / found.effective_sample_size, rel=0.02)
