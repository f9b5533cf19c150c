"""Everything a store holds that must not depend on crashes, rebalances or the order of workers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import sqlalchemy as sa

from sentinel.store import schema
from sentinel.store.database import Database

#: Written by the clock or by a sequence: two runs of the same stream differ in these and nothing else.
_OF_THE_RUN = {"id", "created_at", "updated_at", "written_at", "unit_id", "batch_id", "log_mark"}


def contents(database: Database, *, without_first_seen: bool = False) -> dict[str, Any]:
    """Return table name → comparable content.

    `without_first_seen` leaves out when a value was first seen, which follows the order in which
    partitions take turns.
    """
    with database.read() as connection:
        found: dict[str, Any] = {
            table.name: _rows(connection, table)
            for table in (
                schema.checkpoints,
                schema.frame_cells,
                schema.not_covered,
                schema.dead_letters,
                schema.designs,
                schema.schedule_rows,
                schema.minute_counts,
            )
        }
        found["units"] = _units(connection)
        found["seen_hashes"] = seen_hashes(connection)
        values = schema.known_values
        columns = (values.c.field, values.c.value) if without_first_seen else tuple(values.c)
        found["known_values"] = sorted(map(tuple, connection.execute(sa.select(*columns))))
    return found


def seen_hashes(connection: sa.Connection) -> list[int]:
    """Return the identity hashes as often as they stand there: one that stands twice was counted twice."""
    packed = b"".join(connection.scalars(sa.select(schema.seen_hashes.c.hashes)))
    return sorted(np.frombuffer(packed, dtype="<u8").tolist())


def differences(one: dict[str, Any], other: dict[str, Any]) -> dict[str, str]:
    """Return for each table that differs a short account of how."""
    accounts = {}
    for name in one:
        if one[name] == other[name]:
            continue
        missing = list((Counter(map(repr, one[name])) - Counter(map(repr, other[name]))).elements())
        surplus = list((Counter(map(repr, other[name])) - Counter(map(repr, one[name]))).elements())
        accounts[name] = f"-{len(missing)} +{len(surplus)}: {missing[:2]} / {surplus[:2]}"
    return accounts


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    found = differences(one, other)
    assert not found, found


def event_counts(database: Database) -> Counter[str]:
    """Return events, units, arrivals of units, dead letters and records not covered."""
    with database.read() as connection:
        every = schema.frame_cells.c.domain == ""
        events = connection.scalar(sa.select(sa.func.sum(schema.frame_cells.c.events)).where(every))
        units = connection.scalar(sa.select(sa.func.count()).select_from(schema.units))
        arrivals = connection.scalar(sa.select(sa.func.sum(schema.units.c.arrivals)))
        letters = connection.scalar(sa.select(sa.func.count()).select_from(schema.dead_letters))
        uncovered = connection.scalar(sa.select(sa.func.sum(schema.not_covered.c.events)))
    return Counter(
        events=int(events or 0),
        units=int(units or 0),
        arrivals=int(arrivals or 0),
        dead_letters=int(letters or 0),
        not_covered=int(uncovered or 0),
    )


def _rows(connection: sa.Connection, table: sa.Table) -> list[str]:
    columns = [column for column in table.c if column.name not in _OF_THE_RUN]
    return sorted(repr(tuple(row)) for row in connection.execute(sa.select(*columns)))


def _units(connection: sa.Connection) -> list[str]:
    joined = schema.units.outerjoin(schema.unit_contents)
    columns = [column for column in schema.units.c if column.name not in _OF_THE_RUN]
    query = sa.select(*columns, schema.unit_contents.c.content).select_from(joined)
    return sorted(repr(tuple(row)) for row in connection.execute(query))
