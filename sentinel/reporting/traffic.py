"""What is known of the traffic itself: counts, whether the weights fit them, coverage, indicators."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np

from sentinel.estimation.sample import FloatArray
from sentinel.indicators.contract import INDICATOR_NAMES
from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.weighted import share
from sentinel.store.frame import CellCounts

_HOUR = timedelta(hours=1)
#: What must be known of an answer before an indicator can fire; the others are told of every answer.
KNOWN_FOR = {
    "empty_retrieval": "retrieval",
    "high_distance": "distance",
    "ungrounded_number": "evidence",
    "ungrounded_name": "evidence",
    "low_overlap": "evidence",
    "ungrounded_quote": "evidence",
    "truncated_answer": "finish",
    "blocked_answer": "finish",
    "tool_error": "tools",
    "denied_access": "access",
    "superseded_citation": "supersession",
}


def population(inputs: PeriodInputs) -> dict[str, Any]:
    """Return the counts of the traffic and what the sample says of them.

    `events`, `answered`, `abstained` are counts of all answers (abstention as the indicators see it), those
    that duplicate detection missed among them. `estimated_events` is Σ 1/π over the drawn units, its
    standard error √Σ (1 − π)/π².
    """
    frame = inputs.all_answers
    drawn = _drawn(inputs)
    return {
        "events": frame.events,
        "answered": frame.answered,
        "abstained": frame.abstained,
        "not_covered": sum(inputs.not_covered.values()),
        "not_covered_reasons": dict(inputs.not_covered),
        "dead_letters": sum(inputs.dead_letters.values()),
        "dead_letter_reasons": dict(inputs.dead_letters),
        "estimated_events": None if drawn is None else float(np.sum(1.0 / drawn.last)),
        "estimated_events_se": None if drawn is None else math.sqrt(_variance_of_units(drawn)),
        "weight_check": weight_check(inputs),
        "duplicate_misses": _duplicate_misses(inputs, drawn),
    }


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The drawn units as arrays: π now, π at the insert, and arrivals beyond the first."""

    last: FloatArray
    first: FloatArray
    more: FloatArray


def _drawn(inputs: PeriodInputs) -> _Drawn | None:
    units = inputs.units
    if not units:
        return None
    return _Drawn(
        last=np.array([unit.inclusion_probability for unit in units], dtype=np.float64),
        first=np.array([unit.first_inclusion_probability for unit in units], dtype=np.float64),
        more=np.array([unit.arrivals - 1 for unit in units], dtype=np.float64),
    )


def _variance_of_units(drawn: _Drawn) -> float:
    return float(np.sum((1.0 - drawn.last) / drawn.last**2))


def _variance_of_misses(drawn: _Drawn) -> float:
    return float(np.sum((1.0 - drawn.first) * (drawn.more / drawn.first) ** 2))


def weight_check(inputs: PeriodInputs) -> dict[str, Any]:
    """Return whether the weights add up to the traffic counted: z of the estimate against the frame.

    An answer that duplicate detection missed is in the frame once more for each arrival, so that the
    frame is compared with Σ 1/π + Σ (a − 1)/π₁, a the arrivals and π₁ the π at the insert: a further
    arrival is met only where the first one was drawn, whatever a signal made of π since. Both sums come
    from one random number, uniform and below π₁ ≤ π, so that they covary by Σ (a − 1)(1 − π)/(π π₁).
    """
    drawn = _drawn(inputs)
    counted = inputs.all_answers.events
    total = None if drawn is None else float(np.sum(1.0 / drawn.last + drawn.more / drawn.first))
    found: dict[str, Any] = {"counted": counted, "estimated": total, "standard_error": None, "z": None}
    if drawn is None or total is None or not counted:
        return {"status": "no_data", **found}
    shared = float(np.sum(drawn.more * (1.0 - drawn.last) / (drawn.last * drawn.first)))
    error = math.sqrt(_variance_of_units(drawn) + _variance_of_misses(drawn) + 2.0 * shared)
    difference = total - counted
    if error == 0.0:
        fits = abs(difference) < 0.5
        return {"status": "ok" if fits else "off", **found, "standard_error": 0.0}
    z = difference / error
    return {"status": "ok" if abs(z) <= 3.0 else "off", **found, "standard_error": error, "z": z}


def _duplicate_misses(inputs: PeriodInputs, drawn: _Drawn | None) -> dict[str, Any]:
    """Return the estimated number of answers that the frame counts once too often: Σ (a − 1)/π₁.

    π₁ is the probability at the insert, with which the arrivals of an answer are met; its standard error
    is √Σ (1 − π₁) ((a − 1)/π₁)².
    """
    if drawn is None:
        return {"observed": None, "estimate": None, "standard_error": None, "share": None}
    estimate = float(np.sum(drawn.more / drawn.first))
    return {
        "observed": int(np.sum(drawn.more)),
        "estimate": estimate,
        "standard_error": math.sqrt(_variance_of_misses(drawn)),
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
    """Return how often each leading indicator fired in the traffic, labelled or not.

    `share` is of the answers of which it could be told whether the indicator fires (`known`), which an
    answer without retrieval or evidence in its event does not let anybody tell. Where that number is 0
    or was not counted, all is null: unknown is not 0.
    """
    fired = {
        value: counts.events for (domain, value), counts in inputs.frame.items() if domain == "indicator"
    }
    names = [*INDICATOR_NAMES, *(name for name in fired if name not in INDICATOR_NAMES)]
    return {name: _indicator(fired.get(name, 0), _known(inputs, name)) for name in names}


def _known(inputs: PeriodInputs, name: str) -> int | None:
    """Return of how many answers it is known whether an indicator fires; None where nobody counted."""
    needs = KNOWN_FOR.get(name)
    if needs is None:
        return inputs.all_answers.events
    if not any(domain == "known" for domain, _ in inputs.frame):
        return None
    return inputs.frame.get(("known", needs), CellCounts()).events


def _indicator(fired: int, known: int | None) -> dict[str, Any]:
    # More fired than known: part of the windows were written before known answers were counted.
    if not known or fired > known:
        return {"events": None, "known": known, "share": None}
    return {"events": fired, "known": known, "share": fired / known}


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
