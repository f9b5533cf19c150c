"""How a sampled unit becomes a row of `units`, and a row a unit again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from sentinel.records import (
    AnswerFacts,
    Partition,
    RedactedAnswer,
    SampledUnit,
    SamplingDecision,
    Signals,
)
from sentinel.store.metadata import QUEUE_SLICES

UnitStatus = Literal["pending", "labelled", "lost", "purged"]


@dataclass(frozen=True, slots=True)
class StoredUnit:
    """A unit as the store holds it.

    `content` is None once retention has purged it (or where the reader did not ask for it).
    `unit.answer.content` is then empty. `raised_under_row` is the schedule row of the later arrival
    that raised π, None where none did; `first_inclusion_probability` is π at the insert, which no later
    arrival changes.
    """

    id: int
    unit: SampledUnit = field(repr=False)
    content: Mapping[str, Any] | None = field(repr=False)
    status: UnitStatus
    arrivals: int
    first_inclusion_probability: float
    raised_under_row: int | None
    created_at: datetime


def to_row(unit: SampledUnit, now: datetime) -> dict[str, Any]:
    """Return the columns of a new unit."""
    facts, decision = unit.facts, unit.decision
    return {
        "event_id": facts.event_id,
        "topic": unit.partition.topic,
        "partition": unit.partition.number,
        "offset": unit.offset,
        "event_time": facts.event_time,
        "record_timestamp": facts.record_timestamp,
        "design_id": decision.design_id,
        "schedule_row": decision.schedule_row,
        "inclusion_probability": decision.inclusion_probability,
        "first_inclusion_probability": decision.inclusion_probability,
        "random_number": decision.random_number,
        "size_measure": decision.size_measure,
        "predicted_risk": decision.predicted_risk,
        "reasons": decision.reasons,
        "domains": facts.domains,
        "document_classes": facts.document_classes,
        "signals": msgspec.to_builtins(facts.signals),
        "risk_tags": facts.risk_tags,
        "indicators": unit.indicators,
        "session_hash": unit.session_hash,
        "user_hash": unit.user_hash,
        "redactor": unit.answer.redactor if unit.answer else "",
        "entities": unit.answer.entities if unit.answer else {},
        "status": "pending" if unit.answer else "lost",
        "arrivals": 1,
        "created_at": now,
        **{name: facts.domains.get(name, "") for name in QUEUE_SLICES},
        "priority": queue_priority(facts.signals),
        "awaits_opinion": unit.answer is not None,
    }


def queue_priority(signals: Signals) -> int:
    """Return where a unit stands in the queue, smaller first: what a user was harmed by does not wait."""
    if signals.safety_incident:
        return -2
    return -1 if signals.user_correction else 0


def from_row(row: sa.Row[Any], content: Mapping[str, Any] | None) -> StoredUnit:
    """Return the unit of a row of `units`."""
    facts = AnswerFacts(
        event_id=row.event_id,
        event_time=row.event_time,
        record_timestamp=row.record_timestamp,
        domains=row.domains,
        document_classes=tuple(row.document_classes),
        signals=msgspec.convert(row.signals, Signals),
        risk_tags=tuple(row.risk_tags),
    )
    decision = SamplingDecision(
        event_id=row.event_id,
        sampled=True,
        inclusion_probability=row.inclusion_probability,
        random_number=row.random_number,
        size_measure=row.size_measure,
        predicted_risk=row.predicted_risk,
        reasons=tuple(row.reasons),
        design_id=row.design_id,
        schedule_row=row.schedule_row,
    )
    unit = SampledUnit(
        partition=Partition(row.topic, row.partition),
        offset=row.offset,
        facts=facts,
        decision=decision,
        indicators=row.indicators,
        answer=RedactedAnswer(content=content or {}, entities=row.entities, redactor=row.redactor),
        session_hash=row.session_hash,
        user_hash=row.user_hash,
    )
    return StoredUnit(
        id=row.id,
        unit=unit,
        content=content,
        status=row.status,
        arrivals=row.arrivals,
        first_inclusion_probability=row.first_inclusion_probability,
        raised_under_row=row.raised_under_row,
        created_at=row.created_at,
    )
