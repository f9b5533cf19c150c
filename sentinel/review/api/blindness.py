"""What a person may see of others' work on an answer, by any route.

Who may still give an opinion on an answer sees nothing of what others said of it, nor why it was drawn. A
viewer gives no opinions, and sees labels once there are some. An adjudicator sees the two opinions of a
disagreement, unless one of them is their own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from sentinel.labelling.adjudication import derive
from sentinel.review.identity.permission import Action, Person
from sentinel.store.annotations import StoredAnnotation, annotations_of_events


def may_see(person: Person, opinions: Sequence[StoredAnnotation]) -> bool:
    """Return whether all opinions on one answer may be shown to a person."""
    if not opinions:
        return False
    if not person.may(Action.LABEL):
        return True
    label = derive(opinions)
    if label is not None and label.final:
        return True
    annotators = {one.annotation.annotator for one in opinions}
    return person.may(Action.ADJUDICATE) and len(annotators) >= 2 and person.id not in annotators


def visible_labels(person: Person, opinions: Sequence[StoredAnnotation]) -> list[StoredAnnotation]:
    """Return the opinions on one answer that a person may see: their own always."""
    everything = may_see(person, opinions)
    return [one for one in opinions if everything or one.annotation.annotator == person.id]


def seen_among(conn: Connection, person: Person, event_ids: Collection[str]) -> set[str]:
    """Return those of some answers of which the person may see all that was said, and why they were drawn."""
    return {
        event_id
        for event_id, opinions in annotations_of_events(conn, event_ids).items()
        if may_see(person, opinions)
    }
