"""The workbench as a web application: pages, style sheet, metrics and health."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from fastapi import FastAPI, Request, Response
from sqlalchemy import Connection
from starlette.exceptions import HTTPException

from sentinel.clock import Clock
from sentinel.errors import SentinelError
from sentinel.review.gauges import clear_gauges, refresh_gauges
from sentinel.review.guard import Guard
from sentinel.review.identity.permission import local_person
from sentinel.review.pages import message, static_files
from sentinel.review.params import ReviewParams
from sentinel.review.text_door import TextDoor
from sentinel.review.workbench import show_refusals, workbench_routes
from sentinel.review.workshop import Workshop
from sentinel.store.database import Database
from sentinel.telemetry.health import Health
from sentinel.telemetry.http import respond
from sentinel.telemetry.metrics import Metrics

log = structlog.get_logger("review")
#: The part of the process that `/readyz` names when the store is away.
STORE_PART = "store"


def create_app(
    database: Database,
    params: ReviewParams,
    metrics: Metrics,
    health: Health,
    clock: Clock,
    show_more: Callable[[Connection | None], None] | None = None,
    door: TextDoor | None = None,
) -> FastAPI:
    """Return the workbench on an up-to-date store.

    `show_more` sets further gauges from the store whenever it is scraped; with None the store is away.
    """
    app = FastAPI(title="sentinel workbench", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.identify = local_person
    app.add_middleware(Guard)
    app.state.identify = local_person
    app.include_router(workbench_routes(Workshop(database, params, clock, door)))
    show_refusals(app)
    static = static_files()

    @app.get("/static/{name}")
    def static_file(name: str) -> Response:
        if name not in static:
            raise HTTPException(404)
        content, media_type = static[name]
        return Response(content, media_type=media_type)

    def telemetry(request: Request) -> Response:
        path = request.url.path
        if path != "/healthz":
            _look_at_store(database, metrics, health, clock, show_more)
        answer = respond(path, request.headers.get("accept", ""), metrics, health)
        return Response(answer.body, answer.status, {"content-type": answer.content_type})

    for path in ("/metrics", "/healthz", "/readyz"):
        app.add_api_route(path, telemetry, methods=["GET", "HEAD"])
    _handle_errors(app, health)
    return app


def _look_at_store(
    database: Database,
    metrics: Metrics,
    health: Health,
    clock: Clock,
    show_more: Callable[[Connection | None], None] | None,
) -> None:
    try:
        with database.read() as conn:
            refresh_gauges(conn, metrics, clock.now())
            if show_more is not None:
                show_more(conn)
    except SentinelError as error:
        clear_gauges(metrics)
        if show_more is not None:
            show_more(None)
        health.set_not_ready(STORE_PART, error.outline)
        log.warning("store away", error=str(error))
    else:
        health.set_ready(STORE_PART)


def _handle_errors(app: FastAPI, health: Health) -> None:
    @app.exception_handler(SentinelError)
    def store_away(_request: Request, error: SentinelError) -> Response:
        health.set_not_ready(STORE_PART, error.outline)
        log.warning("page failed", error=str(error))
        return message("The store is away", "The page can be loaded again in a moment.", 503)

    @app.exception_handler(HTTPException)
    def refused(_request: Request, error: HTTPException) -> Response:
        titles = {404: "No such page", 405: "Not possible here"}
        title = titles.get(error.status_code, "The request was refused")
        return message(title, "The queue is where all answers start from.", error.status_code)

    @app.exception_handler(Exception)
    def failed(_request: Request, error: Exception) -> Response:
        log.error("page failed", exc_info=error)
        return message("This page failed", "The log of the process says where.", 500)
