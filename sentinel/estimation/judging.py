"""Judge-assisted case rate: human labels of the sample correct the judge's scores of all answers.

The difference estimator (Cassel, Särndal, Wretman 1976) with a tuned weight of the judge (PPI++:
Angelopoulos, Duchi, Zrnic 2023), in Hájek's form and with the Poisson variance. The judge only moves the
variance: whatever its scores, the human labels keep the estimate consistent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sentinel.estimation.intervals import Evidence, Interval, check_options, interval, without_rounding
from sentinel.estimation.params import EstimationParams
from sentinel.estimation.sample import FloatArray, Sample
from sentinel.estimation.weighting import (
    Variance,
    design_weighting,
    kish_effective_size,
    largest_share,
    spread,
    weighting_design_effect,
)
from sentinel.records import Estimate, RateStatus


@dataclass(frozen=True, slots=True)
class JudgeAssisted:
    """An estimate with the weight λ given to the judge, and a note where λ is doubtful."""

    estimate: Estimate
    judge_weight: float | None
    note: str | None


def tuned_weight(sample: Sample, failing: FloatArray, scores: FloatArray) -> float:
    """Return λ = Σ q (y − ȳ)(m − m̄) / Σ q (m − m̄)², q = (1 − π)/π², 0 where the scores do not vary.

    Minimises the estimated variance of the Hájek form; means are design-weighted. Where q is 0
    throughout (certain units only) there is no variance to minimise and λ is 0.
    """
    weights, probability = sample.design_weights, sample.inclusion_probability
    tension = (1.0 - probability) / probability**2
    cases = failing - np.average(failing, weights=weights)
    judged = scores - np.average(scores, weights=weights)
    spread_of_scores = float(np.sum(tension * judged**2))
    return float(np.sum(tension * cases * judged)) / spread_of_scores if spread_of_scores > 0.0 else 0.0


def _chosen(
    weight: float | None, units: Sample, failing: FloatArray, scores: FloatArray, params: EstimationParams
) -> tuple[float, str | None]:
    if weight is not None:
        return weight, None
    cases = int(failing.sum())
    note = None
    if cases < params.judge_tuning_cases:
        note = f"judge weight tuned on only {cases} failing cases"
    return tuned_weight(units, failing, scores), note


def judge_assisted_case_rate(
    sample: Sample,
    scores: FloatArray,
    mean_score: float,
    *,
    weight: float | None = None,
    level: float = 0.95,
    method: Interval = "auto",
    variance: Variance = "poisson",
    params: EstimationParams | None = None,
) -> JudgeAssisted:
    """Return λ m̄ + Σ w (y − λ m) / Σ w over labelled answered cases, m̄ the mean score of all answers.

    Args:
        sample: drawn units.
        scores: the judge's score of each drawn unit, shape (n,): the probability that the case is bad.
        mean_score: mean score of every answered case of the traffic, drawn or not.
        weight: λ; None tunes it on this sample.
        level, method, variance, params: as for `rates.rate`.

    The status is `too_small` where the estimate leaves [0, 1] (no interval then), or where λ was tuned
    on fewer failing cases than `judge_tuning_cases`.
    """
    check_options(level, method)
    params = params or EstimationParams()
    rows = sample.labelled & sample.answered
    units, judged = design_weighting(sample.subset(rows), variance).units, scores[rows]
    if len(units) == 0:
        return JudgeAssisted(_empty(level, int(sample.labelled.sum())), None, "no labelled answered cases")
    failing, weights = units.failing, units.design_weights
    chosen, note = _chosen(weight, units, failing, judged, params)
    residual = failing - chosen * judged
    correction = float(np.average(residual, weights=weights))
    estimated = chosen * mean_score + correction
    score = (residual - correction) / weights.sum()
    variance_of_rate = without_rounding(spread(units, weights * score, variance), estimated)
    exact = bool(units.census) and variance == "poisson"
    evidence = _evidence(units, estimated, variance_of_rate, exact=exact)
    estimate = _published(units, evidence, level, method, params, thin=note is not None)
    return JudgeAssisted(estimate, chosen, note)


def _evidence(units: Sample, estimated: float, variance: float | None, *, exact: bool) -> Evidence:
    size = len(units)
    return Evidence(
        rate=estimated,
        variance=variance,
        units=size,
        degrees_of_freedom=max(size - 1, 0),
        cap=float(size),
        kish_size=kish_effective_size(units.design_weights) or 1.0,
        failing_cases=int(units.failing.sum()),
        zero=estimated == 0.0,
        all_failing=estimated == 1.0,
        dominated=largest_share(units.design_weights) > 0.5,
        exact=exact,
    )


def _published(
    units: Sample, evidence: Evidence, level: float, method: Interval, params: EstimationParams, *, thin: bool
) -> Estimate:
    inside = 0.0 <= evidence.rate <= 1.0
    lower, upper, used = None, None, "none"
    if inside:
        (lower, upper), used = interval(
            evidence, level=level, method=method, switch_below=params.switch_below_cases
        )
    small = evidence.kish_size < params.min_effective_sample_size and not evidence.exact
    status: RateStatus = "too_small" if small or thin or not inside else "ok"
    return Estimate(
        estimate=evidence.rate,
        standard_error=None if evidence.variance is None else math.sqrt(evidence.variance),
        lower=lower,
        upper=upper,
        level=level,
        method=used,
        numerator=evidence.failing_cases,
        denominator=evidence.units,
        n_labelled=evidence.units,
        effective_sample_size=evidence.kish_size,
        design_effect=weighting_design_effect(units.design_weights),
        status=status,
    )


def _empty(level: float, n_labelled: int) -> Estimate:
    return Estimate(None, None, None, None, level, "none", 0, 0, n_labelled, None, None, "no_data")
