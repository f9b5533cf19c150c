"""People whom a proxy or an OpenID Connect provider vouches for: known again, entered the first time."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping

from sentinel.characters import clean_text
from sentinel.clock import Clock
from sentinel.review.identity.params import ROLE_NAMES, RoleName
from sentinel.store.audit import record_deed
from sentinel.store.database import Database
from sentinel.store.people import StoredPerson, add_person, person_of_subject, set_role

_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
_NAME_CHARACTERS = 100


class Vouched:
    """Finds the person behind a subject. `key` is the store's own: only a hash of the subject is kept."""

    def __init__(self, database: Database, key: bytes, clock: Clock) -> None:
        self._database = database
        self._key = key
        self._clock = clock

    def person(self, subject: str, name: str, role: RoleName | None, first: RoleName) -> StoredPerson | None:
        """Return the person, entering or changing them where need be; None where they were removed.

        `role` is what whoever vouches says they are, None where it says nothing; `first` is what somebody
        new is then. `subject` names them and who vouches, for good.
        """
        subject_hash = hmac.new(self._key, b"subject\x00" + subject.encode(), hashlib.sha256).hexdigest()
        with self._database.read() as conn:
            known = person_of_subject(conn, subject_hash)
        if known is None:
            known = self._enter(subject_hash, name, role or first)
        elif role is not None and known.role != role and known.removed_at is None:
            with self._database.begin() as conn:
                set_role(conn, known.id, role)
                record_deed(conn, known.id, "role_vouched_for", self._clock.now(), about=role)
                known = person_of_subject(conn, subject_hash)
        return known if known is not None and known.removed_at is None else None

    def _enter(self, subject_hash: str, name: str, role: RoleName) -> StoredPerson | None:
        letters = subject_hash[:16].translate(_LETTERS)
        person_id, now = f"person-{letters}", self._clock.now()
        shown = " ".join(clean_text(name).split())[:_NAME_CHARACTERS] or person_id
        with self._database.begin() as conn:
            # Somebody else may bear the name; then the id tells the two apart.
            for wanted in (shown, f"{shown} ({letters[:6]})", person_id):
                added = add_person(conn, person_id, wanted, role, now, subject_hash)
                if added is not None:
                    record_deed(conn, added.id, "person_vouched_for", now, about=role)
                    return added
            return person_of_subject(conn, subject_hash)


def role_among(values: Iterable[object], roles: Mapping[str, RoleName]) -> RoleName | None:
    """Return the most powerful role that some values name, None where they name none."""
    named = {roles.get(value, value) for value in values if isinstance(value, str)}
    return next((role for role in reversed(ROLE_NAMES) if role in named), None)
