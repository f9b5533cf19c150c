"""Rows that hold named counts as JSON under a key of time, partition and names: adding and purging."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Table

from sentinel.characters import clean_text
from sentinel.records import Partition
from sentinel.store.columns import stored_key
from sentinel.store.row_sets import insert_new

_CHUNK = 500
#: Time, partition, and the names that complete the key.
CountsKey = tuple[datetime, Partition, tuple[str, ...]]


def add_counts(conn: Connection, table: Table, additions: Mapping[CountsKey, Mapping[str, int]]) -> None:
    """Add named counts to their rows, in key order: read, merge, write back under row locks.

    The table's primary key is (time, topic, partition, names …), its one other column `counts`.
    """
    if not additions:
        return
    keys = sorted(additions)
    # Every row exists before it is locked, so that no two writers can both think they made it.
    insert_new(conn, table, [_columns(table, key) | {"counts": {}} for key in keys])
    stored = _locked(conn, table, keys)
    merged: dict[CountsKey, Counter[str]] = {}
    for key in keys:
        row_key = (key[0], key[1], tuple(stored_key(name) for name in key[2]))
        counts = merged.setdefault(row_key, Counter(stored[row_key]))
        for name, count in additions[key].items():
            counts[clean_text(name)] += count
    conn.execute(
        _write_back(table),
        [
            {f"of_{name}": value for name, value in _columns(table, key).items()}
            | {"new_counts": dict(sorted(counts.items()))}
            for key, counts in merged.items()
        ],
    )


@cache
def _write_back(table: Table) -> sa.Update:
    this_row = (
        column == sa.bindparam(f"of_{column.name}", type_=column.type) for column in table.primary_key.columns
    )
    new_counts = sa.bindparam("new_counts", type_=table.c.counts.type)
    return sa.update(table).where(*this_row).values(counts=new_counts)


def purge_counts(conn: Connection, table: Table, before: datetime) -> int:
    """Delete the rows before `before` and return how many they were."""
    time = next(iter(table.primary_key.columns))
    return conn.execute(sa.delete(table).where(time < before)).rowcount


def _columns(table: Table, key: CountsKey) -> dict[str, Any]:
    time, partition, names = key
    values = (time, partition.topic, partition.number, *names)
    return dict(zip((column.name for column in table.primary_key.columns), values, strict=True))


def _locked(conn: Connection, table: Table, keys: Sequence[CountsKey]) -> dict[CountsKey, Mapping[str, int]]:
    times_of: defaultdict[Partition, set[datetime]] = defaultdict(set)
    for key in keys:
        times_of[key[1]].add(key[0])
    found: dict[CountsKey, Mapping[str, int]] = {}
    for partition in sorted(times_of):
        times = sorted(times_of[partition])
        for first in range(0, len(times), _CHUNK):
            among = {"of_topic": partition.topic, "of_number": partition.number}
            for row in conn.execute(_lock(table), among | {"of_times": times[first : first + _CHUNK]}):
                found[row[0], partition, tuple(row[3:-1])] = row[-1]
    return found


@cache
def _lock(table: Table) -> sa.Select[Any]:
    columns = list(table.primary_key.columns)
    time, topic, number, *names = columns
    return (
        sa.select(*columns, table.c.counts)
        .where(
            topic == sa.bindparam("of_topic", type_=topic.type),
            number == sa.bindparam("of_number", type_=number.type),
            time.in_(sa.bindparam("of_times", type_=time.type, expanding=True)),
        )
        .order_by(time, *names)
        .with_for_update()
    )
