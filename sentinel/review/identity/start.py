"""What must be so before a workbench starts: somebody can sign in, and people are known again."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from sentinel.errors import ConfigurationError
from sentinel.review.loopback import is_loopback
from sentinel.review.params import ReviewParams
from sentinel.store.people import any_valid_token


def require_sign_in(conn: Connection, params: ReviewParams, now: datetime) -> None:
    """Raise ConfigurationError where others could reach a workbench that asks nobody who they are."""
    if is_loopback(params.host) or params.access.is_vouched_for or any_valid_token(conn, now):
        return
    message = (
        f"review.host {params.host[:64]!r} is no loopback address, and nobody could sign in: make a token "
        "with `sentinel people add NAME --role admin`, or set review.access.oidc or review.access.proxy, "
        "or listen on 127.0.0.1 and reach it through an SSH tunnel"
    )
    raise ConfigurationError(message)


def require_key(params: ReviewParams, key: bytes | None) -> None:
    """Raise ConfigurationError where people who are vouched for would be strangers after each start."""
    if key is None and params.access.is_vouched_for:
        raise ConfigurationError(
            "review.access.key is not set, and this workbench has no sampling salt of its store either: with "
            "a proxy or a provider set SENTINEL_REVIEW__ACCESS__KEY to a long random string, and keep it"
        )
