"""The pictures of `docs/shift-detection.md`: an alarm from its inside, and the benchmark's table.

Run as `python -m tests.benchmarks.draw_shift_detection TABLE.json … docs`; the tables are what
`bench_shift_detection --out` writes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from sentinel.detection.baseline import null_means
from sentinel.detection.charts import UP, threshold
from sentinel.detection.detector import Detector
from sentinel.detection.params import ShiftParams
from tests.benchmarks.bench_shift_detection import NEVER, SCENARIOS
from tests.statistical.minute_traffic import IS_RATE, MONDAY, SERIES, Change, Traffic

DAYS = 8
LEVEL = 20.0
BLUE, RED, GREY, GREEN = "#2f5d8c", "#b3392f", "#8a8f94", "#4c7a3d"
METHODS = {"sentinel": (BLUE, "o"), "ADWIN": (RED, "s"), "Page-Hinkley": (GREEN, "^")}


def main() -> None:
    """Draw both pictures."""
    *tables, folder = (Path(argument) for argument in sys.argv[1:])
    mpl.rcParams.update({"svg.hashsalt": "sentinel", "font.size": 10, "svg.fonttype": "path"})
    rows = [row for table in tables for row in json.loads(table.read_text())]
    save(alarm_picture(), folder / "shift-alarm.svg")
    save(benchmark_picture(rows), folder / "shift-benchmark.svg")


def save(figure: Figure, path: Path) -> None:
    """Write a picture without a date, so that drawing it again changes nothing."""
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def alarm_picture() -> Figure:
    """Twelve hours of one series: minutes, what is usual, evidence, and the alarm's begin and end."""
    params, traffic = ShiftParams(), Traffic(LEVEL, 1, np.random.default_rng(3))
    detector = Detector.empty(IS_RATE, threshold(SERIES, params), params)
    for minute, sums in traffic.hours(MONDAY, DAYS * 24 + 6):
        detector.add_minute(minute, sums)
    start = MONDAY + DAYS * 1440 + 6 * 60
    phases = ((4, Change()), (4, Change({0: 0.10})), (4, Change()))
    seen: list[tuple[float, float, float, float, float]] = []
    events: list[tuple[str, float, float]] = []
    at = start
    for hours, change in phases:
        for minute, sums in traffic.hours(at, hours, change):
            for found in detector.add_minute(minute, sums)[""]:
                if found.series == 0:
                    onset = float(detector.watch.onset[0])
                    events.append((found.kind, (minute - start) / 60, (onset - start) / 60))
            low, high = null_means(detector.baseline, detector.is_rate, params)
            evidence = float(detector.watch.charts.mixed()[0, UP])
            seen.append((sums[0, 0], sums[1, 0], low[0], high[0], max(evidence, 1.0)))
        at += hours * 60
    return _alarm_figure(np.array(seen), events, threshold(SERIES, params))


def _alarm_figure(seen: np.ndarray, events: list[tuple[str, float, float]], alarm_at: float) -> Figure:
    hours = np.arange(len(seen)) / 60
    figure = Figure(figsize=(8.5, 5.0))
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    window = np.ones(15)
    smooth = np.convolve(seen[:, 1], window, "same") / np.convolve(seen[:, 0], window, "same")
    upper.scatter(hours, 100 * seen[:, 1] / np.maximum(seen[:, 0], 1), s=5, color=GREY, label="one minute")
    upper.plot(hours, 100 * smooth, color=BLUE, label="15 minutes")
    upper.fill_between(
        hours, 100 * seen[:, 2], 100 * seen[:, 3], color=GREEN, alpha=0.3, label="no shift", linewidth=0
    )
    upper.set(ylabel="abstained, %", ylim=(-0.5, 32))
    lower.semilogy(hours, seen[:, 4], color=BLUE, label="evidence upwards")
    lower.axhline(alarm_at, color=RED, linestyle="--", label="alarm")
    lower.set(xlabel="hours", ylabel="evidence R", ylim=(0.8, 20 * alarm_at), xlim=(0, 12))
    for begin, end in zip(events[::2], events[1::2], strict=False):
        for axis in (upper, lower):
            axis.axvspan(begin[1], end[1], color=RED, alpha=0.12, linewidth=0)
        upper.axvline(begin[2], color=RED, linestyle=":", label="estimated onset")
    upper.legend(loc="upper right", ncols=2, frameon=False)
    lower.legend(loc="center right", frameon=False)
    upper.set_title(f"5 % → 10 % from hour 4 to hour 8, about {LEVEL:g} answers a minute; shaded: alarm")
    return figure


def benchmark_picture(rows: list[dict[str, Any]]) -> Figure:
    """Delay against false alarms, a panel for each change; a point is a method at a level of traffic."""
    figure = Figure(figsize=(9.5, 6.5))
    axes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for axis, scenario in zip(axes, SCENARIOS, strict=True):
        for row in rows:
            name = next(method for method in METHODS if row["method"].startswith(method))
            colour, marker = METHODS[name]
            delay = row["delays"][scenario][1]
            alarms = max(row["false_alarms"], 0.01)
            axis.plot(alarms, delay, marker, color=colour, markersize=7)
            axis.annotate(
                f"{row['answers_per_minute']:g}",
                (alarms, delay),
                textcoords="offset points",
                xytext=(5, 4),
                fontsize=8,
            )
        axis.axvline(2.0, color=GREY, linestyle="--", linewidth=0.8)
        axis.set(xscale="log", yscale="log", title=scenario, ylim=(1.5, 1.3 * NEVER))
    figure.supxlabel("false alarms per app in 30 days (left edge: 0.01 or fewer)", fontsize=10)
    for axis in axes[::2]:
        axis.set_ylabel("median minutes to the alarm")
    handles = [
        axes[0].plot([], [], marker, color=colour, label=name)[0]
        for name, (colour, marker) in METHODS.items()
    ]
    figure.legend(handles=handles, loc="upper center", ncols=3, frameon=False)
    return figure


if __name__ == "__main__":
    main()
