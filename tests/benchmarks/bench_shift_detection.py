"""Shift detection against river's ADWIN and Page-Hinkley on the same simulated minute counts.

Run as `python -m tests.benchmarks.bench_shift_detection [--apps 200] [--river-apps 40] [--levels 5,100]`.
Each app starts from an empty store and is watched for 30 days without a change (false alarms over all its
series together), then changes at a moment of the 31st day while its traffic is held at the level named.
River's detectors see the same minutes of the first apps, each minute as a z-score of the series' *true*
long-run rate (which ours has to learn), at the setting of a grid that is best on a few apps: of those with
at most two false alarms in 30 days the fastest on abstentions 5 % → 10 %, else the quietest.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentinel.detection.charts import threshold
from sentinel.detection.detector import Detector
from sentinel.detection.params import ShiftParams
from tests.statistical.minute_traffic import (
    IS_RATE,
    LOG_LENGTH,
    MONDAY,
    RATE_SERIES,
    RATES,
    SERIES,
    Change,
    Traffic,
)

DAYS = 30
CHANGE_AT = MONDAY + DAYS * 1440 + 9 * 60
TUNING_APPS = 6
MOST_FALSE_ALARMS = 2.0
ABSTAINED, COMMON, LENGTH = 0, 6, RATE_SERIES
SCENARIOS = {
    "abstentions 5 % → 10 %": (ABSTAINED, Change({ABSTAINED: 0.10})),
    "indicator 5 % → 0 %": (COMMON, Change({COMMON: 0.0})),
    "indicator 3 % → 6 %": (2, Change({2: 0.06})),
    "answer length +25 %": (LENGTH, Change({}, {0: 1.25})),
}
WATCHED_HOURS = 12
NEVER = WATCHED_HOURS * 60


@dataclass
class Recording:
    """What river is fed with: z-scores, (apps, SERIES, minutes); NaN where a minute has no answers."""

    quiet: np.ndarray
    changed: dict[str, np.ndarray]


@dataclass
class Result:
    """False alarms per app in 30 days, and the minutes to each scenario's alarm by app."""

    method: str
    false_alarms: list[int]
    delays: dict[str, list[int]]


def main() -> None:
    """Print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apps", type=int, default=200)
    parser.add_argument("--river-apps", type=int, default=40)
    parser.add_argument("--levels", default="5,20,100,500")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print("| answers/min | method | false alarms / app / 30 days | " + " | ".join(SCENARIOS) + " |")
    print("|---|---|---|" + "---|" * len(SCENARIOS))
    for level in (float(text) for text in options.levels.split(",")):
        started = time.process_time()
        ours, recording = run_ours(level, options.apps, min(options.river_apps, options.apps), options.seed)
        kinds = ("ADWIN", "Page-Hinkley") if options.river_apps else ()
        for result in itertools.chain([ours], (run_river(kind, recording, level) for kind in kinds)):
            rows.append(row_of(level, result))
            print(line_of(rows[-1]), flush=True)
        print(f"  {time.process_time() - started:.0f} s of CPU", file=sys.stderr)
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def run_ours(level: float, apps: int, recorded: int, seed: int) -> tuple[Result, Recording]:
    """Run the product's detector over all apps; keep the minutes of the first ones for river."""
    params = ShiftParams()
    traffic = Traffic(level, apps, np.random.default_rng(seed))
    detector = Detector.empty(np.tile(IS_RATE, apps), threshold(SERIES, params), params)
    quiet = np.full((recorded, SERIES, DAYS * 1440), np.nan, dtype=np.float32)
    false_alarms = [0] * apps
    label = f"{level:g}/min, 30 quiet days"
    for minute, sums in progress(traffic.hours(MONDAY, DAYS * 24), DAYS * 1440, label):
        quiet[:, :, minute - MONDAY] = z_scores(sums, recorded)
        for change in detector.add_minute(minute, sums)[""]:
            if change.kind == "begin":
                false_alarms[change.series // SERIES] += 1
    for minute, sums in traffic.hours(MONDAY + DAYS * 1440, 9):
        detector.add_minute(minute, sums)
    delays, changed = {}, {}
    for name, (series, change) in SCENARIOS.items():
        after = Traffic(level, apps, traffic.rng, steady=True).hours(CHANGE_AT, WATCHED_HOURS, change)
        seen = copy.deepcopy(detector)
        first = [NEVER] * apps
        minutes = []
        for minute, sums in progress(after, WATCHED_HOURS * 60, f"{level:g}/min, {name}"):
            minutes.append(z_scores(sums, recorded))
            for found in seen.add_minute(minute, sums)[""]:
                if found.kind == "begin" and found.series % SERIES == series:
                    app = found.series // SERIES
                    first[app] = min(first[app], minute - CHANGE_AT + 1)
        delays[name] = first
        changed[name] = np.stack(minutes, axis=2)
    return Result("sentinel", false_alarms, delays), Recording(quiet, changed)


def z_scores(sums: np.ndarray, apps: int) -> np.ndarray:
    """Each series' minute as its distance from the true rate in binomial standard deviations."""
    mean = np.array([*RATES, LOG_LENGTH[0], LOG_LENGTH[0]])
    spread = np.sqrt([*(rate * (1 - rate) for rate in RATES), *[LOG_LENGTH[1] ** 2] * 2])
    count, total = sums[:2].reshape(2, -1, SERIES)[:, :apps]
    safe = np.maximum(count, 1.0)
    return np.where(count > 0, (total - safe * mean) / (np.sqrt(safe) * spread), np.nan)


def run_river(kind: str, recording: Recording, level: float) -> Result:
    """Run a library detector at the setting of its grid that is best on a few apps."""
    settings = list(grid(kind))
    name, (series, _) = next(iter(SCENARIOS.items()))
    tried = []
    for label, make in progress(settings, len(settings), f"{level:g}/min, tuning {kind}"):
        apps = range(min(TUNING_APPS, len(recording.quiet)))
        alarms = float(np.mean([quiet_alarms(make, recording.quiet[app]) for app in apps]))
        delay = float(np.median([detection(make, recording, app, name, series) for app in apps]))
        loud = alarms > MOST_FALSE_ALARMS
        tried.append((loud, alarms if loud else delay, label, make))
    _, _, label, make = min(tried, key=lambda item: item[:2])
    apps = range(len(recording.quiet))
    bar = progress(apps, len(apps), f"{level:g}/min, {kind}")
    false_alarms = [quiet_alarms(make, recording.quiet[app]) for app in bar]
    delays = {
        scenario: [detection(make, recording, app, scenario, number) for app in apps]
        for scenario, (number, _) in SCENARIOS.items()
    }
    return Result(f"{kind} ({label})", false_alarms, delays)


def grid(kind: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the settings tried."""
    from river import drift

    if kind == "ADWIN":
        for delta, clock in itertools.product((2e-3, 1e-5, 1e-10, 1e-20, 1e-40, 1e-80), (4, 32)):
            yield f"δ={delta:g}, clock={clock}", lambda d=delta, c=clock: drift.ADWIN(delta=d, clock=c)
        return
    for delta, limit, alpha in itertools.product(
        (0.1, 0.3, 0.6, 1.2, 2.4), (10, 20, 40, 80, 160), (0.9999, 1.0)
    ):
        yield (
            f"δ={delta:g}, λ={limit}, α={alpha:g}",
            lambda d=delta, t=limit, a=alpha: drift.PageHinkley(delta=d, threshold=t, alpha=a),
        )


def quiet_alarms(make: Callable[[], Any], series: np.ndarray) -> int:
    """False alarms of an app over all its series, (SERIES, minutes)."""
    return sum(len(alarms_of(make(), values)) for values in series)


def detection(make: Callable[[], Any], recording: Recording, app: int, scenario: str, series: int) -> int:
    """Minutes from the change to the first alarm; the detector has seen the 30 days before."""
    detector = make()
    alarms_of(detector, recording.quiet[app, series][-7 * 1440 :])
    found = alarms_of(detector, recording.changed[scenario][app, series], only_first=True)
    return found[0] + 1 if found else NEVER


def alarms_of(detector: Any, values: np.ndarray, *, only_first: bool = False) -> list[int]:
    """Positions at which the detector alarms; minutes without answers are left out."""
    found = []
    for position, value in enumerate(values.tolist()):
        if value == value:
            detector.update(value)
            if detector.drift_detected:
                found.append(position)
                if only_first:
                    break
    return found


def row_of(level: float, result: Result) -> dict[str, Any]:
    """One row of the table: mean and standard error of false alarms, quantiles of the delays."""
    alarms = np.array(result.false_alarms)
    return {
        "answers_per_minute": level,
        "method": result.method,
        "apps": len(alarms),
        "false_alarms": float(alarms.mean()),
        "standard_error": float(alarms.std(ddof=1) / np.sqrt(len(alarms))) if len(alarms) > 1 else None,
        "delays": {
            name: [float(q) for q in np.quantile(minutes, (0.1, 0.5, 0.9))]
            for name, minutes in result.delays.items()
        },
    }


def line_of(row: dict[str, Any]) -> str:
    """The row in Markdown: median minutes, and the 90 % quantile in brackets."""

    def shown(minutes: float) -> str:
        return f"> {NEVER}" if minutes >= NEVER else f"{minutes:.0f}"

    cells = [f"{shown(q[1])} ({shown(q[2])})" for q in row["delays"].values()]
    alarms = f"{row['false_alarms']:.2f}"
    return f"| {row['answers_per_minute']:g} | {row['method']} | {alarms} | " + " | ".join(cells) + " |"


def progress(items: Iterable[Any], total: int, label: str) -> Iterator[Any]:
    """Yield items with a bar on standard error."""
    shown = -1
    for number, item in enumerate(items):
        tenth = 20 * number // total
        if tenth != shown and sys.stderr.isatty():
            shown = tenth
            sys.stderr.write(f"\r{label:<45} [{'#' * tenth:<20}] ")
        yield item
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{label:<45} [{'#' * 20}] done\n")


if __name__ == "__main__":
    main()
