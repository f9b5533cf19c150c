"""Pages of the workbench: the queue, and one answer beside its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response

from sentinel.review.identity.permission import Action, allowed
from sentinel.review.pages import message, page
from sentinel.review.params import ReviewParams
from sentinel.review.queue import (
    STATUSES,
    QueueFilter,
    known_apps,
    known_reasons,
    queue_page,
    status_totals,
    unit_by_id,
)
from sentinel.review.unit_view import unit_view
from sentinel.store.database import Database
from sentinel.store.unit_rows import UnitStatus

_LARGEST_ID = 2**63 - 1


def review_routes(database: Database, params: ReviewParams) -> APIRouter:
    """Return the routes of the pages."""
    router = APIRouter(dependencies=[Depends(allowed(Action.VIEW))], include_in_schema=False)

    @router.get("/")
    def queue(request: Request) -> Response:
        query = request.query_params
        with database.read() as conn:
            totals = status_totals(conn)
            wanted = _filter(query, totals)
            rows = queue_page(
                conn, wanted, params.page_size, after=_id(query.get("after")), before=_id(query.get("before"))
            )
            apps, reasons = known_apps(conn), known_reasons(conn)
        kept = {
            "status": "labelled" if wanted.reason else wanted.status or "all",
            "app": wanted.app or "",
            "reason": wanted.reason or "",
        }
        return page(
            "queue.html",
            request=request,
            page=rows,
            totals=totals,
            statuses=STATUSES,
            apps=apps,
            reasons=reasons,
            chosen=kept,
            link=lambda **more: "/?" + urlencode({k: v for k, v in (kept | more).items() if v}),
        )

    @router.get("/units/{unit_id}")
    def unit(request: Request, unit_id: str) -> Response:
        number = _id(unit_id)
        if number is not None:
            with database.read() as conn:
                stored = unit_by_id(conn, number)
            if stored is not None:
                return page("unit.html", request=request, unit=unit_view(stored))
        return message("No such answer", "There is no drawn answer with this number.", 404)

    return router


def _filter(query: Mapping[str, str], totals: Mapping[str, int]) -> QueueFilter:
    """Return the filter of a request; without one, what waits, or all where nothing does."""
    asked = query.get("status")
    status: UnitStatus | None = None
    if asked in STATUSES:
        status = asked
    elif asked != "all" and totals.get("pending"):
        status = "pending"
    return QueueFilter(status, query.get("app") or None, query.get("reason") or None)


def _id(text: str | None) -> int | None:
    """Return a row id, None where the text is none."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return min(int(text), _LARGEST_ID)
