"""How much each labelled answer counts: the draw, missing labels, then what is known of all answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sentinel.estimation.assistance import Auxiliary, assist
from sentinel.estimation.nonresponse import ResponseWeighting, adjust_for_nonresponse
from sentinel.estimation.response_classes import response_classes
from sentinel.estimation.sample import FloatArray, Sample
from sentinel.estimation.weighting import DesignWeighting, Weighting, design_weighting
from sentinel.indicators.contract import INDICATOR_NAMES
from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS, Annotation
from sentinel.reporting.inputs import PeriodInputs, ReviewedUnit
from sentinel.reporting.traffic import weight_check
from sentinel.reporting.weighted import labelled, sample_of
from sentinel.sampling.design import TAKE_ALL_SIGNALS

RISK = "predicted risk"
SIZE = "size measure"
_MICRO = 1e-6
#: A design with at least so many labelled answers has a weight λ of its own for its prediction.
_OWN_SLOPE = 100
#: In this order margins are used while there is room.
_FIRST_FIELDS = ("app", "model")


@dataclass(frozen=True, slots=True)
class Weighed:
    """The sample of a period with the weights of its labelled answers.

    Attributes:
        sample: all drawn answers.
        pairs: the labelled ones with their labels, in the order of the weights.
        plain: weights 1/π.
        response: weights that make up for missing labels; None where none is missing.
        published: the weights of the published rates.
        columns: what the published weights reproduce of the frame; empty: nothing.
        reason: why they reproduce nothing; None where they do.
    """

    sample: Sample
    pairs: tuple[tuple[ReviewedUnit, Annotation], ...] = field(repr=False)
    plain: DesignWeighting = field(repr=False)
    response: ResponseWeighting | None = field(repr=False)
    published: Weighting = field(repr=False)
    columns: tuple[str, ...]
    reason: str | None

    @property
    def labels(self) -> list[tuple[float, Annotation]]:
        """Return each label with the weight of its answer."""
        weights = self.published.weights.tolist()
        return [(weight, label) for weight, (_, label) in zip(weights, self.pairs, strict=True)]


def weigh(inputs: PeriodInputs) -> Weighed:
    """Return the weights of a period's labelled answers.

    Missing labels are made up for within classes of reason and predicted risk; then the weights are
    calibrated to the frame's number of answers, its sum of predicted risk and its counts by app, model,
    indicator and other fields, where the sample is thick enough. Where the weights of all drawn answers
    do not fit the frame by more than chance nothing is calibrated: that would hide it.
    """
    sample = sample_of(inputs)
    plain = design_weighting(sample)
    response = _response(inputs, sample)
    base: Weighting = response or plain
    pairs = tuple(labelled(inputs.units))
    check = weight_check(inputs)["status"]
    if check != "ok":
        why = "the weights do not fit the traffic" if check == "off" else "nothing was drawn or counted"
        return Weighed(sample, pairs, plain, response, base, (), why)
    found = assist(base, _auxiliaries(inputs, [unit for unit, _ in pairs]), inputs.all_answers.events)
    return Weighed(sample, pairs, plain, response, found.weighting, found.columns, found.reason)


def _response(inputs: PeriodInputs, sample: Sample) -> ResponseWeighting | None:
    if not np.any(sample.labelled) or bool(np.all(sample.labelled)):
        return None
    risk = np.array([unit.predicted_risk for unit in inputs.units], dtype=np.float64)
    groups = np.array([_drawn_for(unit) for unit in inputs.units], dtype=np.str_)
    return adjust_for_nonresponse(sample, response_classes(risk, groups, sample.labelled))


def _drawn_for(unit: ReviewedUnit) -> str:
    """What sent the unit to review: an observed signal, something new, or its risk alone."""
    if any(reason in TAKE_ALL_SIGNALS for reason in unit.reasons):
        return "signal"
    return "new" if any(reason.startswith("new_") for reason in unit.reasons) else "routine"


def _auxiliaries(inputs: PeriodInputs, units: list[ReviewedUnit]) -> Iterator[Auxiliary]:
    """Yield what the frame and every labelled unit know, what says most first."""
    yield from _predictions(inputs, units)
    yield from _of_designs(inputs, units)
    fields = sorted({name for unit in units for name in unit.domains}, key=_field_order)
    for name in fields:
        if name in _FIRST_FIELDS:
            yield from _of_field(inputs, units, name)
    yield from _of_indicators(inputs, units)
    for name in fields:
        if name not in _FIRST_FIELDS:
            yield from _of_field(inputs, units, name)


def _field_order(name: str) -> tuple[int, str]:
    order = (*_FIRST_FIELDS, *VERSION_FIELDS, *DOMAIN_FIELDS)
    return (order.index(name) if name in order else len(order), name)


def _predictions(inputs: PeriodInputs, units: list[ReviewedUnit]) -> Iterator[Auxiliary]:
    """Yield the predicted risk, apart for each design with many labels: its prediction may be another."""
    risk = np.array([unit.predicted_risk for unit in units], dtype=np.float64)
    totals = {design: counts.risk_micros * _MICRO for design, counts in inputs.frame_designs.items()}
    labels = Counter(unit.design_id for unit in units)
    own = [design for design in totals if labels[design] >= _OWN_SLOPE]
    if len(own) == 1:
        own = []
    designs = np.array([unit.design_id for unit in units], dtype=np.str_)
    rest = [design for design in totals if design not in own]
    if rest:
        yield Auxiliary(
            RISK,
            np.where(np.isin(designs, rest), risk, 0.0),
            sum(totals[design] for design in rest),
            margin=False,
        )
    for design in own:
        values = np.where(designs == design, risk, 0.0)
        yield Auxiliary(f"{RISK} of design {design}", values, totals[design], margin=False)
    # A bent function of the prediction: it takes up where failures do not rise with it in a straight line.
    size = np.array([unit.size_measure for unit in units], dtype=np.float64)
    total = sum(counts.size_micros for counts in inputs.frame_designs.values()) * _MICRO
    yield Auxiliary(SIZE, size, total, margin=False)


def _of_designs(inputs: PeriodInputs, units: list[ReviewedUnit]) -> Iterator[Auxiliary]:
    for design, counts in inputs.frame_designs.items():
        values = np.array([unit.design_id == design for unit in units], dtype=np.float64)
        yield Auxiliary(f"design = {design}", values, counts.events)


def _of_field(inputs: PeriodInputs, units: list[ReviewedUnit], name: str) -> Iterator[Auxiliary]:
    found = np.array([unit.domains.get(name) or "" for unit in units], dtype=np.str_)
    counts = Counter(found.tolist())
    for value in sorted(counts, key=lambda value: (-counts[value], value)):
        cell = inputs.frame.get((name, value))
        if cell is not None and value:
            yield Auxiliary(f"{name} = {value}", _ones(found == value), cell.events)


def _of_indicators(inputs: PeriodInputs, units: list[ReviewedUnit]) -> Iterator[Auxiliary]:
    if any(unit.fired is None for unit in units):
        return
    for name in INDICATOR_NAMES:
        cell = inputs.frame.get(("indicator", name))
        if cell is not None:
            values = np.array([name in (unit.fired or ()) for unit in units], dtype=np.float64)
            yield Auxiliary(f"indicator {name}", values, cell.events)


def _ones(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> FloatArray:
    return np.asarray(mask, dtype=np.float64)
