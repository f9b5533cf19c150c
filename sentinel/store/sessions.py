"""Sessions of people who signed in, found by the hash of what their browser holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.access_tables import people, personal_tokens, sessions
from sentinel.store.people import StoredPerson


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session: used last at about `seen_at`, over at `expires_at` whatever happens.

    `token_id`: the token it was begun with, None where a proxy or provider vouched.
    """

    id_hash: str
    person: StoredPerson
    seen_at: datetime
    expires_at: datetime
    token_id: int | None


def begin_session(
    conn: Connection,
    id_hash: str,
    person_id: str,
    token_id: int | None,
    now: datetime,
    expires_at: datetime,
) -> None:
    """Write a new session. `token_id`: the token it was begun with, whose end ends it."""
    values: dict[str, Any] = {"id_hash": id_hash, "person_id": person_id, "token_id": token_id}
    values |= {"created_at": now, "seen_at": now, "expires_at": expires_at}
    conn.execute(sa.insert(sessions).values(values))


def find_session(conn: Connection, id_hash: str) -> StoredSession | None:
    """Return a session with its person; None where there is none."""
    joined = sessions.join(people, people.c.id == sessions.c.person_id)
    columns = (
        sessions.c.id_hash,
        sessions.c.seen_at,
        sessions.c.expires_at,
        sessions.c.token_id,
        people.c.id,
        people.c.name,
        people.c.role,
        people.c.created_at,
        people.c.removed_at,
    )
    query = sa.select(*columns).select_from(joined).where(sessions.c.id_hash == id_hash)
    row = conn.execute(query).one_or_none()
    if row is None:
        return None
    person = StoredPerson(row.id, row.name, row.role, row.created_at, row.removed_at)
    return StoredSession(row.id_hash, person, row.seen_at, row.expires_at, row.token_id)


def touch_session(conn: Connection, id_hash: str, now: datetime) -> None:
    """Note that a session is in use, and with it the token it was begun with.

    The token first, as where it is revoked: the other way round the two could wait for each other.
    """
    token_id = sa.select(sessions.c.token_id).where(sessions.c.id_hash == id_hash).scalar_subquery()
    used = sa.update(personal_tokens).where(personal_tokens.c.id == token_id)
    conn.execute(used.values(used_at=now))
    conn.execute(sa.update(sessions).where(sessions.c.id_hash == id_hash).values(seen_at=now))


def end_session(conn: Connection, id_hash: str) -> None:
    """Forget a session."""
    conn.execute(sa.delete(sessions).where(sessions.c.id_hash == id_hash))


def forget_sessions(conn: Connection, now: datetime) -> int:
    """Forget the sessions that are over; return how many there were."""
    return conn.execute(sa.delete(sessions).where(sessions.c.expires_at <= now)).rowcount
