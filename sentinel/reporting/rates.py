"""The published rates, their slices and their change against the period before."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from sentinel.estimation.nonresponse import worst_case_bounds
from sentinel.estimation.rates import difference
from sentinel.estimation.ratios import RateName, explained_rate
from sentinel.estimation.sample import BoolArray, Sample
from sentinel.estimation.weighting import DesignWeighting, design_weighting
from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS
from sentinel.reporting.inputs import PeriodInputs, ReviewedUnit
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
    rows = _rows_of_values(unit for unit, _ in labelled(inputs.units))
    drawn = Counter(pair for unit in inputs.units for pair in unit.domains.items())
    names = {key for key in inputs.frame if key[0] not in _NO_SLICES} | drawn.keys()
    kept = sorted(names, key=lambda name: (-len(rows.get(name, ())), -drawn[name], name))
    kept = kept[: params.most_slices]
    order = {name: number for number, name in enumerate((*DOMAIN_FIELDS, *VERSION_FIELDS))}
    kept.sort(key=lambda name: (order.get(name[0], len(order)), name[0], -len(rows.get(name, ())), name[1]))
    found = []
    for domain, value in kept:
        within = np.zeros(len(weighting.units), dtype=np.bool_)
        within[rows.get((domain, value), [])] = True
        counts = inputs.frame.get((domain, value))
        found.append(
            {
                "domain": domain,
                "value": value,
                **_slice_rates(weighting, within, params),
                "labelled": int(np.count_nonzero(within)),
                "drawn": drawn[domain, value],
                "events": None if counts is None else counts.events,
            }
        )
    return found, len(names) - len(kept)


def _rows_of_values(units: Iterable[ReviewedUnit]) -> dict[tuple[str, str], list[int]]:
    """Return the places of the units that have a domain's value: one pass for all slices."""
    rows: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, unit in enumerate(units):
        for pair in unit.domains.items():
            rows[pair].append(place)
    return rows


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
