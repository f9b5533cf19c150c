"""Counts per minute, app and versions, from which shifts are detected."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.records import Partition
from sentinel.store.named_counts import CountsKey, add_counts, purge_counts
from sentinel.store.schema import minute_counts

_CHUNK = 500


@dataclass(frozen=True, slots=True, order=True)
class MinuteKey:
    """A minute (its start, UTC) of one app, under its versions taken together, in one partition."""

    minute: datetime
    partition: Partition
    app: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        if self.minute.second or self.minute.microsecond:
            raise ValueError("a minute starts at second 0")


@dataclass(frozen=True, slots=True)
class Minute:
    """The counts of one minute, app and version over all partitions; a name that is absent counts 0."""

    minute: datetime
    app: str
    counts: Mapping[str, int]
    version: str = ""


def add_minutes(conn: Connection, additions: Mapping[MinuteKey, Mapping[str, int]]) -> None:
    """Add named counts to their minutes, in key order."""
    rows: dict[CountsKey, Mapping[str, int]] = {
        (key.minute, key.partition, (key.app, key.version)): additions[key] for key in additions
    }
    add_counts(conn, minute_counts, rows)


def iter_minutes(
    conn: Connection, start: datetime, end: datetime, app: str | None = None
) -> Iterator[Minute]:
    """Yield the minutes of [`start`, `end`) in order, summed over partitions; `app` limits to one."""
    table = minute_counts
    query = sa.select(table).where(table.c.minute >= start, table.c.minute < end)
    if app is not None:
        query = query.where(table.c.app == app)
    current: datetime | None = None
    sums: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in conn.execute(query.order_by(table.c.minute).execution_options(yield_per=_CHUNK)):
        if current is not None and row.minute != current:
            yield from _summed(current, sums)
            sums.clear()
        current = row.minute
        sums[row.app, row.version].update(row.counts)
    if current is not None:
        yield from _summed(current, sums)


def first_and_last_minute(conn: Connection) -> tuple[datetime, datetime] | None:
    """Return the earliest and the latest minute that is counted; None in an empty store."""
    minute = minute_counts.c.minute
    first, last = conn.execute(sa.select(sa.func.min(minute), sa.func.max(minute))).one()
    return None if first is None else (first, last)


def purge_minutes(conn: Connection, before: datetime) -> int:
    """Delete the minutes before `before` and return how many rows that were."""
    return purge_counts(conn, minute_counts, before)


def _summed(minute: datetime, sums: Mapping[tuple[str, str], Counter[str]]) -> Iterator[Minute]:
    for app, version in sorted(sums):
        yield Minute(minute, app, dict(sorted(sums[app, version].items())), version)
