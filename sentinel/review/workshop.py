"""What the pages and the API of the review share: the store, the door for texts, settings, the clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sentinel.clock import Clock
from sentinel.review.params import ReviewParams
from sentinel.review.refusals import RefusedError
from sentinel.review.text_door import TextDoor
from sentinel.store.database import Database


@dataclass(frozen=True, slots=True)
class Workshop:
    """The parts that every step of a review needs.

    `door` None: words cannot be redacted here, so that nothing can be written. `budget`: how many reviews
    are to be expected and per what, as configured; None is none.
    """

    database: Database
    params: ReviewParams
    clock: Clock
    door: TextDoor | None = field(default=None, repr=False)
    budget: tuple[float, str] | None = None

    def writing(self) -> TextDoor:
        """Return the door for texts.

        Raises:
            RefusedError: `read_only`: there is none.
        """
        if self.door is None:
            raise RefusedError("read_only", "This workbench only shows answers: it has no redactor.", 503)
        return self.door

    def lease_end(self, now: datetime) -> datetime:
        """Return until when an answer that is opened now is kept."""
        return now + timedelta(minutes=self.params.lease_minutes)
