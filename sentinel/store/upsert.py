"""`INSERT … ON CONFLICT` of the database a connection speaks to."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_into(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def add_on_conflict(
    connection: Connection, table: Table, counts: tuple[str, ...]
) -> postgresql.Insert | sqlite.Insert:
    """Return an insert that adds the columns `counts` to a row which is there already."""
    statement = insert_into(connection, table)
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key.columns),
        set_={name: table.c[name] + statement.excluded[name] for name in counts},
    )
