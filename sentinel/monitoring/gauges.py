"""Shift detection in the metrics."""

from __future__ import annotations

from sqlalchemy import Connection

from sentinel.monitoring.evaluate import Outcome
from sentinel.monitoring.params import MonitoringParams
from sentinel.monitoring.series import SERIES_NAMES
from sentinel.store import shifts
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.metrics import Metrics


def show_shifts(conn: Connection | None, params: MonitoringParams, metrics: Metrics) -> None:
    """Set the gauges from the store, in any process and whenever it is scraped.

    Before the first look, and while the store is away (None), nothing is known, and no series is there.
    """
    evaluated_to = None if conn is None else shifts.evaluated_to(conn)
    if conn is None or evaluated_to is None:
        metrics.clear(c.SHIFT_ACTIVE)
        metrics.clear(c.SHIFT_ACTIVE_ALARMS)
        metrics.set(c.SHIFT_EVALUATED, None)
        return
    active = shifts.active_alarms(conn)
    shifted = {alarm.series for alarm in active}
    watched = [name for name in SERIES_NAMES if name not in params.ignored_series]
    metrics.replace(c.SHIFT_ACTIVE, {(name,): float(name in shifted) for name in watched})
    counts: dict[tuple[str, ...], float | None] = {}
    for alarm in active:
        counts[alarm.app,] = (counts.get((alarm.app,)) or 0.0) + 1.0
    metrics.replace(c.SHIFT_ACTIVE_ALARMS, counts)
    metrics.set(c.SHIFT_EVALUATED, evaluated_to.timestamp())


def count_alarms(outcome: Outcome, metrics: Metrics) -> None:
    """Count the alarms a look has begun."""
    for told in outcome.begun:
        metrics.increment(c.SHIFT_ALARMS, series=told.series, direction=told.direction)
