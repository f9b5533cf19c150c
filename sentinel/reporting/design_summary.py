"""How the sample was drawn and weighted, and how far its weights carry."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sentinel.estimation.nonresponse import ResponseWeighting
from sentinel.estimation.ratios import explained_rate
from sentinel.estimation.weighting import kish_effective_size, largest_share, weighting_design_effect
from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.traffic import weight_check
from sentinel.reporting.weighing import Weighed
from sentinel.reporting.wording import count, plural

_MICRO = 1e-6


def estimator(inputs: PeriodInputs, weighed: Weighed) -> dict[str, Any]:
    """Return how the published rates were estimated, in a word, in a sentence and in figures.

    `variance_ratio` is the variance of the case rate by that of the plain ratio: below 1 the frame saved
    labels.
    """
    calibrated = bool(weighed.columns)
    return {
        "method": "calibrated" if calibrated else "ratio",
        "sentence": _sentence(inputs, weighed),
        "calibrated_on": list(weighed.columns),
        "reason": weighed.reason,
        "variance_ratio": _variance_ratio(weighed),
        "nonresponse": "weighting-classes" if weighed.response is not None else "none",
    }


def _sentence(inputs: PeriodInputs, weighed: Weighed) -> str:
    if not weighed.pairs:
        return "Nothing was estimated: no drawn answer has a label."
    adjusted = " after making up for missing labels" if weighed.response is not None else ""
    if not weighed.columns:
        return (
            f"Rates are plain design-weighted ratios{adjusted}; the traffic's exact counts did not enter "
            f"({weighed.reason})."
        )
    known = plural(len(weighed.columns), "exact figure")
    return (
        f"Rates are calibrated{adjusted} to {known} of all {count(inputs.all_answers.events)} answers "
        f"({_listed(weighed.columns)}); the plain design-weighted ratios stand beside them."
    )


def _listed(columns: tuple[str, ...], most: int = 6) -> str:
    shown = ", ".join(columns[:most])
    return shown if len(columns) <= most else f"{shown} and {len(columns) - most} more"


def _variance_ratio(weighed: Weighed) -> float | None:
    if not weighed.columns:
        return None
    published, plain = (
        explained_rate(weighting, "case_rate").variance for weighting in (weighed.published, weighed.plain)
    )
    return published / plain if published is not None and plain else None


def design_summary(inputs: PeriodInputs, weighed: Weighed) -> dict[str, Any]:
    """Return effective sample size and design effect of the labelled answers, and the designs in use.

    Of the weights 1/π and of the published ones (Kish 1965). `designs` holds for each design the answers
    counted and drawn under it and its expected number of draws Σ π.
    """
    return {
        "status": "ok" if weighed.pairs else "no_data",
        "drawn": len(inputs.units),
        "labelled": len(weighed.pairs),
        "plain": _of_weights(weighed.plain.weights),
        "published": _of_weights(weighed.published.weights),
        "least_probability": inputs.least_probability,
        "certain": sum(unit.inclusion_probability == 1.0 for unit in inputs.units),
        "weight_check": weight_check(inputs),
        "designs": _designs(inputs),
    }


def _of_weights(weights: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    return {
        "effective_sample_size": kish_effective_size(weights),
        "design_effect": weighting_design_effect(weights),
        "least_weight": float(weights.min()) if weights.size else None,
        "largest_weight": float(weights.max()) if weights.size else None,
        "largest_share": largest_share(weights) if weights.size else None,
    }


def _designs(inputs: PeriodInputs) -> list[dict[str, Any]]:
    drawn = Counter(unit.design_id for unit in inputs.units)
    with_label = Counter(unit.design_id for unit in inputs.units if unit.adjudication is not None)
    found = []
    for design in sorted({*inputs.frame_designs, *drawn}):
        counts = inputs.frame_designs.get(design)
        found.append(
            {
                "design": design,
                "events": None if counts is None else counts.events,
                "expected_drawn": None if counts is None else counts.expected_micros * _MICRO,
                "mean_predicted_risk": None
                if counts is None or not counts.events
                else counts.risk_micros * _MICRO / counts.events,
                "drawn": drawn[design],
                "labelled": with_label[design],
            }
        )
    return found


def nonresponse(weighed: Weighed) -> dict[str, Any]:
    """Return the weighting classes in which missing labels were made up for.

    `weighted_response_rate` is Σ 1/π over labelled answers by that over drawn ones.
    """
    response = weighed.response
    if response is None:
        complete = bool(weighed.pairs)
        return {
            "status": "complete" if complete else "no_data",
            "weighted_response_rate": 1.0 if complete else None,
            "classes": [],
        }
    return {
        "status": "adjusted",
        "weighted_response_rate": response.weighted_response_rate,
        "classes": _classes(response),
    }


def _classes(response: ResponseWeighting) -> list[dict[str, Any]]:
    drawn = np.bincount(response.classes, minlength=response.response.size)
    with_label = np.bincount(response.classes[response.sample.labelled], minlength=response.response.size)
    return [
        {
            "class": str(response.names[number]),
            "drawn": int(drawn[number]),
            "labelled": int(with_label[number]),
            "weighted_response_rate": float(response.response[number]),
        }
        for number in range(response.response.size)
    ]
