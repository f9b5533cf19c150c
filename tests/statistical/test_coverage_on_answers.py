"""The published interval on streams of real, human-labelled answers: does it hold, and does it save labels?

Widths are compared with Wilson's interval of a uniform sample with as many labels; the labels needed go
with the square of the ratio.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from sentinel.reporting.params import ReportParams
from sentinel.reporting.rates import published_rate
from sentinel.reporting.weighing import weigh
from tests.statistical.labelled_answers import ANSWERS, known_answers, stream

RUNS, EVENTS, RATE = 150, 6_000, 0.04
#: The largest label ratio, with some room: lower is better.
LARGEST = {
    "ragtruth_qa": 0.80,
    "mtrag_human": 0.80,
    "delucionqa": 1.05,
    "expertqa": 1.08,
    "halueval_general": 1.06,
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not ANSWERS.exists(), reason="no labelled answers beside the project"),
]


def _uniform_width(rate: float, n: int) -> float:
    z = 1.959964
    return 2 * z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))


@pytest.mark.parametrize("name", LARGEST)
def test_the_interval_holds_and_saves_labels(name: str) -> None:
    answers = known_answers(name, RATE)
    rng = np.random.default_rng(17)
    hits = {"case_rate": 0, "claim_rate": 0}
    ratios, plain_ratios, errors, calibrated = [], [], [], 0
    for _ in range(RUNS):
        drawn = stream(answers, EVENTS, rng)
        weighed = weigh(drawn.inputs)
        calibrated += bool(weighed.columns)
        case = published_rate(weighed, "case_rate", ReportParams())
        claim = published_rate(weighed, "claim_rate", ReportParams())
        hits["case_rate"] += case["lower"] <= drawn.case_rate <= case["upper"]
        hits["claim_rate"] += claim["lower"] <= drawn.claim_rate <= claim["upper"]
        errors.append(case["estimate"] - drawn.case_rate)
        uniform = _uniform_width(drawn.case_rate, len(drawn.inputs.units))
        ratios.append((case["upper"] - case["lower"]) / uniform)
        plain_ratios.append((case["plain"]["upper"] - case["plain"]["lower"]) / uniform)
    labels, plain = np.mean(ratios) ** 2, np.mean(plain_ratios) ** 2
    print(
        f"\n{name}: calibrated in {calibrated} of {RUNS}; case {hits['case_rate']}, claim "
        f"{hits['claim_rate']} held; labels needed x{labels:.2f}, by the plain ratio x{plain:.2f}"
    )
    assert calibrated >= 0.9 * RUNS
    for found in hits.values():
        assert found >= binom.ppf(1e-3, RUNS, 0.94)
    assert labels <= LARGEST[name]
    assert abs(np.mean(errors)) < 4 * np.std(errors) / math.sqrt(RUNS)
