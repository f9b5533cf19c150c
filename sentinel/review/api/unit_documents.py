"""One drawn answer and its history as the API gives them."""

from __future__ import annotations

from typing import cast

from sqlalchemy import Connection

from sentinel.records import VERSION_FIELDS, Adjudication
from sentinel.review.api.models import (
    FinalLabelOut,
    SecondReviewOut,
    StandingOut,
    Status,
    StepOut,
    UnitHistory,
    UnitOut,
)
from sentinel.review.api.shared import ApiParts, label_out
from sentinel.review.blindness import Review, review_of
from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.standing import standing_of
from sentinel.review.overview.history import History, Step
from sentinel.review.unit_view import unit_view
from sentinel.store.unit_rows import StoredUnit


def unit_out(conn: Connection, parts: ApiParts, person: Person, stored: StoredUnit) -> UnitOut:
    """Return an answer beside its evidence, as a person may see it."""
    facts, view = stored.unit.facts, unit_view(stored)
    standing = standing_of(conn, person, stored, parts.clock.now())
    return UnitOut(
        id=stored.id,
        event_id=facts.event_id,
        answered_at=facts.event_time,
        status=status_of(stored, review_of(conn, facts.event_id, person), person),
        domains=_shown_domains(stored),
        content=None if stored.content is None else _shown_content(stored),
        cited=list(view.citations),
        unresolved=list(view.unresolved),
        standing=StandingOut(
            has_own=standing.has_own, may_label=standing.may_label, is_over=standing.is_over
        ),
    )


def history_out(found: History) -> UnitHistory:
    """Return an answer's history, which a person may see."""
    stored, label, course = found.unit, found.label, found.course
    decision = stored.unit.decision
    second = None
    if course is not None:
        second = SecondReviewOut(state=course.state, reason=course.reason, probability=course.probability)
    return UnitHistory(
        id=stored.id,
        event_id=stored.unit.facts.event_id,
        inclusion_probability=decision.inclusion_probability,
        first_inclusion_probability=stored.first_inclusion_probability,
        design_weight=decision.design_weight,
        random_number=decision.random_number,
        predicted_risk=decision.predicted_risk,
        reasons=list(decision.reasons),
        design_id=decision.design_id,
        schedule_row=decision.schedule_row,
        arrivals=stored.arrivals,
        drawn_at=stored.created_at,
        raised_under_row=stored.raised_under_row,
        indicators=dict(found.indicators),
        second_review=second,
        label=None if label is None else _final(label),
        labels=[label_out(step.record) for step in found.steps if step.record is not None],
        steps=[_step(step) for step in found.steps],
    )


def _final(label: Adjudication) -> FinalLabelOut:
    said = label.annotation
    return FinalLabelOut(
        final=label.final,
        opinions=label.opinions,
        answered=said.answered,
        abstention=said.abstention,
        unsupported_claims=said.unsupported_claims,
        verifiable_claims=said.verifiable_claims,
    )


def _step(step: Step) -> StepOut:
    return StepOut(
        at=step.at,
        person_id=step.who or None,
        what=step.what,
        detail=step.detail,
        record_id=None if step.record is None else step.record.id,
        seconds=step.seconds,
        replaced=step.replaced,
    )


def status_of(stored: StoredUnit, review: Review, person: Person) -> Status:
    """Return how an answer stands, as a person may know it."""
    return cast("Status", review.status(stored.status, person))


def _shown_domains(stored: StoredUnit) -> dict[str, str]:
    """Without versions: who hopes for the new prompt would label it kindly."""
    domains = stored.unit.facts.domains
    return {name: value for name, value in domains.items() if name not in VERSION_FIELDS}


def _shown_content(stored: StoredUnit) -> dict[str, object]:
    """Without signals and tags, which are reasons for a draw."""
    shown = ("question", "answer", "retrieved", "citations", "tool_calls")
    content = stored.content or {}
    return {name: content[name] for name in shown if name in content}
