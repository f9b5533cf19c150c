"""The queue with its counts, work for others, the guideline, the week and the quality of labels."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sentinel.review.api.draft_models import CoefficientOut
from sentinel.review.api.models import Identifier, Name, Strict
from sentinel.review.labelling_page.new_guideline import LONGEST_NAME, LONGEST_TEXT

SliceName = Literal["app", "workflow", "task", "tenant", "locale"]
Age = Literal["day", "week", "older", "old"]
Tab = Literal["open", "yours", "pending", "labelled", "lost", "purged", "all"]


class TabOut(BaseModel):
    """A tab of the queue and how many answers it shows."""

    tab: str
    answers: int


class QueueRowOut(BaseModel):
    """An answer in a tab of the queue."""

    id: int
    answered_at: datetime
    app: str
    workflow: str
    status: str = Field(description="`open` in your queue, whatever others did; else how it stands.")
    reserved_for_you: bool | None = Field(description="Null in other tabs than your queue.")
    question: str = Field(description="The beginning of the redacted question.")


class QueueOut(BaseModel):
    """One page of a tab of your queue, in its order, with the counts of all tabs."""

    tab: str
    tabs: list[TabOut]
    shown: int | None = Field(description="How many of the open answers fulfil the filter; null without one.")
    items: list[QueueRowOut]
    next: str | None = Field(description="The cursor to go on with; null at the end.")
    slices: dict[str, list[str]] = Field(description="Values to filter by.")
    reasons: list[str] = Field(description="Reasons to look for among labelled answers.")


class AssignmentIn(Strict):
    """Who is to label, and which of the open answers: all that the filter leaves, or the first `most`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"person_id": "person-abcdefghijklmnop", "slices": {"app": "shop"}, "most": 50}]
        }
    )

    person_id: Identifier
    slices: Annotated[dict[SliceName, Name], Field(default_factory=dict)]
    reason: Name | None = None
    age: Age | None = Field(None, description="day: since yesterday; week; older: than 7 days; old: than 30.")
    most: Annotated[int, Field(ge=1, le=5000)] | None = None


class ReviewerOut(BaseModel):
    """Somebody who can be given work."""

    id: str
    name: str


class AssignableOut(BaseModel):
    """How many open answers a filter leaves, to whom they can be given, and what to filter by."""

    open: int
    people: list[ReviewerOut]
    slices: dict[str, list[str]]
    reasons: list[str]


class AssignedOut(BaseModel):
    """How many answers were given out, and how many went to somebody else meanwhile."""

    given: int
    left: int


class GuidelineOut(BaseModel):
    """A version of the labelling guideline; its name is stored with each label made under it."""

    version: str
    sections: list[dict[str, Any]]
    versions: list[str] = Field(description="All there are, the one in force first.")


class GuidelineIn(Strict):
    """A new version, in plain lines: `# heading`, `+ positive example`, `- negative example`, else a rule."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"version": "2026-12", "text": "# Numbers\n+ The evidence says 12, the answer says 12."}
            ]
        }
    )

    version: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]


class GuidelineKept(BaseModel):
    """The version that is in force now."""

    version: str


class WeekOut(BaseModel):
    """The present week (UTC): answers, expected and real draws, labels.

    What tells of labels is null for who labels and oversees nothing.
    """

    start: datetime
    answers: int
    expected: float
    drawn: int
    labelled: int | None
    pending: int | None
    lost: int
    purged: int
    coverage: float | None
    labels_today: int | None
    waiting: int | None
    to_decide: int | None
    budget: float | None = Field(description="Reviews to expect, as configured, in each `budget_per`.")
    budget_per: str | None
    active_alarms: list[int] = Field(description="Ids of the alarms that have not ended.")
    last_report: int | None


class NamedCoefficient(CoefficientOut):
    """Agreement on one thing."""

    name: str


class PairOut(BaseModel):
    """How far two people agree (Cohen's kappa), on whole answers and on claims."""

    people: list[str]
    answers: CoefficientOut
    claims: CoefficientOut


class StretchOut(BaseModel):
    """How much stricter somebody is than others on the same answers, in one week."""

    start: datetime
    answers: int
    strictness: float
    lower: float | None
    upper: float | None


class DriftOut(BaseModel):
    """Somebody's weeks in order; `moved`: the last one lies off those before."""

    person_id: str
    moved: bool
    weeks: list[StretchOut]


class TimeOut(BaseModel):
    """How long somebody's labels took."""

    person_id: str
    labels: int
    median_seconds: float
    p90_seconds: float


class QualityOut(BaseModel):
    """The quality of the labels of the last eight weeks, as the page *Agreement* shows it."""

    since: datetime
    answers: int
    whole_answers: CoefficientOut
    claims: CoefficientOut
    by_label: list[NamedCoefficient]
    by_severity: list[NamedCoefficient]
    by_family: list[NamedCoefficient]
    pairs: list[PairOut]
    drift: list[DriftOut]
    times: list[TimeOut]
