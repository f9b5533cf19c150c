"""Gauges that the workbench reads from the store when it is scraped."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from sentinel.store.reports import StoredReport, recent_reports
from sentinel.store.units import backlog
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.metrics import Metrics


def refresh_gauges(conn: Connection, metrics: Metrics, now: datetime) -> None:
    """Set the gauges of the queue and of the report whose period ended last; what is unknown is absent."""
    waiting = backlog(conn)
    metrics.set(c.REVIEW_PENDING_UNITS, waiting.pending)
    oldest = waiting.oldest_created_at
    age = None if oldest is None else max(0.0, (now - oldest).total_seconds())
    metrics.set(c.REVIEW_OLDEST_PENDING, age)
    _set_report(recent_reports(conn), metrics)


def clear_gauges(metrics: Metrics) -> None:
    """Take away what cannot be known while the store is away."""
    for gauge in (
        c.REVIEW_PENDING_UNITS,
        c.REVIEW_OLDEST_PENDING,
        c.LABEL_COVERAGE,
        c.REPORT_LAST_SUCCESS,
        c.AUDITED_RATE_ANYTIME_LOWER,
    ):
        metrics.set(gauge, None)
    for labelled_gauge in (c.AUDITED_RATE, c.AUDITED_LABELLED_UNITS, c.LABEL_DELAY):
        metrics.clear(labelled_gauge)


def _set_report(reports: tuple[StoredReport, ...], metrics: Metrics) -> None:
    latest = max(reports, key=lambda one: (one.period.end, one.created_at, one.report.revision), default=None)
    written = max((one.created_at for one in reports), default=None)
    metrics.set(c.REPORT_LAST_SUCCESS, None if written is None else written.timestamp())
    document: Any = latest.report.document if latest is not None else {}
    rates = document.get("rates", {})
    metrics.replace(
        c.AUDITED_RATE,
        {
            (level, bound): rates.get(level, {}).get(bound)
            for level in c.RATE_LEVELS
            for bound in c.RATE_BOUNDS
        },
    )
    metrics.set(c.AUDITED_RATE_ANYTIME_LOWER, rates.get("case", {}).get("anytime_lower"))
    metrics.replace(
        c.AUDITED_LABELLED_UNITS,
        {(level,): rates.get(level, {}).get("n_labelled") for level in c.RATE_LEVELS},
    )
    coverage = document.get("coverage", {})
    drawn = coverage.get("drawn")
    metrics.set(c.LABEL_COVERAGE, coverage["labelled"] / drawn if drawn else None)
    hours = coverage.get("label_delay_hours", {})
    delays = (hours.get("median"), hours.get("p90"))
    metrics.replace(
        c.LABEL_DELAY,
        {
            (quantile,): None if delay is None else delay * 3600.0
            for quantile, delay in zip(c.DELAY_QUANTILES, delays, strict=True)
        },
    )
