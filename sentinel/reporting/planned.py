"""Which weeks are to be reported, when, and which of them nobody has reported yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import get_args

from sqlalchemy import Connection

from sentinel.reporting.params import ReportParams, ReportSchedule, Weekday
from sentinel.reporting.period import ReportPeriod, last_whole_week, zone_of
from sentinel.store import checkpoints, frame, schedule, scheduled_runs
from sentinel.store.reports import Period, latest_report

#: The job under whose name the store keeps which weeks were reported.
WEEKLY_REPORT = "weekly_report"
_WEEKDAYS: tuple[str, ...] = get_args(Weekday)
_DAY = timedelta(days=1)
#: A worker that committed this lately and has not come to the week's end is still at it.
_AT_WORK = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class PlannedWeek:
    """An ISO week of a zone and the moment (UTC) at which it is to be reported."""

    period: ReportPeriod
    planned_at: datetime

    @property
    def name(self) -> str:
        """Return the week as in 2026-W48."""
        year, number, _ = self.period.first_day.isocalendar()
        return f"{year}-W{number:02d}"


def planned_week(monday: date, timezone: str, plan: ReportSchedule) -> PlannedWeek:
    """Return the plan for the ISO week that begins on `monday`.

    It is reported at the first `weekday` and `hour` after its end and `label_days` more. Local time names
    that moment: an hour that the clock skips stands for the one after it, one that comes twice for the
    first. So each week has one moment, and one week of planned moments one report.
    """
    period = ReportPeriod(monday, monday + 7 * _DAY, timezone)
    earliest = period.end_day + plan.label_days * _DAY
    ahead = (_WEEKDAYS.index(plan.weekday) - earliest.weekday()) % 7
    local = datetime.combine(earliest + ahead * _DAY, time(plan.hour), zone_of(timezone))
    return PlannedWeek(period, local.astimezone(UTC))


def latest_planned_week(now: datetime, params: ReportParams) -> PlannedWeek:
    """Return the latest week whose moment has come by `now`."""
    monday = last_whole_week(now, params.timezone).first_day
    while True:
        week = planned_week(monday, params.timezone, params.schedule)
        if week.planned_at <= now:
            return week
        monday -= 7 * _DAY


def planned_weeks(first: datetime, now: datetime, params: ReportParams) -> Iterator[PlannedWeek]:
    """Yield, oldest first, the weeks whose moment has come by `now` and that end after `first`.

    Not those whose moment lies more than `make_up_weeks` back.
    """
    plan, timezone = params.schedule, params.timezone
    newest = last_whole_week(now, timezone).first_day
    earliest = now - plan.make_up_weeks * 7 * _DAY
    weeks_back = plan.make_up_weeks + plan.label_days // 7 + 2
    for back in range(weeks_back, -1, -1):
        week = planned_week(newest - back * 7 * _DAY, timezone, plan)
        if week.period.end > first and earliest < week.planned_at <= now:
            yield week


def due_weeks(conn: Connection, params: ReportParams, now: datetime) -> tuple[PlannedWeek, ...]:
    """Return the weeks that should have been reported by `now` and were not, oldest first.

    What was done is read from the store, never from a timer: a process that slept, a replica that died
    and a lease that moved all lead to the same answer. A week counts as reported once a run of it is on
    record, or somebody wrote its report by hand at or after the planned moment. One whose answers are
    still coming in (a replay, a backlog) waits.
    """
    first = frame.first_window(conn)
    if first is None or not params.schedule.enabled:
        return ()
    done = scheduled_runs.done_windows(conn, WEEKLY_REPORT)
    return tuple(
        week
        for week in planned_weeks(first, now, params)
        if week.name not in done
        and not _is_written(conn, week)
        and not _is_coming_in(conn, week.period.end, now)
    )


def _is_written(conn: Connection, week: PlannedWeek) -> bool:
    period = week.period
    latest = latest_report(conn, Period(period.start, period.end, period.timezone))
    return latest is not None and latest.created_at >= week.planned_at


def _is_coming_in(conn: Connection, end: datetime, now: datetime) -> bool:
    committed_at = checkpoints.last_commit(conn)
    if committed_at is None or committed_at < now - _AT_WORK:
        return False
    return schedule.read_horizon(conn) < end
