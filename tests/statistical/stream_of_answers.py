"""A week of answers with a known truth, and samples of it as the product draws them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sentinel.estimation.assistance import Auxiliary, assist
from sentinel.estimation.sample import Sample
from sentinel.estimation.weighting import Weighting, design_weighting
from sentinel.sampling.allocation import size_measure

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One sample, fully labelled, with the weights that the report publishes with."""

    sample: Sample
    published: Weighting
    calibrated: bool


class Week:
    """`answers` answers of which a share fails, riskier ones more often (AUC about 0.75).

    Drawn with the default allocation so that `expected` are expected. Two margins are known of all
    answers, one of which says something of failure.
    """

    def __init__(self, seed: int, bad_share: float, answers: int = 10_000, expected: int = 200) -> None:
        rng = np.random.default_rng(seed)
        self.answers = answers
        self.risk: Floats = np.minimum(rng.beta(1.3, 6, answers), 0.9).round(6)
        chance = np.minimum(bad_share * self.risk / self.risk.mean(), 1.0)
        self.answered = rng.random(answers) < 0.92
        self.failing = (rng.random(answers) < chance) & self.answered
        self.verifiable: Floats = rng.integers(2, 9, answers) * self.answered.astype(np.float64)
        self.unsupported: Floats = np.where(self.failing, rng.integers(1, 3, answers), 0).astype(np.float64)
        self.flag = rng.random(answers) < 0.1 + 0.5 * self.risk + 0.2 * self.failing
        self.app = rng.random(answers) < 0.4
        size = np.array([size_measure(risk, 0.2) for risk in self.risk])
        self.probability: Floats = np.minimum(expected * (0.7 * size / size.sum() + 0.3 / answers), 1.0)
        self.case_rate = float(self.failing.sum() / self.answered.sum())
        self.claim_rate = float(self.unsupported.sum() / self.verifiable.sum())

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Return one Poisson sample with all its labels."""
        drawn = rng.random(self.answers) < self.probability
        sample = Sample(
            inclusion_probability=self.probability[drawn],
            labelled=np.ones(drawn.sum(), dtype=np.bool_),
            answered=self.answered[drawn],
            verifiable_claims=self.verifiable[drawn],
            unsupported_claims=self.unsupported[drawn],
            critical_unsupported=np.zeros(drawn.sum()),
        )
        known = [
            Auxiliary("risk", self.risk[drawn], float(self.risk.sum()), margin=False),
            Auxiliary("flag", self.flag[drawn].astype(np.float64), float(self.flag.sum())),
            Auxiliary("app", self.app[drawn].astype(np.float64), float(self.app.sum())),
        ]
        found = assist(design_weighting(sample), known, self.answers)
        return Drawn(sample, found.weighting, bool(found.columns))
