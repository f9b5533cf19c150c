"""What a person may see of others' work on an answer, by any page, route or file.

Who may still give an opinion on an answer sees nothing of what others said of it, nor why it was drawn. A
viewer gives no opinions, and sees labels once there are some. An adjudicator sees the two opinions of a
disagreement without their authors, unless one of them is their own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.review.identity.permission import Action, Person
from sentinel.store.annotations import StoredAnnotation, annotations_of_events
from sentinel.store.calibration import untried_units
from sentinel.store.columns import stored_event_id
from sentinel.store.review_schema import second_reviews
from sentinel.store.schema import units

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Review:
    """How the review of one answer stands. `state` None: no opinion came in by page or API.

    An answer that was never drawn (`is_drawn` false) can be labelled by nobody here. `is_trial`:
    whoever asks can still try themselves on it, so that its label is not shown.
    """

    state: str | None = None
    is_drawn: bool = True
    is_trial: bool = False
    opinions: Sequence[StoredAnnotation] = field(default=(), repr=False)

    @property
    def is_over(self) -> bool:
        """Return whether its labels, and why it was drawn, may be shown to who asks as to everybody."""
        return self.is_closed and not self.is_trial

    @property
    def is_closed(self) -> bool:
        """Return whether all its labels are in; labels that came by file alone end it, too.

        Labels from before the answer was drawn are outside the sample: the answer waits all the same.
        """
        if self.state is not None:
            return self.state in ("single", "settled")
        if not self.is_drawn:
            return bool(self.opinions)
        return any(one.probability_sample for one in self.opinions)

    def is_seen_by(self, person: Person) -> bool:
        """Return whether all that was said, and why the answer was drawn, may be shown to a person."""
        return bool(self.opinions) and (self.is_over or not person.may(Action.LABEL))

    def is_decided_by(self, person: Person) -> bool:
        """Return whether a person may decide the answer now: they see the opinions, not whose they are."""
        decides = person.may(Action.ADJUDICATE) and self.state in ("disagreed", "escalated")
        return decides and not self.is_by(person)

    def is_by(self, person: Person) -> bool:
        """Return whether the person has given an opinion."""
        return any(one.annotation.annotator == person.id for one in self.opinions)

    def seen(self, person: Person) -> list[StoredAnnotation]:
        """Return the opinions that a person may see: their own always."""
        if self.is_seen_by(person):
            return list(self.opinions)
        if self.is_decided_by(person):
            return _without_names(self.opinions)
        return [one for one in self.opinions if one.annotation.annotator == person.id]

    def status(self, stored: str, person: Person) -> str:
        """Return the status of the answer as a person may know it: not whether somebody else was first."""
        hidden = person.is_blind and stored == "labelled" and not self.is_closed and not self.is_by(person)
        return "pending" if hidden else stored


def _without_names(opinions: Sequence[StoredAnnotation]) -> list[StoredAnnotation]:
    """Opinions under letters, in the order in which their authors began."""
    letters: dict[str, str] = {}
    for one in opinions:
        letters.setdefault(one.annotation.annotator, chr(ord("A") + len(letters) % 26))
    return [
        replace(one, annotation=replace(one.annotation, annotator=letters[one.annotation.annotator]))
        for one in opinions
    ]


def reviews_of(conn: Connection, event_ids: Collection[str], person: Person) -> dict[str, Review]:
    """Return how the reviews of some answers stand for a person, by event id; of what was not drawn, too."""
    drawn: dict[str, tuple[int, str | None]] = {}
    wanted = sorted(set(event_ids))
    joined = units.outerjoin(second_reviews, units.c.id == second_reviews.c.unit_id)
    for start in range(0, len(wanted), _CHUNK):
        among = units.c.event_id.in_(wanted[start : start + _CHUNK])
        query = sa.select(units.c.event_id, units.c.id, second_reviews.c.state).select_from(joined)
        drawn.update({row.event_id: (row.id, row.state) for row in conn.execute(query.where(among))})
    opinions = annotations_of_events(conn, wanted)
    trials = frozenset[int]()
    if person.is_blind:
        trials = untried_units(conn, person.id, [unit_id for unit_id, _ in drawn.values()])

    def review(event_id: str) -> Review:
        said = opinions.get(event_id, ())
        unit_id, state = drawn.get(stored_event_id(event_id), (None, None))
        found = Review(state, unit_id is not None, opinions=said)
        return replace(found, is_trial=unit_id in trials and not found.is_by(person))

    return {event_id: review(event_id) for event_id in wanted}


def review_of(conn: Connection, event_id: str, person: Person) -> Review:
    """Return how the review of one answer stands for a person."""
    return reviews_of(conn, [event_id], person)[event_id]


def visible_examples(conn: Connection, event_ids: Sequence[str], person: Person) -> list[str]:
    """Return those of an alarm's examples that a person may know to be some.

    That an answer is an example would sway whoever can still label it.
    """
    if not person.may(Action.LABEL):
        return list(event_ids)
    reviews = reviews_of(conn, event_ids, person)
    return [one for one in event_ids if reviews[one].is_over]
