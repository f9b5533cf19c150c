"""All routes of the API on one router, and the description of them."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.openapi.utils import get_openapi

from sentinel import __version__
from sentinel.review.api.adjudication_routes import adjudication_routes
from sentinel.review.api.calibration_routes import calibration_api
from sentinel.review.api.draft_routes import draft_routes
from sentinel.review.api.label_routes import label_routes
from sentinel.review.api.oversight_routes import oversight_routes
from sentinel.review.api.people_routes import people_routes
from sentinel.review.api.problems import API, EXAMPLE, Problem, described
from sentinel.review.api.queue_routes import queue_routes
from sentinel.review.api.report_routes import report_routes
from sentinel.review.api.shared import ApiParts
from sentinel.review.api.unit_routes import unit_routes
from sentinel.review.api.work_routes import work_routes
from sentinel.review.identity.permission import open_to_all
from sentinel.review.label_redaction import LabelRedaction
from sentinel.review.workshop import Workshop

DESCRIPTION = f"{API}/openapi.json"
_ABOUT = (
    "Everything the pages of the workbench do. Sign requests with a personal token "
    "(`sentinel people token new NAME`): `Authorization: Bearer …`. "
    "Refusals are problem documents (RFC 9457)."
)


def add_api(app: FastAPI, shop: Workshop, redaction: LabelRedaction) -> None:
    """Add the API and its description to the application."""
    parts = ApiParts(shop, redaction)
    router = APIRouter(prefix=API, responses=described(401, 403, 404, 405, 422, 429, 503))
    for routes in (
        queue_routes,
        unit_routes,
        work_routes,
        draft_routes,
        label_routes,
        adjudication_routes,
        calibration_api,
        report_routes,
        oversight_routes,
        people_routes,
    ):
        router.include_router(routes(parts))

    @cache
    def description() -> dict[str, Any]:
        return _description(app)

    @router.get("/openapi.json", include_in_schema=False, dependencies=[Depends(open_to_all)])
    def openapi() -> dict[str, Any]:
        return description()

    app.include_router(router)


def _description(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="sentinel workbench", version=__version__, description=_ABOUT, routes=app.routes
    )
    components = document.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema() | {"examples": [EXAMPLE]}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"token": []}]
    return document
