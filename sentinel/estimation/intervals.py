"""Confidence intervals for a share from its estimate, its variance and how much was seen.

All functions are of numbers only and return (lower, upper) within [0, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy.special import betainccinv, betaincinv, expit, logit, ndtri, stdtrit

from sentinel.errors import StopError

Interval = Literal["auto", "logit", "xlogit", "beta", "beta-capped", "wilson", "normal"]
INTERVALS: tuple[Interval, ...] = ("auto", "logit", "xlogit", "beta", "beta-capped", "wilson", "normal")
Bounds = tuple[float, float]
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an interval rests on.

    Attributes:
        rate: the estimate, within [0, 1].
        variance: its estimated variance; None where undefined.
        units: number of labelled units behind it (n).
        degrees_of_freedom: of the variance.
        cap: the largest effective size that the data can bear: sampled units for a case rate, sampled
            verifiable claims for a claim rate.
        kish_size: Kish effective size of the units in the denominator.
        failing_cases: sampled cases that count in the numerator.
        zero, all_failing: whether the numerator is 0, or the whole denominator.
        dominated: whether one unit carries more than half of the weight.
        exact: whether the sample is a census, so that there is no sampling error.
    """

    rate: float
    variance: float | None
    units: int
    degrees_of_freedom: int
    cap: float
    kish_size: float
    failing_cases: int
    zero: bool
    all_failing: bool
    dominated: bool
    exact: bool


def without_rounding(variance: float | None, rate: float) -> float | None:
    """Return `variance`, with rounding error of residuals that are all 0 taken for the 0 that it is.

    Rounding is an error below 10⁻¹² √(p(1−p)): it would claim an effective size above 10²⁴.
    """
    if variance is None:
        return None
    return variance if variance > _ROUNDING**2 * max(rate * (1.0 - rate), _ROUNDING) else 0.0


def clopper_pearson(rate: float, size: float, level: float) -> Bounds:
    """Return the Clopper–Pearson interval for a count `rate`·`size` of `size`, either may be fractional.

    [Beta⁻¹(α/2; x, n−x+1), Beta⁻¹(1−α/2; x+1, n−x)]; with an effective size this is Korn and Graubard
    1998, *Confidence intervals for proportions with small expected number of positive counts*. With
    x = 0 the upper bound is 1 − (α/2)^(1/n).
    """
    tail = (1.0 - level) / 2.0
    hits = rate * size
    lower = 0.0 if rate <= 0.0 else float(betaincinv(hits, size - hits + 1.0, tail))
    upper = 1.0 if rate >= 1.0 else float(betainccinv(hits + 1.0, size - hits, tail))
    return min(lower, rate), max(upper, rate)


def wilson(rate: float, size: float, level: float) -> Bounds:
    """Return Wilson's score interval (1927) for a share of an effective `size`."""
    z = float(-ndtri((1.0 - level) / 2.0))
    centre = (rate + z * z / (2.0 * size)) / (1.0 + z * z / size)
    half = z / (1.0 + z * z / size) * math.sqrt(rate * (1.0 - rate) / size + z * z / (4.0 * size * size))
    return max(0.0, centre - half), min(1.0, centre + half)


def logit_interval(rate: float, variance: float, degrees_of_freedom: int, level: float) -> Bounds:
    """Return expit(logit p ± t·se / (p(1−p))): the delta method on the log odds (Lumley 2010, 2.3)."""
    quantile = float(-stdtrit(degrees_of_freedom, (1.0 - level) / 2.0))
    half = quantile * math.sqrt(variance) / (rate * (1.0 - rate))
    centre = float(logit(rate))
    return float(expit(centre - half)), float(expit(centre + half))


def normal(rate: float, variance: float, level: float) -> Bounds:
    """Return p ± z·se cut to [0, 1] (Wald). Known to fall short for small shares: for comparison only."""
    half = float(-ndtri((1.0 - level) / 2.0)) * math.sqrt(variance)
    return max(0.0, rate - half), min(1.0, rate + half)


def korn_graubard_size(evidence: Evidence, variance: float, level: float) -> float:
    """Return p(1−p)/V · (t_{n−1}/t_df)² (Korn and Graubard 1998); V must be above 0.

    The ratio of t quantiles is 1 unless there are fewer clusters than units.
    """
    size = evidence.rate * (1.0 - evidence.rate) / variance
    if evidence.units - 1 == evidence.degrees_of_freedom:
        return size
    tail = (1.0 - level) / 2.0
    ratio = float(stdtrit(evidence.units - 1, tail) / stdtrit(evidence.degrees_of_freedom, tail))
    return size * ratio**2


def _by_variance(evidence: Evidence, variance: float, level: float, method: Interval) -> Bounds:
    rate = evidence.rate
    if method in ("logit", "xlogit"):
        return logit_interval(rate, variance, evidence.degrees_of_freedom, level)
    if method == "wilson":
        return wilson(rate, rate * (1.0 - rate) / variance, level)
    if method == "normal":
        return normal(rate, variance, level)
    size = korn_graubard_size(evidence, variance, level)
    if method == "beta-capped":
        size = min(size, evidence.cap)
    return clopper_pearson(rate, size, level)


def _automatic(evidence: Evidence, variance: float, level: float, switch_below: int) -> tuple[Bounds, str]:
    size, name = korn_graubard_size(evidence, variance, level), "korn-graubard"
    if evidence.failing_cases < switch_below:
        size, name = min(size, evidence.cap), "korn-graubard-capped"
    if evidence.dominated:
        size, name = min(size, evidence.kish_size), "korn-graubard-kish"
    return clopper_pearson(evidence.rate, size, level), name


def check_options(level: float, method: str) -> None:
    """Refuse a level or a method that does not exist.

    Raises:
        StopError: `level` is not within (0, 1) or `method` is unknown.
    """
    if not 0.0 < level < 1.0:
        msg = f"level {level} is not between 0 and 1: a usual one is 0.95"
        raise StopError(msg)
    if method not in INTERVALS:
        msg = f"interval {method!r} is unknown: choose one of {', '.join(INTERVALS)}"
        raise StopError(msg)


def interval(
    evidence: Evidence, *, level: float, method: Interval = "auto", switch_below: int = 10
) -> tuple[Bounds, str]:
    """Return (bounds, name of the method used) for `evidence`.

    `auto` is Korn–Graubard, its effective size capped at what the sample can bear while fewer than
    `switch_below` failing cases were drawn: with few of them the variance estimate is too small, because
    the failures of low π are the ones not drawn. What holds whatever the method:

    - nothing or everything failed: Clopper–Pearson on the Kish effective size of the units, for a census
      too (a week without a failure is no proof that there is none to come);
    - a census in between: no sampling error, both bounds are the rate;
    - the variance is 0 or undefined although there is sampling error (one unit, all cases alike): it
      says nothing, so that Korn–Graubard runs on the Kish effective size;
    - one unit carries more than half of the weight (`auto` only): likewise, at most the Kish size.

    So no sample that is not a census gets an interval of width 0.

    Raises:
        StopError: `level` is not within (0, 1) or `method` is unknown.
    """
    check_options(level, method)
    if evidence.zero or evidence.all_failing:
        return clopper_pearson(evidence.rate, evidence.kish_size, level), "clopper-pearson-kish"
    if evidence.exact:
        return (evidence.rate, evidence.rate), "census"
    if not evidence.variance or evidence.degrees_of_freedom < 1:
        return clopper_pearson(evidence.rate, evidence.kish_size, level), "korn-graubard-kish"
    if method == "auto":
        return _automatic(evidence, evidence.variance, level, switch_below)
    return _by_variance(evidence, evidence.variance, level, method), method
