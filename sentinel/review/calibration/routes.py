"""Routes of calibration: batches, the labelling page of a trial, its answers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from sqlalchemy import Connection
from starlette.responses import JSONResponse, RedirectResponse

from sentinel.errors import DeadLetterError
from sentinel.labelling.draft import Draft, annotation_of, draft_document, parse_draft
from sentinel.review.calibration.trials import make_batch, open_items, people_tried, trial_of, trials_of
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.labelling_page.guideline import current_guideline
from sentinel.review.labelling_page.page_state import page_state
from sentinel.review.labelling_page.routes import JsonBody, row_id, saved_from, sent_of
from sentinel.review.labelling_page.standing import Standing
from sentinel.review.pages import page
from sentinel.review.queueing.reviewers import known_reviewers
from sentinel.review.refusals import RefusedError, no_such_answer
from sentinel.review.routes import sees_all
from sentinel.review.unit_access import at_hand, unit_by_id
from sentinel.review.unit_view import unit_view
from sentinel.review.workshop import Workshop
from sentinel.store.calibration import CalibrationAnswer, add_answer, find_answer
from sentinel.store.drafts import DraftKey, StoredDraft, find_draft, mark_submitted, save_draft

Labeller = Annotated[Person, Depends(allowed(Action.LABEL))]
Assigner = Annotated[Person, Depends(allowed(Action.ASSIGN))]
_TRIAL = Standing(has_own=False, may_label=True, is_over=False, word="trial")


def calibration_routes(shop: Workshop) -> APIRouter:
    """Return the routes of calibration."""
    router = APIRouter(include_in_schema=False)

    @router.get("/calibration")
    def batches(request: Request, person: Labeller) -> Response:
        with shop.database.read() as conn:
            own = trials_of(conn, person.id)
            others = []
            if sees_all(person):
                tried = [pair for pair in people_tried(conn) if pair[1] != person.id]
                others = [(who, trial_of(conn, batch, who)) for batch, who in tried]
            names = {one.id: one.name for one in known_reviewers(conn, person)}
        return page(
            "calibration.html",
            request=request,
            trials=own,
            others=others,
            names=names,
            may_make=person.may(Action.ASSIGN),
        )

    @router.post("/calibration")
    def new_batch(
        person: Assigner, name: Annotated[str, Form()] = "", most: Annotated[str, Form()] = "20"
    ) -> Response:
        wanted = int(most) if most.isascii() and most.isdigit() and len(most) < 5 else 0
        clean = shop.writing().clean([name.strip()[:60]])[0]
        if not clean or "/" in clean or not wanted:
            raise RefusedError("invalid", "Give the batch a short name without a slash, and a number.", 422)
        with shop.database.begin() as conn:
            made = make_batch(conn, clean, wanted, person.id, shop.clock.now())
        if not made:
            raise RefusedError(
                "nothing_decided", "The name is taken, or no case was agreed on or decided yet to make it of."
            )
        return RedirectResponse("/calibration", 303)

    @router.get("/calibration/{batch}/{unit_id}")
    def item(request: Request, batch: str, unit_id: str, person: Labeller) -> Response:
        with shop.database.read() as conn:
            if find_answer(conn, batch, row_id(unit_id), person.id) is not None:
                # A step back: it is said, and what was known of it is not shown before the batch is done.
                return RedirectResponse("/calibration", 303)
            stored = unit_by_id(conn, row_id(unit_id))
            _require_item(conn, batch, row_id(unit_id), person)
            if stored is None or stored.content is None:
                raise no_such_answer()
            view = unit_view(stored)
            root = f"/calibration/{batch}/{view.id}"
            places = {
                "lease": f"{root}/lease",
                "save": f"{root}/draft",
                "give": f"{root}/answer",
                "list": "/calibration",
            }
            state = page_state(conn, person, view, f"calibration:{batch}", places)
            guideline = current_guideline(conn)
        return page(
            "trial.html",
            request=request,
            unit=view,
            standing=_TRIAL,
            state=state,
            guideline=guideline,
            batch=batch,
        )

    @router.post("/calibration/{batch}/{unit_id}/lease")
    def lease(batch: str, unit_id: str, person: Labeller) -> Response:
        # A trial keeps nobody from the answer: there is nothing to reserve.
        with shop.database.read() as conn:
            at_hand(conn, row_id(unit_id))
            _require_item(conn, batch, row_id(unit_id), person)
        return JSONResponse({"expires_at": None, "batch": batch, "annotator": person.id})

    @router.put("/calibration/{batch}/{unit_id}/draft")
    def draft(batch: str, unit_id: str, person: Labeller, body: JsonBody) -> Response:
        base, save_id, document, seconds = saved_from(body)
        key = DraftKey(row_id(unit_id), person.id, f"calibration:{batch}")
        clean = _cleaned(shop, key, document)
        with shop.database.begin() as conn:
            _require_item(conn, batch, key.unit_id, person)
            at_hand(conn, key.unit_id)
            saved = save_draft(conn, key, base, save_id, draft_document(clean), seconds, shop.clock.now())
        if saved.conflict:
            raise _conflict(saved.draft)
        return JSONResponse({"revision": saved.draft.revision})

    @router.post("/calibration/{batch}/{unit_id}/answer")
    def answer(batch: str, unit_id: str, person: Labeller, body: JsonBody) -> Response:
        key = DraftKey(row_id(unit_id), person.id, f"calibration:{batch}")
        sent = sent_of(body)
        clean = _cleaned(shop, key, sent.document)
        try:
            annotation_of(clean, "trial", person.id, "annotator", None)
        except DeadLetterError as error:
            raise RefusedError(error.reason, f"Not finished: {error.detail}.", 422) from None
        now = shop.clock.now()
        with shop.database.begin() as conn:
            at_hand(conn, key.unit_id, lock=True)
            said = find_answer(conn, batch, key.unit_id, person.id)
            # What is sent again because its answer was lost on the way is not refused.
            if said is None or said.document != draft_document(clean):
                _require_item(conn, batch, key.unit_id, person)
                stored = find_draft(conn, key)
                if stored is not None and stored.revision != sent.base_revision:
                    raise _conflict(stored)
                seconds = stored.seconds if stored else None
                add_answer(
                    conn,
                    CalibrationAnswer(batch, key.unit_id, person.id, draft_document(clean), seconds, now),
                )
                mark_submitted(conn, key, draft_document(clean), now)
            following = trial_of(conn, batch, person.id).next_unit
        return JSONResponse({"next": f"/calibration/{batch}/{following}" if following else "/calibration"})

    return router


def _require_item(conn: Connection, batch: str, unit_id: int, person: Person) -> None:
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
