"""The workbench as a web application: pages, API, style sheet, metrics and health."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

from sentinel.clock import Clock
from sentinel.errors import DeadLetterError, SentinelError
from sentinel.review.api.problems import API, of_http_error, problem
from sentinel.review.api.routes import add_api
from sentinel.review.gauges import clear_gauges, refresh_gauges
from sentinel.review.guard import Guard
from sentinel.review.identity.identification import Identity
from sentinel.review.identity.limits import SubmitLimit
from sentinel.review.identity.origin import is_forwarded
from sentinel.review.identity.permission import Action, open_here, open_to_all
from sentinel.review.identity.sign_in import offer_sign_in, sign_in_routes
from sentinel.review.label_redaction import LabelRedaction, RedactionUnavailableError
from sentinel.review.loopback import is_loopback
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
_METRICS = "/metrics"


def create_app(
    database: Database,
    params: ReviewParams,
    metrics: Metrics,
    health: Health,
    clock: Clock,
    redaction: LabelRedaction,
    show_more: Callable[[Connection | None], None] | None = None,
    budget: tuple[float, str] | None = None,
) -> FastAPI:
    """Return the workbench on an up-to-date store.

    `redaction` is what every text passes before it is written; its key is the store's. `show_more` sets
    further gauges from the store whenever it is scraped; with None the store is away. `budget` is how many
    reviews are expected and per what.
    """
    app = FastAPI(title="sentinel workbench", docs_url=None, redoc_url=None, openapi_url=None)
    identity = Identity.of(database, params.access, redaction.key, clock, is_local=is_loopback(params.host))
    app.state.identify = identity.identify
    app.state.submits = SubmitLimit(params.access, clock)
    app.add_middleware(Guard, host=params.host, params=params.access)
    app.include_router(sign_in_routes(identity))
    shop = Workshop(database, params, clock, TextDoor(redaction), budget)
    app.include_router(workbench_routes(shop))
    show_refusals(app)
    add_api(app, shop, redaction)
    _add_open_routes(
        app, lambda: _look_at_store(database, metrics, health, clock, show_more), metrics, health, params
    )
    _handle_errors(app, health)
    return app


def _add_open_routes(
    app: FastAPI, look: Callable[[], None], metrics: Metrics, health: Health, params: ReviewParams
) -> None:
    static = static_files()
    is_local = is_loopback(params.host)

    def may_scrape(request: Request) -> bool:
        return params.access.open_metrics or (is_local and not is_forwarded(request))

    everybody = [Depends(open_to_all)]

    @app.get("/static/{name}", dependencies=everybody, include_in_schema=False)
    def static_file(name: str) -> Response:
        if name not in static:
            raise HTTPException(404)
        content, media_type = static[name]
        return Response(content, media_type=media_type)

    def telemetry(request: Request) -> Response:
        path = request.url.path
        if path != "/healthz":
            look()
        answer = respond(path, request.headers.get("accept", ""), metrics, health)
        return Response(answer.body, answer.status, {"content-type": answer.content_type})

    # How many answers are open tells who labels blind whether somebody was before them.
    measurers = [Depends(open_here(Action.MEASURE, may_scrape))]
    for path, asked in ((_METRICS, measurers), ("/healthz", everybody), ("/readyz", everybody)):
        app.add_api_route(
            path, telemetry, methods=["GET", "HEAD"], dependencies=asked, include_in_schema=False
        )


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
    @app.exception_handler(RedactionUnavailableError)
    def redaction_away(request: Request, error: RedactionUnavailableError) -> Response:
        log.error("redaction does not work", error=str(error))
        if request.url.path.startswith(API):
            return problem(503, "Redaction does not work, so nothing was written.", "Ask an admin to look.")
        return message("Nothing was written", "Personal data cannot be taken out now. Ask an admin.", 503)

    @app.exception_handler(DeadLetterError)
    def unreadable(request: Request, error: DeadLetterError) -> Response:
        # One record, not the store: everything else can be served.
        log.error("page failed", error=str(error))
        if request.url.path.startswith(API):
            return problem(500)
        return message(
            "This failed", "Something stored cannot be read. The log of the process says what.", 500
        )

    @app.exception_handler(SentinelError)
    def store_away(request: Request, error: SentinelError) -> Response:
        health.set_not_ready(STORE_PART, error.outline)
        log.warning("page failed", error=str(error))
        if request.url.path.startswith(API):
            return problem(503, headers={"Retry-After": "5"})
        return message("The store is away", "The page can be loaded again in a moment.", 503)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if request.url.path.startswith(API):
            return of_http_error(error)
        if request.url.path == _METRICS:
            return PlainTextResponse("refused\n", error.status_code, error.headers)
        if error.status_code == 401 and "authorization" not in request.headers:
            return await offer_sign_in(request)
        title, text = _WORDS.get(error.status_code, _REFUSED)
        answer = await run_in_threadpool(message, title, text, error.status_code)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        if request.url.path.startswith(API):
            return problem(422, "The request breaks the rules named in errors.", errors=_rules(error))
        return message(*_REFUSED, 422)


_REFUSED = ("The request was refused", "The queue is where all answers start from.")
_WORDS = {
    401: ("Not signed in", "The token of this request opens nothing."),
    403: ("Not permitted", "Your role does not allow this, or the request came from another page than ours."),
    404: ("No such page", "The queue is where all answers start from."),
    405: ("Not possible here", "The queue is where all answers start from."),
    408: ("Too slow", "The connection is too slow, or it was cut: try again."),
    413: ("Too large", "This is more than a request may hold."),
    429: ("Too many requests", "Wait a minute, then try again."),
}


def _rules(error: RequestValidationError) -> list[dict[str, object]]:
    """Where in the request and which rule: without the value that stood there."""
    return [
        {"where": [str(part) for part in one["loc"]], "rule": str(one["msg"])} for one in error.errors()[:20]
    ]
