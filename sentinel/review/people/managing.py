"""Changes of people and tokens: by command, by page and by API the same steps, each in the audit trail.

Whoever changes something in the workbench must not lock everybody out: the last admin who could sign in stays
one, and what ends somebody's own access has to be meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Connection

from sentinel.characters import clean_text
from sentinel.review.identity.params import ROLE_NAMES
from sentinel.review.identity.tokens import new_person_id, new_token
from sentinel.review.refusals import RefusedError
from sentinel.store import people as stored
from sentinel.store.audit import record_deed
from sentinel.store.people import StoredPerson, StoredToken

NAME_CHARACTERS = 100
MOST_DAYS = 3650.0
#: Valid tokens that one person may hold at once.
MOST_TOKENS = 50


@dataclass(frozen=True, slots=True)
class Acting:
    """Who changes something, and when.

    `token_id`: the token by which they act now. `is_sure`: they mean what ends their own access.
    `is_guarded`: it has to be made sure that an admin can still sign in; `is_vouched`: a proxy or a provider
    signs people in, too.
    """

    person_id: str
    now: datetime
    token_id: int | None = None
    is_sure: bool = False
    is_guarded: bool = True
    is_vouched: bool = False


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A token that was just made: `text` is shown once and kept nowhere."""

    id: int
    person: StoredPerson
    prefix: str
    expires_at: datetime
    text: str = field(repr=False)


def add(conn: Connection, by: Acting, name: str, role: str, days: float) -> MadeToken:
    """Add a person with a first token.

    Raises:
        RefusedError: `name`, `role` or `days` break a rule, `taken` name, `first_admin`: the first person of
            a workbench that asks nobody yet is not an admin.
    """
    shown = " ".join(clean_text(name).split())
    if not shown or len(shown) > NAME_CHARACTERS or not shown.isprintable():
        raise RefusedError("name", f"A name has 1 to {NAME_CHARACTERS} printable characters.", 422)
    _require_role(role)
    if by.is_guarded and role != "admin" and not stored.any_person(conn):
        message = "The first person has to be an admin: from then on everybody has to sign in."
        raise RefusedError("first_admin", message)
    person = stored.add_person(conn, new_person_id(), shown, role, by.now)
    if person is None:
        raise RefusedError("taken", "This name is taken: give another, or make a new token for who bears it.")
    record_deed(conn, by.person_id, "person_added", by.now, about=f"{person.id} {role}")
    return make_token(conn, by, person.id, days)


def make_token(conn: Connection, by: Acting, person_id: str, days: float) -> MadeToken:
    """Make a further token for a person; the ones before stay valid.

    Raises:
        RefusedError: `person` is not there, `removed`, `days` break a rule, `too_many` tokens.
    """
    if not 0.01 <= days <= MOST_DAYS:
        raise RefusedError("days", f"A token lasts between 0.01 and {MOST_DAYS:.0f} days.", 422)
    person = found(conn, person_id)
    if person.removed_at is not None:
        raise RefusedError("removed", "This person was removed: add them under another name.")
    if sum(one.is_valid(by.now) for one in stored.tokens_of(conn, person.id)) >= MOST_TOKENS:
        message = f"This person has {MOST_TOKENS} valid tokens: revoke those that are not used."
        raise RefusedError("too_many", message)
    token = new_token()
    expires_at = by.now + timedelta(days=days)
    token_id = stored.add_token(conn, person.id, token.prefix, token.secret_hash, by.now, expires_at)
    record_deed(conn, by.person_id, "token_made", by.now, about=f"{token_id} of {person.id}")
    return MadeToken(token_id, person, token.prefix, expires_at, token.text)


def change_role(conn: Connection, by: Acting, person_id: str, role: str) -> None:
    """Give a person another role, at once.

    Raises:
        RefusedError: `person`, `removed`, `role`; `last_admin`, `yourself` as `_guarded` does.
    """
    _require_role(role)
    person = found(conn, person_id)
    if person.removed_at is not None:
        raise RefusedError("removed", "This person was removed: their role says nothing any more.")
    if person.role == role:
        return
    if person.id == by.person_id and not by.is_sure:
        raise RefusedError(
            "yourself", "This is your own role: afterwards you cannot see this page. Say that you mean it."
        )
    with _guarded(conn, by):
        stored.set_role(conn, person.id, role)
    record_deed(conn, by.person_id, "role_changed", by.now, about=f"{person.id} {role}")


def remove(conn: Connection, by: Acting, person_id: str) -> None:
    """Take a person's access away, at once and for good; their labels stay.

    Raises:
        RefusedError: `person`, `removed` before; `last_admin`, `yourself` as `_guarded` does.
    """
    person = found(conn, person_id)
    if person.id == by.person_id and not by.is_sure:
        raise RefusedError(
            "yourself", "This is you: your access ends at once and for good. Say that you mean it."
        )
    with _guarded(conn, by):
        if not stored.remove_person(conn, person.id, by.now):
            raise RefusedError("removed", "This person was removed before.")
    record_deed(conn, by.person_id, "person_removed", by.now, about=person.id)


def revoke(conn: Connection, by: Acting, token_id: int, of: str | None = None) -> StoredToken:
    """End a token at once, with the sessions that were begun with it; return it as it was.

    `of`: whose it has to be.

    Raises:
        RefusedError: `token` is not there or was revoked before; `last_admin`, `yourself` as `_guarded` does.
    """
    token = stored.token_by_id(conn, token_id)
    if token is None or token.revoked_at is not None or of not in (None, token.person.id):
        raise RefusedError("token", "There is no token of this id that could be revoked.", 404)
    if token_id == by.token_id and not by.is_sure:
        raise RefusedError(
            "yourself", "You are signed in with this token: you are signed out at once. Say that you mean it."
        )
    with _guarded(conn, by):
        stored.revoke_token(conn, token_id, by.now)
    record_deed(conn, by.person_id, "token_revoked", by.now, about=str(token_id))
    return token


def found(conn: Connection, person_id: str) -> StoredPerson:
    """Return a person; raises RefusedError, `person`, where there is none."""
    person = stored.person_by_id(conn, person_id)
    if person is None:
        raise RefusedError("person", "There is nobody of this id.", 404)
    return person


@contextmanager
def _guarded(conn: Connection, by: Acting) -> Iterator[None]:
    """Refuse a change after which no admin could sign in; the transaction that it is part of is given up.

    Raises:
        RefusedError: `last_admin`.
    """
    stored.lock_admins(conn)
    before = stored.admin_can_enter(conn, by.now, vouched=by.is_vouched)
    yield
    if by.is_guarded and before and not stored.admin_can_enter(conn, by.now, vouched=by.is_vouched):
        message = "No admin could sign in any more after this. See to another admin with a token first."
        raise RefusedError("last_admin", message)


def _require_role(role: str) -> None:
    if role not in ROLE_NAMES:
        raise RefusedError("role", f"A role is one of {', '.join(ROLE_NAMES)}.", 422)
