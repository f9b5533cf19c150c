"""The jobs of the leader, put together from the rooms that know how to do them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.errors import SentinelError
from sentinel.leading.budget import BudgetSteps, Pacer
from sentinel.leading.jobs import Job, Turn, Weekly
from sentinel.leading.leader import Leader
from sentinel.learning.params import LearningParams
from sentinel.learning.refit import refit
from sentinel.monitoring.gauges import show_shifts
from sentinel.monitoring.look import EVERY_SECONDS, SHIFT_DETECTION, look
from sentinel.monitoring.params import MonitoringParams
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import last_whole_week, zone_of
from sentinel.reporting.planned import WEEKLY_REPORT, PlannedWeek, due_weeks, latest_planned_week
from sentinel.reporting.revisions import publish
from sentinel.review.gauges import clear_gauges, refresh_gauges
from sentinel.settings import Settings
from sentinel.store import leases, schedule, scheduled_runs
from sentinel.store.database import Database
from sentinel.store.retention import RetentionParams, purge
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.health import Health
from sentinel.telemetry.logs import get_logger
from sentinel.telemetry.metrics import Metrics

log = get_logger("leading")

#: How often the leader looks for a week that nobody has reported; at the planned moment it looks at once.
_LOOK_FOR_WEEKS_SECONDS = 60.0
#: The job under whose name the store keeps in which weeks the risk model was looked at.
WEEKLY_REFIT = "risk_model"
_LOOK_FOR_REFIT_SECONDS = 600.0
#: The job under whose name the store keeps on which days old things were deleted.
RETENTION = "retention"
_LOOK_FOR_OLD_SECONDS = 3600.0
_DAYS_KEPT = timedelta(days=30)


@contextmanager
def leading(
    settings: Settings, database: Database, metrics: Metrics, health: Health, clock: Clock, *, wanted: bool
) -> Iterator[Pacer | None]:
    """Take part in leading while the block runs; do nothing where it is not `wanted`.

    Yields what a worker of this process paces itself with, so that the budget is steered by event time.
    """
    if not wanted:
        yield None
        return
    steps = budget_steps(settings, metrics, clock)
    jobs = jobs_of(settings, metrics, clock, steps)
    with Leader(database, jobs, settings.leader, metrics, health, clock) as leader:
        if steps is None:
            yield None
        else:
            yield Pacer(steps, database, leader.lease, metrics, leader.settle)


def look_at_store(settings: Settings, database: Database, metrics: Metrics, clock: Clock) -> None:
    """Set the gauges of queue, latest report and shifts, as a workbench does when it is scraped."""
    try:
        with database.read() as conn:
            refresh_gauges(conn, metrics, clock.now())
            show_shifts(conn, settings.monitoring, metrics)
    except SentinelError:
        clear_gauges(metrics)  # unknown, and the agent itself says that the store is away
        show_shifts(None, settings.monitoring, metrics)


def budget_steps(settings: Settings, metrics: Metrics, clock: Clock) -> BudgetSteps | None:
    """Return what steers the configured budget; its weeks are those of the reports."""
    budget = settings.sampling.budget
    if budget is None:
        return None
    return BudgetSteps(budget, zone_of(settings.report.timezone), metrics, clock)


def jobs_of(settings: Settings, metrics: Metrics, clock: Clock, steps: BudgetSteps | None) -> tuple[Job, ...]:
    """Return every scheduled job the settings ask for. A new one is added here and nowhere else."""
    jobs = []
    if steps is not None:
        jobs.append(steps.job())
    if settings.report.schedule.enabled:
        jobs.append(_weekly_report(settings.report, metrics, clock))
    if settings.learning.enabled:
        jobs.append(_weekly_refit(settings.learning, settings.report, clock))
    jobs.append(_daily_purge(settings.retention, clock))
    if settings.monitoring.enabled:
        jobs.append(_shift_detection(settings.monitoring, metrics, clock))
    return tuple(jobs)


def _shift_detection(params: MonitoringParams, metrics: Metrics, clock: Clock) -> Job:
    def run(turn: Turn) -> None:
        look(turn.begin, params, metrics, clock)

    return Job(SHIFT_DETECTION, EVERY_SECONDS, run)


def _weekly_report(params: ReportParams, metrics: Metrics, clock: Clock) -> Job:
    def run(turn: Turn) -> None:
        with turn.database.read() as conn:
            weeks = due_weeks(conn, params, clock.now())
        failed: Exception | None = None
        for week in weeks:
            try:
                _report_week(turn, week, params, clock)
            except leases.LeaseLostError:
                raise
            # One week that cannot be reported must not keep those after it.
            except Exception as error:
                metrics.increment(c.REPORT_RUNS, outcome="failed")
                failed = error
            else:
                metrics.increment(c.REPORT_RUNS, outcome="succeeded")
        if failed is not None:
            raise failed

    plan = params.schedule
    at = Weekly(plan.weekday[:3], plan.hour, zone_of(params.timezone))
    return Job(WEEKLY_REPORT, _LOOK_FOR_WEEKS_SECONDS, run, at)


def _weekly_refit(params: LearningParams, report: ReportParams, clock: Clock) -> Job:
    """Once for each week, when it is reported, from the labels of answers of weeks that have ended."""

    def run(turn: Turn) -> None:
        now = clock.now()
        last = last_whole_week(now, report.timezone)
        week = latest_planned_week(now, report)
        with turn.database.read() as conn:
            done = scheduled_runs.last_window(conn, WEEKLY_REFIT)
            begun = schedule.read_rows(conn)
        if not begun or (done is not None and done >= week.name):
            return
        found = refit(turn.database, params, last.end, now, begin=turn.begin)
        with turn.begin() as conn:
            scheduled_runs.record_run(conn, WEEKLY_REFIT, week.name, turn.lease.token, now)
        log.info(
            "risk model", labelled=found.labelled, adopted=found.adopted is not None, reason=found.reason
        )

    plan = report.schedule
    at = Weekly(plan.weekday[:3], plan.hour, zone_of(report.timezone))
    return Job(WEEKLY_REFIT, _LOOK_FOR_REFIT_SECONDS, run, at)


def _daily_purge(params: RetentionParams, clock: Clock) -> Job:
    """Once a day (UTC) delete what was kept long enough."""

    def run(turn: Turn) -> None:
        now = clock.now()
        day = f"{now:%Y-%m-%d}"
        with turn.database.read() as conn:
            done = scheduled_runs.last_window(conn, RETENTION)
        if done is not None and done >= day:
            return
        purged = purge(turn.begin, params, now)
        with turn.begin() as conn:
            scheduled_runs.record_run(conn, RETENTION, day, turn.lease.token, now)
            scheduled_runs.forget_runs(conn, RETENTION, f"{now - _DAYS_KEPT:%Y-%m-%d}")
        log.info("purged", **asdict(purged))

    return Job(RETENTION, _LOOK_FOR_OLD_SECONDS, run)


def _report_week(turn: Turn, week: PlannedWeek, params: ReportParams, clock: Clock) -> None:
    """Publish a week's report and put it on record, in one transaction under the lease."""

    def fence(conn: Connection) -> None:
        leases.hold(conn, turn.lease)
        scheduled_runs.record_run(conn, WEEKLY_REPORT, week.name, turn.lease.token, clock.now())

    publish(turn.database, week.period, params, clock, fence)
    with turn.begin() as conn:  # where there was no news, nothing was published
        scheduled_runs.record_run(conn, WEEKLY_REPORT, week.name, turn.lease.token, clock.now())
