"""Steps of a trial, by page and by API: a batch made, an answer opened, its draft saved, what is said."""

from __future__ import annotations

from sqlalchemy import Connection

from sentinel.errors import DeadLetterError
from sentinel.labelling.draft import Draft, annotation_of, draft_document, parse_draft
from sentinel.labelling.trials import Trial
from sentinel.review.calibration.trials import (
    make_batch,
    open_items,
    people_tried,
    trial_of,
    trials_of,
)
from sentinel.review.identity.permission import Person
from sentinel.review.refusals import RefusedError, no_such_answer
from sentinel.review.unit_access import at_hand, unit_by_id
from sentinel.review.unit_view import UnitView, unit_view
from sentinel.review.workshop import Workshop
from sentinel.store.calibration import CalibrationAnswer, add_answer, find_answer
from sentinel.store.drafts import DraftKey, Saved, StoredDraft, find_draft, mark_submitted, save_draft

_NAME_CHARACTERS = 60


def trials_seen(conn: Connection, person: Person) -> tuple[list[Trial], list[tuple[str, Trial]]]:
    """Return a person's own trials and, for who oversees, those of others with whose they are."""
    own = trials_of(conn, person.id)
    if person.is_blind:
        return own, []
    tried = [pair for pair in people_tried(conn) if pair[1] != person.id]
    return own, [(who, trial_of(conn, batch, who)) for batch, who in tried]


def new_batch(shop: Workshop, person: Person, name: str, most: int) -> tuple[str, int]:
    """Make a batch of the answers decided last; return its name and how many it holds.

    Raises:
        RefusedError: `invalid` name or number, `nothing_decided`, or the name is taken.
    """
    clean = shop.writing().clean([name.strip()[:_NAME_CHARACTERS]])[0]
    if not clean or "/" in clean or most < 1:
        raise RefusedError("invalid", "Give the batch a short name without a slash, and a number.", 422)
    with shop.database.begin() as conn:
        made = make_batch(conn, clean, most, person.id, shop.clock.now())
    if not made:
        message = "The name is taken, or no case was agreed on or decided yet to make it of."
        raise RefusedError("nothing_decided", message)
    return clean, made


def open_trial(conn: Connection, person: Person, batch: str, unit_id: int) -> UnitView:
    """Return an answer that a person has still to label in a batch; raises RefusedError, `not_found`."""
    stored = unit_by_id(conn, unit_id)
    require_item(conn, batch, unit_id, person)
    if stored is None or stored.content is None:
        raise no_such_answer()
    return unit_view(stored)


def slot_of(batch: str) -> str:
    """Return the slot of the drafts of a batch."""
    return f"calibration:{batch}"


def save_trial(
    shop: Workshop,
    person: Person,
    batch: str,
    unit_id: int,
    base_revision: int,
    save_id: str,
    document: object,
    seconds: float,
) -> Saved:
    """Store the draft of a trial.

    Raises:
        RefusedError: `not_found`, `invalid`, `conflict` with another page (`facts` hold the stored draft).
    """
    key = DraftKey(unit_id, person.id, slot_of(batch))
    clean = _cleaned(shop, key, document)
    with shop.database.begin() as conn:
        require_item(conn, batch, unit_id, person)
        at_hand(conn, unit_id)
        now = shop.clock.now()
        saved = save_draft(conn, key, base_revision, save_id, draft_document(clean), seconds, now)
    if saved.conflict:
        raise _conflict(saved.draft)
    return saved


def give_trial(
    shop: Workshop,
    person: Person,
    batch: str,
    unit_id: int,
    document: object,
    base_revision: int | None = None,
) -> int | None:
    """Write what a person says of an answer of a batch, once; return the next one, None at the end.

    `base_revision`: the draft it builds on, None from a program that keeps none.

    Raises:
        RefusedError: `not_found`, `said` (something else was), `invalid` or `incomplete`, `conflict`.
    """
    key = DraftKey(unit_id, person.id, slot_of(batch))
    clean = _cleaned(shop, key, document)
    try:
        annotation_of(clean, "trial", person.id, "annotator", None)
    except DeadLetterError as error:
        raise RefusedError(error.reason, f"Not finished: {error.detail}.", 422) from None
    now = shop.clock.now()
    with shop.database.begin() as conn:
        at_hand(conn, unit_id, lock=True)
        said = find_answer(conn, batch, unit_id, person.id)
        # What is sent again because its answer was lost on the way is not refused.
        if said is None or said.document != draft_document(clean):
            require_item(conn, batch, unit_id, person)
            stored = find_draft(conn, key)
            if stored is not None and base_revision is not None and stored.revision != base_revision:
                raise _conflict(stored)
            seconds = stored.seconds if stored else None
            answer = CalibrationAnswer(batch, unit_id, person.id, draft_document(clean), seconds, now)
            add_answer(conn, answer)
            mark_submitted(conn, key, draft_document(clean), now)
        return trial_of(conn, batch, person.id).next_unit


def require_item(conn: Connection, batch: str, unit_id: int, person: Person) -> None:
    """Refuse an answer that is not in a person's batch; what is said of it is said once."""
    if find_answer(conn, batch, unit_id, person.id) is not None:
        raise RefusedError(
            "said", "You have labelled this answer of the batch; what is said of it stays.", 410
        )
    if unit_id not in open_items(conn, batch, person.id):
        raise no_such_answer()


def _conflict(stored: StoredDraft) -> RefusedError:
    facts = {"revision": stored.revision, "draft": stored.document}
    return RefusedError("conflict", "This trial was changed on another page meanwhile.", 409, facts)


def _cleaned(shop: Workshop, key: DraftKey, document: object) -> Draft:
    try:
        parsed = parse_draft(document)
    except DeadLetterError as error:
        raise RefusedError("invalid", f"{error.detail}.", 422) from None
    with shop.database.read() as conn:
        known = at_hand(conn, key.unit_id).texts()
    return shop.writing().clean_draft(parsed, known)
