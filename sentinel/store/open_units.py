"""The marks on a unit that the queue is read by: is an opinion waited for, and whose cannot be the second.

What they say follows from status, review, opinions and content, which stand in four tables. Kept on the unit,
in the transaction that changes any of those, they make the queue and its counts one read of one index.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from sentinel.store.review_schema import second_reviews
from sentinel.store.schema import annotation_records, unit_contents, units

#: The marks of a unit on which nobody can give an opinion.
CLOSED: dict[str, Any] = {"awaits_opinion": False, "first_annotator": ""}


def open_marks(status: sa.ColumnElement[str] = units.c.status) -> dict[str, Any]:
    """Return the marks of a unit, to be set by an update of `units`; `status`: what it has after the update.

    An answer waits for a first opinion while it is pending and its review has not begun, for a second one
    while its review says so, and for none without its content. While it waits for a second one exactly one
    person has given an opinion since it was drawn; labels from before count for nothing here.
    """
    course = sa.exists().where(second_reviews.c.unit_id == units.c.id)
    waits_for_second = course.where(second_reviews.c.state == "waiting")
    has_content = sa.exists().where(unit_contents.c.unit_id == units.c.id)
    waits_for_first = sa.and_(status == "pending", ~course)
    # Corrections are theirs as well. Asked for the records that replace none, SQLite would read all of those.
    first = sa.select(sa.func.min(annotation_records.c.annotator)).where(
        annotation_records.c.event_id == units.c.event_id, annotation_records.c.probability_sample
    )
    return {
        "awaits_opinion": sa.and_(has_content, sa.or_(waits_for_first, waits_for_second)),
        "first_annotator": sa.case(
            (waits_for_second, sa.func.coalesce(first.scalar_subquery(), "")), else_=""
        ),
    }
