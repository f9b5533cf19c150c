"""Which of several opinions on one answer counts.

Each annotator has one opinion: the newest of their records, which replaces the ones before. The first
record of an annotator fixes their place in the order, so that a correction does not hand the lead to
somebody else.

1. An adjudicator's opinion decides; of several the one recorded last, who saw the others.
2. Else the opinion that most annotators share, if at least two do and no other is shared by as many.
3. Else the first opinion counts provisionally: leaving the answer out until it is decided would make
   the hard cases missing.

Two opinions agree when they say the same of everything a rate counts: whether it is an answer, the kind
of abstention, and the numbers of verifiable, unsupported and critical unsupported claims. The wording
of claims may differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sentinel.records import Adjudication, Annotation


class Opinion(Protocol):
    """A recorded annotation; ids grow in the order of writing."""

    @property
    def id(self) -> int:
        """Return the record's id."""

    @property
    def annotation(self) -> Annotation:
        """Return what was said."""

    @property
    def replaces(self) -> int | None:
        """Return the id of the record this one corrects."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """What an annotator says now, and the id of their first record."""

    first_id: int
    id: int
    annotation: Annotation


def outcome(annotation: Annotation) -> Hashable:
    """Return what two agreeing opinions have in common."""
    if not annotation.answered:
        return (False, annotation.abstention)
    return (
        True,
        annotation.abstention,
        annotation.verifiable_claims,
        annotation.unsupported_claims,
        annotation.critical_unsupported,
    )


def derive(opinions: Iterable[Opinion]) -> Adjudication | None:
    """Return the label that stands for one answer; None without opinions.

    The order in which `opinions` are given does not matter. All must be of one event.

    Raises:
        ValueError: the opinions are of more than one event.
    """
    records = sorted(opinions, key=lambda record: record.id)
    if not records:
        return None
    event_id = records[0].annotation.event_id
    if any(record.annotation.event_id != event_id for record in records):
        raise ValueError("the opinions are of more than one event")
    annotators = _standing(records, "annotator")
    adjudicators = _standing(records, "adjudicator")
    if adjudicators:
        last = max(adjudicators, key=lambda standing: standing.id)
        return Adjudication(event_id, last.annotation, True, len(annotators) + len(adjudicators))
    shared = _shared(annotators)
    chosen = shared or annotators[0]
    return Adjudication(event_id, chosen.annotation, shared is not None, len(annotators))


def standing_opinions(opinions: Iterable[Opinion]) -> tuple[Annotation, ...]:
    """Return what every annotator, then every adjudicator says now, in the order of their first records."""
    records = sorted(opinions, key=lambda record: record.id)
    return tuple(
        standing.annotation for role in ("annotator", "adjudicator") for standing in _standing(records, role)
    )


def _standing(records: Sequence[Opinion], role: str) -> list[_Standing]:
    """Return the standing opinions of a role in the order of their annotators' first records."""
    if len(records) == 1:
        # Nearly every answer has one opinion, and a report looks at all of them.
        (only,) = records
        return [_Standing(only.id, only.id, only.annotation)] if only.annotation.role == role else []
    replaced = {record.replaces for record in records}
    found: dict[str, _Standing] = {}
    for record in records:
        if record.annotation.role != role:
            continue
        before = found.get(record.annotation.annotator)
        first_id = before.first_id if before else record.id
        # Of an annotator's records the newest stands, and it is never one that another replaces.
        if record.id not in replaced or before is None:
            found[record.annotation.annotator] = _Standing(first_id, record.id, record.annotation)
    return sorted(found.values(), key=lambda standing: standing.first_id)


def _shared(standing: Sequence[_Standing]) -> _Standing | None:
    groups: dict[Hashable, list[_Standing]] = {}
    for one in standing:
        groups.setdefault(outcome(one.annotation), []).append(one)
    largest = max(len(group) for group in groups.values())
    winners = [group for group in groups.values() if len(group) == largest]
    return winners[0][0] if largest >= 2 and len(winners) == 1 else None
