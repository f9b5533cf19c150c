"""Differences of a rate between two periods, versions or samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from sentinel.estimation.ratios import ExplainedEstimate
from sentinel.estimation.weighting import Weighting
from sentinel.records import Estimate, RateStatus


def _status(first: RateStatus, second: RateStatus) -> RateStatus:
    """Return the status of a difference: as good as its weaker side, zero only where both are."""
    for weak in ("no_data", "too_small"):
        if weak in (first, second):
            return weak
    return "zero_observed" if first == second == "zero_observed" else "ok"


def joint_variance(weighting: Weighting, first: ExplainedEstimate, second: ExplainedEstimate) -> float | None:
    """Return the variance of second − first where both are domains of one sample.

    The score of the difference is the difference of the scores, so that clusters with units on both
    sides are counted with their covariance; under Poisson sampling it is V(first) + V(second) exactly.
    """
    if first.ratio.score is None or second.ratio.score is None:
        return None
    return weighting.variance(second.ratio.score - first.ratio.score)


def _correlation(variance: float | None, first: float | None, second: float | None) -> float:
    if not variance or not first or not second:
        return 0.0
    return float(np.clip((first + second - variance) / (2.0 * math.sqrt(first * second)), -1.0, 1.0))


def _reach(near: float, far: float, correlation: float) -> float:
    return math.sqrt(max(near * near + far * far - 2.0 * correlation * near * far, 0.0))


def _bounds(one: Estimate, two: Estimate, correlation: float) -> tuple[float, float, float] | None:
    """Return (difference, lower, upper), None where a side has no rate."""
    if one.estimate is None or one.lower is None or one.upper is None:
        return None
    if two.estimate is None or two.lower is None or two.upper is None:
        return None
    change = two.estimate - one.estimate
    down = _reach(two.estimate - two.lower, one.upper - one.estimate, correlation)
    up = _reach(two.upper - two.estimate, one.estimate - one.lower, correlation)
    return change, change - down, change + up


def difference_of(
    first: ExplainedEstimate, second: ExplainedEstimate, variance: float | None, level: float
) -> Estimate:
    """Return second − first with an interval recovered from both sides' own intervals.

    Lower bound d − √((p₂−l₂)² + (u₁−p₁)² − 2ρ(p₂−l₂)(u₁−p₁)), upper bound alike (Newcombe 1998; Zou and
    Donner 2008, *Construction of confidence limits about effect measures*): where no failure was seen on
    either side the bounds stay apart, as p ± z·se would not. Counts are of both sides together, the
    effective size is the smaller one's.
    """
    one, two = first.estimate, second.estimate
    known = _bounds(one, two, _correlation(variance, first.variance, second.variance))
    sizes = [e.effective_sample_size for e in (one, two) if e.effective_sample_size is not None]
    change, lower, upper = known or (None, None, None)
    return Estimate(
        estimate=change,
        standard_error=None if variance is None or known is None else math.sqrt(variance),
        lower=lower,
        upper=upper,
        level=level,
        method="none" if known is None else "variance-recovery",
        numerator=one.numerator + two.numerator,
        denominator=one.denominator + two.denominator,
        n_labelled=one.n_labelled + two.n_labelled,
        effective_sample_size=min(sizes) if len(sizes) == 2 else None,
        design_effect=None,
        status=_status(one.status, two.status),
    )


@dataclass(frozen=True, slots=True)
class LogRatio:
    """log(second ÷ first) with its standard error and p ± z·se bounds; None where a side is 0 or unknown."""

    estimate: float | None
    standard_error: float | None
    lower: float | None
    upper: float | None
    level: float
    status: RateStatus


def log_ratio_of(
    weighting: Weighting, first: ExplainedEstimate, second: ExplainedEstimate, level: float
) -> LogRatio:
    """Return log R₂ − log R₁ of two domains of one sample.

    Its score is e₂/R₂ − e₁/R₁ (delta method; Woodruff 1971), its interval the normal one on the log
    scale: exponentiate the bounds for the ratio of the rates. Not defined where a side has no failure.
    """
    status = _status(first.estimate.status, second.estimate.status)
    one, two = first.ratio, second.ratio
    if not one.rate or not two.rate or one.score is None or two.score is None:
        return LogRatio(None, None, None, None, level, status)
    change = math.log(two.rate) - math.log(one.rate)
    variance = weighting.variance(two.score / two.rate - one.score / one.rate)
    if variance is None:
        return LogRatio(change, None, None, None, level, status)
    error = math.sqrt(variance)
    half = float(-ndtri((1.0 - level) / 2.0)) * error
    return LogRatio(change, error, change - half, change + half, level, status)
