"""Routes of adjudication: the list of cases, one case with its opinions, the decision."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import JSONResponse

from sentinel.review.double_review.adjudicating import (
    cases_to_decide,
    count_cases,
    decision_proposal,
)
from sentinel.review.double_review.opened_case import keep_case, open_case
from sentinel.review.identity.limits import counted_submit
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.labelling_page.guideline import current_guideline
from sentinel.review.labelling_page.opinions import missing_words, save
from sentinel.review.labelling_page.page_state import page_state
from sentinel.review.labelling_page.routes import JsonBody, given_on_page, row_id, saved_from
from sentinel.review.pages import page
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
    def decide(request: Request, unit_id: str, person: Adjudicator) -> Response:
        case = open_case(shop, person, row_id(unit_id))
        with shop.database.read() as conn:
            state = page_state(
                conn,
                person,
                case.unit,
                "adjudication",
                _places(case.unit.id),
                decision_proposal(case.opinions),
            )
            guideline = current_guideline(conn)
        return page(
            "decide.html",
            request=request,
            unit=case.unit,
            opinions=case.opinions,
            notes=case.notes,
            state=state,
            guideline=guideline,
        )

    @router.post("/adjudication/{unit_id}/lease")
    def lease(unit_id: str, person: Adjudicator) -> Response:
        keep_case(shop, person, row_id(unit_id))
        return JSONResponse({})

    @router.put("/adjudication/{unit_id}/draft")
    def draft(unit_id: str, person: Adjudicator, body: JsonBody) -> Response:
        saved = save(shop, person, row_id(unit_id), "adjudication", *saved_from(body))
        return JSONResponse(
            {"revision": saved.draft.revision, "missing": missing_words(saved.draft.document)}
        )

    @router.post("/adjudication/{unit_id}/decision", dependencies=[Depends(counted_submit)])
    def decision(unit_id: str, person: Adjudicator, body: JsonBody) -> Response:
        given = given_on_page(shop, person, row_id(unit_id), "adjudication", body)
        with shop.database.read() as conn:
            following = cases_to_decide(conn, person.id, 1)
        place = f"/adjudication/{following[0].id}" if following else "/adjudication"
        return JSONResponse({**given, "next": place})

    return router


def _places(unit_id: int) -> dict[str, str]:
    root = f"/adjudication/{unit_id}"
    return {
        "lease": f"{root}/lease",
        "save": f"{root}/draft",
        "give": f"{root}/decision",
        "list": "/adjudication",
    }
