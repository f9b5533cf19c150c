"""From gathered inputs to the report document: JSON-ready, complete, every key always there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sentinel import __version__
from sentinel.reporting import findings, traffic
from sentinel.reporting.design_summary import design_summary, estimator, nonresponse
from sentinel.reporting.headline import headline
from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.notes import notes
from sentinel.reporting.params import ReportParams
from sentinel.reporting.rates import comparison, rates, totals
from sentinel.reporting.reviewers import reviewer_agreement
from sentinel.reporting.shifts import alarms
from sentinel.reporting.slices import slices
from sentinel.reporting.trend import this_period
from sentinel.reporting.weighing import weigh
from sentinel.reporting.weighted import labelled

SCHEMA = "sentinel.report/v1"


def assemble(
    inputs: PeriodInputs,
    before: PeriodInputs,
    params: ReportParams,
    as_of: datetime,
    history: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the report of `inputs`, compared with `before`; its revision is given when it is published.

    `history` holds the points of the trend before this period.

    Unknown values are null with a status; nothing in it is NaN or infinite.
    """
    period = inputs.period
    weighed = weigh(inputs)
    pairs = weighed.labels
    sliced = slices(inputs, weighed, params)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "period": {
            "from": period.first_day.isoformat(),
            "to": period.end_day.isoformat(),
            "timezone": period.timezone,
            "week": period.week,
            "start": period.start.isoformat(),
            "end": period.end.isoformat(),
        },
        "as_of": as_of.isoformat(),
        "revision": None,
        "headline": "",
        "evidence_contract": params.evidence_contract,
        "rates": rates(inputs, weighed, params),
        "estimator": estimator(inputs, weighed),
        "totals": totals(weighed),
        "population": traffic.population(inputs),
        "coverage": traffic.coverage(inputs),
        "nonresponse": nonresponse(weighed),
        "design": design_summary(inputs, weighed),
        "abstention": findings.abstention(pairs),
        "completeness": findings.completeness(pairs),
        "claims": findings.claim_labels(pairs),
        "severity": findings.severity(pairs),
        "subtypes": findings.subtypes(pairs),
        "citations": findings.citations(pairs),
        "attribution": findings.attribution(pairs),
        "indicators": traffic.indicators(inputs),
        "traffic": traffic.traffic(inputs),
        "alarms": alarms(inputs),
        "slices": sliced.listed,
        "comparison": comparison(weighed, before, weigh(before), params),
        "agreement": reviewer_agreement(inputs, before),
        "judge": {"status": "no_data", "model": None, "calibration": None, "assisted_case_rate": None},
        "versions": _versions(inputs),
        "changes": None,
    }
    document["trend"] = [*history, this_period(period, document)]
    document["headline"] = headline(document)
    document["notes"] = notes(document, inputs, params, ended=as_of >= period.end, unlisted=sliced.unlisted)
    # What is published is what a reader of the JSON gets: tuples are lists, and no number is NaN.
    return json.loads(json.dumps(document, allow_nan=False))  # type: ignore[no-any-return]


def _versions(inputs: PeriodInputs) -> dict[str, Any]:
    labels = [label for _, label in labelled(inputs.units)]
    indicators = {str(spec.get("indicators", "")).partition(";")[0] for spec in inputs.designs.values()}
    return {
        "design": sorted(inputs.designs),
        "rubric": sorted(
            {label.guideline_version for label in labels if label.guideline_version is not None}
        ),
        "redactor": sorted({unit.redactor for unit in inputs.units if unit.redactor}),
        "judge": None,
        "indicators": sorted(indicators - {""}),
        "sentinel": __version__,
    }
