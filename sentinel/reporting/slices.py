"""The rates of each domain's and version's values, and which of them differ from the rest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentinel.estimation.contrasts import difference_of, joint_variance
from sentinel.estimation.multiplicity import stand_out
from sentinel.estimation.ratios import RateName, at_level, explained_rate
from sentinel.estimation.sample import BoolArray
from sentinel.estimation.weighting import Weighting
from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS, Estimate
from sentinel.reporting.inputs import PeriodInputs, ReviewedUnit
from sentinel.reporting.params import ReportParams
from sentinel.reporting.rate_objects import explained_object, rate_object, suppressed_object
from sentinel.reporting.weighing import Weighed

#: Frame cells that are no slice of the traffic.
_NO_SLICES = ("", "indicator", "known")
_CASE: RateName = "case_rate"
Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Slices:
    """The slices of a report, and how many more there were."""

    listed: list[dict[str, Any]]
    unlisted: int


def slices(inputs: PeriodInputs, weighed: Weighed, params: ReportParams) -> Slices:
    """Return the slices with most labels first within each field.

    A slice with fewer labelled answered cases than the minimum shows its counts and no rate. Values
    that no drawn answer has are there with their share of the traffic.
    """
    rows = _rows_of_values(unit for unit, _ in weighed.pairs)
    drawn = Counter(pair for unit in inputs.units for pair in unit.domains.items())
    names = {key for key in inputs.frame if key[0] not in _NO_SLICES} | drawn.keys()
    kept = sorted(names, key=lambda name: (-len(rows.get(name, ())), -drawn[name], name))
    kept = kept[: params.most_slices]
    order = {name: number for number, name in enumerate((*DOMAIN_FIELDS, *VERSION_FIELDS))}
    kept.sort(key=lambda name: (order.get(name[0], len(order)), name[0], -len(rows.get(name, ())), name[1]))
    masks = {name: _mask(rows.get(name, ()), len(weighed.pairs)) for name in kept}
    rates = {name: _slice_rates(weighed.published, masks[name], params) for name in kept}
    shown = {name: masks[name] for name in kept if not rates[name]["suppressed"]}
    against = _against_the_rest(weighed.published, shown, params)
    listed = []
    for name in kept:
        counts = inputs.frame.get(name)
        listed.append(
            {
                "domain": name[0],
                "value": name[1],
                **rates[name],
                "against_rest": against.get(name),
                "labelled": int(np.count_nonzero(masks[name])),
                "drawn": drawn[name],
                "events": None if counts is None else counts.events,
            }
        )
    return Slices(listed, len(names) - len(kept))


def _rows_of_values(units: Iterable[ReviewedUnit]) -> dict[Name, list[int]]:
    """Return the places of the units that have a domain's value: one pass for all slices."""
    rows: defaultdict[Name, list[int]] = defaultdict(list)
    for place, unit in enumerate(units):
        for pair in unit.domains.items():
            rows[pair].append(place)
    return rows


def _mask(places: Iterable[int], size: int) -> BoolArray:
    within = np.zeros(size, dtype=np.bool_)
    within[list(places)] = True
    return within


def _slice_rates(weighting: Weighting, within: BoolArray, params: ReportParams) -> dict[str, Any]:
    claim, case = (
        explained_rate(weighting, name, within=within, level=params.level) for name in ("claim_rate", _CASE)
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


def _against_the_rest(
    weighting: Weighting, shown: Mapping[Name, BoolArray], params: ReportParams
) -> dict[Name, dict[str, Any]]:
    """Return for each slice its case rate minus that of all other traffic, and whether it stands out.

    Slices whose rest is below the minimum are left out: there is nothing to compare them with.
    """
    answered = weighting.units.answered
    compared = [
        name
        for name, mask in shown.items()
        if np.count_nonzero(~mask & answered) >= params.minimum_labelled_per_slice
    ]
    sides = {
        name: tuple(
            explained_rate(weighting, _CASE, within=within, level=params.level)
            for within in (~shown[name], shown[name])
        )
        for name in compared
    }
    variances = {name: joint_variance(weighting, rest, inside) for name, (rest, inside) in sides.items()}

    def change(name: Name, level: float) -> Estimate:
        rest, inside = (at_level(side, level) for side in sides[name])
        return difference_of(rest, inside, variances[name], level)

    different = stand_out(compared, change, params.level)
    return {
        name: {
            **rate_object(change(name, params.level)),
            "stands_out": {1: "higher", -1: "lower"}.get(different.get(name, 0)),
            "slices_compared": len(compared),
        }
        for name in compared
    }
