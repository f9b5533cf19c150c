"""All that shift detection does in one turn of the leader."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.monitoring.evaluate import Outcome, evaluate
from sentinel.monitoring.gauges import count_alarms
from sentinel.monitoring.params import MonitoringParams
from sentinel.monitoring.webhook import tell
from sentinel.telemetry.metrics import Metrics

#: The job's name.
SHIFT_DETECTION = "shift_detection"
#: How often the leader should look; a look without new minutes costs two queries.
EVERY_SECONDS = 15.0


def look(
    begin: Callable[[], AbstractContextManager[Connection]],
    params: MonitoringParams,
    metrics: Metrics,
    clock: Clock,
) -> Outcome:
    """Evaluate new minutes, count alarms, tell the webhook; gauges are set where they are scraped.

    `begin` opens a write transaction: the store's, or one that cannot outlive a lease.
    """
    outcome = evaluate(begin, params, clock.now())
    count_alarms(outcome, metrics)
    tell(begin, params.webhook, metrics, clock)
    return outcome
