"""π of an answer: a pure function of one schedule row and the answer alone.

No counter, arrival order or clock enters here. Whatever has a memory (a budget, a cap, novelty) acts
by writing a later row.
"""

from __future__ import annotations

import msgspec

from sentinel.records import NO_SIGNALS, AnswerFacts, Indicators, SamplingDecision
from sentinel.sampling.allocation import size_measure
from sentinel.sampling.design import Design
from sentinel.sampling.risk import predicted_risk, risk_reasons
from sentinel.sampling.schedule import ScheduleRow
from sentinel.sampling.selection import Salt, random_number


class Inclusion(msgspec.Struct, frozen=True, gc=False):
    """What a row makes of an answer: π, and what led to it."""

    probability: float
    size_measure: float
    predicted_risk: float
    reasons: tuple[str, ...]


def inclusion(row: ScheduleRow, design: Design, facts: AnswerFacts, indicators: Indicators) -> Inclusion:
    """Return π = min(1, max(floor, u + m · size, every rule that applies)), with its reasons.

    Overlapping rules give their union through the one draw: the largest probability counts.
    """
    risk = predicted_risk(indicators, design.risk_model)
    size = size_measure(risk, design.base_rate)
    probability = max(row.floor, row.uniform_probability + row.multiplier * size)
    reasons = list(risk_reasons(indicators))
    if facts.signals != NO_SIGNALS:
        for signal, wanted in row.take_all:
            if getattr(facts.signals, signal):
                probability = max(probability, wanted)
                reasons.append(signal)
    for rule in row.rules:
        if rule.until is not None and facts.sampling_time >= rule.until:
            continue
        values = (
            facts.document_classes if rule.field == "document_class" else (facts.domains.get(rule.field),)
        )
        if rule.value in values:
            probability = max(probability, rule.probability)
            reasons.append(f"new_{rule.field}")
    distinct = tuple(dict.fromkeys(reasons)) if reasons else ()
    return Inclusion(min(1.0, probability), size, risk, distinct)


def decide(
    row: ScheduleRow, design: Design, facts: AnswerFacts, indicators: Indicators, salt: Salt
) -> SamplingDecision:
    """Return the one draw of an answer under a row: taken if its random number is below π."""
    given = inclusion(row, design, facts, indicators)
    number = random_number(facts.event_id, salt)
    return SamplingDecision(
        event_id=facts.event_id,
        sampled=number < given.probability,
        inclusion_probability=given.probability,
        random_number=number,
        size_measure=given.size_measure,
        predicted_risk=given.predicted_risk,
        reasons=given.reasons,
        design_id=design.design_id,
        schedule_row=row.id,
    )
