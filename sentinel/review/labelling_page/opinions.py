"""Drafts saved and opinions given: what the server decides when a page or a program sends one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection

from sentinel.errors import DeadLetterError
from sentinel.labelling.claim_splitter import SPLITTER_VERSION
from sentinel.labelling.draft import Draft, annotation_of, draft_document, missing_in, parse_draft
from sentinel.records import Annotation
from sentinel.review.double_review.course import after_opinion
from sentinel.review.identity.permission import Action, Person
from sentinel.review.labelling_page.guideline import current_version, guideline_of
from sentinel.review.labelling_page.reserving import entitle
from sentinel.review.refusals import RefusedError
from sentinel.review.unit_access import UnitAtHand, at_hand, strings_in
from sentinel.review.workshop import Workshop
from sentinel.store.annotations import add_annotation, annotations_of_event, current_annotation
from sentinel.store.audit import record_deed
from sentinel.store.drafts import DraftKey, Saved, StoredDraft, find_draft, mark_submitted, save_draft
from sentinel.store.reservations import active_reservation, release, reserve
from sentinel.store.second_reviews import find_course
from sentinel.store.submissions import Submission, record_submission, submission_by_key
from sentinel.store.units import set_status

Slot = Literal["opinion", "adjudication"]


@dataclass(frozen=True, slots=True)
class Given:
    """What became of an opinion: its record, whether it was there already, what it corrects.

    `state` says how the review stands, which nobody who may still give an opinion must be shown.
    """

    annotation_id: int
    repeated: bool
    corrects: int | None
    state: str


@dataclass(frozen=True, slots=True)
class Sent:
    """An opinion as it is sent.

    `base_revision`: the draft it builds on, None from a program that keeps none. `idempotency_key`: the
    same key again is answered with the record it led to. `guideline_version` None: the one in force.
    """

    document: Any
    base_revision: int | None = None
    idempotency_key: str | None = None
    guideline_version: str | None = None
    seconds: float = 0.0


def save(
    shop: Workshop,
    person: Person,
    unit_id: int,
    slot: Slot,
    base_revision: int,
    save_id: str,
    document: Any,
    seconds: float,
) -> Saved:
    """Store a draft and keep its answer reserved.

    Raises:
        RefusedError: `invalid` draft, `conflict` with another page (`facts` hold the stored draft), or as
            `entitle` and `entitle_adjudicator` do.
    """
    draft = _parsed(document)
    key = DraftKey(unit_id, person.id, slot)
    with shop.database.read() as conn:
        unit = at_hand(conn, unit_id)
        clean = _cleaned(shop, unit, draft, find_draft(conn, key))
    now = shop.clock.now()
    with shop.database.begin() as conn:
        unit = at_hand(conn, unit_id, lock=True)
        _entitle(conn, shop, person, unit, slot, now)
        saved = save_draft(conn, key, base_revision, save_id, draft_document(clean), seconds, now)
    if saved.conflict:
        raise _conflict(saved.draft)
    return saved


def give(shop: Workshop, person: Person, unit_id: int, slot: Slot, sent: Sent) -> Given:
    """Write an opinion: a first record, or one that corrects the person's own; nothing is written twice.

    Raises:
        RefusedError: `invalid` or `incomplete` draft, `conflict` with another page, or as `entitle` and
            `entitle_adjudicator` do.
    """
    if repeated := _repeated(shop, person, sent, unit_id):
        return repeated
    draft = _parsed(sent.document)
    key = DraftKey(unit_id, person.id, slot)
    with shop.database.read() as conn:
        unit = at_hand(conn, unit_id)
        clean = _cleaned(shop, unit, draft, find_draft(conn, key))
        version = sent.guideline_version or current_version(conn)
        if guideline_of(conn, version) is None:
            raise RefusedError("invalid", "guideline_version names no version of the guideline.", 422)
    annotation = _annotation(clean, unit, person, slot, version)
    now = shop.clock.now()
    with shop.database.begin() as conn:
        unit = at_hand(conn, unit_id, lock=True)
        if sent.idempotency_key and submission_by_key(conn, person.id, sent.idempotency_key):
            pass  # the same request, twice at once: answered below
        else:
            _entitle(conn, shop, person, unit, slot, now)
            stored = find_draft(conn, key)
            stale = stored is not None and sent.base_revision is not None
            if stale and stored is not None and stored.revision != sent.base_revision:
                raise _conflict(stored)
            return _write(conn, shop, person, unit, slot, annotation, clean, sent, stored, now)
    again = _repeated(shop, person, sent, unit_id)
    if again is None:
        raise RefusedError("conflict", "This label was sent before; load the page again.")
    return again


def entitle_adjudicator(conn: Connection, shop: Workshop, person: Person, unit: UnitAtHand) -> None:
    """Make sure that a person may decide a locked unit.

    Raises:
        RefusedError: `forbidden` (role, or they are one of those who disagree), `closed`, `taken`.
    """
    if not _is_to_decide(conn, person, unit):
        return
    now = shop.clock.now()
    if reserve(conn, unit.id, "adjudication", person.id, now, shop.lease_end(now)) is None:
        raise _taken()


def require_kept_case(conn: Connection, shop: Workshop, person: Person, unit: UnitAtHand) -> None:
    """Make sure that a unit is kept for an adjudicator or was decided by them; nothing is written.

    Raises:
        RefusedError: as `entitle_adjudicator` does, or `not_kept`: it is kept for nobody.
    """
    if not _is_to_decide(conn, person, unit):
        return
    kept = active_reservation(conn, unit.id, "adjudication", shop.clock.now())
    if kept is None:
        raise RefusedError(
            "not_kept",
            "This case is not kept for you.",
            mend=f"POST /api/v1/adjudication/{unit.id}/lease keeps it, then ask again.",
        )
    if kept.annotator != person.id:
        raise _taken()


def _taken() -> RefusedError:
    return RefusedError("taken", "Another adjudicator has this case open.")


def _is_to_decide(conn: Connection, person: Person, unit: UnitAtHand) -> bool:
    """Refuse who may not decide a unit; False: they have decided it, and may correct that."""
    if not person.may(Action.ADJUDICATE):
        raise RefusedError("forbidden", "Only an adjudicator decides.", 403)
    said = {
        one.annotation.annotator
        for one in annotations_of_event(conn, unit.event_id)
        if one.annotation.role == "annotator"
    }
    if person.id in said:
        raise RefusedError("forbidden", "You gave one of the opinions: somebody else has to decide.", 403)
    if current_annotation(conn, unit.event_id, person.id, "adjudicator") is not None:
        return False
    course = find_course(conn, unit.id)
    if course is None or course.state not in ("disagreed", "escalated"):
        raise RefusedError("closed", "There is nothing to decide here any more.")
    return True


def _entitle(
    conn: Connection, shop: Workshop, person: Person, unit: UnitAtHand, slot: Slot, now: datetime
) -> None:
    if slot == "adjudication":
        entitle_adjudicator(conn, shop, person, unit)
    else:
        entitle(conn, shop, person, unit, now)


def _write(
    conn: Connection,
    shop: Workshop,
    person: Person,
    unit: UnitAtHand,
    slot: Slot,
    annotation: Annotation,
    draft: Draft,
    sent: Sent,
    stored: StoredDraft | None,
    now: datetime,
) -> Given:
    current = current_annotation(conn, unit.event_id, person.id, annotation.role)
    if current is not None and current.annotation == annotation:
        course = find_course(conn, unit.id)
        return Given(current.id, True, current.replaces, course.state if course else "single")
    written = add_annotation(conn, annotation, now, replaces=None if current is None else current.id)
    if unit.status == "pending":
        set_status(conn, [unit.event_id], "labelled")
    state = after_opinion(
        conn, unit.id, unit.event_id, shop.writing().key, shop.params.second_review_share, now
    )
    deed = "adjudicated" if slot == "adjudication" else "labelled" if current is None else "corrected"
    record_deed(conn, person.id, deed, now, unit_id=unit.id, about=f"label {written.id}")
    release(conn, [unit.id], slot, person.id)
    seconds = (stored.seconds if stored else 0.0) + max(0.0, sent.seconds)
    record_submission(
        conn,
        Submission(
            written.id, unit.id, person.id, slot, sent.idempotency_key, SPLITTER_VERSION, seconds or None, now
        ),
    )
    if stored is not None:
        mark_submitted(conn, DraftKey(unit.id, person.id, slot), draft_document(draft), now)
    return Given(written.id, False, written.replaces, state)


def _repeated(shop: Workshop, person: Person, sent: Sent, unit_id: int) -> Given | None:
    if not sent.idempotency_key:
        return None
    with shop.database.read() as conn:
        before = submission_by_key(conn, person.id, sent.idempotency_key)
        if before is None:
            return None
        if before.unit_id != unit_id:
            raise RefusedError(
                "key_reused", "This idempotency key belongs to a label of another answer.", 422
            )
        course = find_course(conn, unit_id)
    return Given(before.annotation_id, True, None, course.state if course else "single")


def _annotation(draft: Draft, unit: UnitAtHand, person: Person, slot: Slot, version: str) -> Annotation:
    role: Literal["annotator", "adjudicator"] = "adjudicator" if slot == "adjudication" else "annotator"
    try:
        return annotation_of(draft, unit.event_id, person.id, role, version)
    except DeadLetterError as error:
        raise RefusedError(error.reason, f"Not finished: {error.detail}.", 422) from None


def _parsed(document: Any) -> Draft:
    try:
        return parse_draft(document)
    except DeadLetterError as error:
        raise RefusedError("invalid", f"{error.detail}.", 422) from None


def _cleaned(shop: Workshop, unit: UnitAtHand, draft: Draft, before: StoredDraft | None) -> Draft:
    """Return the draft free of personal data; what was stored before is known to be so."""
    known = unit.texts()
    if before is not None:
        known += list(strings_in(before.document))
    joined = " ".join(known)
    # Claims that were merged: the answer's own words with a space between.
    merged = [claim for claim in draft.claims if " ".join(claim.text.split()) in " ".join(joined.split())]
    return shop.writing().clean_draft(draft, [*known, *(claim.text for claim in merged)])


def _conflict(stored: StoredDraft) -> RefusedError:
    facts: Mapping[str, Any] = {
        "revision": stored.revision,
        "draft": stored.document,
        "submitted": stored.submitted,
    }
    word = "given as a label" if stored.submitted else "changed"
    return RefusedError("conflict", f"This answer was {word} on another page meanwhile.", 409, facts)


def missing_words(draft: Mapping[str, Any]) -> list[str]:
    """Return what a stored draft lacks, for its page."""
    return list(missing_in(parse_draft(draft)))
