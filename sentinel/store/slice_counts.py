"""Counts per quarter of an hour, app and domain value: which part of the traffic a shift comes from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.records import Partition
from sentinel.store.named_counts import CountsKey, add_counts, purge_counts
from sentinel.store.schema import slice_counts


@dataclass(frozen=True, slots=True, order=True)
class SliceKey:
    """A window (its start, UTC) of the answers of an app with one value of a domain, in one partition."""

    window_start: datetime
    partition: Partition
    app: str
    domain: str
    value: str


def add_slices(conn: Connection, additions: Mapping[SliceKey, Mapping[str, int]]) -> None:
    """Add named counts to their slices, in key order."""
    rows: dict[CountsKey, Mapping[str, int]] = {
        (key.window_start, key.partition, (key.app, key.domain, key.value)): additions[key]
        for key in additions
    }
    add_counts(conn, slice_counts, rows)


def slice_totals(
    conn: Connection, app: str, start: datetime, end: datetime
) -> dict[tuple[str, str], Counter[str]]:
    """Return the counts of an app by (domain, value) over the windows that start in [`start`, `end`)."""
    table = slice_counts
    query = sa.select(table.c.domain, table.c.value, table.c.counts).where(
        table.c.window_start >= start, table.c.window_start < end, table.c.app == app
    )
    sums: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in conn.execute(query.execution_options(yield_per=500)):
        sums[row.domain, row.value].update(row.counts)
    return dict(sums)


def purge_slices(conn: Connection, before: datetime) -> int:
    """Delete the windows before `before` and return how many rows that were."""
    return purge_counts(conn, slice_counts, before)
