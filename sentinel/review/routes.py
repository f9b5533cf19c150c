"""The queue page: what a person can open, with filters; for those who give out work all there is."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response

from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.pages import page
from sentinel.review.queueing.asked import AGES, asked
from sentinel.review.queueing.looking import look_at_queue
from sentinel.review.workshop import Workshop

Viewer = Annotated[Person, Depends(allowed(Action.VIEW))]


def queue_routes(shop: Workshop) -> APIRouter:
    """Return the routes of the queue page."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def queue(request: Request, person: Viewer) -> Response:
        query = request.query_params
        with shop.database.read() as conn:
            look = look_at_queue(conn, person, query, shop.params.page_size, shop.clock.now())
        kept = asked(query) | {"status": look.tab}
        if kept.get("reason") and look.tab != "open":
            kept["status"] = "labelled"
        return page(
            "queue.html",
            request=request,
            look=look,
            ages={word: words for word, (words, _, _) in AGES.items()},
            chosen=kept,
            may_label=person.may(Action.LABEL) and shop.door is not None,
            may_assign=person.may(Action.ASSIGN),
            kept=urlencode(asked(query)),
            done=query.get("done"),
            link=lambda **more: "/?" + urlencode({k: v for k, v in (kept | more).items() if v}),
        )

    return router
