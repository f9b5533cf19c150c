"""What is known of the traffic itself: counts, whether the weights fit them, coverage, indicators."""

from __future__ import annotations

import math
from collections import Counter
from datetime import timedelta
from typing import Any

import numpy as np

from sentinel.indicators.contract import INDICATOR_NAMES
from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.weighted import share

_HOUR = timedelta(hours=1)


def population(inputs: PeriodInputs) -> dict[str, Any]:
    """Return the counts of the traffic and what the sample says of them.

    `events`, `answered`, `abstained` are counts of all answers (abstention as the indicators see it).
    `estimated_events` is Σ 1/π over the drawn units, its standard error √Σ (1 − π)/π².
    """
    frame = inputs.all_answers
    estimate, error = _total(inputs, counts_arrivals=False)
    return {
        "events": frame.events,
        "answered": frame.answered,
        "abstained": frame.abstained,
        "not_covered": sum(inputs.not_covered.values()),
        "not_covered_reasons": dict(inputs.not_covered),
        "dead_letters": sum(inputs.dead_letters.values()),
        "dead_letter_reasons": dict(inputs.dead_letters),
        "estimated_events": estimate,
        "estimated_events_se": error,
        "weight_check": _weight_check(inputs),
        "duplicate_misses": _duplicate_misses(inputs),
    }


def _total(inputs: PeriodInputs, *, counts_arrivals: bool) -> tuple[float | None, float | None]:
    """Return Σ a/π and its standard error, a the arrivals of a unit or 1; null where nothing was drawn."""
    if not inputs.units:
        return None, None
    total = variance = 0.0
    for unit in inputs.units:
        weight = unit.design_weight * (unit.arrivals if counts_arrivals else 1)
        total += weight
        variance += (1.0 - unit.inclusion_probability) * weight * weight
    return total, math.sqrt(variance)


def _weight_check(inputs: PeriodInputs) -> dict[str, Any]:
    """Return whether the weights add up to the traffic counted: z of Σ a/π against the frame.

    An answer that duplicate detection missed is in the frame once more for each arrival, so that a drawn
    one is compared with its arrivals a.
    """
    counted = inputs.all_answers.events
    total, error = _total(inputs, counts_arrivals=True)
    if total is None or error is None or not counted:
        return {"status": "no_data", "counted": counted, "estimated": total, "z": None}
    difference = total - counted
    if error == 0.0:
        fits = abs(difference) < 0.5
        return {"status": "ok" if fits else "off", "counted": counted, "estimated": total, "z": None}
    z = difference / error
    return {"status": "ok" if abs(z) <= 3.0 else "off", "counted": counted, "estimated": total, "z": z}


def _duplicate_misses(inputs: PeriodInputs) -> dict[str, Any]:
    """Return the estimated number of answers that the frame counts once too often: Σ (a − 1)/π."""
    if not inputs.units:
        return {"observed": None, "estimate": None, "standard_error": None, "share": None}
    extra = [(unit.arrivals - 1, unit.inclusion_probability) for unit in inputs.units]
    estimate = sum(more / pi for more, pi in extra)
    error = math.sqrt(sum((1.0 - pi) * (more / pi) ** 2 for more, pi in extra))
    return {
        "observed": sum(more for more, _ in extra),
        "estimate": estimate,
        "standard_error": error,
        "share": share(estimate, inputs.all_answers.events),
    }


def coverage(inputs: PeriodInputs) -> dict[str, Any]:
    """Return how many drawn answers have a label, how final it is, and how long it took.

    `adjudicated` labels are final (an adjudicator decided, or two annotators agree), `provisional` ones
    rest on a first opinion; `disputed` are those of them on which opinions differ. The delay runs from
    a unit's entry into the queue to its first label.
    """
    units = inputs.units
    with_label = [unit for unit in units if unit.adjudication is not None]
    without = Counter(unit.status for unit in units if unit.adjudication is None)
    final = sum(unit.adjudication.final for unit in with_label if unit.adjudication)
    disputed = sum(
        not unit.adjudication.final and unit.adjudication.opinions > 1
        for unit in with_label
        if unit.adjudication
    )
    hours = [
        max(0.0, (unit.labelled_at - unit.queued_at) / _HOUR)
        for unit in with_label
        if unit.labelled_at is not None
    ]
    return {
        "drawn": len(units),
        "labelled": len(with_label),
        "provisional": len(with_label) - final,
        "adjudicated": final,
        "disputed": disputed,
        # A unit whose status says `labelled` while its label is outside the sample still waits for one.
        "pending": without["pending"] + without["labelled"],
        "lost": without["lost"],
        "purged": without["purged"],
        "labelled_share": share(len(with_label), len(units)),
        "labelled_share_weighted": share(
            sum(unit.design_weight for unit in with_label), sum(unit.design_weight for unit in units)
        ),
        "label_delay_hours": {
            "median": float(np.quantile(hours, 0.5)) if hours else None,
            "p90": float(np.quantile(hours, 0.9)) if hours else None,
        },
        "non_probability": inputs.outside_sample,
    }


def indicators(inputs: PeriodInputs) -> dict[str, Any]:
    """Return how often each leading indicator fired in all of the traffic, labelled or not."""
    events = inputs.all_answers.events
    fired = {
        value: counts.events for (domain, value), counts in inputs.frame.items() if domain == "indicator"
    }
    names = [*INDICATOR_NAMES, *(name for name in fired if name not in INDICATOR_NAMES)]
    return {
        name: {"events": fired.get(name, 0), "share": share(fired.get(name, 0), events)} for name in names
    }


def traffic(inputs: PeriodInputs) -> list[dict[str, Any]]:
    """Return answers and drawn answers by local day (by week in a long period)."""
    return [
        {
            "from": day.first_day.isoformat(),
            "to": day.end_day.isoformat(),
            "events": day.events,
            "drawn": day.drawn,
        }
        for day in inputs.days
    ]
