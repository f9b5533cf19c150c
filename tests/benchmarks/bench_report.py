"""How long a report over a large week takes, and R's survey package for the same uncalibrated estimates.

Usage: bench_report.py [LABELLED] [CELLS]   (100,000 and 1,000,000). The part in R runs where `Rscript` and
the package are; its numbers have to be the same to 1e-8.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sentinel.clock import SystemClock
from sentinel.estimation.ratios import explained_rate
from sentinel.estimation.sample import Sample
from sentinel.estimation.totals import weighted_totals
from sentinel.estimation.weighting import design_weighting
from sentinel.reporting.assemble import assemble
from sentinel.reporting.gather import gather
from sentinel.reporting.params import ReportParams
from sentinel.reporting.render import rendered
from sentinel.reporting.weighted import sample_of
from sentinel.store.database import Database

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.benchmarks.report_store import WEEK, fill

R_SCRIPT = Path(__file__).with_name("poisson_rates.R")
CLOSE = 1e-8


@contextmanager
def timed(what: str) -> Iterator[None]:
    began, worked = time.perf_counter(), time.process_time()
    yield
    elapsed, busy = time.perf_counter() - began, time.process_time() - worked
    print(f"{what:<58} {elapsed:8.2f} s, {busy:7.2f} s of CPU", flush=True)


def ours(sample: Sample) -> list[float]:
    """Case rate, claim rate and number of bad cases with their standard errors."""
    weighting = design_weighting(sample)
    found = []
    for name in ("case_rate", "claim_rate"):
        estimate = explained_rate(weighting, name).estimate  # type: ignore[arg-type]
        found += [estimate.estimate, estimate.standard_error]
    total = weighted_totals(weighting)["hallucinated_cases"]
    return [*found, total.estimate, total.standard_error]  # type: ignore[list-item]


def write_table(sample: Sample, path: Path) -> None:
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(("pi", "answered", "bad", "verifiable", "unsupported"))
        columns = (
            sample.inclusion_probability,
            sample.answered.astype(int),
            sample.failing.astype(int),
            sample.verifiable_claims,
            sample.unsupported_claims,
        )
        writer.writerows(zip(*(column.tolist() for column in columns), strict=True))


def compare_with_r(sample: Sample, folder: Path) -> None:
    """Run the same estimates in R, print both times and require equal numbers."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        print("R is not installed: no comparison")
        return
    table = folder / "sample.csv"
    write_table(sample, table)
    began = time.perf_counter()
    mine = ours(sample)
    seconds = time.perf_counter() - began
    run = subprocess.run([rscript, str(R_SCRIPT), str(table)], capture_output=True, text=True, check=False)
    if run.returncode:
        print(f"R has no survey package here: {run.stderr.strip().splitlines()[-1]}")
        return
    *numbers, r_version, survey_version = run.stdout.split()
    theirs = [float(number) for number in numbers]
    print(f"the estimates alone, sentinel                              {seconds:8.3f} s")
    print(
        f"the estimates alone, R {r_version} with survey {survey_version:<14}             {theirs[0]:8.3f} s"
    )
    apart = np.max(np.abs(np.array(mine) / np.array(theirs[1:]) - 1.0))
    print(f"largest relative difference of six numbers: {apart:.1e}")
    if apart > CLOSE:
        raise SystemExit(f"the numbers differ by more than {CLOSE:g}: {mine} and {theirs[1:]}")


def main() -> None:
    labelled, cells = (int(number) for number in (sys.argv[1:3] or ("100000", "1000000")))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Database(f"sqlite:///{folder / 'bench.db'}") as database:
            database.upgrade()
            with timed(f"(writing {labelled:,} labelled answers and {cells:,} cells)"):
                fill(database, labelled=labelled, cells=cells)
            with database.read() as conn, timed("gather from the store"):
                inputs = gather(conn, WEEK)
            with database.read() as conn:
                before = gather(conn, WEEK.previous())
        with timed("weigh, estimate, slice, assemble"):
            document = assemble(inputs, before, ReportParams(), SystemClock().now())
        for form in ("json", "markdown", "html"):
            with timed(f"render {form}"):
                rendered(document | {"revision": 1}, form)
        print(f"published by: {document['estimator']['method']}, {len(document['slices'])} slices")
        compare_with_r(sample_of(inputs), folder)


if __name__ == "__main__":
    main()
