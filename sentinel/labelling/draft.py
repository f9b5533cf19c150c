"""An opinion that is being written: what a page saves, and the annotation it becomes.

A draft may lack anything. What a finished opinion must have is said by `missing_in`, in the words of the
page, and checked again on the server when it is submitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from sentinel.errors import DeadLetterError
from sentinel.labelling.claim_splitter import ClaimSpan
from sentinel.labelling.label_fields import (
    Abstention,
    EvidenceRetrieved,
    choice,
    items,
    mapping,
    optional_boolean,
    optional_string,
    string,
)
from sentinel.labelling.limits import LabelLimits
from sentinel.records import UNSUPPORTED_LABELS, Annotation, ClaimAnnotation, ClaimLabel, Severity

_LONGEST_ANSWER = 2**31


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One claim; `label` None is not judged yet. `start`, `end`: where it stood in the answer, if it did."""

    text: str = field(repr=False)
    label: ClaimLabel | None = None
    severity: Severity | None = None
    subtype: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An opinion that is not given yet. `citations`: id and whether it entails its claim, None not judged."""

    claims: tuple[DraftClaim, ...] = field(repr=False)
    abstention: Abstention = "none"
    answered: bool = True
    evidence_retrieved: EvidenceRetrieved = "unknown"
    root_causes: tuple[str, ...] = ()
    citations: tuple[tuple[str, bool | None], ...] = ()
    complete: bool | None = None
    comment: str = field(default="", repr=False)


def first_draft(claims: Sequence[ClaimSpan], citations: Sequence[str]) -> Draft:
    """Return the draft a page begins with: the proposed claims and the answer's citations, unjudged."""
    return Draft(
        tuple(DraftClaim(one.text, start=one.start, end=one.end) for one in claims),
        citations=tuple((identifier, None) for identifier in citations),
    )


def draft_from(annotation: Annotation) -> Draft:
    """Return a draft of a given opinion, to be corrected."""
    return Draft(
        tuple(DraftClaim(one.text, one.label, one.severity, one.subtype) for one in annotation.claims),
        annotation.abstention,
        annotation.answered,
        annotation.evidence_retrieved,
        annotation.root_causes,
        annotation.citations,
        annotation.complete,
        annotation.comment or "",
    )


def draft_document(draft: Draft) -> dict[str, Any]:
    """Return the draft as the JSON object that a page saves."""
    citations = [{"id": identifier, "entails": entails} for identifier, entails in draft.citations]
    lists = {"claims": [asdict(one) for one in draft.claims], "root_causes": list(draft.root_causes)}
    return asdict(draft) | lists | {"citations": citations}


def parse_draft(document: Any, limits: LabelLimits | None = None) -> Draft:
    """Return the draft of a JSON object.

    Raises:
        DeadLetterError: naming the key and its rule, never a value; reasons as of a label line.
    """
    limits = limits or LabelLimits()
    given = mapping(document, "draft")
    claims = items(given.get("claims", []), "claims", limits.claims)
    citations = items(given.get("citations", []), "citations", limits.citations)
    causes = items(given.get("root_causes", []), "root_causes", limits.root_causes)
    answered = optional_boolean(given.get("answered", True), "answered")
    return Draft(
        tuple(_claim(claim, number, limits) for number, claim in enumerate(claims)),
        choice(given.get("abstention", "none"), "abstention", Abstention),
        True if answered is None else answered,
        choice(given.get("evidence_retrieved", "unknown"), "evidence_retrieved", EvidenceRetrieved),
        tuple(
            string(cause, f"root_causes[{n}]", limits.name_characters, empty=False)
            for n, cause in enumerate(causes)
        ),
        tuple(_citation(citation, number, limits) for number, citation in enumerate(citations)),
        optional_boolean(given.get("complete"), "complete"),
        string(given.get("comment") or "", "comment", limits.text_characters),
    )


def missing_in(draft: Draft) -> tuple[str, ...]:
    """Return what a draft lacks to be an opinion, in words for its author; empty: nothing."""
    found: list[str] = []
    unjudged = sum(one.label is None for one in draft.claims)
    if unjudged:
        found.append(f"{unjudged} claim{'s' * (unjudged > 1)} without a label")
    bare = sum(one.label in UNSUPPORTED_LABELS and one.severity is None for one in draft.claims)
    if bare:
        found.append(f"{bare} unsupported claim{'s' * (bare > 1)} without a severity")
    if any(not one.text.strip() for one in draft.claims):
        found.append("a claim without words")
    if draft.abstention == "failed" and not draft.answered:
        found.append("a failed abstention asserts something: mark it as an answer")
    if draft.answered and not draft.claims and draft.abstention == "none":
        found.append("no claim: add one, or say that the answer abstains")
    return tuple(found)


def annotation_of(
    draft: Draft,
    event_id: str,
    annotator: str,
    role: Literal["annotator", "adjudicator"],
    guideline_version: str | None,
) -> Annotation:
    """Return the opinion of a finished draft.

    Raises:
        DeadLetterError: `incomplete`, if something is missing.
    """
    missing = missing_in(draft)
    if missing:
        raise DeadLetterError("incomplete", "; ".join(missing))
    return Annotation(
        event_id=event_id,
        annotator=annotator,
        role=role,
        answered=draft.answered,
        abstention=draft.abstention,
        claims=tuple(
            ClaimAnnotation(one.text, one.label, one.severity, one.subtype)
            for one in draft.claims
            if one.label is not None
        ),
        evidence_retrieved=draft.evidence_retrieved,
        root_causes=draft.root_causes,
        citations=tuple(
            (identifier, entails) for identifier, entails in draft.citations if entails is not None
        ),
        complete=draft.complete,
        comment=draft.comment.strip() or None,
        guideline_version=guideline_version,
    )


def _claim(value: Any, number: int, limits: LabelLimits) -> DraftClaim:
    where = f"claims[{number}]"
    claim: Mapping[str, Any] = mapping(value, where)
    label, severity = claim.get("label"), claim.get("severity")
    return DraftClaim(
        string(claim.get("text", ""), f"{where}.text", limits.text_characters),
        None if label is None else choice(label, f"{where}.label", ClaimLabel),
        None if severity is None else choice(severity, f"{where}.severity", Severity),
        optional_string(claim.get("subtype"), f"{where}.subtype", limits.name_characters),
        _place(claim.get("start"), f"{where}.start"),
        _place(claim.get("end"), f"{where}.end"),
    )


def _place(value: Any, key: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise DeadLetterError("wrong_type", f"{key} must be a whole number")
    if not 0 <= value < _LONGEST_ANSWER:
        raise DeadLetterError("unknown_value", f"{key} must be a place in the answer")
    return value


def _citation(value: Any, number: int, limits: LabelLimits) -> tuple[str, bool | None]:
    where = f"citations[{number}]"
    citation: Mapping[str, Any] = mapping(value, where)
    identifier = string(citation.get("id"), f"{where}.id", limits.event_id_characters, empty=False)
    return identifier, optional_boolean(citation.get("entails"), f"{where}.entails")
