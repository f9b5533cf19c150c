"""How size measures become probabilities that add up to an expected sample size."""

from __future__ import annotations

import math
from collections.abc import Sequence


def size_measure(predicted_risk: float, base_rate: float) -> float:
    """Return the size measure √(½ (r(1 − 2μ) + μ²) + ½ r(1 − r)) of an answer with predicted risk r.

    The variance of an estimate is smallest with π ∝ √E[e² | x] (Neyman 1934; Isaki and Fuller 1982). For a
    0/1 outcome c with chance r the plain case rate has E[(c − μ)²] = r(1 − 2μ) + μ², the one calibrated
    on the predicted risk E[(c − r)²] = r(1 − r): both are published, so the size is the root of their
    mean. μ is the rate the design was made for; it is a constant of the design, not an estimate of the
    moment.
    """
    plain = predicted_risk * (1.0 - 2.0 * base_rate) + base_rate * base_rate
    calibrated = predicted_risk * (1.0 - predicted_risk)
    return math.sqrt(max(0.5 * (plain + calibrated), 0.0))


def uniform_and_multiplier(sizes: Sequence[float], rate: float, uniform_share: float) -> tuple[float, float]:
    """Return (u, m) such that the mean of min(1, u + m · size) over `sizes` is `rate`.

    u = rate · uniform_share is the defensive part (Hesterberg 1995): it bounds every design weight by
    1 / u however wrong the risk model is. m is found by filling: sizes that reach 1 are set aside and
    the rest shared out again, which ends after at most `len(sizes)` rounds. A rate of 1 gives (1, 0).
    """
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate {rate} is not in (0, 1]: it is the expected share of answers drawn")
    if not 0.0 <= uniform_share <= 1.0:
        raise ValueError(f"uniform_share {uniform_share} is not in [0, 1]")
    if rate == 1.0:
        return 1.0, 0.0
    uniform = rate * uniform_share
    positive = sorted((size for size in sizes if size > 0.0), reverse=True)
    if not positive:
        return rate, 0.0
    wanted = len(sizes) * (rate - uniform)
    certain = 0
    multiplier = wanted / math.fsum(positive)
    while certain < len(positive) and uniform + multiplier * positive[certain] > 1.0:
        certain += 1
        rest = math.fsum(positive[certain:])
        if rest == 0.0:
            break
        multiplier = (wanted - certain * (1.0 - uniform)) / rest
    return uniform, multiplier
