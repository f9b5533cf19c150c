"""The frame: counts of all answers the sample could come from, per 15-minute window.

Sums of fractions are kept as whole millionths, so that they are exact and independent of the order in
which workers add to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.records import Partition
from sentinel.store.row_sets import add_up
from sentinel.store.schema import frame_cells, not_covered

WINDOW = timedelta(minutes=15)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COUNTS = ("events", "answered", "abstained", "risk_micros", "size_micros", "expected_micros")


@dataclass(frozen=True, slots=True, order=True)
class CellKey:
    """One cell: `domain` and `value` are empty for all answers; an indicator's domain is `indicator`.

    Domain `known` counts the answers of which something is known: what was retrieved (`retrieval`), how
    far the passages are (`distance`), whether the answer stands in its evidence (`evidence`).
    """

    window_start: datetime
    partition: Partition
    design_id: str
    domain: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Answers in a cell, and the sums over them of predicted risk, size measure and π, in millionths."""

    events: int = 0
    answered: int = 0
    abstained: int = 0
    risk_micros: int = 0
    size_micros: int = 0
    expected_micros: int = 0

    def __add__(self, other: CellCounts) -> CellCounts:
        return CellCounts(*(getattr(self, name) + getattr(other, name) for name in _COUNTS))


@dataclass(frozen=True, slots=True)
class WindowCounts:
    """What one window counted of a domain's value under one design, over all partitions."""

    window_start: datetime
    value: str
    design_id: str
    counts: CellCounts


@dataclass(frozen=True, slots=True, order=True)
class FrameSlice:
    """A domain's value under one design, over all windows and partitions of a period."""

    domain: str
    value: str
    design_id: str


def window_of(moment: datetime) -> datetime:
    """Return the start of the 15-minute UTC window that `moment` lies in."""
    return (moment - (moment - _EPOCH) % WINDOW).astimezone(UTC)


def add_cells(conn: Connection, cells: Mapping[CellKey, CellCounts]) -> None:
    """Add to the cells, in key order so that concurrent writers cannot deadlock."""
    if not cells:
        return
    rows = []
    for key in sorted(cells):
        _check_aligned(key.window_start)
        counts = cells[key]
        rows.append(
            {
                "window_start": key.window_start,
                "topic": key.partition.topic,
                "partition": key.partition.number,
                "design_id": key.design_id,
                "domain": key.domain,
                "value": key.value,
            }
            | {name: getattr(counts, name) for name in _COUNTS}
        )
    add_up(conn, frame_cells, _COUNTS, rows)


def totals(
    conn: Connection, start: datetime, end: datetime, domain: str | None = None
) -> dict[FrameSlice, CellCounts]:
    """Return the sums over the windows in [`start`, `end`) by domain, value and design.

    `domain` limits to one domain ("" is all answers together). `start` and `end` are window starts.
    """
    keys = (frame_cells.c.domain, frame_cells.c.value, frame_cells.c.design_id)
    sums = (sa.func.sum(frame_cells.c[name]).label(name) for name in _COUNTS)
    query = sa.select(*keys, *sums).where(*_within(frame_cells, start, end)).group_by(*keys)
    if domain is not None:
        query = query.where(frame_cells.c.domain == domain)
    return {
        FrameSlice(row.domain, row.value, row.design_id): CellCounts(
            *(int(getattr(row, name)) for name in _COUNTS)
        )
        for row in conn.execute(query)
    }


def by_window(
    conn: Connection, start: datetime, end: datetime, domain: str = "", values: Sequence[str] = ("",)
) -> tuple[WindowCounts, ...]:
    """Return what each window in [`start`, `end`) counted of these values of a domain.

    Without a domain: of all answers together.
    """
    keys = (frame_cells.c.window_start, frame_cells.c.value, frame_cells.c.design_id)
    sums = (sa.func.sum(frame_cells.c[name]).label(name) for name in _COUNTS)
    wanted = (frame_cells.c.domain == domain, frame_cells.c.value.in_(values))
    query = sa.select(*keys, *sums).where(*_within(frame_cells, start, end), *wanted)
    return tuple(
        WindowCounts(
            row.window_start,
            row.value,
            row.design_id,
            CellCounts(*(int(getattr(row, name)) for name in _COUNTS)),
        )
        for row in conn.execute(query.group_by(*keys).order_by(*keys))
    )


def first_window(conn: Connection) -> datetime | None:
    """Return the start of the earliest window in which an answer was counted; None where none was."""
    first: datetime | None = conn.execute(sa.select(sa.func.min(frame_cells.c.window_start))).scalar_one()
    return first


def add_not_covered(conn: Connection, counts: Mapping[tuple[datetime, Partition, str], int]) -> None:
    """Count events that the agent could not consider, by (window start, partition, reason)."""
    if not counts:
        return
    rows = []
    for window_start, partition, reason in sorted(counts):
        _check_aligned(window_start)
        rows.append(
            {
                "window_start": window_start,
                "topic": partition.topic,
                "partition": partition.number,
                "reason": reason,
                "events": counts[window_start, partition, reason],
            }
        )
    add_up(conn, not_covered, ("events",), rows)


def not_covered_totals(conn: Connection, start: datetime, end: datetime) -> dict[str, int]:
    """Return the events not covered in the windows of [`start`, `end`) by reason."""
    query = (
        sa.select(not_covered.c.reason, sa.func.sum(not_covered.c.events).label("events"))
        .where(*_within(not_covered, start, end))
        .group_by(not_covered.c.reason)
        .order_by(not_covered.c.reason)
    )
    return {row.reason: int(row.events) for row in conn.execute(query)}


def _within(table: sa.Table, start: datetime, end: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    _check_aligned(start)
    _check_aligned(end)
    return table.c.window_start >= start, table.c.window_start < end


def _check_aligned(window_start: datetime) -> None:
    if (window_start - _EPOCH) % WINDOW:
        raise ValueError("a window starts at a whole quarter of an hour, UTC")
