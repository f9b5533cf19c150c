"""Estimates as the report's RATE objects; what cannot be estimated is null with a status."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sentinel.estimation.ratios import ExplainedEstimate
from sentinel.records import Estimate

RateObject = dict[str, Any]


def rate_object(estimate: Estimate, reason: str | None = None) -> RateObject:
    """Return an estimate with the keys of a RATE, its standard error and the reason of its status."""
    return {**asdict(estimate), "reason": reason}


def explained_object(explained: ExplainedEstimate) -> RateObject:
    """Return an explained estimate as a RATE."""
    return rate_object(explained.estimate, explained.reason)


def suppressed_object(explained: ExplainedEstimate, reason: str) -> RateObject:
    """Return a RATE that keeps the counts of a slice and hides what they are too few for."""
    shown = explained_object(explained)
    for key in ("estimate", "lower", "upper", "standard_error", "effective_sample_size", "design_effect"):
        shown[key] = None
    status = "no_data" if explained.estimate.status == "no_data" else "too_small"
    return shown | {"method": "none", "status": status, "reason": reason}


def no_data_object(level: float, reason: str) -> RateObject:
    """Return the RATE of nothing at all."""
    return rate_object(
        Estimate(None, None, None, None, level, "none", 0, 0, 0, None, None, status="no_data"), reason
    )
