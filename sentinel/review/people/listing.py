"""Who there is, with their tokens, as an admin sees them: never a secret, nor its hash."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from sentinel.review.people.managing import found
from sentinel.store.people import StoredPerson, StoredToken, all_people, all_tokens, tokens_of

#: How long before its end the last token of an admin is told of.
_SOON = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token by its prefix; `is_valid`: it opens something now."""

    id: int
    prefix: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    used_at: datetime | None
    is_valid: bool

    @property
    def state(self) -> str:
        """Return how it stands in a word."""
        return "valid" if self.is_valid else "revoked" if self.revoked_at else "ended"


@dataclass(frozen=True, slots=True)
class PersonView:
    """Somebody with their tokens, oldest first."""

    id: str
    name: str
    role: str
    created_at: datetime
    removed_at: datetime | None
    tokens: tuple[TokenView, ...]

    @property
    def valid_tokens(self) -> int:
        """Return how many tokens open something now."""
        return sum(one.is_valid for one in self.tokens)

    @property
    def used_at(self) -> datetime | None:
        """Return about when a token of theirs was used last."""
        return max((one.used_at for one in self.tokens if one.used_at), default=None)


def people_listed(conn: Connection, now: datetime) -> list[PersonView]:
    """Return everybody by name, those removed among them."""
    tokens = all_tokens(conn)
    return [_view(one, tokens.get(one.id, ()), now) for one in all_people(conn)]


def person_listed(conn: Connection, person_id: str, now: datetime) -> PersonView:
    """Return one person; raises RefusedError, `person`, where there is none."""
    person = found(conn, person_id)
    return _view(person, tokens_of(conn, person.id), now)


def soon_without_admin(people: list[PersonView], now: datetime) -> datetime | None:
    """Return when the last valid token of any admin ends, if that is soon; None where it is not."""
    ends = [
        token.expires_at
        for person in people
        if person.role == "admin" and person.removed_at is None
        for token in person.tokens
        if token.is_valid
    ]
    return max(ends) if ends and max(ends) - now < _SOON else None


def _view(
    person: StoredPerson, tokens: list[StoredToken] | tuple[StoredToken, ...], now: datetime
) -> PersonView:
    return PersonView(
        person.id,
        person.name,
        person.role,
        person.created_at,
        person.removed_at,
        tuple(
            TokenView(
                one.id,
                f"sentinel_{one.prefix}",
                one.created_at,
                one.expires_at,
                one.revoked_at,
                one.used_at,
                one.is_valid(now),
            )
            for one in tokens
        ),
    )
