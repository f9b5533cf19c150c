"""The published rates, their slices and their change against the period before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sentinel.estimation.nonresponse import worst_case_bounds
from sentinel.estimation.rates import difference
from sentinel.estimation.ratios import RateName, explained_rate
from sentinel.estimation.sample import BoolArray, Sample
from sentinel.estimation.weighting import DesignWeighting, design_weighting
from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS
from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.params import ReportParams
from sentinel.reporting.rate_objects import (
    explained_object,
    no_data_object,
    rate_object,
    suppressed_object,
)
from sentinel.reporting.weighted import labelled, sample_of

#: Frame cells that are no slice of the traffic.
_NO_SLICES = ("", "indicator", "known")
_NAMES: dict[str, RateName] = {
    "claim": "claim_rate",
    "case": "case_rate",
    "critical_claim": "critical_claim_rate",
}


def rates(inputs: PeriodInputs, sample: Sample, params: ReportParams) -> dict[str, Any]:
    """Return the claim, case and critical claim rate of all traffic as RATE objects.

    The case rate also carries the bounds that hold whatever the missing labels would say, and, where no
    failure was seen, the bound that holds wherever failures hide.
    """
    weighting = design_weighting(sample)
    found: dict[str, Any] = {
        key: explained_object(explained_rate(weighting, name, level=params.level))
        for key, name in _NAMES.items()
    }
    bounds = worst_case_bounds(sample) if len(weighting.units) else None
    lower, upper = bounds or (None, None)
    found["case"] |= {
        "worst_case_lower": lower,
        "worst_case_upper": upper,
        "guaranteed_upper": _guaranteed_upper(inputs, sample, found["case"]["status"], params.level),
    }
    return found


def _guaranteed_upper(inputs: PeriodInputs, sample: Sample, status: str, level: float) -> float | None:
    """Return the bound on the case rate that needs no assumption on which answers fail.

    If D bad cases had been there, none would have been drawn with probability (1 − π_min)^D at most, so
    that D ≤ ln(α/2) / ln(1 − π_min). Null where a label is missing or the bound says nothing.
    """
    least, answers = inputs.least_probability, inputs.all_answers.answered
    if (
        status != "zero_observed"
        or least is None
        or least >= 1.0
        or not answers
        or not bool(np.all(sample.labelled))
    ):
        return None
    most = math.log((1.0 - level) / 2.0) / math.log1p(-least)
    return most / answers if most < answers else None


def slices(inputs: PeriodInputs, sample: Sample, params: ReportParams) -> tuple[list[dict[str, Any]], int]:
    """Return the slices with most labels first within each field, and how many more there were.

    A slice with fewer labelled answered cases than the minimum shows its counts and no rate. Values
    that no drawn answer has are there with their share of the traffic.
    """
    weighting = design_weighting(sample)
    with_label = [unit for unit, _ in labelled(inputs.units)]
    found = []
    for domain, value in _slice_names(inputs):
        within = np.array([unit.domains.get(domain) == value for unit in with_label], dtype=np.bool_)
        drawn = sum(unit.domains.get(domain) == value for unit in inputs.units)
        counts = inputs.frame.get((domain, value))
        found.append(
            {
                "domain": domain,
                "value": value,
                **_slice_rates(weighting, within, params),
                "labelled": int(np.count_nonzero(within)),
                "drawn": drawn,
                "events": None if counts is None else counts.events,
            }
        )
    order = {name: number for number, name in enumerate((*DOMAIN_FIELDS, *VERSION_FIELDS))}
    kept = sorted(found, key=lambda one: (-one["labelled"], -one["drawn"], one["domain"], one["value"]))
    kept = kept[: params.most_slices]
    kept.sort(
        key=lambda one: (order.get(one["domain"], len(order)), one["domain"], -one["labelled"], one["value"])
    )
    return kept, len(found) - len(kept)


def _slice_names(inputs: PeriodInputs) -> Iterator[tuple[str, str]]:
    names = {key for key in inputs.frame if key[0] not in _NO_SLICES}
    for unit in inputs.units:
        names.update(unit.domains.items())
    yield from sorted(names)


def _slice_rates(weighting: DesignWeighting, within: BoolArray, params: ReportParams) -> dict[str, Any]:
    claim, case = (
        explained_rate(weighting, _NAMES[key], within=within, level=params.level) for key in ("claim", "case")
    )
    least = params.minimum_labelled_per_slice
    if case.estimate.denominator >= least:
        return {"suppressed": False, "claim": explained_object(claim), "case": explained_object(case)}
    reason = f"{case.estimate.denominator} labelled answered cases, below the minimum of {least}"
    return {
        "suppressed": True,
        "claim": suppressed_object(claim, reason),
        "case": suppressed_object(case, reason),
    }


def comparison(sample: Sample, before: PeriodInputs, params: ReportParams) -> dict[str, Any]:
    """Return this period's rates minus those of the period before, drawn independently of it."""
    period = before.period
    earlier = sample_of(before)
    found: dict[str, Any] = {
        "previous_period": {
            "from": period.first_day.isoformat(),
            "to": period.end_day.isoformat(),
            "timezone": period.timezone,
        },
        "previous_labelled": int(np.count_nonzero(earlier.labelled)),
        "previous_case": None,
        "previous_claim": None,
    }
    weighting = design_weighting(earlier)
    for key in ("claim", "case"):
        previous = explained_rate(weighting, _NAMES[key], level=params.level)
        found[f"previous_{key}"] = explained_object(previous)
        if previous.estimate.estimate is None:
            found[f"{key}_difference"] = no_data_object(params.level, "no labels in the period before")
            continue
        change = difference(earlier, sample, _NAMES[key], level=params.level)
        reason = None if change.estimate is not None else "no labels in this period"
        found[f"{key}_difference"] = rate_object(change, reason)
    return found
