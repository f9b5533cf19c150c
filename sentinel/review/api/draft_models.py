"""Drafts, cases to decide and trials, as the description of the API shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from sentinel.labelling.limits import LabelLimits
from sentinel.records import ClaimLabel, Severity
from sentinel.review.api.models import CaseOut, Identifier, Name, Strict, Text, UnitOut

_LIMITS = LabelLimits()
Revision = Annotated[int, Field(ge=0, lt=2**31)]
_DRAFT: dict[str, JsonValue] = {
    "claims": [{"text": "Refunds take 30 days", "label": "supported"}, {"text": "The fee is 12 euro"}],
    "citations": [{"id": "fees-2026", "entails": None}],
    "comment": "",
}


class DraftClaimModel(Strict):
    """One claim; without a label it is not judged yet. `start`, `end`: where it stands in the answer."""

    text: Text
    label: ClaimLabel | None = None
    severity: Severity | None = None
    subtype: Name | None = None
    start: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    end: Annotated[int, Field(ge=0, lt=2**31)] | None = None


class DraftCitationModel(Strict):
    """Whether a cited passage entails what it is cited for; null: not judged yet."""

    id: Identifier
    entails: bool | None = None


class DraftModel(Strict):
    """An opinion that is not given yet: it may lack anything."""

    model_config = ConfigDict(json_schema_extra={"examples": [_DRAFT]})

    claims: Annotated[list[DraftClaimModel], Field(default_factory=list, max_length=_LIMITS.claims)]
    abstention: Literal["none", "correct", "unnecessary", "failed"] = "none"
    answered: bool = True
    evidence_retrieved: Literal["hit", "miss", "unknown"] = "unknown"
    root_causes: Annotated[list[Name], Field(default_factory=list, max_length=_LIMITS.root_causes)]
    citations: Annotated[list[DraftCitationModel], Field(default_factory=list, max_length=_LIMITS.citations)]
    complete: bool | None = None
    comment: Text = ""


class DraftIn(Strict):
    """A draft to keep. Another stored revision than the one it builds on is a 409 with what is stored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"base_revision": 0, "save_id": "5f0c", "draft": _DRAFT, "seconds": 12.5}]
        }
    )

    base_revision: Revision = Field(description="The revision this builds on; 0: there was none.")
    save_id: Annotated[str, StringConstraints(min_length=1, max_length=80)] = Field(
        description="Yours to choose, new for each save: sent again with it, a save is done once."
    )
    draft: DraftModel
    seconds: Annotated[float, Field(ge=0, lt=1e6)] = Field(
        0.0, description="Time on task since the last save."
    )


class DraftKept(BaseModel):
    """What was stored: its revision, and what it lacks to be an opinion."""

    revision: int
    missing: list[str]


class DraftOut(BaseModel):
    """What your opinion goes on from: your draft, else your label, else the claims as they are proposed."""

    draft: dict[str, Any]
    revision: int = Field(description="0: nothing was stored yet.")
    corrects: bool = Field(description="You have given a label here: the next one corrects it.")
    splitter: str = Field(description="The version of the rules by which claims are proposed.")
    subtypes: list[str]
    families: dict[str, list[str]]
    root_causes: list[str]


class CaseOpinion(BaseModel):
    """One opinion without its author; `differs` says of each claim whether the others see it otherwise."""

    letter: str
    answered: bool
    abstention: str
    evidence_retrieved: str
    root_causes: list[str]
    claims: list[dict[str, Any]]
    differs: list[bool]
    comment: str | None


class CasePage(BaseModel):
    """The cases you may decide, longest waiting first (at most 200 of them), and how many there are."""

    items: list[CaseOut]
    total: int


class CaseDetail(BaseModel):
    """A case that is kept for you, with the opinions side by side and what your decision goes on from."""

    unit: UnitOut
    opinions: list[CaseOpinion]
    notes: list[str] = Field(description="Why people handed it on.")
    decision: DraftOut


class BatchIn(Strict):
    """A batch of the answers that were decided last, of at most so many."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "first week", "most": 20}]})

    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    most: Annotated[int, Field(ge=1, le=100)] = 20


class BatchOut(BaseModel):
    """A new batch and how many answers it holds."""

    name: str
    answers: int


class CoefficientOut(BaseModel):
    """A coefficient of agreement with its 95 % interval; null: it cannot be worked out."""

    value: float | None
    lower: float | None
    upper: float | None
    units: int
    pairs: int
    agreeing: int


class TrialOut(BaseModel):
    """How far somebody is with a batch; how it went is there once the whole batch is labelled."""

    batch: str
    answers: int
    answered: int
    next_unit: int | None
    equal: int | None = Field(description="Answers with the same verdict as the known label.")
    claims: CoefficientOut | None


class TrialOfOther(TrialOut):
    """A trial of somebody else, for who oversees the reviews."""

    person_id: str


class TrialPage(BaseModel):
    """Your trials, one for each batch, and those of others where you oversee them."""

    yours: list[TrialOut]
    of_others: list[TrialOfOther]


class TrialUnit(BaseModel):
    """An answer of a batch without its known label, and what your trial goes on from."""

    unit: UnitOut
    trial: DraftOut


class TrialAnswerIn(Strict):
    """What you say of an answer of a batch. It enters no rate, and is said once."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"draft": {"claims": [{"text": "Refunds take 30 days", "label": "supported"}]}}]
        }
    )

    draft: DraftModel
    base_revision: Revision | None = Field(
        None, description="The revision of your draft that this builds on: another one is a 409."
    )


class TrialGiven(BaseModel):
    """The next answer of the batch; null: the batch is done."""

    next_unit: int | None
