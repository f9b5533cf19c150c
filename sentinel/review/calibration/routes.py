"""Routes of calibration: batches, the labelling page of a trial, its answers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from starlette.responses import JSONResponse, RedirectResponse

from sentinel.review.calibration.trying import (
    give_trial,
    new_batch,
    open_trial,
    require_item,
    save_trial,
    slot_of,
    trials_seen,
)
from sentinel.review.identity.limits import counted_submit
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.labelling_page.guideline import current_guideline
from sentinel.review.labelling_page.page_state import page_state
from sentinel.review.labelling_page.routes import JsonBody, row_id, saved_from, sent_of
from sentinel.review.labelling_page.standing import Standing
from sentinel.review.pages import page
from sentinel.review.queueing.reviewers import known_reviewers
from sentinel.review.unit_access import at_hand
from sentinel.review.workshop import Workshop
from sentinel.store.calibration import find_answer

Labeller = Annotated[Person, Depends(allowed(Action.LABEL))]
Assigner = Annotated[Person, Depends(allowed(Action.ASSIGN))]
_TRIAL = Standing(has_own=False, may_label=True, is_over=False, word="trial")


def calibration_routes(shop: Workshop) -> APIRouter:
    """Return the routes of calibration."""
    router = APIRouter(include_in_schema=False)

    @router.get("/calibration")
    def batches(request: Request, person: Labeller) -> Response:
        with shop.database.read() as conn:
            own, others = trials_seen(conn, person)
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
    def make(
        person: Assigner, name: Annotated[str, Form()] = "", most: Annotated[str, Form()] = "20"
    ) -> Response:
        wanted = int(most) if most.isascii() and most.isdigit() and len(most) < 5 else 0
        new_batch(shop, person, name, wanted)
        return RedirectResponse("/calibration", 303)

    @router.get("/calibration/{batch}/{unit_id}")
    def item(request: Request, batch: str, unit_id: str, person: Labeller) -> Response:
        with shop.database.read() as conn:
            if find_answer(conn, batch, row_id(unit_id), person.id) is not None:
                # A step back: it is said, and what was known of it is not shown before the batch is done.
                return RedirectResponse("/calibration", 303)
            view = open_trial(conn, person, batch, row_id(unit_id))
            root = f"/calibration/{batch}/{view.id}"
            places = {
                "lease": f"{root}/lease",
                "save": f"{root}/draft",
                "give": f"{root}/answer",
                "list": "/calibration",
            }
            state = page_state(conn, person, view, slot_of(batch), places)
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
            require_item(conn, batch, row_id(unit_id), person)
        return JSONResponse({"expires_at": None, "batch": batch, "annotator": person.id})

    @router.put("/calibration/{batch}/{unit_id}/draft")
    def draft(batch: str, unit_id: str, person: Labeller, body: JsonBody) -> Response:
        saved = save_trial(shop, person, batch, row_id(unit_id), *saved_from(body))
        return JSONResponse({"revision": saved.draft.revision})

    @router.post("/calibration/{batch}/{unit_id}/answer", dependencies=[Depends(counted_submit)])
    def answer(batch: str, unit_id: str, person: Labeller, body: JsonBody) -> Response:
        sent = sent_of(body)
        following = give_trial(shop, person, batch, row_id(unit_id), sent.document, sent.base_revision)
        return JSONResponse({"next": f"/calibration/{batch}/{following}" if following else "/calibration"})

    return router
