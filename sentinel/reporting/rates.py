"""The published rates of all traffic, and their change against the period before."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sentinel.estimation.confidence_sequence import anytime_lower_bound
from sentinel.estimation.nonresponse import worst_case_bounds
from sentinel.estimation.rates import difference_between
from sentinel.estimation.ratios import RateName, explained_rate
from sentinel.estimation.totals import weighted_totals
from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.params import ReportParams
from sentinel.reporting.rate_objects import RateObject, explained_object, no_data_object, rate_object
from sentinel.reporting.weighing import Weighed

RATE_KEYS: dict[str, RateName] = {
    "claim": "claim_rate",
    "case": "case_rate",
    "critical_claim": "critical_claim_rate",
}


def rates(inputs: PeriodInputs, weighed: Weighed, params: ReportParams) -> dict[str, Any]:
    """Return the claim, case and critical claim rate of all traffic as RATE objects.

    Each has the plain ratio of the labelled answers beside it (`plain`). The case rate also carries the
    bounds that hold whatever the missing labels would say, the one that holds wherever failures hide if
    none was seen, and the lower bound that holds at every look at once.
    """
    found: dict[str, Any] = {key: published_rate(weighed, name, params) for key, name in RATE_KEYS.items()}
    bounds = worst_case_bounds(weighed.sample) if weighed.pairs else None
    lower, upper = bounds or (None, None)
    found["case"] |= {
        "worst_case_lower": lower,
        "worst_case_upper": upper,
        "guaranteed_upper": _guaranteed_upper(inputs, weighed, found["case"]["status"], params.level),
        "anytime_lower": _anytime_lower(inputs, weighed, params.level),
    }
    return found


def published_rate(weighed: Weighed, name: RateName, params: ReportParams) -> RateObject:
    """Return one rate as it is published, with the plain ratio beside it."""
    shown = explained_object(explained_rate(weighed.published, name, level=params.level))
    if weighed.columns and shown["status"] != "no_data":
        shown["method"] = f"calibrated-{shown['method']}"
    plain = explained_object(explained_rate(weighed.plain, name, level=params.level))
    return shown | {"plain": plain}


def totals(weighed: Weighed) -> dict[str, Any]:
    """Return how many answers, cases and claims of the traffic the sample stands for, with their errors."""
    return {
        name: {"estimate": total.estimate, "standard_error": total.standard_error, "status": total.status}
        for name, total in weighted_totals(weighed.published).items()
    }


def _guaranteed_upper(inputs: PeriodInputs, weighed: Weighed, status: str, level: float) -> float | None:
    """Return the bound on the case rate that needs no assumption on which answers fail.

    If D bad cases had been there, none would have been drawn with probability (1 − π_min)^D at most, so
    that D ≤ ln(α/2) / ln(1 − π_min). Null where a label is missing or the bound says nothing.
    """
    least, answers = inputs.least_probability, inputs.all_answers.answered
    complete = bool(np.all(weighed.sample.labelled))
    if status != "zero_observed" or least is None or least >= 1.0 or not answers or not complete:
        return None
    most = math.log((1.0 - level) / 2.0) / math.log1p(-least)
    return most / answers if most < answers else None


def _anytime_lower(inputs: PeriodInputs, weighed: Weighed, level: float) -> float | None:
    """Return the lower bound on the case rate that may be looked at as often as one likes.

    Null where nothing is labelled, or the frame counts fewer answers than failed.
    """
    units = weighed.plain.units
    bad = units.design_weights[units.failing > 0]
    answers = inputs.all_answers.events
    if not len(units) or answers < bad.size:
        return None
    return anytime_lower_bound(bad, answers, level=level)


def comparison(
    weighed: Weighed, before: PeriodInputs, earlier: Weighed, params: ReportParams
) -> dict[str, Any]:
    """Return this period's rates minus those of the period before, drawn independently of it."""
    period = before.period
    found: dict[str, Any] = {
        "previous_period": {
            "from": period.first_day.isoformat(),
            "to": period.end_day.isoformat(),
            "timezone": period.timezone,
        },
        "previous_labelled": len(earlier.pairs),
        "previous_case": None,
        "previous_claim": None,
    }
    for key in ("claim", "case"):
        previous = explained_rate(earlier.published, RATE_KEYS[key], level=params.level)
        found[f"previous_{key}"] = explained_object(previous)
        if previous.estimate.estimate is None:
            found[f"{key}_difference"] = no_data_object(params.level, "no labels in the period before")
            continue
        change = difference_between(earlier.published, weighed.published, RATE_KEYS[key], level=params.level)
        reason = None if change.estimate is not None else "no labels in this period"
        found[f"{key}_difference"] = rate_object(change, reason)
    return found
