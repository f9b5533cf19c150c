"""What the simulated index brings for a question: the right passages, others, sometimes none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sentinel.demo.knowledge import Fact, Knowledge, Passage
from sentinel.demo.people import Person

#: Workflows whose answers look at the customer's own record.
_WITH_RECORD = {"account": 0.5, "cards": 0.45, "transfers": 0.45, "refunds": 0.25}


@dataclass(frozen=True, slots=True)
class Found:
    """Retrieved passages in the order of the index, and the record of the customer among them."""

    target: Passage
    passages: tuple[Passage, ...]
    has_record: bool
    documents: tuple[dict[str, Any], ...] = field(repr=False)

    def place(self, identifier: str) -> int:
        """Return the position of a document, from 1."""
        return next(n for n, document in enumerate(self.documents, 1) if document["id"] == identifier)

    @property
    def facts(self) -> list[Fact]:
        """Return all facts that the retrieved passages state."""
        return [fact for passage in self.passages for fact in passage.facts]


def record_id(event_id: str) -> str:
    """Return the id of the customer's record in an event."""
    return f"customer-record-{event_id[-6:]}"


def retrieve(
    workflow: str, knowledge: Knowledge, person: Person, event_id: str, rng: Random, *, hit: bool = True
) -> Found:
    """Return what is found for a question about one passage; without `hit`, all but that passage."""
    choices = knowledge.passages[workflow]
    target = rng.choice(choices)
    same_subject = [p for p in choices if p.subject == target.subject and p is not target]
    others = rng.sample(same_subject, min(len(same_subject), rng.randrange(1, 4)))
    while len(others) < 3:
        other = rng.choice(choices)
        if other is not target and other not in others:
            others.append(other)
    found = [target, *others] if hit else others
    if hit and rng.random() < 0.3:
        rng.shuffle(found)
    far = not hit or rng.random() < 0.03
    documents = _documents(found, target, far, rng)
    has_record = hit and rng.random() < _WITH_RECORD.get(workflow, 0.0)
    if has_record:
        documents.append(_record(person, event_id))
    return Found(target, tuple(found), has_record, tuple(documents))


def _documents(found: Sequence[Passage], target: Passage, far: bool, rng: Random) -> list[dict[str, Any]]:
    documents = []
    for passage in found:
        distance = rng.uniform(0.78, 1.1) if far else rng.uniform(0.08, 0.6)
        if passage is target and not far:
            distance *= 0.5
        documents.append(
            {
                "id": passage.id,
                "text": passage.text,
                "score": round(1.0 - distance / 2.0, 4),
                "distance": round(distance, 4),
                "class": passage.document_class,
                "version": passage.version,
            }
        )
    return documents


def _record(person: Person, event_id: str) -> dict[str, Any]:
    text = (
        f"Customer record. Name: {person.name}. E-mail: {person.email}. Phone: {person.phone}. "
        f"Card on file: {person.card}. Refund account: {person.iban}."
    )
    return {"id": record_id(event_id), "text": text, "class": "customer_record", "access": "restricted"}
