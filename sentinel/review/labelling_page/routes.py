"""Routes of the labelling page: the page, its drafts, leases, and the opinion in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Body, Depends, Form, Request, Response
from starlette.responses import JSONResponse, RedirectResponse

from sentinel.review.identity.limits import counted_submit
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.labelling_page.giving_once import give_once
from sentinel.review.labelling_page.guideline import current_guideline
from sentinel.review.labelling_page.leftover_data import KINDS, remove_left_over
from sentinel.review.labelling_page.opinions import Sent, Slot, give, missing_words, save
from sentinel.review.labelling_page.page_state import page_state
from sentinel.review.labelling_page.reserving import escalate, keep_open, skip, take_next
from sentinel.review.labelling_page.standing import standing_of
from sentinel.review.pages import message, page
from sentinel.review.queueing.asked import kept_query, work_filter
from sentinel.review.unit_access import unit_by_id
from sentinel.review.unit_view import unit_view
from sentinel.review.workshop import Workshop

_LARGEST_ID = 2**63 - 1
Viewer = Annotated[Person, Depends(allowed(Action.VIEW))]
Labeller = Annotated[Person, Depends(allowed(Action.LABEL))]
JsonBody = Annotated[dict[str, Any], Body()]


def row_id(text: str) -> int:
    """Return the row id of a path, 0 (which no row has) where it is none."""
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        return 0
    return min(int(text), _LARGEST_ID)


def labelling_routes(shop: Workshop) -> APIRouter:
    """Return the routes of the labelling page."""
    router = APIRouter(include_in_schema=False)

    def following(person: Person, query: Mapping[str, str]) -> str:
        """Take the next answer of a filter, and return the page to go on with: the filter goes along."""
        kept = kept_query(query)
        unit_id = take_next(shop, person, work_filter(query, shop.clock.now(), person))
        if unit_id is None:
            return f"/?{kept}&done=1" if kept else "/?done=1"
        return f"/units/{unit_id}?{kept}" if kept else f"/units/{unit_id}"

    @router.get("/units/{unit_id}")
    def unit(request: Request, unit_id: str, person: Viewer) -> Response:
        now = shop.clock.now()
        with shop.database.read() as conn:
            stored = unit_by_id(conn, row_id(unit_id))
            if stored is None:
                return message("No such answer", "There is no drawn answer with this number.", 404)
            view = unit_view(stored)
            standing = standing_of(conn, person, stored, now)
            if not view.has_content or not standing.may_label or shop.door is None:
                return page("unit.html", request=request, unit=view, standing=standing)
            kept = kept_query(request.query_params)
            state = page_state(conn, person, view, "opinion", _places(view.id, kept))
            guideline = current_guideline(conn)
        return page(
            "label.html",
            request=request,
            unit=view,
            standing=standing,
            state=state,
            guideline=guideline,
            kinds=KINDS,
            kept=kept,
        )

    @router.post("/next")
    def next_answer(person: Labeller, filters: Annotated[str, Form()] = "") -> Response:
        return RedirectResponse(following(person, dict(parse_qsl(filters[:4000]))), 303)

    @router.post("/units/{unit_id}/lease")
    def lease(unit_id: str, person: Labeller) -> Response:
        held = keep_open(shop, person, row_id(unit_id))
        return JSONResponse({"expires_at": None if held is None else held.expires_at.isoformat()})

    @router.put("/units/{unit_id}/draft")
    def draft(unit_id: str, person: Labeller, body: JsonBody) -> Response:
        saved = save(shop, person, row_id(unit_id), "opinion", *saved_from(body))
        return JSONResponse(
            {"revision": saved.draft.revision, "missing": missing_words(saved.draft.document)}
        )

    @router.post("/units/{unit_id}/opinion", dependencies=[Depends(counted_submit)])
    def opinion(request: Request, unit_id: str, person: Labeller, body: JsonBody) -> Response:
        given = given_on_page(shop, person, row_id(unit_id), "opinion", body)
        place = following(person, request.query_params) if body.get("go_on") else "/"
        # How the review stands now is not told: a second opinion that follows would say what the first was.
        return JSONResponse({**given, "next": place})

    @router.post("/units/{unit_id}/skip")
    def skipped(request: Request, unit_id: str, person: Labeller, body: JsonBody) -> Response:
        skip(shop, person, row_id(unit_id), str(body.get("reason") or "")[:2000])
        return JSONResponse({"next": following(person, request.query_params)})

    @router.post("/units/{unit_id}/escalate")
    def escalated(request: Request, unit_id: str, person: Labeller, body: JsonBody) -> Response:
        escalate(shop, person, row_id(unit_id), str(body.get("reason") or "")[:2000])
        return JSONResponse({"next": following(person, request.query_params)})

    @router.post("/units/{unit_id}/personal-data", dependencies=[Depends(counted_submit)])
    def personal_data(unit_id: str, person: Labeller, body: JsonBody) -> Response:
        removed = remove_left_over(
            shop, person, row_id(unit_id), str(body.get("words") or ""), str(body.get("kind") or "")
        )
        return JSONResponse({"in_answer": removed.in_answer, "in_labels": removed.in_labels})

    return router


def saved_from(body: dict[str, Any]) -> tuple[int, str, Any, float]:
    """Return base revision, save id, draft and seconds of a page's request to save."""
    save_id = str(body.get("save_id") or "")[:80]
    return _whole(body.get("base_revision")), save_id, body.get("draft"), _seconds(body.get("seconds"))


def sent_of(body: dict[str, Any]) -> Sent:
    """Return the opinion of a page's request."""
    key = body.get("idempotency_key")
    version = body.get("guideline_version")
    return Sent(
        body.get("draft"),
        _whole(body.get("base_revision")),
        str(key)[:80] if key else None,
        str(version)[:128] if version else None,
        _seconds(body.get("seconds")),
    )


def given_on_page(
    shop: Workshop, person: Person, unit_id: int, slot: Slot, body: dict[str, Any]
) -> dict[str, Any]:
    """Give the opinion of a page's request, once however often it is sent; return what the page is told."""
    sent = sent_of(body)
    request = {"unit": unit_id, "slot": slot, "draft": sent.document, "guideline": sent.guideline_version}
    answered = give_once(
        shop,
        person,
        sent.idempotency_key,
        request,
        lambda borne: give(shop, person, unit_id, slot, replace(sent, idempotency_key=borne)),
        lambda given: {"annotation_id": given.annotation_id},
    )
    return answered.body


def _places(unit_id: int, kept: str) -> dict[str, str]:
    root, query = f"/units/{unit_id}", f"?{kept}" if kept else ""
    return {
        "lease": f"{root}/lease",
        "save": f"{root}/draft",
        "give": f"{root}/opinion{query}",
        "skip": f"{root}/skip{query}",
        "escalate": f"{root}/escalate{query}",
        "personal_data": f"{root}/personal-data",
    }


def _whole(value: Any) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return value if is_whole else 0


def _seconds(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 <= value < 1e6
    return float(value) if is_number else 0.0
