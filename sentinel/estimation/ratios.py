"""The three published rates: linearised ratios of design-weighted sums, with interval and status."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sentinel.estimation.intervals import Evidence, Interval, check_options, interval, without_rounding
from sentinel.estimation.params import EstimationParams
from sentinel.estimation.sample import BoolArray, FloatArray, Sample
from sentinel.estimation.weighting import (
    Weighting,
    everywhere,
    kish_effective_size,
    largest_share,
    weighting_design_effect,
)
from sentinel.records import Estimate, RateStatus

RateName = Literal["claim_rate", "case_rate", "critical_claim_rate"]
RATE_NAMES: tuple[RateName, ...] = ("claim_rate", "case_rate", "critical_claim_rate")


@dataclass(frozen=True, slots=True)
class Ratio:
    """R = Σ w y / Σ w x over a domain, with its score; arrays have one entry per labelled unit.

    `score` is (y − R x) / Σ w x, zero outside the domain; None where the denominator is 0.
    """

    name: RateName
    numerator: FloatArray
    denominator: FloatArray
    within: BoolArray
    rate: float | None
    score: FloatArray | None

    @property
    def failing_cases(self) -> int:
        """Return the number of sampled cases that count in the numerator."""
        return int(np.count_nonzero(self.numerator))


@dataclass(frozen=True, slots=True)
class ExplainedEstimate:
    """An estimate with the reason for a status other than `ok`, in words, and its linearised ratio.

    `evidence` is what its interval rests on; None where there is no data.
    """

    estimate: Estimate
    reason: str | None
    ratio: Ratio
    variance: float | None
    evidence: Evidence | None


def _columns(units: Sample, name: RateName) -> tuple[FloatArray, FloatArray]:
    if name == "case_rate":
        return units.failing, units.answered.astype(np.float64)
    numerator = units.unsupported_claims if name == "claim_rate" else units.critical_unsupported
    return numerator, units.verifiable_claims


def linearise(weighting: Weighting, name: RateName, within: BoolArray | None = None) -> Ratio:
    """Return the ratio called `name` in the domain `within` (mask of labelled units; None: all).

    The case rate is Hájek's mean (1971) of failing answered cases, the claim rates are ratios of claims;
    claims cluster in cases and the case is the unit that was drawn, so that the variance is of cases.
    """
    units = weighting.units
    inside = everywhere(units) if within is None else within
    numerator, denominator = (np.where(inside, column, 0.0) for column in _columns(units, name))
    total = float(np.sum(weighting.weights * denominator))
    if total <= 0.0:
        return Ratio(name, numerator, denominator, inside, None, None)
    rate = float(np.sum(weighting.weights * numerator)) / total
    if np.array_equal(numerator, denominator):
        rate = 1.0
    return Ratio(name, numerator, denominator, inside, rate, (numerator - rate * denominator) / total)


def ratio_variance(weighting: Weighting, ratio: Ratio) -> float | None:
    """Return the variance of the rate, None where either is undefined."""
    if ratio.score is None or ratio.rate is None:
        return None
    return without_rounding(weighting.variance(ratio.score), ratio.rate)


def _cautious_variance(weighting: Weighting, ratio: Ratio) -> float | None:
    if ratio.score is None or ratio.rate is None:
        return None
    return without_rounding(weighting.cautious_variance(ratio.score), ratio.rate)


def degrees_of_freedom(weighting: Weighting, units: int) -> int:
    """Return clusters − 1 where the variance is taken over clusters, else `units` − 1; at least 0."""
    if weighting.clusters is not None:
        return max(int(np.unique(weighting.clusters).size) - 1, 0)
    return max(units - 1, 0)


def _evidence(weighting: Weighting, ratio: Ratio, rate: float, variance: float | None) -> Evidence:
    present = ratio.denominator > 0
    weights = weighting.weights[present]
    by_case = ratio.name == "case_rate"
    units = int(np.count_nonzero(present if by_case else ratio.within))
    return Evidence(
        rate=rate,
        variance=variance,
        units=units,
        degrees_of_freedom=degrees_of_freedom(weighting, units),
        cap=float(np.sum(ratio.denominator)),
        kish_size=kish_effective_size(weights) or 1.0,
        failing_cases=ratio.failing_cases,
        zero=not np.any(ratio.numerator),
        all_failing=bool(np.array_equal(ratio.numerator, ratio.denominator)),
        dominated=largest_share(weights) > 0.5,
        exact=weighting.exact,
    )


def _judge(
    evidence: Evidence, share: float, method: Interval, params: EstimationParams
) -> tuple[RateStatus, str | None]:
    """Return the status and why; a census has no sampling error and passes every gate.

    Unless all of it failed: then its interval is of traffic to come, and rests on the sample's size.
    """
    if not evidence.exact or (evidence.all_failing and not evidence.zero):
        if evidence.kish_size < params.min_effective_sample_size:
            least = f"{params.min_effective_sample_size:g}"
            return "too_small", f"effective sample size {evidence.kish_size:.1f} is below {least}"
        if share > params.max_weight_share:
            return "too_small", f"one unit carries {share:.0%} of the weight"
        few = 0 < evidence.failing_cases < params.min_failing_cases
        if few and method not in ("auto", "beta-capped"):
            return "too_small", f"only {evidence.failing_cases} failing cases for the {method} interval"
    if evidence.zero:
        return "zero_observed", "no failure observed: read the upper bound"
    return "ok", None


def no_data(ratio: Ratio, level: float, n_labelled: int) -> ExplainedEstimate:
    """Return the estimate of a domain with nothing in its denominator: null, never 0."""
    reason = "no labelled units" if n_labelled == 0 else "nothing in the denominator"
    empty = Estimate(None, None, None, None, level, "none", 0, 0, n_labelled, None, None, status="no_data")
    return ExplainedEstimate(empty, reason, ratio, None, None)


def explained_rate(
    weighting: Weighting,
    name: RateName,
    *,
    within: BoolArray | None = None,
    level: float = 0.95,
    method: Interval = "auto",
    params: EstimationParams | None = None,
) -> ExplainedEstimate:
    """Return the rate called `name` with interval, status and reason.

    The effective sample size is Kish's over the units in the denominator, the design effect the one of
    unequal weights; `within` is a mask of the labelled units.
    """
    check_options(level, method)
    params = params or EstimationParams()
    ratio = linearise(weighting, name, within)
    n_labelled = int(np.count_nonzero(ratio.within))
    if ratio.rate is None:
        return no_data(ratio, level, n_labelled)
    variance = ratio_variance(weighting, ratio)
    cautious = _cautious_variance(weighting, ratio) if weighting.is_cautious else variance
    evidence = _evidence(weighting, ratio, ratio.rate, cautious)
    (lower, upper), used = interval(
        evidence, level=level, method=method, switch_below=params.switch_below_cases
    )
    weights = weighting.weights[ratio.denominator > 0]
    status, reason = _judge(evidence, largest_share(weights), method, params)
    estimate = Estimate(
        estimate=ratio.rate,
        standard_error=None if variance is None else math.sqrt(variance),
        lower=lower,
        upper=upper,
        level=level,
        method=used,
        numerator=int(ratio.numerator.sum()),
        denominator=int(ratio.denominator.sum()),
        n_labelled=n_labelled,
        effective_sample_size=evidence.kish_size,
        design_effect=weighting_design_effect(weights),
        status=status,
    )
    return ExplainedEstimate(estimate, reason, ratio, variance, evidence)


def at_level(
    explained: ExplainedEstimate, level: float, params: EstimationParams | None = None
) -> ExplainedEstimate:
    """Return the same estimate with the automatic interval of another confidence level.

    Raises:
        StopError: `level` is not within (0, 1).
    """
    check_options(level, "auto")
    if explained.evidence is None:
        return replace(explained, estimate=replace(explained.estimate, level=level))
    switch = (params or EstimationParams()).switch_below_cases
    (lower, upper), used = interval(explained.evidence, level=level, switch_below=switch)
    estimate = replace(explained.estimate, lower=lower, upper=upper, level=level, method=used)
    return replace(explained, estimate=estimate)
