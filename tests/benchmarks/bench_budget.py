"""A budget over a simulated month: per week what was asked for, expected and drawn, and a chart of it.

Usage: python tests/benchmarks/bench_budget.py [CHART.svg|CHART.png]
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import matplotlib as mpl
from matplotlib.dates import MO, DateFormatter, WeekdayLocator
from matplotlib.figure import Figure

from sentinel.sampling.budget import Budget
from sentinel.store import schedule
from tests.harness import fresh_database
from tests.statistical.budget_month import END, OUTAGE, STORM, SURGE, WEEKS, month
from tests.statistical.budget_traffic import BEGAN, DAY, HOUR, Hour, weekly

UNITS = 200
SEED = 1
_BLUE, _ORANGE, _GREY = "#1f5fa8", "#c65d00", "#777777"


def main() -> None:
    """Live through the month and print it."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory() as folder, fresh_database(Path(folder)) as database:
        hours = month(database, Budget(UNITS), SEED)
        with database.read() as conn:
            rows = schedule.read_rows(conn)
    print("| week | answers | budget | expected (Σπ) | drawn | rows | lowest and highest share |")
    print("|---|---|---|---|---|---|---|")
    for number, (name, week) in enumerate(zip(WEEKS, weekly(hours), strict=True)):
        start = BEGAN + 7 * number * DAY
        written = sum(start <= row.effective_at < start + 7 * DAY for row in rows)
        rates = [hour.rate for hour in hours if start <= hour.start < start + 7 * DAY and hour.events]
        print(
            f"| {name} | {week['events']:,.0f} | {UNITS} | {week['expected']:.1f} | {week['drawn']:.0f} "
            f"| {written} | {100 * min(rates):.2f} %, {100 * max(rates):.2f} % |"
        )
    if len(sys.argv) > 1:
        is_svg = sys.argv[1].endswith(".svg")
        _chart(hours).savefig(sys.argv[1], metadata={"Date": None} if is_svg else None)


def _chart(hours: Sequence[Hour]) -> Figure:
    mpl.rcParams.update({"svg.hashsalt": "budget", "svg.fonttype": "path", "font.size": 9})
    figure = Figure(figsize=(9, 7.2), layout="constrained")
    above, middle, below = figure.subplots(3, 1, sharex=True, height_ratios=(1, 1.5, 1))
    times = [hour.start for hour in hours]
    above.fill_between(times, [hour.events for hour in hours], color=_GREY, alpha=0.5, linewidth=0)
    above.set_ylabel("answers an hour")
    for name, number in zip(WEEKS, range(len(WEEKS)), strict=True):
        start = BEGAN + 7 * number * DAY
        week = [hour for hour in hours if start <= hour.start < start + 7 * DAY]
        ends = [start, *(hour.start + HOUR for hour in week)]
        first = {"label": "budget, spent evenly over the answers"} if number == 0 else {}
        middle.plot(ends, _cumulated([UNITS * h.events / sum(h.events for h in week) for h in week]),
                    color=_GREY, linestyle="--", linewidth=1, **first)  # fmt: skip
        first = {"label": "expected, Σπ"} if number == 0 else {}
        middle.plot(ends, _cumulated([hour.expected for hour in week]), color=_BLUE, **first)
        first = {"label": "drawn"} if number == 0 else {}
        middle.plot(ends, _cumulated([hour.drawn for hour in week]), color=_ORANGE, linewidth=1, **first)
        above.text(start + timedelta(hours=6), 1.02, name, transform=_at_top(above), va="bottom")
    middle.axhline(UNITS, color=_GREY, linewidth=0.6)
    middle.set_ylabel("answers of the week")
    middle.legend(loc="upper left", frameon=False)
    below.step(times, [100 * hour.rate for hour in hours], where="post", color=_BLUE)
    below.set_yscale("log")
    below.set_ylabel("share drawn, %")
    below.yaxis.set_major_formatter("{x:g}")
    for axes in (above, middle, below):
        for number in range(1, len(WEEKS)):
            axes.axvline(BEGAN + 7 * number * DAY, color=_GREY, linewidth=0.6)
        for begin, end in (SURGE, OUTAGE, STORM):
            axes.axvspan(begin, end, color=_ORANGE, alpha=0.15, linewidth=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlim(BEGAN, END)
    below.xaxis.set_major_locator(WeekdayLocator(MO))
    below.xaxis.set_major_formatter(DateFormatter("%d %b"))
    return figure


def _cumulated(steps: Sequence[float]) -> list[float]:
    total, sums = 0.0, [0.0]
    for step in steps:
        total += step
        sums.append(total)
    return sums


def _at_top(axes: Any) -> Any:
    return axes.get_xaxis_transform()


if __name__ == "__main__":
    main()
