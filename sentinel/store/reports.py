"""Published reports: immutable; a later look at the same period is a new revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.records import Report
from sentinel.store.schema import reports
from sentinel.store.upsert import insert_into


@dataclass(frozen=True, slots=True)
class Period:
    """What a report is about: [`start`, `end`), and the zone in which its days were meant."""

    start: datetime
    end: datetime
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class StoredReport:
    """One revision of a period's report."""

    period: Period
    report: Report
    created_at: datetime


def save_report(
    conn: Connection, period: Period, document: Mapping[str, Any], now: datetime, after: int
) -> Report | None:
    """Write the revision that follows revision `after` (0: the first one) and return it.

    The stored document carries its `revision`. None where another writer made that revision: of two
    that saw the same one last, one writes.
    """
    revision = after + 1
    values = {
        "period_from": period.start,
        "period_to": period.end,
        "timezone": period.timezone,
        "revision": revision,
        "document": dict(document) | {"revision": revision},
        "created_at": now,
    }
    # Where another writer is at it, this waits for its commit.
    statement = insert_into(conn, reports).values(values).on_conflict_do_nothing()
    row = conn.execute(statement.returning(reports.c.document)).one_or_none()
    return None if row is None else Report(document=row.document, revision=revision)


def latest_report(conn: Connection, period: Period) -> StoredReport | None:
    """Return the newest revision of a period's report; None where there is none."""
    query = sa.select(reports).where(*_is(period)).order_by(reports.c.revision.desc()).limit(1)
    row = conn.execute(query).one_or_none()
    return None if row is None else _from_row(row)


def report_revisions(conn: Connection, period: Period) -> tuple[StoredReport, ...]:
    """Return all revisions of a period's report, oldest first."""
    query = sa.select(reports).where(*_is(period)).order_by(reports.c.revision)
    return tuple(_from_row(row) for row in conn.execute(query))


def recent_reports(conn: Connection, limit: int = 52) -> tuple[StoredReport, ...]:
    """Return the reports written last, newest first, all revisions."""
    query = sa.select(reports).order_by(reports.c.created_at.desc(), reports.c.id.desc()).limit(limit)
    return tuple(_from_row(row) for row in conn.execute(query))


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """A revision of a report in a list: without its document."""

    id: int
    period: Period
    revision: int
    created_at: datetime


def report_page(conn: Connection, limit: int, before: int | None = None) -> tuple[ReportEntry, ...]:
    """Return up to `limit` reports, the one written last first, written before the report `before`."""
    columns = (
        reports.c.id,
        reports.c.period_from,
        reports.c.period_to,
        reports.c.timezone,
        reports.c.revision,
        reports.c.created_at,
    )
    query = sa.select(*columns).order_by(reports.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(reports.c.id < before)
    return tuple(
        ReportEntry(
            row.id, Period(row.period_from, row.period_to, row.timezone), row.revision, row.created_at
        )
        for row in conn.execute(query)
    )


def report_by_id(conn: Connection, report_id: int) -> StoredReport | None:
    """Return a report; None where there is none of this id."""
    row = conn.execute(sa.select(reports).where(reports.c.id == report_id)).one_or_none()
    return None if row is None else _from_row(row)


def _is(period: Period) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        reports.c.period_from == period.start,
        reports.c.period_to == period.end,
        reports.c.timezone == period.timezone,
    )


def _from_row(row: sa.Row[Any]) -> StoredReport:
    period = Period(row.period_from, row.period_to, row.timezone)
    return StoredReport(period, Report(document=row.document, revision=row.revision), row.created_at)
