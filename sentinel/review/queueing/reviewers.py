"""Who can be given work, and for which reasons open answers were drawn."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.review.identity.permission import PERMITTED, Action, Person, Role
from sentinel.store.people import all_people
from sentinel.store.schema import units

_REASON_SETS = 500


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Somebody who may label."""

    id: str
    name: str


def known_reviewers(conn: Connection, asking: Person) -> list[Reviewer]:
    """Return everybody who may label, the asking person among them, by name."""
    labelling = {role for role, actions in PERMITTED.items() if Action.LABEL in actions}
    found = {asking.id: Reviewer(asking.id, asking.name)}
    for one in all_people(conn):
        if one.removed_at is None and Role(one.role) in labelling:
            found[one.id] = Reviewer(one.id, one.name)
    return sorted(found.values(), key=lambda one: (one.name.casefold(), one.id))


def open_reasons(conn: Connection) -> list[str]:
    """Return the reasons for which open answers were drawn, in order."""
    query = sa.select(units.c.reasons).where(units.c.status == "pending").distinct().limit(_REASON_SETS)
    return sorted({reason for reasons in conn.scalars(query) for reason in reasons})
