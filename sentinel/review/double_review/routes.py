"""Routes of adjudication: the list of cases, one case with its opinions, the decision."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import JSONResponse

from sentinel.review.double_review.adjudicating import (
    cases_to_decide,
    count_cases,
    decision_proposal,
    escalation_notes,
    opinions_of,
)
from sentinel.review.identity.limits import counted_submit
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.labelling_page.guideline import current_guideline
from sentinel.review.labelling_page.opinions import entitle_adjudicator, give, missing_words, save
from sentinel.review.labelling_page.page_state import page_state
from sentinel.review.labelling_page.routes import JsonBody, row_id, saved_from, sent_of
from sentinel.review.pages import page
from sentinel.review.refusals import no_such_answer
from sentinel.review.unit_access import at_hand, unit_by_id
from sentinel.review.unit_view import unit_view
from sentinel.review.workshop import Workshop

Adjudicator = Annotated[Person, Depends(allowed(Action.ADJUDICATE))]


def adjudication_routes(shop: Workshop) -> APIRouter:
    """Return the routes of adjudication."""
    router = APIRouter(include_in_schema=False)

    @router.get("/adjudication")
    def cases(request: Request, person: Adjudicator) -> Response:
        with shop.database.read() as conn:
            found, total = cases_to_decide(conn, person.id), count_cases(conn, person.id)
        return page("adjudication.html", request=request, cases=found, total=total)

    @router.get("/adjudication/{unit_id}")
    def case(request: Request, unit_id: str, person: Adjudicator) -> Response:
        number = row_id(unit_id)
        with shop.database.begin() as conn:
            # Whoever may not decide does not get to see the opinions.
            entitle_adjudicator(conn, shop, person, at_hand(conn, number, lock=True))
        with shop.database.read() as conn:
            stored = unit_by_id(conn, number)
            if stored is None:
                raise no_such_answer()
            view = unit_view(stored)
            opinions = opinions_of(conn, view.event_id)
            state = page_state(
                conn, person, view, "adjudication", _places(view.id), decision_proposal(opinions)
            )
            notes, guideline = escalation_notes(conn, view.id), current_guideline(conn)
        return page(
            "decide.html",
            request=request,
            unit=view,
            opinions=opinions,
            notes=notes,
            state=state,
            guideline=guideline,
        )

    @router.post("/adjudication/{unit_id}/lease")
    def lease(unit_id: str, person: Adjudicator) -> Response:
        with shop.database.begin() as conn:
            entitle_adjudicator(conn, shop, person, at_hand(conn, row_id(unit_id), lock=True))
        return JSONResponse({})

    @router.put("/adjudication/{unit_id}/draft")
    def draft(unit_id: str, person: Adjudicator, body: JsonBody) -> Response:
        saved = save(shop, person, row_id(unit_id), "adjudication", *saved_from(body))
        return JSONResponse(
            {"revision": saved.draft.revision, "missing": missing_words(saved.draft.document)}
        )

    @router.post("/adjudication/{unit_id}/decision", dependencies=[Depends(counted_submit)])
    def decision(unit_id: str, person: Adjudicator, body: JsonBody) -> Response:
        given = give(shop, person, row_id(unit_id), "adjudication", sent_of(body))
        with shop.database.read() as conn:
            following = cases_to_decide(conn, person.id, 1)
        place = f"/adjudication/{following[0].id}" if following else "/adjudication"
        return JSONResponse({"annotation_id": given.annotation_id, "next": place})

    return router


def _places(unit_id: int) -> dict[str, str]:
    root = f"/adjudication/{unit_id}"
    return {
        "lease": f"{root}/lease",
        "save": f"{root}/draft",
        "give": f"{root}/decision",
        "list": "/adjudication",
    }
