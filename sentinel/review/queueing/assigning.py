"""Giving work to others: all open answers of a filter, never more and never less than it shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sentinel.review.identity.permission import Person
from sentinel.review.queueing.reviewers import known_reviewers
from sentinel.review.queueing.selection import WorkFilter, open_unit_ids
from sentinel.review.refusals import RefusedError
from sentinel.review.workshop import Workshop
from sentinel.store.reservations import reserve
from sentinel.store.unit_events import add_event

MOST_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class Assigned:
    """How many answers were given out; `left` went to somebody else while the request was on its way."""

    given: int
    left: int


def assign(
    shop: Workshop, person: Person, annotator: str, wanted: WorkFilter, most: int | None = None
) -> Assigned:
    """Keep all open answers of a filter for an annotator, the first `most` of them in the queue's order.

    The filter is applied here, in the transaction that writes: what a page showed before does not matter.

    Raises:
        RefusedError: `no_annotator`: nobody who may label.
    """
    limit = MOST_AT_ONCE if most is None else max(0, min(most, MOST_AT_ONCE))
    now = shop.clock.now()
    until = now + timedelta(days=shop.params.assignment_days)
    given = 0
    with shop.database.begin() as conn:
        if annotator not in {one.id for one in known_reviewers(conn, person)}:
            raise RefusedError("no_annotator", "Say who is to label them: somebody who may.", 422)
        unit_ids = open_unit_ids(conn, wanted, now, limit)
        for unit_id in unit_ids:
            if reserve(conn, unit_id, "opinion", annotator, now, until, person.id) is not None:
                add_event(conn, unit_id, person.id, "assigned", now)
                given += 1
    return Assigned(given, len(unit_ids) - given)
