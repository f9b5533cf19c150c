"""Entry points: the published rates of one sample, and their difference between two samples."""

from __future__ import annotations

from collections.abc import Mapping

from sentinel.estimation.contrasts import difference_of
from sentinel.estimation.intervals import Interval
from sentinel.estimation.params import EstimationParams
from sentinel.estimation.ratios import RateName, explained_rate
from sentinel.estimation.sample import Sample
from sentinel.estimation.totals import Total, weighted_totals
from sentinel.estimation.weighting import Variance, Weighting, design_weighting
from sentinel.records import Estimate


def rate(
    sample: Sample,
    name: RateName,
    *,
    level: float = 0.95,
    interval: Interval = "auto",
    variance: Variance = "poisson",
    params: EstimationParams | None = None,
) -> Estimate:
    """Return the rate called `name` of the traffic that `sample` was drawn from.

    For a slice pass `sample.subset(sample.domain(field) == value)`: under Poisson sampling the slice's
    own rows give the slice's rate and variance.

    Args:
        sample: drawn units with π and labels; unlabelled units are left out of the rate.
        name: `claim_rate`, `case_rate` or `critical_claim_rate`.
        level: confidence level, within (0, 1).
        interval: method of the interval (see `intervals.interval`).
        variance: `poisson` for the traffic of the window itself, `ultimate-cluster` for traffic to come
            or cases that cluster in conversations.
        params: reliability gates.

    Raises:
        StopError: `level`, `interval` or `variance` is none of the allowed values.
    """
    weighting = design_weighting(sample, variance)
    return explained_rate(weighting, name, level=level, method=interval, params=params).estimate


def claim_rate(
    sample: Sample,
    *,
    level: float = 0.95,
    interval: Interval = "auto",
    variance: Variance = "poisson",
    params: EstimationParams | None = None,
) -> Estimate:
    """Return unsupported verifiable claims ÷ verifiable claims of the traffic; arguments as `rate`."""
    return rate(sample, "claim_rate", level=level, interval=interval, variance=variance, params=params)


def case_rate(
    sample: Sample,
    *,
    level: float = 0.95,
    interval: Interval = "auto",
    variance: Variance = "poisson",
    params: EstimationParams | None = None,
) -> Estimate:
    """Return answered cases with an unsupported claim ÷ answered cases of the traffic."""
    return rate(sample, "case_rate", level=level, interval=interval, variance=variance, params=params)


def critical_claim_rate(
    sample: Sample,
    *,
    level: float = 0.95,
    interval: Interval = "auto",
    variance: Variance = "poisson",
    params: EstimationParams | None = None,
) -> Estimate:
    """Return critical unsupported claims ÷ verifiable claims of the traffic; arguments as `rate`."""
    return rate(
        sample, "critical_claim_rate", level=level, interval=interval, variance=variance, params=params
    )


def totals(sample: Sample, *, variance: Variance = "poisson") -> Mapping[str, Total]:
    """Return Horvitz–Thompson totals by name: claims, cases, answers and units of the traffic."""
    return weighted_totals(design_weighting(sample, variance))


def difference(
    first: Sample,
    second: Sample,
    name: RateName,
    *,
    level: float = 0.95,
    interval: Interval = "auto",
    variance: Variance = "poisson",
    params: EstimationParams | None = None,
) -> Estimate:
    """Return the rate of `second` minus that of `first`, two samples drawn independently.

    No answer (and, for the ultimate-cluster variance, no conversation) may be in both: their variances
    add. For two domains of one sample see `contrasts.joint_variance`.
    """
    return difference_between(
        design_weighting(first, variance),
        design_weighting(second, variance),
        name,
        level=level,
        interval=interval,
        params=params,
    )


def difference_between(
    first: Weighting,
    second: Weighting,
    name: RateName,
    *,
    level: float = 0.95,
    interval: Interval = "auto",
    params: EstimationParams | None = None,
) -> Estimate:
    """Return the rate by the weights `second` minus that by `first`, of samples drawn independently."""
    sides = [
        explained_rate(side, name, level=level, method=interval, params=params) for side in (first, second)
    ]
    parts = [side.variance for side in sides if side.variance is not None]
    return difference_of(sides[0], sides[1], sum(parts) if len(parts) == 2 else None, level)
