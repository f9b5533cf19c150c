"""Figures about the labels as the API gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from sentinel.labelling.reliability import Coefficient
from sentinel.review.api.draft_models import CoefficientOut
from sentinel.review.api.oversight_models import (
    DriftOut,
    NamedCoefficient,
    PairOut,
    QualityOut,
    StretchOut,
    TimeOut,
)
from sentinel.review.overview.quality import Quality


def quality_out(found: Quality) -> QualityOut:
    """Return the quality of labels as the API gives it."""
    table = found.table
    return QualityOut(
        since=found.since,
        answers=found.answers,
        whole_answers=_coefficient(table.answers),
        claims=_coefficient(table.claims),
        by_label=_named(table.by_label),
        by_severity=_named(table.by_severity),
        by_family=_named(table.by_family),
        pairs=[
            PairOut(
                people=list(pair),
                answers=_coefficient(one),
                claims=_coefficient(table.pair_claims[pair]),
            )
            for pair, one in table.pairs.items()
        ],
        drift=[
            DriftOut(
                person_id=one.annotator,
                moved=one.moved,
                weeks=[StretchOut(**asdict(stretch)) for stretch in one.stretches],
            )
            for one in found.drift
        ],
        times=[
            TimeOut(
                person_id=one.annotator,
                labels=one.labels,
                median_seconds=one.median_seconds,
                p90_seconds=one.p90_seconds,
            )
            for one in found.times
        ],
    )


def _coefficient(one: Coefficient) -> CoefficientOut:
    return CoefficientOut(**asdict(one))


def _named(found: Mapping[str, Coefficient]) -> list[NamedCoefficient]:
    return [NamedCoefficient(name=name, **asdict(one)) for name, one in found.items()]
