"""Routes with which work is given out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response

from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.pages import page
from sentinel.review.queue import known_slices
from sentinel.review.queueing.asked import AGES, asked, asked_filter, kept_query, work_filter
from sentinel.review.queueing.assigning import assign
from sentinel.review.queueing.reviewers import known_reviewers, open_reasons
from sentinel.review.queueing.selection import count_unreserved
from sentinel.review.workshop import Workshop

Assigner = Annotated[Person, Depends(allowed(Action.ASSIGN))]


def assignment_routes(shop: Workshop) -> APIRouter:
    """Return the routes of giving out work."""
    router = APIRouter(include_in_schema=False)

    def shown(request: Request, person: Person, told: str | None, query: dict[str, str]) -> Response:
        now = shop.clock.now()
        wanted = work_filter(query, now, person)
        with shop.database.read() as conn:
            return page(
                "assign.html",
                request=request,
                total=count_unreserved(conn, wanted, now),
                slices=known_slices(conn),
                reasons=open_reasons(conn),
                reviewers=known_reviewers(conn, person),
                ages={word: words for word, (words, _, _) in AGES.items()},
                chosen=query,
                kept=kept_query(query),
                told=told,
            )

    @router.get("/assign")
    def form(request: Request, person: Assigner) -> Response:
        return shown(request, person, None, asked(request.query_params))

    @router.post("/assign")
    def give_out(
        request: Request,
        person: Assigner,
        annotator: Annotated[str, Form()] = "",
        filters: Annotated[str, Form()] = "",
        most: Annotated[str, Form()] = "",
    ) -> Response:
        limit = int(most) if most.isascii() and most.isdigit() and len(most) < 7 else None
        done = assign(shop, person, annotator, asked_filter(filters, shop.clock.now(), person), limit)
        with shop.database.read() as conn:
            names = {one.id: one.name for one in known_reviewers(conn, person)}
        told = f"{done.given} answers are kept for {names.get(annotator, annotator)}."
        if done.left:
            told += f" {done.left} went to somebody else meanwhile."
        return shown(request, person, told, {})

    return router
