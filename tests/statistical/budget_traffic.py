"""Weeks of simulated traffic through the real schedule, frame and budget controller of a store.

Only the answers are made up: how many come in each quarter of an hour, how large their size measures
are, which of them bring a signal. What a budget does with them is the product's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from sentinel.clock import FixedClock
from sentinel.leading.budget import BudgetSteps
from sentinel.leading.jobs import Turn
from sentinel.pipeline.scheduling import LEAD, adopt_design
from sentinel.records import Partition
from sentinel.sampling.budget import Budget
from sentinel.sampling.design import Design, SamplingParams, configured_design
from sentinel.sampling.schedule import ScheduleRow, row_in_force
from sentinel.store import frame, leases, schedule
from sentinel.store.database import Database
from sentinel.store.frame import WINDOW, CellCounts, CellKey
from sentinel.telemetry.metrics import Metrics

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BEGAN = datetime(2026, 9, 28, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
#: Share of the answers of each hour that come with a correction, at ordinary times.
CORRECTIONS = 0.0005
_PARTITION = Partition("simulated", 0)

#: (moment) → answers an hour; (moment) → share of them with a correction.
Rate = Callable[[datetime], float]


def day_and_week(moment: datetime, mean: float = 300.0, zone: tzinfo = BERLIN) -> float:
    """Answers an hour of an office app: full at noon, a tenth at night, a third at weekends."""
    local = moment.astimezone(zone)
    of_day = 0.1 + 1.8 * np.exp(-(((local.hour + local.minute / 60 - 13.0) / 4.0) ** 2))
    of_week = 1.2 if local.weekday() < 5 else 0.4
    return float(mean * of_day * of_week / 0.82)


@dataclass(slots=True)
class Hour:
    """What one hour of event time came to."""

    start: datetime
    events: int
    expected: float
    variance: float
    drawn: int
    rate: float
    signal_probability: float


@dataclass(slots=True)
class Simulation:
    """A store that lives through hours of simulated traffic."""

    database: Database
    budget: Budget
    seed: int
    zone: tzinfo = UTC
    answers_an_hour: Rate = day_and_week
    corrections: Rate = lambda _moment: CORRECTIONS
    uniform_share: float = 0.3
    hours: list[Hour] = field(default_factory=list)

    def run(self, start: datetime, end: datetime) -> list[Hour]:
        """Live through [`start`, `end`); each hour with a step of the budget before its first answer."""
        clock = FixedClock(start)
        params = SamplingParams(salt="s", budget=self.budget, uniform_share=self.uniform_share)
        design = configured_design(params, "salt", "indicators")
        adopt_design(self.database, design, start, params.start_rate)
        steps = BudgetSteps(self.budget, self.zone, Metrics(), clock)
        with self.database.begin() as conn:
            lease = leases.acquire(conn, "scheduled work", "simulation", 3600.0)
        assert lease is not None
        turn = Turn(self.database, lease)
        draw = np.random.default_rng(self.seed)
        sizes = np.array(design.reference_sizes())
        moment = start
        while moment < end:
            clock.set(moment)
            self._hour(steps, turn, design, sizes, draw, moment)
            moment += HOUR
        return self.hours

    def _hour(
        self,
        steps: BudgetSteps,
        turn: Turn,
        design: Design,
        sizes: npt.NDArray[np.float64],
        draw: np.random.Generator,
        start: datetime,
    ) -> None:
        counts = [int(draw.poisson(self.answers_an_hour(start + part * WINDOW) / 4)) for part in range(4)]
        if not sum(counts):
            self.hours.append(Hour(start, 0, 0.0, 0.0, 0, float("nan"), float("nan")))
            return
        first = next(start + part * WINDOW for part in range(4) if counts[part])
        steps.step(turn, first)
        with self.database.begin() as conn:
            rows = sorted(
                schedule.extend_horizon(conn, start + HOUR + LEAD), key=lambda row: (row.effective_at, row.id)
            )
            hour = Hour(start, 0, 0.0, 0.0, 0, *self._in_force(rows, start + HOUR / 2))
            cells: dict[CellKey, CellCounts] = {}
            for part, count in enumerate(counts):
                at = start + part * WINDOW
                self._window(rows, design, sizes, draw, at, count, hour, cells)
            frame.add_cells(conn, cells)
        self.hours.append(hour)

    def _in_force(self, rows: Sequence[ScheduleRow], moment: datetime) -> tuple[float, float]:
        row = row_in_force(rows, moment)
        return row.uniform_probability / self.uniform_share, dict(row.take_all)["user_correction"]

    def _rows_of(
        self, rows: Sequence[ScheduleRow], at: datetime, seconds: npt.NDArray[np.float64]
    ) -> Iterator[tuple[ScheduleRow, npt.NDArray[np.bool_]]]:
        """The rows in force in a window, each with the answers it is in force for."""
        edges = [at, *(row.effective_at for row in rows if at < row.effective_at < at + WINDOW)]
        for begins, ends in pairwise([*edges, at + WINDOW]):
            low, high = ((edge - at).total_seconds() for edge in (begins, ends))
            yield row_in_force(rows, begins), (seconds >= low) & (seconds < high)

    def _window(
        self,
        rows: Sequence[ScheduleRow],
        design: Design,
        sizes: npt.NDArray[np.float64],
        draw: np.random.Generator,
        at: datetime,
        count: int,
        hour: Hour,
        cells: dict[CellKey, CellCounts],
    ) -> None:
        chosen = draw.choice(sizes, count)
        corrected = draw.random(count) < self.corrections(at)
        seconds = draw.random(count) * WINDOW.total_seconds()
        probability = np.empty(count)
        for row, among in self._rows_of(rows, at, seconds):
            p = np.maximum(row.floor, row.uniform_probability + row.multiplier * chosen)
            p = np.where(corrected, np.maximum(p, dict(row.take_all)["user_correction"]), p)
            probability[among] = np.minimum(p, 1.0)[among]
        hour.events += count
        hour.expected += float(probability.sum())
        hour.variance += float((probability * (1 - probability)).sum())
        hour.drawn += int((draw.random(count) < probability).sum())
        for domain, value, among in (
            ("", "", np.ones(count, dtype=bool)),
            ("indicator", "user_correction", corrected),
        ):
            if among.any():
                cells[CellKey(at, _PARTITION, design.design_id, domain, value)] = CellCounts(
                    events=int(among.sum()),
                    size_micros=round(float(chosen[among].sum()) * 1e6),
                    expected_micros=round(float(probability[among].sum()) * 1e6),
                )


def weekly(hours: Sequence[Hour], zone: tzinfo = UTC) -> list[dict[str, float]]:
    """Totals by ISO week of a zone, oldest first."""
    totals: dict[tuple[int, int], dict[str, float]] = {}
    for hour in hours:
        year, week, _ = hour.start.astimezone(zone).isocalendar()
        of_week = totals.setdefault(
            (year, week), {"week": float(week), "events": 0, "expected": 0, "variance": 0, "drawn": 0}
        )
        for name in ("events", "expected", "variance", "drawn"):
            of_week[name] += getattr(hour, name)
    return [totals[key] for key in sorted(totals)]
