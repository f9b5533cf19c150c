"""All pages of the workbench on one router, and how their refusals look."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.responses import JSONResponse

from sentinel.review.api.problems import API, problem
from sentinel.review.calibration.routes import calibration_routes
from sentinel.review.double_review.routes import adjudication_routes
from sentinel.review.labelling_page.routes import labelling_routes
from sentinel.review.overview.routes import overview_routes
from sentinel.review.pages import message
from sentinel.review.people.routes import people_pages
from sentinel.review.queueing.routes import assignment_routes
from sentinel.review.refusals import RefusedError
from sentinel.review.routes import queue_routes
from sentinel.review.workshop import Workshop


def workbench_routes(shop: Workshop) -> APIRouter:
    """Return the routes of all pages."""
    router = APIRouter(include_in_schema=False)
    for routes in (
        queue_routes(shop),
        labelling_routes(shop),
        assignment_routes(shop),
        adjudication_routes(shop),
        calibration_routes(shop),
        overview_routes(shop),
        people_pages(shop),
    ):
        router.include_router(routes)
    return router


def show_refusals(app: FastAPI) -> None:
    """Answer a refusal as the request wants it: JSON for scripts, a page for people."""

    @app.exception_handler(RefusedError)
    def refused(request: Request, error: RefusedError) -> Response:
        if request.url.path.startswith(API):
            return problem(error.status, str(error), error.mend, reason=error.code, facts=error.facts)
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse(error.document(), error.status)
        return message("This is not possible", str(error), error.status)
