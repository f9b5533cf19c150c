"""Sessions: a random cookie in the browser, its hash in the store, and an end by idleness and by age."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.review.identity.params import AccessParams
from sentinel.store.database import Database
from sentinel.store.people import StoredToken
from sentinel.store.sessions import (
    StoredSession,
    begin_session,
    end_session,
    find_session,
    forget_sessions,
    touch_session,
)

#: How old the note of a session's last use may grow: a write for each page would be one too many.
_NOTED_EVERY = timedelta(minutes=1)


class Sessions:
    """Begins, finds and ends sessions. An id is always made here, never taken from a request."""

    def __init__(self, database: Database, params: AccessParams, clock: Clock) -> None:
        self._database = database
        self._idle = timedelta(hours=params.session_idle_hours)
        self._age = timedelta(hours=params.session_hours)
        self._clock = clock

    @property
    def seconds(self) -> int:
        """Return how long a browser should keep the cookie."""
        return int(self._age.total_seconds())

    def begin(self, conn: Connection, person_id: str, token: StoredToken | None, old: str | None) -> str:
        """Begin a session in place of the one the browser held before; return the cookie's value.

        `token`: the one it is begun with, whose end is its own at the latest.
        """
        now = self._clock.now()
        end = now + self._age if token is None else min(now + self._age, token.expires_at)
        forget_sessions(conn, now)
        if old is not None:
            end_session(conn, _hash(old))
        value = secrets.token_urlsafe(32)
        begin_session(conn, _hash(value), person_id, None if token is None else token.id, now, end)
        return value

    def find(self, value: str) -> StoredSession | None:
        """Return the session of a cookie, None where it is over, and note that it is in use."""
        now = self._clock.now()
        with self._database.read() as conn:
            session = find_session(conn, _hash(value))
        if session is None or session.person.removed_at is not None:
            return None
        if now >= session.expires_at or now - session.seen_at >= self._idle:
            return None
        if now - session.seen_at >= _NOTED_EVERY:
            with self._database.begin() as conn:
                touch_session(conn, session.id_hash, now)
        return session

    def end(self, conn: Connection, value: str) -> None:
        """End the session of a cookie."""
        end_session(conn, _hash(value))


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
