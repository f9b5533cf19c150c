"""`sentinel demo` as a user runs it: the whole product on a few hundred answers."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from sentinel.clock import SystemClock
from sentinel.demo.comparison import compare
from sentinel.demo.plan import Plan, last_two_weeks
from sentinel.demo.simulation import simulate
from sentinel.demo.truth import true_rates

ROOT = Path(__file__).parents[2]
EVENTS = 250


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sentinel", "demo", "--events", str(EVENTS), *arguments]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def demo(out: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("--out", str(out), *arguments),
        capture_output=True,
        text=True,
        timeout=200,
        env=environment(**more),
        check=False,
    )


@dataclass
class Ran:
    out: Path
    stdout: str
    stderr: str
    report: dict[str, Any]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    out = tmp_path_factory.mktemp("demo") / "out"
    done = demo(out, "--seed", "4", "--no-serve")
    assert done.returncode == 0, done.stderr
    return Ran(out, done.stdout, done.stderr, json.loads((out / "report.json").read_text("utf-8")))


def test_it_says_estimate_interval_and_truth(ran: Ran) -> None:
    truths = [
        line.truth for line in simulate(Plan(EVENTS, 4, last_two_weeks(SystemClock().now()))) if line.truth
    ]
    rows = compare(ran.report, truths)
    for row in rows[:2]:
        assert row.estimate is not None
        assert row.lower is not None
        assert row.upper is not None
        assert row.truth is not None
        assert row.plain_average is not None
        cells = next(line for line in ran.stdout.splitlines() if line.startswith(f"| {row.name} "))
        for share in (row.estimate, row.lower, row.upper, row.truth, row.plain_average):
            assert f"{100 * share:.1f} %" in cells
        assert ("yes" if row.holds else "no") in cells
    assert true_rates(truths).answers == ran.report["population"]["events"]


def test_standard_output_is_plain_and_names_the_report(ran: Ran) -> None:
    assert "\x1b" not in ran.stdout + ran.stderr
    assert str(ran.out / "report.html") in ran.stdout
    assert "Traceback" not in ran.stderr
    assert [line.split(" (")[0] for line in ran.stderr.splitlines()] == [
        "Simulating answers",
        "Consuming, drawing, redacting",
        "Labelling drawn answers",
        "Writing the report",
    ]
    assert "<html" in (ran.out / "report.html").read_text("utf-8")


def test_everything_drawn_is_labelled_and_all_else_counted(ran: Ran) -> None:
    coverage, population = ran.report["coverage"], ran.report["population"]
    assert 40 <= coverage["drawn"] <= 160
    assert coverage["labelled"] == coverage["drawn"] - coverage["lost"]
    assert population["events"] == EVENTS
    assert population["not_covered"] >= 3
    assert population["weight_check"]["status"] == "ok"


def test_no_personal_value_of_the_app_is_in_store_or_report(ran: Ran) -> None:
    lines = (ran.out / "simulated-app" / "answers.jsonl").read_text("ascii").splitlines()
    raw = "\n".join(line for line in lines if len(line) < 100_000)
    values = set(re.findall(r"[a-z.]+\d\d@example\.(?:com|org|net)", raw))
    values |= set(re.findall(r"(?:\d{4} ){3}\d{4}|DE\d\d(?: \d{4}){4} \d\d", raw))
    assert len(values) > 100
    stored = b"".join(path.read_bytes() for path in ran.out.iterdir() if path.is_file())
    assert len(stored) > 100_000
    assert [value for value in values if value.encode() in stored] == []


def test_other_commands_on_its_store_find_the_salt_of_the_draw(ran: Ran, tmp_path: Path) -> None:
    """As after `sentinel run` on a store file: nothing has to be set to take labels in."""
    label = json.loads((ran.out / "simulated-app" / "truth.jsonl").read_text("utf-8").splitlines()[0])
    (tmp_path / "labels.jsonl").write_text(json.dumps(label | {"annotator": "somebody-else"}))
    store = f"sqlite:///{tmp_path / 'sentinel.db'}"
    for name in ("sentinel.db", "sentinel.db.salt"):
        (tmp_path / name).write_bytes((ran.out / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "sentinel", "labels", "import", "labels.jsonl", "--store", store],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["accepted"] == 1


def test_it_says_how_to_label_answers_oneself(ran: Ran) -> None:
    assert f"sentinel run --source file:{ran.out / 'simulated-app' / 'answers.jsonl'}" in ran.stdout
    assert "sentinel serve --store sqlite:///try.db" in ran.stdout


def test_again_with_the_same_seed_everything_is_the_same(ran: Ran) -> None:
    def drawn() -> list[tuple[Any, ...]]:
        with sqlite3.connect(ran.out / "sentinel.db") as store:
            columns = "event_id, inclusion_probability, random_number, reasons, status"
            return sorted(store.execute(f"SELECT {columns} FROM units"))

    before, text = drawn(), (ran.out / "report.json").read_text("utf-8")
    again = demo(
        ran.out, "--seed", "4", "--no-serve", SENTINEL_SAMPLING__RATE="0.9", SENTINEL_SAMPLING__SALT="other"
    )
    assert again.returncode == 0, again.stderr
    assert drawn() == before
    assert again.stdout == ran.stdout
    assert (ran.out / "report.json").read_text("utf-8") == text


def test_the_workbench_is_served_at_the_end_and_ends_on_a_signal(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("--out", str(tmp_path / "out"), "--seed", "5"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        url = next(
            (m[1] for line in process.stdout if (m := re.search(r"Workbench: (http://\S+)", line))), None
        )
        assert url is not None
        assert url.startswith("http://127.0.0.1:")
        assert "Review queue" in _got(url).text
        metrics = _got(f"{url}metrics").text
        assert f"sentinel_stream_events_total {EVENTS}.0" in metrics
        assert 'sentinel_audited_rate{bound="estimate",level="case"}' in metrics
        assert _got(f"{url}readyz").status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=15) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sentinel.db").write_text("production")
    done = demo(tmp_path, "--no-serve")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no demonstration made" in done.stderr
    assert (tmp_path / "sentinel.db").read_text() == "production"


@pytest.mark.parametrize(
    "arguments", [["--events", "0"], ["--events", "many"], ["--seed", "x"], ["--port", "1"]]
)
def test_bad_usage_is_one_line(tmp_path: Path, arguments: list[str]) -> None:
    done = demo(tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def _got(url: str) -> httpx.Response:
    for _ in range(100):
        try:
            return httpx.get(url, timeout=5)
        except httpx.ConnectError:
            time.sleep(0.1)
    return httpx.get(url, timeout=5)
