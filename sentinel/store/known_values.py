"""Values of domain and version fields that were ever seen: for caps and for what is new."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.columns import stored_key
from sentinel.store.row_sets import insert_new
from sentinel.store.schema import known_values


def note_values(conn: Connection, seen: Mapping[tuple[str, str], datetime]) -> set[tuple[str, str]]:
    """Note (field, value) pairs with the time of their first sight; return those that were new.

    Of several writers that see a value at once exactly one is told that it is new.
    """
    if not seen:
        return set()
    given = {(stored_key(field), stored_key(value)): (field, value) for field, value in sorted(seen)}
    rows = [
        {"field": field, "value": value, "first_seen_at": seen[given[field, value]]}
        for field, value in sorted(given)
    ]
    new = insert_new(conn, known_values, rows, returning=("field", "value"))
    return {given[row.field, row.value] for row in new}


def all_values(conn: Connection, fields: Collection[str] | None = None) -> dict[tuple[str, str], datetime]:
    """Return all (field, value) pairs, or those of some fields, with the time of their first sight."""
    query = sa.select(known_values)
    rows = conn.execute(query if fields is None else query.where(known_values.c.field.in_(fields)))
    return {(row.field, row.value): row.first_seen_at for row in rows}
