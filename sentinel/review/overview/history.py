"""One answer's whole history: why it was drawn, with which probability, who said what of it and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from sentinel.labelling.adjudication import derive
from sentinel.records import Adjudication
from sentinel.review.blindness import review_of
from sentinel.review.identity.permission import Person
from sentinel.review.refusals import RefusedError, no_such_answer
from sentinel.review.unit_access import unit_by_id
from sentinel.store.annotations import StoredAnnotation, annotations_of_event
from sentinel.store.second_reviews import ReviewCourse, find_course
from sentinel.store.submissions import submissions_of_unit
from sentinel.store.unit_events import events_of_unit
from sentinel.store.unit_rows import StoredUnit


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened; `seconds` on task, None unknown; `replaced`: a correction followed."""

    at: datetime
    who: str
    what: str
    detail: str | None = None
    record: StoredAnnotation | None = None
    seconds: float | None = None
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """All that is known of a unit; `label` is the one that the estimate reads."""

    unit: StoredUnit
    course: ReviewCourse | None
    label: Adjudication | None
    steps: tuple[Step, ...]

    @property
    def indicators(self) -> list[tuple[str, Any]]:
        """Return the indicators that are known, by name."""
        known = self.unit.unit.indicators.items()
        return sorted((name, value) for name, value in known if value is not None)


def history_seen(conn: Connection, person: Person, unit_id: int) -> History:
    """Return a unit's history, as far as a person may see it.

    Raises:
        RefusedError: `not_found`, or `blind`: not all of its labels are in.
    """
    stored = unit_by_id(conn, unit_id)
    if stored is None:
        raise no_such_answer()
    if not review_of(conn, stored.unit.facts.event_id, person).is_over:
        message = "The history of an answer can be seen once all its labels are in."
        raise RefusedError("blind", message, 403)
    return history_of(conn, stored)


def history_of(conn: Connection, unit: StoredUnit) -> History:
    """Return a unit's history, oldest step first."""
    records = annotations_of_event(conn, unit.unit.facts.event_id)
    seconds = {one.annotation_id: one.seconds for one in submissions_of_unit(conn, unit.id)}
    replaced = {one.replaces for one in records}
    steps = [Step(unit.created_at, "", "drawn and stored")]
    for one in records:
        what = "corrected their label" if one.replaces else "labelled it"
        if one.annotation.role == "adjudicator":
            what = "corrected their decision" if one.replaces else "decided"
        steps.append(
            Step(
                one.created_at,
                one.annotation.annotator,
                what,
                record=one,
                seconds=seconds.get(one.id),
                replaced=one.id in replaced,
            )
        )
    steps += [
        Step(event.created_at, event.annotator, event.kind, event.detail)
        for event in events_of_unit(conn, unit.id)
    ]
    steps.sort(key=lambda step: step.at)
    counted = [one for one in records if one.probability_sample]
    return History(unit, find_course(conn, unit.id), derive(counted), tuple(steps))
