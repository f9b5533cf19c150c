"""What every response of the workbench carries, and which requests get none.

Pages show text that strangers wrote: no script but our own may run, nothing may be fetched from elsewhere,
no other site may frame a page, and a name that merely points at this machine (DNS rebinding) is turned
away. What fails inside is answered here, so that not even an error goes without the headers.
"""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sentinel.review.api.problems import API, internal_error, problem
from sentinel.review.identity.params import AccessParams
from sentinel.review.loopback import is_address, is_loopback
from sentinel.review.pages import message

log = structlog.get_logger("review")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # Not `no-referrer`: browsers then call the origin of our own forms `null`, as they do a stranger's.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
#: A name or an address, and a port: nothing that readers of addresses could take apart differently.
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?")
#: How long a body may take to come, and the rate at which a long one may come slower.
BODY_SECONDS = 30.0
SLOWEST_BYTES_PER_SECOND = 65_536
#: Where files are taken in, which may be larger than what a page sends.
IMPORT_PATH = f"{API}/labels/import"


class Guard:
    """ASGI middleware: checks host and size, adds the security headers, answers for what fails."""

    def __init__(
        self, app: ASGIApp, host: str, params: AccessParams, body_seconds: float = BODY_SECONDS
    ) -> None:
        self._app = app
        self._params = params
        self._body_seconds = body_seconds
        self._is_local = is_loopback(host)
        public = urlsplit(params.public_url)
        self._names = {name for name in (public.hostname, host.lower()) if name}
        self._headers = dict(HEADERS)
        if public.scheme == "https":
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
            await send(message)

        headers = Headers(scope=scope)
        if not self._is_own(_host_name(headers.get("host", ""))):
            refusal = PlainTextResponse("This workbench answers to its own address only.\n", 421)
            await refusal(scope, receive, send_guarded)
            return
        if refused := _unread(headers):
            await _refusal(scope["path"], *refused)(scope, receive, send_guarded)
            return
        most = self._params.import_bytes if scope["path"] == IMPORT_PATH else self._params.body_bytes
        length = headers.get("content-length", "")
        if length.isdigit() and (len(length) > 18 or int(length) > most):
            await _too_large(scope["path"], most)(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, _bounded(receive, most, self._body_seconds), send_guarded)
        except Exception:
            log.exception("request failed")
            if begun:
                raise
            await _failed(scope["path"])(scope, receive, send_guarded)

    def _is_own(self, name: str) -> bool:
        """Whether a name is one this workbench is reached by: an address cannot be made to point here."""
        if name in self._names or is_loopback(name):
            return True
        return not self._is_local and is_address(name)


def _unread(headers: Headers) -> tuple[int, str] | None:
    """Return status and reason of a request whose body nothing may read; None where it may be read."""
    if "content-length" in headers and "transfer-encoding" in headers:
        # Two lengths: a proxy in front may believe the other one, and hand on a request inside of this one.
        return 400, "A request says how long it is in one way."
    if headers.get("content-type", "").strip().lower().startswith("multipart/"):
        # No form of ours is one. Each part names a codec of its own, and some take minutes for a megabyte.
        return 415, "Send forms as application/x-www-form-urlencoded."
    return None


def _bounded(receive: Receive, most: int, seconds: float) -> Receive:
    """Return a `receive` that takes `most` bytes of a body, and waits `seconds` for it.

    What comes buys more time, at the slowest rate that is worth waiting for.
    """
    taken = 0
    is_whole = False
    begun = asyncio.get_running_loop().time()

    async def receive_bounded() -> Message:
        nonlocal taken, is_whole
        if is_whole:
            # Whoever waits now waits for the client to go away.
            return await receive()
        try:
            async with asyncio.timeout_at(begun + seconds + taken / SLOWEST_BYTES_PER_SECOND):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, headers={"Connection": "close"}) from None
        taken += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if taken > most:
            raise HTTPException(413)
        return message

    return receive_bounded


def _too_large(path: str, most: int) -> Response:
    if path.startswith(API):
        return problem(413, f"A request may have {most} bytes.", "Send it in parts.")
    return message("Too large", f"A request may have {most:,} bytes.", 413)


def _refusal(path: str, status: int, why: str) -> Response:
    answer = problem(status, why) if path.startswith(API) else message("Not readable", why, status)
    # What follows on this connection may be a part of the same request.
    answer.headers["Connection"] = "close"
    return answer


def _failed(path: str) -> Response:
    if path.startswith(API):
        return internal_error()
    return message("This page failed", "The log of the process says where.", 500)


def _host_name(host: str) -> str:
    """Return the name in a Host header; empty where it is more than a name and a port."""
    try:
        return (urlsplit(f"//{host}").hostname or "") if _HOST.fullmatch(host) else ""
    except ValueError:
        return ""
