"""What the routes of the API share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query

from sentinel.clock import Clock
from sentinel.review.api.models import LabelOut
from sentinel.review.api.problems import ProblemError
from sentinel.review.identity.limits import counted_submit
from sentinel.review.identity.params import AccessParams
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.label_export import label_row
from sentinel.review.label_redaction import LabelRedaction
from sentinel.review.workshop import Workshop
from sentinel.store.annotations import StoredAnnotation
from sentinel.store.database import Database

MOST_ROWS = 200
#: What a route depends on that takes opinions or files.
COUNTED = [Depends(counted_submit)]
Cursor = Annotated[
    str | None, Query(max_length=64, description="`next` of the page before; without it the first page.")
]
#: A value of a domain (`app`, `workflow`, …) to narrow by.
Slice = Annotated[str | None, Query(max_length=256)]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="Rows of a page.")]
UnitId = Annotated[int, Path(ge=1, le=2**63 - 1)]
Viewer = Annotated[Person, Depends(allowed(Action.VIEW))]
Labeller = Annotated[Person, Depends(allowed(Action.LABEL))]
Adjudicator = Annotated[Person, Depends(allowed(Action.ADJUDICATE))]
Assigner = Annotated[Person, Depends(allowed(Action.ASSIGN))]
Exporter = Annotated[Person, Depends(allowed(Action.EXPORT))]
Importer = Annotated[Person, Depends(allowed(Action.IMPORT))]
Measurer = Annotated[Person, Depends(allowed(Action.MEASURE))]
Manager = Annotated[Person, Depends(allowed(Action.MANAGE))]


@dataclass(frozen=True, slots=True)
class ApiParts:
    """What every route may use."""

    shop: Workshop
    redaction: LabelRedaction

    @property
    def database(self) -> Database:
        """Return the store."""
        return self.shop.database

    @property
    def clock(self) -> Clock:
        """Return the clock."""
        return self.shop.clock

    @property
    def access(self) -> AccessParams:
        """Return what is set about access."""
        return self.shop.params.access


def label_out(stored: StoredAnnotation) -> LabelOut:
    """Return a label as the API shows it."""
    return LabelOut.model_validate(label_row(stored))


def no_such_answer() -> ProblemError:
    """Return the refusal of an answer that was not drawn."""
    return ProblemError(404, "There is no drawn answer of this id.", reason="unit")
