"""The estimators' results as one JSON-ready document: null where something cannot be estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sentinel.errors import ConfigurationError
from sentinel.estimation.calibration import CalibrationMethod, calibrate
from sentinel.estimation.contrasts import difference_of, joint_variance, log_ratio_of
from sentinel.estimation.intervals import Interval
from sentinel.estimation.judging import judge_assisted_case_rate
from sentinel.estimation.nonresponse import (
    ResponseWeighting,
    adjust_for_nonresponse,
    worst_case_bounds,
    worst_case_claim_bounds,
)
from sentinel.estimation.params import EstimationParams
from sentinel.estimation.population import Population, crossed_margin, known_counts, known_number, margins
from sentinel.estimation.ratios import (
    RATE_NAMES,
    ExplainedEstimate,
    RateName,
    degrees_of_freedom,
    explained_rate,
)
from sentinel.estimation.sample import BoolArray, FloatArray, Sample
from sentinel.estimation.table import Table, drawn_rows, sample_of
from sentinel.estimation.totals import weighted_totals
from sentinel.estimation.weighting import Variance, Weighting, design_weighting, kish_effective_size
from sentinel.records import Estimate

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """What to estimate from a table; the fields are the options of `sentinel estimate`.

    `contrast` is (column, first level, second level): second minus first is reported.
    """

    variance: Variance = "poisson"
    cluster: str | None = None
    interval: Interval = "auto"
    level: float = 0.95
    domains: tuple[str, ...] = ()
    calibrate: tuple[str, ...] = ()
    method: CalibrationMethod = "linear"
    contrast: tuple[str, str, str] | None = None
    judge: str | None = None
    judge_weight: float | None = None
    nonresponse: str | None = None
    params: EstimationParams = field(default_factory=EstimationParams)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of every column that groups units, without repetition."""
        named = [*self.domains, *self.calibrate]
        named += [self.contrast[0]] if self.contrast else []
        named += [self.nonresponse] if self.nonresponse else []
        return tuple(dict.fromkeys(named))


def _rate(explained: ExplainedEstimate) -> Document:
    return {**_estimate(explained.estimate), "reason": explained.reason}


def _estimate(estimate: Estimate) -> Document:
    parts = asdict(estimate)
    return {"estimate": parts.pop("estimate"), "se": parts.pop("standard_error"), **parts}


def _explain(
    weighting: Weighting, name: RateName, request: Request, within: BoolArray | None
) -> ExplainedEstimate:
    return explained_rate(
        weighting,
        name,
        within=within,
        level=request.level,
        method=request.interval,
        params=request.params,
    )


def _figures(weighting: Weighting, request: Request, within: BoolArray | None = None) -> Document:
    """Return the three rates and the totals of one domain."""
    rates: Document = {name: _rate(_explain(weighting, name, request, within)) for name in RATE_NAMES}
    totals = weighted_totals(weighting, within)
    rates["totals"] = {
        name: {"estimate": total.estimate, "se": total.standard_error, "status": total.status}
        for name, total in totals.items()
    }
    return rates


def _weighting(sample: Sample, request: Request, population: Population | None) -> Weighting:
    if request.nonresponse:
        if request.calibrate:
            raise ConfigurationError("--nonresponse and --calibrate cannot be combined: choose one")
        return adjust_for_nonresponse(sample, sample.domain(request.nonresponse), request.variance)
    base = design_weighting(sample, request.variance)
    if not request.calibrate:
        return base
    if population is None:
        raise ConfigurationError("--calibrate needs --population FILE with the known counts")
    size = known_number(population, "N")
    if request.method == "poststratify" and len(request.calibrate) > 1:
        known = [crossed_margin(population, request.calibrate, base.units)]
    else:
        known = margins(population, request.calibrate, base.units)
    return calibrate(base, known, size, request.method)


def _domains(
    sample: Sample, weighting: Weighting, request: Request, population: Population | None
) -> Document:
    """Return the figures by `column=value`, with values that only the population knows as no data."""
    found: Document = {}
    for column in request.domains:
        values = {str(value) for value in sample.domain(column)}
        if population is not None and column in population:
            values |= set(known_counts(population, column))
        for value in sorted(values):
            inside = weighting.units.domain(column) == value
            found[f"{column}={value}"] = {
                "n_units": int(np.count_nonzero(sample.domain(column) == value)),
                **_figures(weighting, request, inside),
            }
    return found


def _contrast(weighting: Weighting, column: str, levels: Sequence[str], request: Request) -> Document:
    present = weighting.units.domain(column)
    found: Document = {}
    for name in RATE_NAMES:
        sides = [_explain(weighting, name, request, present == value) for value in levels]
        variance = joint_variance(weighting, sides[0], sides[1])
        change = _estimate(difference_of(sides[0], sides[1], variance, request.level))
        ratio = asdict(log_ratio_of(weighting, sides[0], sides[1], request.level))
        found[name] = {
            "difference": change.pop("estimate"),
            **change,
            "log_ratio": {"estimate": ratio.pop("estimate"), "se": ratio.pop("standard_error"), **ratio},
        }
    return found


def _mean_score(table: Table, scores: FloatArray, column: str, population: Population | None) -> float:
    """Return the judge's mean score of all answers: from the rows not drawn, else from the population."""
    if not np.all(drawn_rows(table)) or np.all(table.numbers("pi") == 1.0):
        answered = table.flags("answered", blank=True)
        return float(scores[answered].mean()) if np.any(answered) else 0.0
    if population is None:
        msg = (
            f"--judge needs the score of every answer: rows with sampled=0, or --population with sum_{column}"
        )
        raise ConfigurationError(msg)
    size = known_number(population, "N_answered")
    if size <= 0:
        raise ConfigurationError("the population needs a number N_answered above 0")
    return known_number(population, f"sum_{column}") / size


def _judge_assisted(
    table: Table, sample: Sample, request: Request, population: Population | None
) -> Document:
    column = str(request.judge)
    scores = table.numbers(column)
    assisted = judge_assisted_case_rate(
        sample,
        scores[drawn_rows(table)],
        _mean_score(table, scores, column, population),
        weight=request.judge_weight,
        level=request.level,
        method=request.interval,
        variance=request.variance,
        params=request.params,
    )
    rate = _estimate(assisted.estimate)
    return {"case_rate": {**rate, "judge_weight": assisted.judge_weight, "reason": assisted.note}}


def _add_nonresponse(document: Document, table: Table, sample: Sample, weighting: ResponseWeighting) -> None:
    """Add the worst cases; those of claims need `extracted_claims`, the most an answer can have."""
    bounds: dict[str, tuple[float, float] | None]
    bounds = {"case_rate": worst_case_bounds(sample), "claim_rate": None, "critical_claim_rate": None}
    if "extracted_claims" in table.header and not np.any(table.text("extracted_claims") == ""):
        most = table.numbers("extracted_claims")[drawn_rows(table)]
        for name in ("claim_rate", "critical_claim_rate"):
            bounds[name] = worst_case_claim_bounds(sample, most, critical=name != "claim_rate")
    for name, pair in bounds.items():
        lower, upper = pair or (None, None)
        document[name] |= {"worst_case_lower": lower, "worst_case_upper": upper}
    document["weighted_response_rate"] = weighting.weighted_response_rate


def estimate_document(table: Table, request: Request, population: Population | None = None) -> Document:
    """Return totals, rates and whatever else `request` asks for.

    Raises:
        ConfigurationError, StopError: the table, the population or the request cannot be used.
    """
    sample = sample_of(table, cluster=request.cluster, domains=request.columns)
    weighting = _weighting(sample, request, population)
    labelled = weighting.units
    document: Document = {
        "n_units": len(sample),
        "n_labelled": len(labelled),
        "sum_weights": float(weighting.weights.sum()),
        "effective_sample_size": kish_effective_size(weighting.weights),
        "degrees_of_freedom": degrees_of_freedom(weighting, len(labelled)),
        "variance": request.variance,
        **_figures(weighting, request),
    }
    if request.domains:
        document["domains"] = _domains(sample, weighting, request, population)
    if request.contrast:
        column, *levels = request.contrast
        known = {str(value) for value in sample.domain(column)}
        for value in levels:
            if value not in known:
                msg = f"column {column} has no value {value!r} to contrast"
                raise ConfigurationError(msg)
        document["contrast"] = _contrast(weighting, column, levels, request)
    if request.judge:
        document["judge_assisted"] = _judge_assisted(table, sample, request, population)
    if isinstance(weighting, ResponseWeighting):
        _add_nonresponse(document, table, sample, weighting)
    document["notes"] = list(getattr(weighting, "notes", ()))
    return document
