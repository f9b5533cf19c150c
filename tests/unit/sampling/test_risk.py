"""Predicted risk: its direction, its bounds, its reasons."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sentinel.indicators import INDICATOR_NAMES, numbers_and_flags
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
    model_of,
    predicted_risk,
    risk_of,
    risk_reasons,
)
from sentinel.sampling.risk_inputs import FEATURES, RiskInputs, features, inputs_of, inputs_of_stored

GOOD = Indicators(
    citations=CitationIndicators(markers=1, valid=("d1",), invalid=(), missing=False),
    retrieval=RetrievalIndicators(
        known=True, count=1, empty=False, top_score=None, max_distance=None, high_distance=None
    ),
    abstention=AbstentionIndicators(kind="none", source="none"),
    length=LengthIndicators(characters=500, words=100),
    grounding=GroundingIndicators(
        numbers=2,
        ungrounded_numbers=(),
        ungrounded_names=(),
        overlap=1.0,
        lowest_overlap=1.0,
        content_words=50,
        evidence_words=200,
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
        replace(
            GOOD,
            retrieval=replace(GOOD.retrieval, count=0, empty=True),
            grounding=replace(GOOD.grounding, evidence_words=0),
        ),
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
    "declining": (replace(GOOD, abstention=AbstentionIndicators(kind="full", source="phrase")), "abstained"),
    "a placeholder for evidence": (replace(GOOD, grounding=replace(GOOD.grounding, evidence_words=8)), None),
}


@pytest.mark.parametrize(("worse", "reason"), WORSE.values(), ids=WORSE.keys())
def test_what_speaks_against_an_answer_raises_its_risk(worse: Indicators, reason: str | None) -> None:
    assert predicted_risk(worse) > predicted_risk(GOOD)
    assert risk_reasons(worse) == ((reason,) if reason else ())


def test_features_are_the_models_slopes() -> None:
    assert [f.name for f in fields(RiskModel)] == ["version", "intercept", *FEATURES]
    assert DEFAULT_RISK_MODEL.coefficients()[1:] == tuple(getattr(DEFAULT_RISK_MODEL, n) for n in FEATURES)
    named = {name: getattr(DEFAULT_RISK_MODEL, name) for name in ("intercept", *FEATURES)}
    assert model_of(named) == DEFAULT_RISK_MODEL
    with pytest.raises(TypeError):
        model_of({"intercept": 0.0})


def test_length_speaks_where_evidence_does_not() -> None:
    long = LengthIndicators(characters=2000, words=400)
    assert predicted_risk(replace(GOOD, length=long)) == predicted_risk(GOOD)
    for grounding in (UNKNOWN, replace(GOOD.grounding, evidence_words=8)):
        blind = replace(GOOD, grounding=grounding)
        assert predicted_risk(replace(blind, length=long)) > predicted_risk(blind)


def test_thin_evidence_tells_neither_for_nor_against() -> None:
    thin = replace(GOOD.grounding, evidence_words=8)
    shares = [replace(thin, overlap=share, lowest_overlap=share) for share in (0.0, 0.4, 1.0)]
    assert len({predicted_risk(replace(GOOD, grounding=one)) for one in shares}) == 1


def test_a_short_answer_may_rest_on_a_short_passage() -> None:
    short = replace(GOOD.grounding, evidence_words=6, content_words=4)
    assert predicted_risk(replace(GOOD, grounding=short)) == predicted_risk(GOOD)
    worse = replace(short, overlap=0.25, lowest_overlap=0.25)
    assert predicted_risk(replace(GOOD, grounding=worse)) > predicted_risk(GOOD)


def test_tool_outputs_are_evidence_where_nothing_was_retrieved() -> None:
    nothing = replace(GOOD, retrieval=replace(GOOD.retrieval, count=0, empty=True))
    assert predicted_risk(nothing) == predicted_risk(GOOD)
    told = replace(nothing, grounding=replace(GOOD.grounding, evidence_words=0))
    assert predicted_risk(told) > 0.4


def test_where_nothing_was_retrieved_declining_is_no_worse() -> None:
    nothing = WORSE["empty retrieval"][0]
    for kind in ("full", "partial"):
        declining = replace(nothing, abstention=AbstentionIndicators(kind=kind, source="phrase"))
        assert predicted_risk(declining) == predicted_risk(nothing)


INPUTS = st.builds(
    RiskInputs,
    words=st.integers(0, 10**7),
    evidence_known=st.booleans(),
    evidence_words=st.integers(0, 10**7),
    content_words=st.integers(0, 10**7),
    overlap=st.none() | st.floats(0.0, 1.0),
    lowest_overlap=st.none() | st.floats(0.0, 1.0),
    ungrounded_numbers=st.integers(0, 10**6),
    ungrounded_names=st.integers(0, 10**6),
    missing_citation=st.booleans(),
    invalid_citations=st.integers(0, 10**6),
    empty_retrieval=st.booleans(),
    abstention=st.sampled_from(["none", "full", "partial"]),
)


@given(INPUTS)
def test_features_are_bounded_and_no_weight_turns_one_around(inputs: RiskInputs) -> None:
    found = features(inputs)
    assert len(found) == len(FEATURES)
    assert all(-3.0 < value < 4.0 for value in found)
    more_numbers = replace(inputs, ungrounded_numbers=inputs.ungrounded_numbers + 1)
    assert risk_of(more_numbers, DEFAULT_RISK_MODEL) >= risk_of(inputs, DEFAULT_RISK_MODEL)
    if inputs.overlap is not None:
        lower = replace(inputs, overlap=inputs.overlap / 2)
        assert risk_of(lower, DEFAULT_RISK_MODEL) >= risk_of(inputs, DEFAULT_RISK_MODEL)


@pytest.mark.parametrize("indicators", [GOOD, *(worse for worse, _ in WORSE.values())])
def test_what_is_stored_with_a_unit_gives_the_same_prediction(indicators: Indicators) -> None:
    stored = json.loads(json.dumps(numbers_and_flags(indicators)))
    assert inputs_of_stored(stored) == inputs_of(indicators)
    del stored["evidence_words"]
    with pytest.raises(KeyError, match="evidence_words"):
        inputs_of_stored(stored)


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
            content_words=words,
            evidence_words=count,
        ),
    )
    assert LOWEST_RISK <= predicted_risk(hostile) <= HIGHEST_RISK


def test_extreme_coefficients_stay_within_bounds() -> None:
    huge = dataclasses.replace(DEFAULT_RISK_MODEL, intercept=1e9)
    assert predicted_risk(GOOD, huge) == HIGHEST_RISK
    assert predicted_risk(GOOD, dataclasses.replace(huge, intercept=-1e9)) == LOWEST_RISK


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
    assert 0.1 < sum(REFERENCE_RISKS) / len(REFERENCE_RISKS) < 0.4
