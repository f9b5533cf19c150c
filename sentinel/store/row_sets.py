"""Many rows written by one statement whose text never changes, so that nothing is compiled or prepared anew.

PostgreSQL takes the rows as one JSON parameter: one round trip, and no statement whose length is that of its
rows. SQLite has no round trips, and takes them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

Rows = Sequence[Mapping[str, Any]]
#: The place of a row among those given: they are written, and their locks taken, in this order.
_PLACE = "place_in_set"


def insert_new(
    conn: Connection,
    table: Table,
    rows: Rows,
    unique: tuple[str, ...] = (),
    returning: tuple[str, ...] = (),
) -> sa.CursorResult[Any]:
    """Insert, in order, the rows that are not there yet; all have the same columns, none of them binary.

    `unique` names the columns by which one is there; without, any constraint does. Returns the columns
    `returning` of the rows that were inserted.
    """
    return _execute(conn, _Shape(table, tuple(rows[0]), unique, (), returning), rows)


def add_up(conn: Connection, table: Table, counts: tuple[str, ...], rows: Rows) -> None:
    """Insert the rows, in order; where one with its primary key is there, add the columns `counts` to it."""
    key = tuple(column.name for column in table.primary_key.columns)
    _execute(conn, _Shape(table, tuple(rows[0]), key, counts, ()), rows)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a statement is made of: all that changes between two of them."""

    table: Table
    names: tuple[str, ...]
    unique: tuple[str, ...]
    counts: tuple[str, ...]
    returning: tuple[str, ...]


def _execute(conn: Connection, shape: _Shape, rows: Rows) -> sa.CursorResult[Any]:
    if conn.dialect.name == "postgresql":
        return conn.execute(_insert_set(shape), {"rows": rows})
    return conn.execute(_insert_each(shape), rows)


@cache
def _insert_set(shape: _Shape) -> sa.Executable:
    table, names = shape.table, shape.names
    given = sa.cast(sa.bindparam("rows", type_=_RowSet(table, names, shape.counts)), postgresql.JSON)
    columns = (sa.column(name, table.c[name].type) for name in names)
    row_set = sa.func.json_to_recordset(given).table_valued(*columns, sa.column(_PLACE, sa.Integer))
    row_set = row_set.render_derived(with_types=True)
    chosen = sa.select(*(row_set.c[name] for name in names)).order_by(row_set.c[_PLACE])
    return _on_conflict(postgresql.insert(table).from_select(names, chosen), shape)


@cache
def _insert_each(shape: _Shape) -> sa.Executable:
    return _on_conflict(sqlite.insert(shape.table), shape)


def _on_conflict(statement: postgresql.Insert | sqlite.Insert, shape: _Shape) -> sa.Executable:
    table = shape.table
    target = [table.c[name] for name in shape.unique] or None
    if shape.counts:
        added = {name: table.c[name] + statement.excluded[name] for name in shape.counts}
        statement = statement.on_conflict_do_update(index_elements=target, set_=added)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=target)
    returned = [table.c[name] for name in shape.returning]
    return statement.returning(*returned) if returned else statement


class _RowSet(TypeDecorator[Rows]):
    """Rows of a table as the JSON text of a list of objects, each value as the table's own column takes it.

    Rows of one primary key become one, their `counts` added up: a statement that adds may meet a row once.
    """

    impl = sa.Text
    cache_ok = True

    def __init__(self, table: Table, names: tuple[str, ...], counts: tuple[str, ...]) -> None:
        super().__init__()
        self.table = table
        self.names = names
        self.counts = counts

    def process_bind_param(self, value: Rows | None, dialect: Dialect) -> str:
        """Return the JSON text."""
        rows: list[dict[str, Any]] = []
        first_of: dict[tuple[Any, ...], dict[str, Any]] = {}
        binds = _binds(self.table, self.names, dialect)
        key = [column.name for column in self.table.primary_key.columns] if self.counts else []
        for row in value or ():
            stored = {name: row[name] if bind is None else bind(row[name]) for name, bind in binds}
            first = first_of.setdefault(tuple(stored[name] for name in key), stored) if key else stored
            if first is stored:
                stored[_PLACE] = len(rows)
                rows.append(stored)
            else:
                first.update({name: first[name] + stored[name] for name in self.counts})
        return msgspec.json.encode(rows).decode()


@lru_cache(64)
def _binds(
    table: Table, names: tuple[str, ...], dialect: Dialect
) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
    impls = ((name, table.c[name].type.dialect_impl(dialect)) for name in names)
    return tuple((name, impl.bind_processor(dialect)) for name, impl in impls)
