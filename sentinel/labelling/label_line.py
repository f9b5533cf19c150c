"""One JSONL line of a label file to an annotation, or the reason why not.

What a line may say of an answer that abstains:

- `answered: false` is an abstention as a whole: outside both denominators, counted under abstention
  (`correct`, `unnecessary`, or `none` where the reviewer did not judge it). Claims may be listed; they
  are kept and enter no rate. The report counts such labels where a claim is unsupported and asks for
  a second look, because an answer that asserts something is no abstention.
- `abstention: failed` is an answer that abstains and still asserts something unsupported. Its claims
  count, so it needs `answered: true`.
- `answered: true` with `correct` or `unnecessary` declines in part and answers in part: its claims
  count, and it is listed apart from abstentions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sentinel.errors import DeadLetterError
from sentinel.labelling.label_fields import (
    Abstention,
    EvidenceRetrieved,
    Role,
    boolean,
    choice,
    items,
    mapping,
    optional_boolean,
    optional_string,
    required,
    string,
)
from sentinel.labelling.limits import LabelLimits
from sentinel.records import Annotation, ClaimAnnotation, ClaimLabel, Severity

_KEYS = frozenset(
    {
        "event_id", "annotator", "answered", "abstention", "claims", "evidence_retrieved", "root_causes",
        "citations", "complete", "comment", "guideline_version", "role",
    }
)  # fmt: skip
_CLAIM_KEYS = frozenset({"text", "label", "severity", "subtype"})
_CITATION_KEYS = frozenset({"id", "entails"})
#: What an export adds to say where a label stands; the store that imports it decides that itself.
EXPORT_KEYS = frozenset({"record_id", "replaces", "recorded_at", "probability_sample"})


@dataclass(frozen=True, slots=True)
class LabelLine:
    """An annotation as the line has it, its texts not yet redacted, and how many unknown keys it had."""

    annotation: Annotation = field(repr=False)
    unknown_keys: int


def parse_label_line(line: bytes, limits: LabelLimits | None = None) -> LabelLine:
    """Return the label of one line.

    Raises:
        DeadLetterError: the line is refused. Reasons: `too_large`, `not_utf8`, `not_json`,
            `repeated_key`, `not_an_object`, `missing_key`, `wrong_type`, `unknown_value`, `empty`,
            `too_long`, `too_many`, `failed_abstention_not_answered`.
    """
    limits = limits or LabelLimits()
    document = _decode(line, limits)
    claims = items(required(document, "claims"), "claims", limits.claims)
    answered = boolean(required(document, "answered"), "answered")
    abstention = choice(required(document, "abstention"), "abstention", Abstention)
    if abstention == "failed" and not answered:
        raise DeadLetterError(
            "failed_abstention_not_answered",
            "abstention failed means that something was asserted: answered must be true",
        )
    unknown = len(document.keys() - _KEYS - EXPORT_KEYS)
    citations = items(_given(document, "citations", []), "citations", limits.citations)
    causes = items(_given(document, "root_causes", []), "root_causes", limits.root_causes)
    evidence = _given(document, "evidence_retrieved", "unknown")
    annotation = Annotation(
        event_id=string(required(document, "event_id"), "event_id", limits.event_id_characters, empty=False),
        annotator=string(
            required(document, "annotator"), "annotator", limits.annotator_characters, empty=False
        ),
        role=choice(_given(document, "role", "annotator"), "role", Role),
        answered=answered,
        abstention=abstention,
        claims=tuple(_claim(claim, number, limits) for number, claim in enumerate(claims)),
        evidence_retrieved=choice(evidence, "evidence_retrieved", EvidenceRetrieved),
        root_causes=tuple(
            string(cause, f"root_causes[{number}]", limits.name_characters, empty=False)
            for number, cause in enumerate(causes)
        ),
        citations=tuple(_citation(citation, number, limits) for number, citation in enumerate(citations)),
        complete=optional_boolean(document.get("complete"), "complete"),
        comment=optional_string(document.get("comment"), "comment", limits.text_characters),
        guideline_version=optional_string(
            document.get("guideline_version"), "guideline_version", limits.name_characters
        ),
    )
    unknown += sum(len(claim.keys() - _CLAIM_KEYS) for claim in claims)
    unknown += sum(len(citation.keys() - _CITATION_KEYS) for citation in citations)
    return LabelLine(annotation, unknown)


def _given(document: Mapping[str, Any], key: str, otherwise: Any) -> Any:
    value = document.get(key)
    return otherwise if value is None else value


def _claim(value: Any, number: int, limits: LabelLimits) -> ClaimAnnotation:
    where = f"claims[{number}]"
    claim = mapping(value, where)
    severity = claim.get("severity")
    return ClaimAnnotation(
        text=string(required(claim, "text", f"{where}."), f"{where}.text", limits.text_characters),
        label=choice(required(claim, "label", f"{where}."), f"{where}.label", ClaimLabel),
        severity=None if severity is None else choice(severity, f"{where}.severity", Severity),
        subtype=optional_string(claim.get("subtype"), f"{where}.subtype", limits.name_characters),
    )


def _citation(value: Any, number: int, limits: LabelLimits) -> tuple[str, bool]:
    where = f"citations[{number}]"
    citation = mapping(value, where)
    identifier = string(
        required(citation, "id", f"{where}."), f"{where}.id", limits.event_id_characters, empty=False
    )
    return identifier, boolean(required(citation, "entails", f"{where}."), f"{where}.entails")


class _RepeatedKeyError(ValueError):
    """One key twice in an object: which of the two values is meant cannot be told."""


def _decode(line: bytes, limits: LabelLimits) -> Mapping[str, Any]:
    if len(line) > limits.line_bytes:
        raise DeadLetterError("too_large", f"a line may have {limits.line_bytes} bytes")
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DeadLetterError("not_utf8", "the line is not UTF-8") from None
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except _RepeatedKeyError:
        raise DeadLetterError("repeated_key", "an object names a key twice") from None
    except (ValueError, RecursionError):
        raise DeadLetterError("not_json", "the line is not one JSON value") from None
    if not isinstance(document, dict):
        raise DeadLetterError("not_an_object", "a label is a JSON object")
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedKeyError
    return found


def _refuse_constant(_name: str) -> Any:
    raise ValueError("not a JSON number")
