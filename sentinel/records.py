"""The frozen types of one answer's way: what each stage hands to the next.

`RawRecord → RawAnswer → Indicators → SamplingDecision → RedactedAnswer → SampledUnit → Annotation →
Adjudication → Estimate → Report`. Types that hold raw text hide it in their `repr`; only `stream`,
`pipeline`, `indicators` and `redaction` may import them (see `tests/architecture`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

AbstentionKind = Literal["none", "full", "partial"]
AbstentionSource = Literal["flag", "phrase", "none"]

#: Fields of the event that name a slice of the traffic, in the order in which they are reported.
DOMAIN_FIELDS = ("app", "workflow", "task", "tenant", "locale")
#: Fields of the event that name a version.
VERSION_FIELDS = ("model", "prompt_version", "index_version", "app_version")


class Partition(msgspec.Struct, frozen=True, order=True, cache_hash=True):
    """One ordered log of records: a partition of a topic, or a file (`number` 0)."""

    topic: str
    number: int

    def __str__(self) -> str:
        return f"{self.topic}/{self.number}"


# Records, facts, decisions and indicators are made for every answer: a frozen dataclass takes four times as
# long to make as a struct. They hold strings, numbers and each other, so the collector need not look at them.


class RawRecord(msgspec.Struct, frozen=True, gc=False):
    """One record as the source holds it, before anything was made of it.

    `offset` is this record's own, `next_offset` the one to go on from (for a file: bytes). `timestamp`
    is the broker's; a source without one leaves it None. `value` None is a tombstone, unless
    `size_bytes` is over the limit: a source drops the content of an oversized record and keeps its size.
    """

    partition: Partition
    offset: int
    next_offset: int
    timestamp: datetime | None
    size_bytes: int
    value: bytes | None

    def __repr__(self) -> str:
        return f"<RawRecord {self.partition} at {self.offset}, {self.size_bytes} bytes>"


class _Hidden(msgspec.Struct, frozen=True, kw_only=True):
    """A struct whose content never reaches a log: its `repr` is its name."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} hidden>"

    __str__ = __repr__


class Passage(_Hidden, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One retrieved passage; every field but `id` may be unknown (None)."""

    id: str
    text: str | None = None
    score: float | None = None
    distance: float | None = None
    document_class: str | None = msgspec.field(name="class", default=None)
    version: str | None = None
    effective_at: str | None = None
    superseded: bool | None = None
    access: str | None = None


class Citation(_Hidden, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One structured citation; `start` and `end` are code points of the answer, end exclusive."""

    id: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None


class ToolCall(_Hidden, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool call; `input`, `output` and `error` are any JSON value."""

    name: str
    input: Any = None
    output: Any = None
    error: Any = None


class Signals(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What was observed after or with the answer; None is unknown."""

    user_correction: bool | None = None
    safety_incident: bool | None = None
    unsupported_citation_report: bool | None = None
    thumbs: str | None = None


#: Those of an answer on which nothing was observed.
NO_SIGNALS = Signals()


class Usage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Token counts as the app reported them."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class RawAnswer(_Hidden, frozen=True, kw_only=True, gc=False):
    """A decoded answer event, cleaned of what cannot be stored, with its raw text.

    `retrieved` None is unknown, an empty tuple is *nothing was retrieved*. Domain, version and
    attribute values are as the app sent them.
    """

    event_id: str
    answer: str
    question: str | None = None
    occurred_at: datetime | None = None
    domains: dict[str, str] = {}
    versions: dict[str, str] = {}
    attributes: dict[str, str | int | float | bool] = {}
    session_id: str | None = None
    user_id: str | None = None
    retrieved: tuple[Passage, ...] | None = None
    citations: tuple[Citation, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    answerable: bool | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    signals: Signals = Signals()
    risk_tags: tuple[str, ...] = ()


class CitationIndicators(_Hidden, frozen=True, gc=False):
    """Citations in text and structure; ids are distinct and in order of first appearance."""

    markers: int
    valid: tuple[str, ...]
    invalid: tuple[str, ...]
    missing: bool


class RetrievalIndicators(msgspec.Struct, frozen=True, gc=False):
    """What retrieval brought; None where the event does not say."""

    known: bool
    count: int | None
    empty: bool | None
    top_score: float | None
    max_distance: float | None
    high_distance: bool | None


class AbstentionIndicators(msgspec.Struct, frozen=True, gc=False):
    """Whether the answer declines: `full` is an abstention, `partial` declines and answers as well."""

    kind: AbstentionKind
    source: AbstentionSource

    @property
    def abstained(self) -> bool:
        """Return whether the answer is a full abstention."""
        return self.kind == "full"


class LengthIndicators(msgspec.Struct, frozen=True, gc=False):
    """How long the answer is, in code points and in words."""

    characters: int
    words: int


class GroundingIndicators(_Hidden, frozen=True, gc=False):
    """How far the answer's numbers, names and words stand in the evidence.

    Everything is None where neither passages nor tool outputs are known. `overlap` is the share of the
    answer's content words found in the evidence; `lowest_overlap` that of its worst sentence.
    `content_words` counts the answer's distinct content words, `evidence_words` the distinct words of
    each passage and of the tool outputs, added up: 0 where nothing was retrieved. `ungrounded_quotes`
    counts quotations that no evidence holds.
    """

    numbers: int | None
    ungrounded_numbers: tuple[str, ...] | None
    ungrounded_names: tuple[str, ...] | None
    overlap: float | None
    lowest_overlap: float | None
    content_words: int | None = None
    evidence_words: int | None = None
    ungrounded_quotes: int | None = None


class DeliveryIndicators(msgspec.Struct, frozen=True, gc=False):
    """How the answer came about, by finish reason and tools (None: not told); a provider's error text."""

    truncated: bool | None = None
    blocked: bool | None = None
    tool_errors: int | None = None
    upstream_error: bool = False


class SourceIndicators(msgspec.Struct, frozen=True, gc=False):
    """Counts of passages denied to the asker and of cited ones another has replaced; None: not told."""

    denied: int | None = None
    superseded_cited: int | None = None


class Indicators(msgspec.Struct, frozen=True, gc=False):
    """All leading indicators of one answer. Holds pieces of raw text: it stays in memory."""

    citations: CitationIndicators
    retrieval: RetrievalIndicators
    abstention: AbstentionIndicators
    length: LengthIndicators
    grounding: GroundingIndicators
    delivery: DeliveryIndicators = DeliveryIndicators()
    sources: SourceIndicators = SourceIndicators()


class AnswerFacts(msgspec.Struct, frozen=True, gc=False):
    """What is known of an answer besides its text: all that rules, windows and cells look at.

    `event_time` is `occurred_at`, else the record's timestamp. `domains` holds domain, version and
    configured attribute values by field name, made free of personal data.
    """

    event_id: str
    event_time: datetime
    record_timestamp: datetime
    domains: Mapping[str, str]
    document_classes: tuple[str, ...]
    signals: Signals
    risk_tags: tuple[str, ...]

    @property
    def sampling_time(self) -> datetime:
        """Return the time that finds the schedule row: no later than the record itself."""
        return min(self.event_time, self.record_timestamp)


class SamplingDecision(msgspec.Struct, frozen=True, gc=False):
    """The one draw of one event, with everything that led to it."""

    event_id: str
    sampled: bool
    inclusion_probability: float
    random_number: float
    size_measure: float
    predicted_risk: float
    reasons: tuple[str, ...]
    design_id: str
    schedule_row: int

    @property
    def design_weight(self) -> float:
        """Return how many answers of the traffic this one stands for: 1 / π."""
        return 1.0 / self.inclusion_probability


@dataclass(frozen=True, slots=True)
class RedactedAnswer:
    """What may be written of an answer: the event's text fields with personal data replaced.

    `content` is JSON-ready and keeps the event's own field names; `entities` counts replaced values by
    entity type; `redactor` names rules and model that made it.
    """

    content: Mapping[str, Any]
    entities: Mapping[str, int]
    redactor: str


@dataclass(frozen=True, slots=True)
class SampledUnit:
    """A drawn answer as it is stored and reviewed.

    `answer` None is a unit whose content could not be redacted: lost, it counts as missing a label.
    """

    partition: Partition
    offset: int
    facts: AnswerFacts
    decision: SamplingDecision
    indicators: Mapping[str, int | float | bool | str | None]
    answer: RedactedAnswer | None
    session_hash: str | None
    user_hash: str | None


ClaimLabel = Literal["supported", "contradicted", "not_in_evidence", "unverifiable", "nonfactual"]
Severity = Literal["low", "medium", "high", "critical"]
#: Labels that count in the denominator of the claim rate, and those that count in its numerator.
VERIFIABLE_LABELS = frozenset({"supported", "contradicted", "not_in_evidence"})
UNSUPPORTED_LABELS = frozenset({"contradicted", "not_in_evidence"})


@dataclass(frozen=True, slots=True)
class ClaimAnnotation:
    """One claim as an annotator judged it; `text` is already redacted."""

    text: str
    label: ClaimLabel
    severity: Severity | None = None
    subtype: str | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's opinion of one answer: append-only, a correction names what it replaces."""

    event_id: str
    annotator: str
    role: Literal["annotator", "adjudicator"]
    answered: bool
    abstention: Literal["none", "correct", "unnecessary", "failed"]
    claims: tuple[ClaimAnnotation, ...]
    evidence_retrieved: Literal["hit", "miss", "unknown"] = "unknown"
    root_causes: tuple[str, ...] = ()
    citations: tuple[tuple[str, bool], ...] = ()
    complete: bool | None = None
    comment: str | None = None
    guideline_version: str | None = None

    @property
    def verifiable_claims(self) -> int:
        """Return the number of claims that count in the denominator."""
        return sum(claim.label in VERIFIABLE_LABELS for claim in self.claims)

    @property
    def unsupported_claims(self) -> int:
        """Return the number of claims that count in the numerator."""
        return sum(claim.label in UNSUPPORTED_LABELS for claim in self.claims)

    @property
    def critical_unsupported(self) -> int:
        """Return the number of unsupported claims of critical severity."""
        return sum(c.label in UNSUPPORTED_LABELS and c.severity == "critical" for c in self.claims)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The label that stands for an answer, derived from all its annotations.

    `final` is true once an adjudicator decided or two annotators agree; a first opinion counts
    provisionally. `annotation` is the opinion that counts.
    """

    event_id: str
    annotation: Annotation
    final: bool
    opinions: int


RateStatus = Literal["ok", "no_data", "too_small", "zero_observed"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A published rate with its interval and the raw counts behind it; shares, not percentages.

    `numerator` and `denominator` are counts of the sample, unweighted. None is *cannot be estimated*;
    `status` then says why.
    """

    estimate: float | None
    standard_error: float | None
    lower: float | None
    upper: float | None
    level: float
    method: str
    numerator: int
    denominator: int
    n_labelled: int
    effective_sample_size: float | None
    design_effect: float | None
    status: RateStatus


@dataclass(frozen=True, slots=True)
class Report:
    """An audited-rate report of one period: immutable; a later look is a new revision."""

    document: Mapping[str, Any]
    revision: int
