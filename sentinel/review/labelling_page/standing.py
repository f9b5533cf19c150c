"""How a person stands to an answer: may they label it, is it theirs, may they see what was said of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from sentinel.review.blindness import review_of
from sentinel.review.identity.permission import Action, Person
from sentinel.review.queueing.selection import is_open_to
from sentinel.store.unit_rows import StoredUnit


@dataclass(frozen=True, slots=True)
class Standing:
    """What a person may do with an answer and what it is to them.

    `has_own`: they have labelled it. `may_label`: they can give an opinion or correct theirs. `is_over`:
    all its labels are in and it is no trial of theirs, so that its history may be seen. `word` is the status
    as they may know it.
    """

    has_own: bool
    may_label: bool
    is_over: bool
    word: str


def standing_of(conn: Connection, person: Person, stored: StoredUnit, now: datetime) -> Standing:
    """Return how a person stands to a stored answer."""
    review = review_of(conn, stored.unit.facts.event_id, person)
    own = any(
        one.annotation.annotator == person.id and one.annotation.role == "annotator"
        for one in review.opinions
    )
    labels = person.may(Action.LABEL)
    open_to = (
        labels and not own and stored.content is not None and is_open_to(conn, stored.id, person.id, now)
    )
    # Whoever can still label it sees it as nobody's: not whether somebody else has.
    word = stored.status
    if own:
        word = "labelled"
    elif labels and not review.is_closed and stored.status == "labelled":
        word = "pending"
    return Standing(own, (labels and own) or open_to, review.is_over, word)
