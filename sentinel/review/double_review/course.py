"""How a unit's review goes on when an opinion came in: by page, by API or by file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.labelling.adjudication import standing_opinions
from sentinel.labelling.second_review import review_state, second_review
from sentinel.store.annotations import StoredAnnotation, annotations_of_event
from sentinel.store.schema import units
from sentinel.store.second_reviews import ReviewCourse, begin_course, find_course, move_course


def after_opinion(
    conn: Connection, unit_id: int, event_id: str, key: bytes, share: float, now: datetime
) -> str:
    """Bring a unit's review to where its opinions say, and return that state.

    With the first opinion the second review is drawn; what is drawn stays. A case that turns out critical
    later, by a correction, is given to a second reviewer all the same. Labels from before the answer was
    drawn are outside the sample and count for nothing here, either.
    """
    opinions = _in_sample(conn, event_id)
    course = find_course(conn, unit_id, lock=True)
    drawn = second_review(opinions[0].annotation, key, share)
    critical = any(
        one.annotation.critical_unsupported for one in opinions if one.annotation.role == "annotator"
    )
    wanted = drawn.wanted or critical
    if course is not None:
        wanted = critical or course.reason in ("random", "critical")
    # An escalated answer stays with the adjudicators until one of them has decided.
    escalated = course is not None and course.state == "escalated"
    state = review_state(opinions, second_wanted=wanted, escalated=escalated)
    reason = "critical" if critical else drawn.reason
    probability = 1.0 if critical else drawn.probability
    if course is None:
        begin_course(conn, ReviewCourse(unit_id, state, reason, probability, drawn.random_number, now, now))
    elif critical and course.reason == "not_drawn":
        move_course(conn, unit_id, state, now, reason=reason, probability=probability)
    else:
        move_course(conn, unit_id, state, now)
    return state


def after_import(conn: Connection, event_ids: Iterable[str], key: bytes, now: datetime) -> None:
    """Take note of opinions that came by file: a review goes on, a disagreement goes to an adjudicator.

    A file begins no second review: who labelled elsewhere has decided there what is looked at twice.
    """
    for event_id in sorted(set(event_ids)):
        unit_id = conn.scalar(sa.select(units.c.id).where(units.c.event_id == event_id))
        if unit_id is None:
            continue
        opinions = standing_opinions(_in_sample(conn, event_id))
        if len(opinions) > 1 or find_course(conn, unit_id) is not None:
            after_opinion(conn, unit_id, event_id, key, 0.0, now)


def _in_sample(conn: Connection, event_id: str) -> list[StoredAnnotation]:
    return [one for one in annotations_of_event(conn, event_id) if one.probability_sample]
