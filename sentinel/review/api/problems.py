"""Refusals as problem documents (RFC 9457): type, title, status, detail, and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

#: The path that all of the API lies under.
API = "/api/v1"
MEDIA_TYPE = "application/problem+json"
_URN = "urn:sentinel:problem:"


class Problem(BaseModel):
    """Why a request was not fulfilled."""

    type: str = Field(description="A URN that names the kind of problem, for programs.")
    title: str = Field(description="The kind of problem, for people.")
    status: int
    detail: str | None = Field(None, description="What is wrong with this request; never a value of it.")
    mend: str = Field(description="What to do about it.")
    reason: str | None = Field(None, description="The rule that was broken, as one word.")
    errors: list[dict[str, Any]] | None = Field(None, description="Where in the request, rule by rule.")
    facts: dict[str, Any] | None = Field(
        None, description="What is there instead: in a conflict your own stored draft and its revision."
    )


#: What a refusal looks like.
EXAMPLE: dict[str, Any] = {
    "type": f"{_URN}conflict",
    "title": "In conflict with what is there",
    "status": 409,
    "detail": "This answer was changed on another page meanwhile.",
    "mend": "Look at the present state, then decide.",
    "reason": "conflict",
}
#: Status → word of the type, title, what to do about it.
_KINDS: dict[int, tuple[str, str, str]] = {
    400: ("bad-request", "The request cannot be read", "Send what the description of the API says."),
    401: ("not-signed-in", "Nobody is known for this request", "Send a valid token: Authorization: Bearer …"),
    403: ("not-permitted", "Not permitted", "Ask an admin for a role that may do this."),
    404: ("not-found", "There is no such thing", "Check the address; the queue lists what there is."),
    405: (
        "method-not-allowed",
        "Not possible here",
        "Use a method that the description names for this path.",
    ),
    406: ("not-acceptable", "No such form", "Accept application/json."),
    409: ("conflict", "In conflict with what is there", "Look at the present state, then decide."),
    410: ("gone", "No longer kept", "Take another answer."),
    413: ("too-large", "Too large", "Send it in parts."),
    415: ("unsupported-media-type", "Not a form that can be read", "Send application/json."),
    422: ("invalid", "Not valid", "Correct what is named, then send it again."),
    429: ("too-many-requests", "Too many requests", "Wait for the seconds named in Retry-After."),
    500: ("failed", "This failed", "Try again; the log of the process says why."),
    503: ("store-away", "The store is away", "Try again in a moment."),
}


class ProblemError(HTTPException):
    """A refusal that knows its detail, how to mend it, and the one word for the broken rule."""

    def __init__(
        self,
        status: int,
        detail: str,
        mend: str | None = None,
        *,
        reason: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, detail, headers)
        self.mend = mend
        self.reason = reason


def problem(
    status: int,
    detail: str | None = None,
    mend: str | None = None,
    *,
    reason: str | None = None,
    errors: Sequence[Mapping[str, Any]] | None = None,
    facts: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return the answer that tells of a problem."""
    word, title, way_out = _KINDS.get(status, _KINDS[400 if status < 500 else 500])
    body: dict[str, Any] = {"type": f"{_URN}{word}", "title": title, "status": status}
    if detail:
        body["detail"] = detail
    body["mend"] = mend or way_out
    if reason:
        body["reason"] = reason
    if errors:
        body["errors"] = list(errors)
    if facts:
        body["facts"] = dict(facts)
    return JSONResponse(body, status, dict(headers or {}), MEDIA_TYPE)


def of_http_error(error: HTTPException) -> JSONResponse:
    """Return the problem of a refusal that a route or the framework raised."""
    if isinstance(error, ProblemError):
        return problem(
            error.status_code, error.detail, error.mend, reason=error.reason, headers=error.headers
        )
    return problem(error.status_code, headers=error.headers)


def internal_error() -> JSONResponse:
    """Return the problem of a fault of ours: nothing of it is told."""
    return problem(500)


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return these problems as a route of the API declares them."""
    return {
        status: {
            "description": _KINDS[status][1],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }
