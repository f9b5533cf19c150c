"""Predicted risk: its direction, its bounds, its reasons."""

from __future__ import annotations

from dataclasses import fields, replace
from math import sqrt

import pytest

from sentinel.indicators import INDICATOR_NAMES
from sentinel.records import (
    AbstentionIndicators,
    CitationIndicators,
    GroundingIndicators,
    Indicators,
    LengthIndicators,
    RetrievalIndicators,
)
from sentinel.sampling.risk import (
    DEFAULT_RISK_MODEL,
    HIGHEST_RISK,
    LOWEST_RISK,
    REFERENCE_RISKS,
    RiskModel,
    predicted_risk,
    risk_reasons,
)

GOOD = Indicators(
    citations=CitationIndicators(markers=1, valid=("d1",), invalid=(), missing=False),
    retrieval=RetrievalIndicators(
        known=True, count=1, empty=False, top_score=None, max_distance=None, high_distance=None
    ),
    abstention=AbstentionIndicators(kind="none", source="none"),
    length=LengthIndicators(characters=500, words=100),
    grounding=GroundingIndicators(
        numbers=2, ungrounded_numbers=(), ungrounded_names=(), overlap=1.0, lowest_overlap=1.0
    ),
)
UNKNOWN = GroundingIndicators(
    numbers=None, ungrounded_numbers=None, ungrounded_names=None, overlap=None, lowest_overlap=None
)
WORSE = {
    "lower overlap": (replace(GOOD, grounding=replace(GOOD.grounding, overlap=0.4)), "low_overlap"),
    "a worse sentence": (replace(GOOD, grounding=replace(GOOD.grounding, lowest_overlap=0.1)), None),
    "an ungrounded number": (
        replace(GOOD, grounding=replace(GOOD.grounding, ungrounded_numbers=("45",))),
        "ungrounded_number",
    ),
    "an ungrounded name": (
        replace(GOOD, grounding=replace(GOOD.grounding, ungrounded_names=("Marsh",))),
        "ungrounded_name",
    ),
    "unknown evidence": (replace(GOOD, grounding=UNKNOWN), None),
    "empty retrieval": (
        replace(GOOD, retrieval=replace(GOOD.retrieval, count=0, empty=True)),
        "empty_retrieval",
    ),
    "a missing citation": (
        replace(GOOD, citations=CitationIndicators(markers=0, valid=(), invalid=(), missing=True)),
        "missing_citation",
    ),
    "an invalid citation": (
        replace(GOOD, citations=replace(GOOD.citations, invalid=("9",))),
        "invalid_citation",
    ),
    "declining in part": (
        replace(GOOD, abstention=AbstentionIndicators(kind="partial", source="phrase")),
        "partial_abstention",
    ),
    "more words": (replace(GOOD, length=LengthIndicators(characters=2000, words=400)), None),
}


@pytest.mark.parametrize(("worse", "reason"), WORSE.values(), ids=WORSE.keys())
def test_what_speaks_against_an_answer_raises_its_risk(worse: Indicators, reason: str | None) -> None:
    assert predicted_risk(worse) > predicted_risk(GOOD)
    assert risk_reasons(worse) == ((reason,) if reason else ())


def test_a_good_answer_has_no_reasons() -> None:
    assert risk_reasons(GOOD) == ()
    assert predicted_risk(GOOD) < 0.2


def test_reasons_are_names_of_indicators() -> None:
    for worse, _ in WORSE.values():
        assert set(risk_reasons(worse)) <= set(INDICATOR_NAMES)


@pytest.mark.parametrize("words", [0, 1, 10**6, 10**12])
@pytest.mark.parametrize("count", [0, 1, 10, 100_000])
def test_no_input_makes_a_prediction_extreme(words: int, count: int) -> None:
    hostile = Indicators(
        citations=CitationIndicators(markers=count, valid=(), invalid=("x",) * count, missing=False),
        retrieval=replace(GOOD.retrieval, empty=True),
        abstention=AbstentionIndicators(kind="full", source="phrase"),
        length=LengthIndicators(characters=words, words=words),
        grounding=GroundingIndicators(
            numbers=count,
            ungrounded_numbers=("1",) * count,
            ungrounded_names=("N",) * count,
            overlap=0.0,
            lowest_overlap=0.0,
        ),
    )
    assert LOWEST_RISK <= predicted_risk(hostile) <= HIGHEST_RISK


def test_extreme_coefficients_stay_within_bounds() -> None:
    huge = replace(DEFAULT_RISK_MODEL, intercept=1e9)
    assert predicted_risk(GOOD, huge) == HIGHEST_RISK
    assert predicted_risk(GOOD, replace(huge, intercept=-1e9)) == LOWEST_RISK


def test_predictions_are_rounded_to_six_decimals() -> None:
    for worse, _ in WORSE.values():
        assert predicted_risk(worse) == round(predicted_risk(worse), 6)


def test_no_coefficient_turns_an_indicator_around() -> None:
    coefficients = {f.name: getattr(DEFAULT_RISK_MODEL, f.name) for f in fields(RiskModel)}
    del coefficients["version"], coefficients["intercept"]
    assert min(coefficients.values()) > 0


def test_the_reference_risks_are_quantiles() -> None:
    assert len(REFERENCE_RISKS) == 41
    assert list(REFERENCE_RISKS) == sorted(REFERENCE_RISKS)
    assert REFERENCE_RISKS[0] >= LOWEST_RISK
    assert REFERENCE_RISKS[-1] <= HIGHEST_RISK
    mu = 0.2
    sizes = [sqrt(r * (1 - 2 * mu) + mu**2) for r in REFERENCE_RISKS]
    assert 0.2 < sum(sizes) / len(sizes) < 0.7
