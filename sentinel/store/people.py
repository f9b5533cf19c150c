"""People and their personal tokens. A token's secret is never here, only its hash."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.access_tables import people, personal_tokens, sessions
from sentinel.store.upsert import insert_into


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """Somebody as the store knows them. `removed_at`: since when they may do nothing any more."""

    id: str
    name: str
    role: str
    created_at: datetime
    removed_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A personal token: `prefix` is the part of it by which it is found, no secret.

    `used_at`: about when it, or a session begun with it, was used last; None is never, or not known.
    """

    id: int
    person: StoredPerson
    prefix: str
    secret_hash: str = field(repr=False)
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    used_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Return whether the token opens anything at a time."""
        return self.revoked_at is None and now < self.expires_at and self.person.removed_at is None


def add_person(
    conn: Connection, person_id: str, name: str, role: str, now: datetime, subject_hash: str | None = None
) -> StoredPerson | None:
    """Write a new person; None where the name, the id or the subject is taken."""
    values = {"id": person_id, "name": name, "role": role, "subject_hash": subject_hash, "created_at": now}
    statement = insert_into(conn, people).values(values).on_conflict_do_nothing()
    row = conn.execute(statement.returning(*people.c)).one_or_none()
    return None if row is None else _person(row)


def any_person(conn: Connection) -> bool:
    """Return whether anybody was ever added."""
    return conn.execute(sa.select(people.c.id).limit(1)).first() is not None


def all_people(conn: Connection) -> tuple[StoredPerson, ...]:
    """Return everybody by name, those removed among them."""
    return tuple(_person(row) for row in conn.execute(sa.select(people).order_by(people.c.name)))


def person_named(conn: Connection, name: str) -> StoredPerson | None:
    """Return the person of a name; None where there is none."""
    return _one(conn, people.c.name == name)


def person_by_id(conn: Connection, person_id: str) -> StoredPerson | None:
    """Return the person of an id; None where there is none."""
    return _one(conn, people.c.id == person_id)


def person_of_subject(conn: Connection, subject_hash: str) -> StoredPerson | None:
    """Return whom a proxy or provider vouches for under a keyed hash; None where they are new."""
    return _one(conn, people.c.subject_hash == subject_hash)


def set_role(conn: Connection, person_id: str, role: str) -> bool:
    """Give a person another role; False where there is no such person."""
    changed = sa.update(people).where(people.c.id == person_id).values(role=role)
    return bool(conn.execute(changed).rowcount)


def remove_person(conn: Connection, person_id: str, now: datetime) -> bool:
    """Take a person's access away, at once and with all sessions; their labels stay. False: not there."""
    there = sa.and_(people.c.id == person_id, people.c.removed_at.is_(None))
    removed = conn.execute(sa.update(people).where(there).values(removed_at=now)).rowcount
    conn.execute(sa.delete(sessions).where(sessions.c.person_id == person_id))
    return bool(removed)


def add_token(
    conn: Connection, person_id: str, prefix: str, secret_hash: str, now: datetime, expires_at: datetime
) -> int:
    """Write a new token and return its id."""
    values = {
        "person_id": person_id,
        "prefix": prefix,
        "secret_hash": secret_hash,
        "created_at": now,
        "expires_at": expires_at,
    }
    statement = sa.insert(personal_tokens).values(values).returning(personal_tokens.c.id)
    return int(conn.execute(statement).scalar_one())


def token_of_prefix(conn: Connection, prefix: str) -> StoredToken | None:
    """Return the token that begins with a prefix; None where there is none."""
    row = conn.execute(_tokens().where(personal_tokens.c.prefix == prefix)).one_or_none()
    return None if row is None else _token(row)


def token_by_id(conn: Connection, token_id: int) -> StoredToken | None:
    """Return the token of an id; None where there is none."""
    row = conn.execute(_tokens().where(personal_tokens.c.id == token_id)).one_or_none()
    return None if row is None else _token(row)


def tokens_of(conn: Connection, person_id: str) -> tuple[StoredToken, ...]:
    """Return the tokens of a person, oldest first."""
    query = _tokens().where(personal_tokens.c.person_id == person_id).order_by(personal_tokens.c.id)
    return tuple(_token(row) for row in conn.execute(query))


def all_tokens(conn: Connection) -> dict[str, list[StoredToken]]:
    """Return the tokens of everybody by person, oldest first."""
    found: dict[str, list[StoredToken]] = {}
    for row in conn.execute(_tokens().order_by(personal_tokens.c.id)):
        found.setdefault(row.person_id, []).append(_token(row))
    return found


def note_use(conn: Connection, token_id: int, now: datetime) -> None:
    """Note that a token is in use."""
    conn.execute(sa.update(personal_tokens).where(personal_tokens.c.id == token_id).values(used_at=now))


def lock_admins(conn: Connection) -> None:
    """Have other changes of admins wait until this transaction ends: each could spare the last but one."""
    conn.execute(
        sa.select(people.c.id).where(people.c.role == "admin").order_by(people.c.id).with_for_update()
    )


def admin_can_enter(conn: Connection, now: datetime, *, vouched: bool) -> bool:
    """Return whether an admin could sign in now: with a token, or, if `vouched`, by proxy or provider."""
    admins = sa.and_(people.c.role == "admin", people.c.removed_at.is_(None))
    valid = sa.and_(personal_tokens.c.revoked_at.is_(None), personal_tokens.c.expires_at > now)
    with_token = sa.exists().where(personal_tokens.c.person_id == people.c.id, valid)
    ways = sa.or_(with_token, people.c.subject_hash.is_not(None)) if vouched else with_token
    return conn.execute(sa.select(people.c.id).where(admins, ways).limit(1)).first() is not None


def any_valid_token(conn: Connection, now: datetime) -> bool:
    """Return whether anybody could sign in with a token."""
    valid = sa.and_(
        personal_tokens.c.revoked_at.is_(None),
        personal_tokens.c.expires_at > now,
        people.c.removed_at.is_(None),
    )
    return conn.execute(_tokens().where(valid).limit(1)).first() is not None


def revoke_token(conn: Connection, token_id: int, now: datetime) -> bool:
    """End a token and the sessions begun with it; False where it is not there or had ended already."""
    there = sa.and_(personal_tokens.c.id == token_id, personal_tokens.c.revoked_at.is_(None))
    revoked = conn.execute(sa.update(personal_tokens).where(there).values(revoked_at=now)).rowcount
    conn.execute(sa.delete(sessions).where(sessions.c.token_id == token_id))
    return bool(revoked)


def _one(conn: Connection, wanted: sa.ColumnElement[bool]) -> StoredPerson | None:
    row = conn.execute(sa.select(people).where(wanted)).one_or_none()
    return None if row is None else _person(row)


def _tokens() -> sa.Select[Any]:
    joined = personal_tokens.join(people, people.c.id == personal_tokens.c.person_id)
    of_person = (column.label(f"person_{column.name}") for column in _OF_PERSON)
    return sa.select(personal_tokens, *of_person).select_from(joined)


#: The columns of a person that a token's row brings along; `person_id` stands in it anyway.
_OF_PERSON = (people.c.name, people.c.role, people.c.created_at, people.c.removed_at)


def _person(row: sa.Row[Any]) -> StoredPerson:
    return StoredPerson(row.id, row.name, row.role, row.created_at, row.removed_at)


def _token(row: sa.Row[Any]) -> StoredToken:
    person = StoredPerson(
        row.person_id, row.person_name, row.person_role, row.person_created_at, row.person_removed_at
    )
    return StoredToken(
        row.id,
        person,
        row.prefix,
        row.secret_hash,
        row.created_at,
        row.expires_at,
        row.revoked_at,
        row.used_at,
    )
