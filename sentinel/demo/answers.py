"""One simulated answer: the event the app emits, and the truth about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from sentinel.demo import assertions
from sentinel.demo.accidents import accidents_of, befall, invented_quotation, upstream_error
from sentinel.demo.behaviour import Course, Situation, course_of, mistake_probability, signals_of
from sentinel.demo.knowledge import Fact, Knowledge
from sentinel.demo.people import Person, make_person
from sentinel.demo.retrieval import Found, record_id, retrieve
from sentinel.demo.truth import Truth
from sentinel.demo.wording import Cited, Style, declining, opening, question, style_of, written
from sentinel.records import UNSUPPORTED_LABELS, ClaimAnnotation

#: Share of abstentions that say nothing at all: the app timed out.
_EMPTY = 0.05


@dataclass(frozen=True, slots=True)
class Simulated:
    """An event as the app sends it, and its truth, which the event says nothing of."""

    event: dict[str, Any] = field(repr=False)
    truth: Truth


def simulate_answer(
    event_id: str, moment: datetime, situation: Situation, knowledge: Knowledge, rng: Random
) -> Simulated:
    """Return one answer of the assistant in a situation."""
    person = make_person(rng)
    course = course_of(rng)
    found = retrieve(situation.workflow, knowledge, person, event_id, rng, hit=course != "abstain")
    style = style_of(situation.app, situation.prompt_version, rng)
    claims: tuple[ClaimAnnotation, ...] = ()
    citations: list[dict[str, str]] = []
    accidents = accidents_of(event_id, person.email)
    if course in ("abstain", "empty_abstain"):
        text = "" if rng.random() < _EMPTY else declining(rng)
        text = upstream_error(accidents) or text
    else:
        cited = _claims(course, situation, found, person, event_id, rng)
        if any(one.claim.label in UNSUPPORTED_LABELS for one in cited) and (
            quotation := invented_quotation(accidents)
        ):
            cited.append(Cited(quotation, None))
        prefix = f"{declining(rng)} However, this may help. " if course == "partial" else ""
        text, citations = written(cited, found, style, rng)
        text = prefix + opening(person, rng) + text
        claims = tuple(one.claim for one in cited)
    truth = Truth(
        event_id=event_id,
        domains=situation.domains(),
        answered=course not in ("abstain", "empty_abstain"),
        abstention=_abstention(course, rng),
        claims=claims,
        evidence_retrieved="miss" if course in ("abstain", "empty_abstain", "empty_answer") else "hit",
    )
    event = {
        "event_id": event_id,
        "occurred_at": moment.isoformat(timespec="milliseconds"),
        "question": question(found.target, person, rng),
        "answer": text,
        **situation.domains(),
        "index_version": "2025-12",
        "app_version": "3.4.1",
        "session_id": f"session-{rng.randrange(10**9)}",
        "user_id": person.email,
        "finish_reason": "stop",
        "usage": {"input_tokens": rng.randrange(600, 2400), "output_tokens": len(text) // 4},
    }
    event |= _evidence(course, found, style, citations, rng)
    befall(event, truth.answered, accidents)
    signals = signals_of(truth.unsupported > 0, rng)
    if signals:
        event["signals"] = signals
    if situation.workflow == "transfers":
        event["risk_tags"] = ["financial"]
    return Simulated(event, truth)


def _evidence(
    course: Course, found: Found, style: Style, citations: list[dict[str, str]], rng: Random
) -> dict[str, Any]:
    """Return the fields of the event that say what the answer was made from."""
    fields: dict[str, Any] = {}
    if course in ("empty_answer", "empty_abstain"):
        fields["retrieved"] = []
    elif course != "unknown_evidence":
        fields["retrieved"] = list(found.documents)
    elif rng.random() < 0.5:
        output = {"passages": [document["text"] for document in found.documents]}
        fields["tool_calls"] = [{"name": "search_help", "input": found.target.subject, "output": output}]
    if style == "structured":
        fields["citations"] = citations
    if course in ("abstain", "empty_abstain") and rng.random() < 0.5:
        fields["answerable"] = False
    return fields


def _claims(
    course: Course, situation: Situation, found: Found, person: Person, event_id: str, rng: Random
) -> list[Cited]:
    """Return the claims of an answer in order, with the document each one cites."""
    if course == "empty_answer":
        invented = [assertions.invented_claim(rng) for _ in range(rng.randrange(1, 3))]
        return [Cited(claim, None) for claim in invented]
    probability = mistake_probability(situation, rng)
    cited = []
    for fact, source in _chosen(found, rng):
        if rng.random() < probability:
            claim = assertions.false_claim(fact, found.facts, rng)
        else:
            claim = assertions.true_claim(fact, rng)
        cited.append(Cited(claim, source))
    if found.has_record and rng.random() < 0.5:
        cited.append(Cited(_on_record(person, probability, rng), record_id(event_id)))
    if rng.random() < 0.3:
        cited.append(Cited(assertions.nonfactual_claim(rng), None))
    return cited


def _chosen(found: Found, rng: Random) -> Sequence[tuple[Fact, str]]:
    """Return the facts an answer tells, with their passages: mostly the target's, of all in a long one."""
    target = found.target
    own = [(fact, target.id) for fact in target.facts]
    kind = rng.random()
    if kind < 0.05:
        others = [(f, p.id) for p in found.passages if p is not target for f in p.facts]
        return own + others[: rng.randrange(4, 7)]
    return own[: rng.choices((1, 2, 3), (1, 3, 4))[0]]


def _on_record(person: Person, probability: float, rng: Random) -> ClaimAnnotation:
    """Return a claim on the customer's own record; a false one names somebody else."""
    if rng.random() < probability:
        other = make_person(rng)
        text = f"The confirmation goes to {other.name} at {other.email}."
        return ClaimAnnotation(text, "contradicted", "high", "incorrect attribute")
    text = rng.choice(
        (
            f"The confirmation goes to {person.name} at {person.email}.",
            f"We will call {person.phone} if anything is missing.",
            f"The money goes to {person.iban}.",
        )
    )
    return ClaimAnnotation(text, "supported")


def _abstention(course: Course, rng: Random) -> Any:
    if course == "empty_answer":
        return "failed"
    if course in ("abstain", "empty_abstain"):
        return "correct" if rng.random() < 0.85 else "unnecessary"
    return "unnecessary" if course == "partial" else "none"
