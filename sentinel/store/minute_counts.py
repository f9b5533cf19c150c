"""Counts per minute and app, from which shifts are detected."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.characters import clean_text
from sentinel.records import Partition
from sentinel.store.columns import stored_key
from sentinel.store.schema import minute_counts
from sentinel.store.upsert import insert_into

_CHUNK = 500


@dataclass(frozen=True, slots=True, order=True)
class MinuteKey:
    """A minute (its start, UTC) of one app in one partition."""

    minute: datetime
    partition: Partition
    app: str = ""


@dataclass(frozen=True, slots=True)
class Minute:
    """The counts of one minute and app over all partitions; a name that is absent counts 0."""

    minute: datetime
    app: str
    counts: Mapping[str, int]


def add_minutes(conn: Connection, additions: Mapping[MinuteKey, Mapping[str, int]]) -> None:
    """Add named counts to their minutes, in key order: read, merge, write back under row locks."""
    if not additions:
        return
    table = minute_counts
    keys = sorted(additions)
    # Every row exists before it is locked, so that no two writers can both think they made it.
    empty = [_columns(key) | {"counts": {}} for key in keys]
    conn.execute(insert_into(conn, table).on_conflict_do_nothing(), empty)
    stored = _locked(conn, keys)
    merged: dict[tuple[datetime, Partition, str], Counter[str]] = {}
    for key in keys:
        row_key = (key.minute, key.partition, stored_key(key.app))
        counts = merged.setdefault(row_key, Counter(stored[row_key]))
        for name, count in additions[key].items():
            counts[clean_text(name)] += count
    this_row = sa.and_(
        table.c.minute == sa.bindparam("of_minute", type_=table.c.minute.type),
        table.c.topic == sa.bindparam("of_topic", type_=table.c.topic.type),
        table.c.partition == sa.bindparam("of_partition", type_=table.c.partition.type),
        table.c.app == sa.bindparam("of_app", type_=table.c.app.type),
    )
    new_counts = sa.bindparam("new_counts", type_=table.c.counts.type)
    conn.execute(
        sa.update(table).where(this_row).values(counts=new_counts),
        [
            {
                "of_minute": minute,
                "of_topic": partition.topic,
                "of_partition": partition.number,
                "of_app": app,
                "new_counts": dict(sorted(counts.items())),
            }
            for (minute, partition, app), counts in merged.items()
        ],
    )


def iter_minutes(
    conn: Connection, start: datetime, end: datetime, app: str | None = None
) -> Iterator[Minute]:
    """Yield the minutes of [`start`, `end`) in order, summed over partitions; `app` limits to one."""
    table = minute_counts
    query = sa.select(table).where(table.c.minute >= start, table.c.minute < end)
    if app is not None:
        query = query.where(table.c.app == app)
    current: datetime | None = None
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in conn.execute(query.order_by(table.c.minute).execution_options(yield_per=_CHUNK)):
        if current is not None and row.minute != current:
            yield from _summed(current, sums)
            sums.clear()
        current = row.minute
        sums[row.app].update(row.counts)
    if current is not None:
        yield from _summed(current, sums)


def purge_minutes(conn: Connection, before: datetime) -> int:
    """Delete the minutes before `before` and return how many rows that were."""
    return conn.execute(sa.delete(minute_counts).where(minute_counts.c.minute < before)).rowcount


def _summed(minute: datetime, sums: Mapping[str, Counter[str]]) -> Iterator[Minute]:
    for app in sorted(sums):
        yield Minute(minute, app, dict(sorted(sums[app].items())))


def _columns(key: MinuteKey) -> dict[str, object]:
    if key.minute.second or key.minute.microsecond:
        raise ValueError("a minute starts at second 0")
    return {
        "minute": key.minute,
        "topic": key.partition.topic,
        "partition": key.partition.number,
        "app": key.app,
    }


def _locked(
    conn: Connection, keys: list[MinuteKey]
) -> dict[tuple[datetime, Partition, str], Mapping[str, int]]:
    table = minute_counts
    minutes_of: defaultdict[Partition, set[datetime]] = defaultdict(set)
    for key in keys:
        minutes_of[key.partition].add(key.minute)
    found: dict[tuple[datetime, Partition, str], Mapping[str, int]] = {}
    for partition in sorted(minutes_of):
        minutes = sorted(minutes_of[partition])
        for first in range(0, len(minutes), _CHUNK):
            query = (
                sa.select(table)
                .where(
                    table.c.topic == partition.topic,
                    table.c.partition == partition.number,
                    table.c.minute.in_(minutes[first : first + _CHUNK]),
                )
                .order_by(table.c.minute, table.c.app)
                .with_for_update()
            )
            for row in conn.execute(query):
                found[row.minute, partition, row.app] = row.counts
    return found
