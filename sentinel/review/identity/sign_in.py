"""The pages and routes by which people sign in and out."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlencode

import structlog
from fastapi import APIRouter, Depends, Form, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from sentinel.errors import RetryError
from sentinel.review.identity.attempts import TooManyAttemptsError
from sentinel.review.identity.identification import Identity
from sentinel.review.identity.oidc import FLOW_SECONDS, OidcProvider, RefusedError
from sentinel.review.identity.origin import address_of, is_from_own_page
from sentinel.review.identity.permission import Action, Person, allowed, open_to_all
from sentinel.review.pages import message, page
from sentinel.store.audit import record_deed
from sentinel.store.people import StoredToken

log = structlog.get_logger("review")
SIGN_IN = "/sign-in"
_RETURN = "/sign-in/oidc/return"
_FLOW_COOKIE = "sentinel_flow"
#: A path of ours: browsers read `//host` and `/\\host` as another site, and drop tabs and line feeds.
_OWN_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")
_LONGEST_PATH = 2048


def own_path(wanted: str | None) -> str:
    """Return a path of this workbench to go on to: the one wanted if it is one, else the queue."""
    if wanted and len(wanted) <= _LONGEST_PATH and _OWN_PATH.fullmatch(wanted):
        return "/" if wanted.startswith(SIGN_IN) else wanted
    return "/"


def sign_in_path(request: Request) -> str:
    """Return the sign-in page that leads back to what was asked for."""
    query = f"?{request.url.query}" if request.url.query else ""
    following = own_path(request.url.path + query)
    return SIGN_IN if following == "/" else f"{SIGN_IN}?{urlencode({'next': following})}"


def sign_in_routes(identity: Identity) -> APIRouter:
    """Return the routes of signing in and out."""
    router = APIRouter(include_in_schema=False)
    provider = OidcProvider(identity.params.oidc, identity.key) if identity.params.oidc.issuer else None

    def form(following: str, problem: str | None = None, status: int = 200) -> Response:
        return page(
            "sign_in.html", status, following=following, problem=problem, has_provider=provider is not None
        )

    @router.get(SIGN_IN, dependencies=[Depends(open_to_all)])
    def sign_in_page(request: Request) -> Response:
        return form(own_path(request.query_params.get("next")))

    @router.post(SIGN_IN, dependencies=[Depends(open_to_all)])
    def sign_in(
        request: Request,
        token: Annotated[str, Form()] = "",
        following: Annotated[str, Form(alias="next")] = "",
    ) -> Response:
        if not is_from_own_page(request, identity.params):
            raise HTTPException(403)
        try:
            found = identity.attempts.sign_in(token.strip(), address_of(request, identity.params))
        except TooManyAttemptsError as error:
            answer = form(own_path(following), "Too many attempts. Wait a minute, then try again.", 429)
            answer.headers["Retry-After"] = error.retry_after
            return answer
        if found is None:
            return form(
                own_path(following), "This token opens nothing: it is mistyped, ended or revoked.", 401
            )
        return _with_session(identity, request, found.person.id, found, own_path(following))

    @router.post("/sign-out")
    def sign_out(request: Request, person: Annotated[Person, Depends(allowed(Action.VIEW))]) -> Response:
        cookie = request.cookies.get(identity.cookie)
        if cookie:
            with identity.database.begin() as conn:
                identity.sessions.end(conn, cookie)
                record_deed(conn, person.id, "signed_out", identity.clock.now())
        answer = RedirectResponse(SIGN_IN, 303)
        answer.delete_cookie(identity.cookie, secure=identity.is_secure, httponly=True, samesite="lax")
        return answer

    if provider is not None:
        _add_provider_routes(router, identity, provider)
    return router


def _add_provider_routes(router: APIRouter, identity: Identity, provider: OidcProvider) -> None:
    def redirect_uri(request: Request) -> str:
        # Without a public address the name in the address bar is one that the guard has let through.
        return (identity.params.public_url or f"http://{request.headers['host']}").rstrip("/") + _RETURN

    @router.get("/sign-in/oidc", dependencies=[Depends(open_to_all)])
    def to_provider(request: Request) -> Response:
        try:
            flow = provider.begin(redirect_uri(request), own_path(request.query_params.get("next")))
        except RetryError as error:
            return _provider_failed(str(error), 503)
        answer = RedirectResponse(flow.location, 303)
        answer.set_cookie(
            _FLOW_COOKIE,
            flow.cookie,
            max_age=FLOW_SECONDS,
            path=_RETURN,
            secure=identity.is_secure,
            httponly=True,
            samesite="lax",
        )
        return answer

    @router.get(_RETURN, dependencies=[Depends(open_to_all)])
    def from_provider(request: Request) -> Response:
        kept = request.cookies.get(_FLOW_COOKIE, "")
        params = identity.params.oidc
        try:
            claimed, following = provider.finish(redirect_uri(request), kept, request.query_params)
        except RefusedError as error:
            return _provider_failed(str(error), 403)
        except RetryError as error:
            return _provider_failed(str(error), 503)
        subject = f"oidc\n{params.issuer}\n{claimed.subject}"
        person = identity.vouched.person(subject, claimed.name, claimed.role, params.role)
        if person is None:
            return _provider_failed("an admin of this workbench has ended this access", 403)
        answer = _with_session(identity, request, person.id, None, own_path(following))
        answer.delete_cookie(_FLOW_COOKIE, path=_RETURN, secure=identity.is_secure, httponly=True)
        return answer


def _provider_failed(reason: str, status: int) -> Response:
    log.warning("sign-in failed", reason=reason)
    return message("Not signed in", f"{reason[:1].upper()}{reason[1:]}.", status)


def _with_session(
    identity: Identity, request: Request, person_id: str, token: StoredToken | None, following: str
) -> Response:
    with identity.database.begin() as conn:
        old = request.cookies.get(identity.cookie)
        value = identity.sessions.begin(conn, person_id, token, old)
        record_deed(conn, person_id, "signed_in", identity.clock.now())
    answer = RedirectResponse(following, 303)
    answer.set_cookie(
        identity.cookie,
        value,
        max_age=identity.sessions.seconds,
        secure=identity.is_secure,
        httponly=True,
        samesite="lax",
    )
    return answer


async def offer_sign_in(request: Request) -> Response:
    """Return where a page goes that nobody is known for."""
    is_page = request.method in ("GET", "HEAD") and "hx-request" not in request.headers
    if is_page:
        return RedirectResponse(sign_in_path(request), 303)
    return await run_in_threadpool(
        message, "Signed out", "Sign in again in another tab, then send this once more.", 401
    )
