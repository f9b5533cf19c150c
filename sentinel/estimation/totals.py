"""Horvitz–Thompson totals of the traffic (1952, *A generalization of sampling without replacement*)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sentinel.estimation.sample import BoolArray, FloatArray, Sample
from sentinel.estimation.weighting import Weighting, everywhere
from sentinel.records import RateStatus


@dataclass(frozen=True, slots=True)
class Total:
    """An estimated count of the traffic and its standard error; None is *cannot be estimated*."""

    estimate: float | None
    standard_error: float | None
    status: RateStatus


def _columns(units: Sample) -> dict[str, FloatArray]:
    return {
        "unsupported_claims": units.unsupported_claims,
        "verifiable_claims": units.verifiable_claims,
        "critical_unsupported": units.critical_unsupported,
        "hallucinated_cases": units.failing,
        "answered": units.answered.astype(np.float64),
        "units": np.ones(len(units)),
    }


def weighted_totals(weighting: Weighting, within: BoolArray | None = None) -> dict[str, Total]:
    """Return Σ w y of every counted column over the domain `within` (mask of labelled units).

    Without labelled units in the domain every total is null (`no_data`): nothing seen is not 0. A total
    of 0 has a standard error of 0 that says nothing of what was not drawn: `zero_observed`.
    """
    units = weighting.units
    inside = everywhere(units) if within is None else within
    if not np.any(inside):
        return {name: Total(None, None, "no_data") for name in _columns(units)}
    totals = {}
    for name, column in _columns(units).items():
        values = np.where(inside, column, 0.0)
        variance = weighting.variance(values)
        error = None if variance is None else math.sqrt(variance)
        status: RateStatus = "ok" if np.any(values) else "zero_observed"
        totals[name] = Total(float(np.sum(weighting.weights * values)), error, status)
    return totals
