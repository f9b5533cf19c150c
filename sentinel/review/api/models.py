"""What goes in and out of the API, as its description shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from sentinel.labelling.limits import LabelLimits
from sentinel.records import ClaimLabel, Severity

_LIMITS = LabelLimits()
_NAME = StringConstraints(max_length=_LIMITS.name_characters)
Name = Annotated[str, _NAME]
Text = Annotated[str, StringConstraints(max_length=_LIMITS.text_characters)]
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=_LIMITS.event_id_characters)]
#: A row's number, as far as the store can count.
RowId = Annotated[int, Field(ge=1, le=2**63 - 1)]
_LABEL: dict[str, JsonValue] = {
    "event_id": "2f0c9e",
    "answered": True,
    "abstention": "none",
    "claims": [
        {"text": "Refunds take 30 days", "label": "supported"},
        {"text": "The fee is 12 euro", "label": "contradicted", "severity": "high"},
    ],
    "evidence_retrieved": "hit",
    "citations": [{"id": "fees-2026", "entails": False}],
    "guideline_version": "built-in-1",
}
Status = Literal["pending", "labelled", "lost", "purged"]


class Strict(BaseModel):
    """What goes in: nothing that is not described."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ClaimIn(Strict):
    """One claim as a reviewer judges it."""

    text: Text
    label: ClaimLabel
    severity: Severity | None = None
    subtype: Name | None = None


class CitationIn(Strict):
    """Whether a cited passage entails what it is cited for."""

    id: Identifier
    entails: bool


class LabelIn(Strict):
    """An opinion on a drawn answer. Who gives it is who sends it; personal data in texts is replaced."""

    model_config = ConfigDict(json_schema_extra={"examples": [_LABEL]})

    event_id: Identifier
    answered: bool = Field(description="False: the answer abstains as a whole.")
    abstention: Literal["none", "correct", "unnecessary", "failed"]
    claims: Annotated[list[ClaimIn], Field(max_length=_LIMITS.claims)]
    evidence_retrieved: Literal["hit", "miss", "unknown"] = "unknown"
    root_causes: Annotated[list[Name], Field(max_length=_LIMITS.root_causes)] = []
    citations: Annotated[list[CitationIn], Field(max_length=_LIMITS.citations)] = []
    complete: bool | None = None
    comment: Text | None = None
    guideline_version: Name | None = None
    role: Literal["annotator", "adjudicator"] = Field(
        "annotator", description="adjudicator: decide a disagreement."
    )
    base_revision: Annotated[int, Field(ge=0, lt=2**31)] | None = Field(
        None, description="The revision of your draft that this builds on: another one is a 409."
    )
    seconds: Annotated[float, Field(ge=0, lt=1e6)] = Field(
        0.0, description="Time on task since the draft was saved last."
    )


class Reason(Strict):
    """Why something is done, in a few words; personal data in them is replaced."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "I know the customer."}]})

    reason: Text = ""


class LeftOver(Strict):
    """Words of the answer that are personal data, and what they are."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"words": "Zoë Quill", "kind": "PERSON"}]})

    words: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    kind: Literal["PERSON", "EMAIL", "PHONE", "ADDRESS", "ID", "OTHER"]


class NextUnit(BaseModel):
    """The answer that is reserved for you now."""

    unit_id: int | None


class LeaseOut(BaseModel):
    """Until when an answer is yours; null for a label of your own, which you may correct at any time."""

    unit_id: int
    expires_at: datetime | None


class RemovedOut(BaseModel):
    """How often the words stood in the answer, and in how many label records, which nothing can change."""

    in_answer: int
    in_labels: int


class LabelKept(BaseModel):
    """What was written. It tells nothing of what others said."""

    record_id: int
    event_id: str
    unit_id: int
    corrects: int | None = Field(description="The record of your own that this one replaces.")
    recorded_at: datetime


class LabelOut(BaseModel):
    """A label as a file of labels has it, with where it stands."""

    model_config = ConfigDict(extra="allow")

    record_id: int
    event_id: str
    annotator: str
    role: Literal["annotator", "adjudicator"]
    replaces: int | None
    recorded_at: datetime
    probability_sample: bool


class UnitRow(BaseModel):
    """A drawn answer in the queue: nothing that could sway whoever labels it."""

    id: int
    event_id: str
    answered_at: datetime
    app: str
    workflow: str
    status: Status
    question: str = Field(description="The beginning of the redacted question.")


class UnitPage(BaseModel):
    """Some of the queue, in order of the time of the answer."""

    items: list[UnitRow]
    next: str | None = Field(description="The cursor to go on with; null at the end.")


class StandingOut(BaseModel):
    """What you may do with an answer now."""

    has_own: bool = Field(description="You have labelled it.")
    may_label: bool = Field(description="You can give an opinion, or correct yours.")
    is_over: bool = Field(description="All its labels are in: its history can be seen.")


class UnitOut(BaseModel):
    """A drawn answer with its redacted content, as a reviewer sees it."""

    id: int
    event_id: str
    answered_at: datetime
    status: Status
    domains: dict[str, str]
    content: dict[str, Any] | None = Field(description="Null where it was lost or purged.")
    cited: list[str] = Field(description="Passages that the answer cites, in its order: look at them first.")
    unresolved: list[str] = Field(description="References of the answer that lead to no passage.")
    standing: StandingOut


class SecondReviewOut(BaseModel):
    """How the review stands, why a second opinion was asked for or not, and with which probability."""

    state: Literal["single", "waiting", "disagreed", "escalated", "settled"]
    reason: str
    probability: float


class FinalLabelOut(BaseModel):
    """The label that the estimate reads."""

    final: bool = Field(description="Decided, or two agree; else a first opinion counts provisionally.")
    opinions: int
    answered: bool
    abstention: str
    unsupported_claims: int
    verifiable_claims: int


class StepOut(BaseModel):
    """One thing that happened to an answer."""

    at: datetime
    person_id: str | None
    what: str
    detail: str | None
    record_id: int | None
    seconds: float | None = Field(description="Time on task.")
    replaced: bool = Field(description="A correction followed.")


class UnitHistory(BaseModel):
    """Why an answer was drawn, with which probability, and what was said of it."""

    id: int
    event_id: str
    inclusion_probability: float
    first_inclusion_probability: float
    design_weight: float
    random_number: float
    predicted_risk: float
    reasons: list[str]
    design_id: str
    schedule_row: int
    arrivals: int
    drawn_at: datetime
    raised_under_row: int | None
    indicators: dict[str, Any]
    second_review: SecondReviewOut | None
    label: FinalLabelOut | None
    labels: list[LabelOut]
    steps: list[StepOut]


class ReportRow(BaseModel):
    """A revision of a report in the list."""

    id: int
    period_from: datetime
    period_to: datetime
    timezone: str
    revision: int
    created_at: datetime


class ReportPage(BaseModel):
    """Some of the reports, the one written last first."""

    items: list[ReportRow]
    next: str | None


class AlarmPage(BaseModel):
    """Some of the alarms, the newest first, and up to when somebody looked for shifts."""

    items: list[dict[str, Any]]
    next: str | None
    looked_at_up_to: datetime | None


class AgreementOut(BaseModel):
    """How far annotators agree on whole answers (abstained, unsupported, supported)."""

    answers: int = Field(description="Answers with two opinions or more.")
    pairs: int
    agreeing: int
    share: float | None
    krippendorff_alpha: float | None


class CaseOut(BaseModel):
    """A case to decide."""

    unit_id: int
    state: Literal["disagreed", "escalated"]
    answered_at: datetime
    app: str
    since: datetime
    question: str


class ImportRefusal(BaseModel):
    """Why something of a file was not kept; `number` is its line, or its place in the list."""

    number: int
    reason: str
    detail: str


class ImportCounts(BaseModel):
    """What became of a file of labels."""

    lines: int
    accepted: int
    corrections: int
    non_probability: int
    refused: int
    reasons: dict[str, int]
    unknown_keys: int
    skipped: int = Field(0, description="Annotations that were skipped in the other tool.")
    cut_short: bool = Field(
        False, description="Hardly anything of the file could be used, so the rest of it was not read."
    )
    refusals: list[ImportRefusal]
