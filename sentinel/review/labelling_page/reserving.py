"""Opening an answer: reserved for a person while they work on it, given back, skipped or escalated."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from sentinel.review.identity.permission import Person
from sentinel.review.queueing.selection import WorkFilter, is_open_to, next_candidates
from sentinel.review.refusals import RefusedError
from sentinel.review.unit_access import UnitAtHand, at_hand
from sentinel.review.workshop import Workshop
from sentinel.store.annotations import annotations_of_event, current_annotation
from sentinel.store.drafts import DraftKey, find_draft
from sentinel.store.reservations import Reservation, active_reservation, release, reserve
from sentinel.store.second_reviews import ReviewCourse, begin_course, find_course, move_course
from sentinel.store.unit_events import add_event

_CANDIDATES = 20
_CLOSED = "This answer has all the labels it needs."
_EXPIRED = (
    "Your reservation of this answer has expired and it went on in the queue. Your draft is kept; it can be "
    "given once the answer is open again."
)
_TAKEN = (
    "This answer is open elsewhere just now. Take another one; it comes back if it stays without a label."
)


def take_next(shop: Workshop, person: Person, wanted: WorkFilter | None = None) -> int | None:
    """Reserve the next answer of a person's queue and return its id; None where nothing is left.

    Two people who ask at once never get the same one: the store decides.
    """
    now = shop.clock.now()
    with shop.database.read() as conn:
        candidates = next_candidates(conn, person.id, wanted or WorkFilter(), now, _CANDIDATES)
    while candidates:
        with shop.database.begin() as conn:
            for unit_id in candidates:
                if not is_open_to(conn, unit_id, person.id, now):
                    continue
                if reserve(conn, unit_id, "opinion", person.id, now, shop.lease_end(now)):
                    return unit_id
        # All went to others while we asked: look again.
        with shop.database.read() as conn:
            candidates = next_candidates(conn, person.id, wanted or WorkFilter(), now, _CANDIDATES)
    return None


def keep_open(shop: Workshop, person: Person, unit_id: int) -> Reservation | None:
    """Reserve an answer for a person, or go on reserving it; None for a label of their own to correct.

    Raises:
        RefusedError: `closed`, `taken`, `expired`, `escalated`, `gone`, `not_found`.
    """
    now = shop.clock.now()
    with shop.database.begin() as conn:
        unit = at_hand(conn, unit_id, lock=True)
        return entitle(conn, shop, person, unit, now)


def entitle(
    conn: Connection, shop: Workshop, person: Person, unit: UnitAtHand, now: datetime
) -> Reservation | None:
    """Make sure that a person may give an opinion on a locked unit. Returns and raises as `keep_open`."""
    if current_annotation(conn, unit.event_id, person.id) is not None:
        return None  # their own label: to correct it nobody else can stand in the way
    course = find_course(conn, unit.id)
    if course is not None and course.state == "escalated":
        raise RefusedError("escalated", "This answer was handed to an adjudicator.")
    opinions = [one for one in annotations_of_event(conn, unit.event_id) if one.probability_sample]
    is_open = course.state == "waiting" if course is not None else not opinions
    if not is_open:
        raise RefusedError("closed", _CLOSED)
    held = reserve(conn, unit.id, "opinion", person.id, now, shop.lease_end(now))
    if held is None:
        draft = find_draft(conn, DraftKey(unit.id, person.id, "opinion"))
        begun = draft is not None and not draft.submitted
        raise RefusedError("expired", _EXPIRED) if begun else RefusedError("taken", _TAKEN)
    return held


def holds_now(conn: Connection, person: Person, unit_id: int, now: datetime) -> bool:
    """Return whether an answer is reserved for a person."""
    held = active_reservation(conn, unit_id, "opinion", now)
    return held is not None and held.annotator == person.id


def skip(shop: Workshop, person: Person, unit_id: int, reason: str) -> None:
    """Give an answer back; it is not offered to the same person for a while. `reason` may be empty."""
    now = shop.clock.now()
    detail = shop.writing().clean([reason])[0].strip() or None
    with shop.database.begin() as conn:
        unit = at_hand(conn, unit_id, needs_content=False)
        release(conn, [unit.id], "opinion", person.id)
        add_event(conn, unit.id, person.id, "skipped", now, detail)


def escalate(shop: Workshop, person: Person, unit_id: int, reason: str) -> None:
    """Hand an answer to the adjudicators instead of labelling it.

    Raises:
        RefusedError: `no_reason`, or as `keep_open`: only an answer one may label can be handed on. One's
            own label is `closed`, too: who sees it outvoted must not open the case again.
    """
    detail = shop.writing().clean([reason])[0].strip()
    if not detail:
        raise RefusedError("no_reason", "Say in a few words what an adjudicator should look at.", 422)
    now = shop.clock.now()
    with shop.database.begin() as conn:
        unit = at_hand(conn, unit_id, lock=True)
        if entitle(conn, shop, person, unit, now) is None:
            raise RefusedError("closed", "You have labelled this answer: correct your label instead.")
        begun = ReviewCourse(unit.id, "escalated", "escalated", 1.0, 0.0, now, now)
        if not begin_course(conn, begun):
            move_course(conn, unit.id, "escalated", now)
        release(conn, [unit.id], "opinion")
        add_event(conn, unit.id, person.id, "escalated", now, detail)
