"""The steps of the budget: once an hour of event time a look at what was spent, and perhaps a new row."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.errors import RetryError
from sentinel.leading.jobs import Job, Turn
from sentinel.leading.traffic import Traffic
from sentinel.sampling.budget import Budget
from sentinel.sampling.design import TAKE_ALL_SIGNALS, Design, design_from
from sentinel.sampling.rhythm import HOUR, forecast
from sentinel.sampling.schedule import ScheduleRow
from sentinel.sampling.steering import Plan, WindowState, next_row, plan
from sentinel.store import schedule, scheduled_runs
from sentinel.store.database import Database
from sentinel.store.leases import Lease, LeaseLostError
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.logs import get_logger
from sentinel.telemetry.metrics import Metrics

log = get_logger("leading")
JOB = "budget"
#: How often a leader looks whether the workers' event time has come to another hour.
_LOOK_SECONDS = 5.0
#: A worker that paces itself takes a step before its horizon is further past the hour than this.
_BEHIND_THE_HORIZON = timedelta(minutes=2)
_BEGINNING = datetime(1970, 1, 2, tzinfo=UTC)
_KEPT = timedelta(days=60)


class BudgetSteps:
    """Steers one budget. Safe to share between the leader's timer and a worker that paces itself."""

    def __init__(self, budget: Budget, zone: tzinfo, metrics: Metrics, clock: Clock) -> None:
        self._budget = budget
        self._zone = zone
        self._metrics = metrics
        self._clock = clock
        self._traffic = Traffic(TAKE_ALL_SIGNALS)
        self._lock = threading.Lock()

    def job(self) -> Job:
        """Return the leader's job: a step for each hour that the event time of all workers comes to."""

        def run(turn: Turn) -> None:
            with turn.database.read() as conn:
                horizon = schedule.read_horizon(conn)
            if horizon > _BEGINNING:
                self.step(turn, horizon - _BEHIND_THE_HORIZON)

        return Job(JOB, _LOOK_SECONDS, run)

    def step(self, turn: Turn, moment: datetime) -> datetime:
        """Take the step of the hour that holds `moment`, unless it was taken; return when the next is due.

        Hours count from the beginning of the budget's window, so that a new window begins with a step.

        Raises:
            LeaseLostError: another process leads by now.
        """
        with self._lock:
            start, end = self._budget.window(moment, self._zone)
            hour = start + (moment - start) // HOUR * HOUR
            with turn.database.read() as conn:
                last = scheduled_runs.last_window(conn, JOB)
                is_taken = last is not None and last >= _name(hour)
                found = None if is_taken else self._look(conn, start, end, moment)
            if not is_taken:
                self._write(turn, hour, found)
            return min(hour + HOUR, end)

    def _look(
        self, conn: Connection, start: datetime, end: datetime, now: datetime
    ) -> tuple[Plan, WindowState, Design] | None:
        """What should be in force from `now` on; None while there is nothing to go by, or to steer."""
        rows = schedule.read_rows(conn)
        design = _steered_design(conn, rows)
        if design is None:
            return None
        self._traffic.read(conn, now)
        ahead = forecast(self._traffic.hours(now), now, self._zone)
        if ahead is None:
            return None
        events, spent = self._traffic.since(start)
        rules = [(rule.field, rule.value) for rule in rows[-1].rules]
        state = WindowState(
            start=start,
            end=end,
            now=now,
            spent=spent,
            events=events,
            mean_size=self._traffic.mean_size(rows[-1].design_id, now),
            signals=self._traffic.of_signals(now),
            rules=self._traffic.of_rules(conn, rules, now),
        )
        return plan(self._budget, state, ahead, rows[-1], design), state, design

    def _write(self, turn: Turn, hour: datetime, found: tuple[Plan, WindowState, Design] | None) -> None:
        with turn.begin() as conn:
            now = self._clock.now()
            if not scheduled_runs.record_run(conn, JOB, _name(hour), turn.lease.token, now):
                return
            scheduled_runs.forget_runs(conn, JOB, _name(hour - _KEPT))
            if found is None:
                return
            wanted, state, design = found
            # A worker may have appended a row meanwhile: the new one is made from that.
            rows = schedule.read_rows(conn)
            if rows[-1].design_id != design.design_id:
                return
            row = next_row(self._budget, wanted, rows, design, state)
            if row is not None:
                row = schedule.append_row(conn, row, hour, now)
        self._tell(wanted, state, row)

    def _tell(self, wanted: Plan, state: WindowState, row: ScheduleRow | None) -> None:
        self._metrics.set(c.SAMPLING_BUDGET_UNITS, self._budget.units)
        self._metrics.set(c.SAMPLING_BUDGET_EXPECTED, state.spent)
        self._metrics.set(c.SAMPLING_RATE, wanted.rate)
        if row is not None:
            log.info(
                "budget row",
                row=row.id,
                effective_at=row.effective_at.isoformat(),
                spent=round(state.spent, 1),
                rate=round(wanted.rate, 6),
            )


class Pacer:
    """Has a leading worker take each step before it treats the answers of that hour.

    So a replayed file is steered like live traffic, however fast it is read.
    """

    def __init__(
        self,
        steps: BudgetSteps,
        database: Database,
        lease: Callable[[], Lease | None],
        metrics: Metrics,
        settle: Callable[[], None] | None = None,
    ) -> None:
        """`settle`, called before the first answers, waits until it is clear who leads."""
        self._settle = settle
        self._steps = steps
        self._database = database
        self._lease = lease
        self._metrics = metrics
        self._next_at = _BEGINNING

    def __call__(self, times: Sequence[datetime | None]) -> int:
        """Return how many of the first answers, by sampling time, come before the next step.

        Raises:
            RetryError: the store is away.
        """
        settle, self._settle = self._settle, None
        if settle is not None:
            settle()
        for position, time in enumerate(times):
            if time is None or time < self._next_at:
                continue
            if position:
                return position
            if not self._step(time):
                return len(times)
        return len(times)

    def _step(self, time: datetime) -> bool:
        lease = self._lease()
        if lease is None:
            return False
        try:
            self._next_at = self._steps.step(Turn(self._database, lease), time)
        except (RetryError, LeaseLostError) as error:
            if isinstance(error, RetryError):
                raise
            return False
        except Exception:
            # The budget is steered by the last row then; the stream must not stop for it.
            log.exception("job failed", job=JOB)
            self._metrics.increment(c.LEADER_JOB_RUNS, task=JOB, outcome="failed")
            return False
        return True


def _steered_design(conn: Connection, rows: Sequence[ScheduleRow]) -> Design | None:
    """The design in force, if it leaves its rate to a budget and this program can read it."""
    if not rows:
        return None
    try:
        design = design_from(schedule.design_spec(conn, rows[-1].design_id) or {})
    except (KeyError, TypeError):
        return None
    return design if design.rate is None else None


def _name(hour: datetime) -> str:
    return f"{hour:%Y-%m-%dT%H:%M:%SZ}"
