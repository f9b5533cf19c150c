"""π of an answer: rules that overlap give their union, and every reason is named."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from sentinel.records import (
    AbstentionIndicators,
    AnswerFacts,
    CitationIndicators,
    GroundingIndicators,
    Indicators,
    LengthIndicators,
    RetrievalIndicators,
    Signals,
)
from sentinel.sampling.design import Design, SamplingParams, configured_design, design_from, with_learned
from sentinel.sampling.inclusion import decide, inclusion
from sentinel.sampling.schedule import Rule, ScheduleRow
from sentinel.sampling.selection import Salt, random_number

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
SALT = Salt.of("a secret of this test")
DESIGN = configured_design(SamplingParams(salt="x", rate=0.1), SALT.id, "indicators 1")
ROW = DESIGN.first_row("test")
CALM = Indicators(
    CitationIndicators(1, ("d1",), (), missing=False),
    RetrievalIndicators(True, 1, False, None, None, None),
    AbstentionIndicators("none", "none"),
    LengthIndicators(200, 40),
    GroundingIndicators(0, (), (), 1.0, 1.0),
)
RISKY = structs.replace(CALM, grounding=GroundingIndicators(3, ("1", "2", "3"), ("Zander",), 0.1, 0.0))
FACTS = AnswerFacts("e1", NOON, NOON, {"app": "shop", "model": "m2"}, ("faq",), Signals(), ())
UNTIL = NOON + timedelta(days=7)


def signalled(**signals: bool) -> AnswerFacts:
    return structs.replace(FACTS, signals=Signals(**signals))


def test_riskier_answers_are_drawn_more_often_and_none_never() -> None:
    calm = inclusion(ROW, DESIGN, FACTS, CALM)
    risky = inclusion(ROW, DESIGN, FACTS, RISKY)
    assert 0.1 * 0.3 < calm.probability < 0.1 < risky.probability < 1.0
    assert "ungrounded_number" in risky.reasons
    assert calm.reasons == ()


@pytest.mark.parametrize("signal", ["user_correction", "safety_incident", "unsupported_citation_report"])
def test_observed_signals_are_always_taken(signal: str) -> None:
    given_signal = inclusion(ROW, DESIGN, signalled(**{signal: True}), CALM)
    assert given_signal.probability == 1.0
    assert signal in given_signal.reasons
    for other in (False, None):
        assert inclusion(ROW, DESIGN, signalled(**{signal: other}), CALM).probability < 1.0


def test_overlapping_rules_give_the_largest_probability_whatever_their_order() -> None:
    rules = (
        Rule("model", "m2", 0.4, UNTIL),
        Rule("document_class", "faq", 0.7, UNTIL),
        Rule("prompt_version", "v9", 0.9, UNTIL),
        Rule("model", "m2", 0.2, None),
    )
    for order in permutations(rules):
        got = inclusion(replace(ROW, rules=order), DESIGN, FACTS, RISKY)
        assert got.probability == 0.7
        assert {"new_model", "new_document_class"} <= set(got.reasons)
        assert "new_prompt_version" not in got.reasons


def test_a_rule_ends_at_its_time_and_that_time_is_the_answers_own() -> None:
    row = replace(ROW, rules=(Rule("model", "m2", 0.9, UNTIL),))
    before = structs.replace(
        FACTS, event_time=UNTIL - timedelta(seconds=1), record_timestamp=UNTIL + timedelta(days=9)
    )
    after = structs.replace(FACTS, event_time=UNTIL, record_timestamp=UNTIL + timedelta(days=9))
    assert inclusion(row, DESIGN, before, CALM).probability == 0.9
    assert inclusion(row, DESIGN, after, CALM).probability < 0.9


def test_a_cap_on_take_all_is_a_row() -> None:
    row = replace(ROW, take_all=(("user_correction", 0.25),))
    assert inclusion(row, DESIGN, signalled(user_correction=True), CALM).probability == 0.25


def test_a_rate_of_one_takes_everything() -> None:
    design = replace(DESIGN, rate=1.0)
    assert inclusion(design.first_row("all"), design, FACTS, CALM).probability == 1.0


def test_the_floor_stands_where_nothing_else_does() -> None:
    row = replace(ROW, uniform_probability=0.0, multiplier=0.0, floor=0.002)
    assert inclusion(row, DESIGN, FACTS, RISKY).probability == 0.002


def test_the_draw_is_the_events_own_number_below_the_probability() -> None:
    for number in range(300):
        facts = structs.replace(FACTS, event_id=f"e{number}")
        decision = decide(ROW, DESIGN, facts, RISKY, SALT)
        assert decision.random_number == random_number(facts.event_id, SALT)
        assert decision.sampled == (decision.random_number < decision.inclusion_probability)
        assert decision.design_weight == 1 / decision.inclusion_probability
        assert (decision.schedule_row, decision.design_id) == (ROW.id, DESIGN.design_id)


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 50.0),
    st.floats(1e-9, 1.0),
    st.lists(st.floats(0.0, 1.0), max_size=4),
)
def test_a_probability_is_never_zero_nor_above_one(
    uniform: float, multiplier: float, floor: float, wanted: list[float]
) -> None:
    rules = tuple(Rule("model", "m2", p, UNTIL) for p in wanted)
    row = ScheduleRow(1, NOON, DESIGN.design_id, uniform, multiplier, floor, (), rules, "any")
    for indicators in (CALM, RISKY):
        assert floor <= inclusion(row, DESIGN, FACTS, indicators).probability <= 1.0


def test_a_design_is_named_by_everything_that_is_frozen_in_it() -> None:
    variants = [
        DESIGN,
        replace(DESIGN, rate=0.2),
        replace(DESIGN, uniform_share=0.4),
        replace(DESIGN, floor=0.01),
        replace(DESIGN, base_rate=0.3),
        replace(DESIGN, indicators="indicators 2"),
        replace(DESIGN, salt_id="00000000"),
        replace(DESIGN, take_all=()),
        replace(DESIGN, risk_model=replace(DESIGN.risk_model, intercept=-1.0)),
        replace(DESIGN, reference_risks=(0.1, 0.2)),
    ]
    assert len({design.design_id for design in variants}) == len(variants)


def test_a_stored_design_is_the_same_design() -> None:
    stored = json.loads(json.dumps(DESIGN.specification()))
    again = design_from(stored)
    assert isinstance(again, Design)
    assert again == DESIGN
    assert again.design_id == DESIGN.design_id


def test_a_design_of_another_version_is_none_of_ours() -> None:
    stored = json.loads(json.dumps(DESIGN.specification()))
    stored["risk_model"]["version"] = "1"
    with pytest.raises(KeyError):
        design_from(stored)


def test_the_first_row_draws_the_rate_on_the_traffic_of_its_design() -> None:
    learned = replace(DESIGN, reference_risks=tuple(0.02 + number / 500 for number in range(41)))
    for design in (DESIGN, learned):
        row = design.first_row("test")
        drawn = [row.uniform_probability + row.multiplier * size for size in design.reference_sizes()]
        assert sum(drawn) / len(drawn) == pytest.approx(0.1)
    assert learned.first_row("test").multiplier > ROW.multiplier


def test_what_was_learned_goes_with_its_indicators() -> None:
    model = replace(DESIGN.risk_model, intercept=-1.0)
    learned = replace(DESIGN, risk_model=model, reference_risks=(0.1, 0.2))
    changed = replace(DESIGN, floor=0.01)
    assert with_learned(changed, learned) == replace(learned, floor=0.01)
    assert with_learned(replace(changed, indicators="others"), learned).risk_model == DESIGN.risk_model
