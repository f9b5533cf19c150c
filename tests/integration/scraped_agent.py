"""A running worker and a running `sentinel serve` on one store, with everything a panel may show."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import yaml

from sentinel.store.database import Database
from sentinel.store.reports import Period, save_report
from tests.harness import PATTERNS, event
from tests.integration.shift_store import fill_minutes
from tests.services.ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
_RATE = {"estimate": 0.04, "lower": 0.02, "upper": 0.07, "n_labelled": 31, "anytime_lower": 0.01}
_REPORT = {
    "revision": 1,
    "rates": {"claim": _RATE, "case": _RATE},
    "coverage": {"drawn": 40, "labelled": 31, "label_delay_hours": {"median": 5.0, "p90": 30.0}},
}


def prepare(store: str, now: datetime) -> None:
    """Make a store with a published report and a day of counts that end in a shift."""
    day = now.replace(second=0, microsecond=0) - timedelta(hours=25)
    with Database(store) as database:
        database.upgrade()
        fill_minutes(database, day, 24 * 60, {"a": 0.02, "b": 0.02})
        fill_minutes(database, day + timedelta(days=1), 40, {"a": 0.3, "b": 0.02}, seed=2)
        week = Period(now - timedelta(days=9), now - timedelta(days=2), "UTC")
        with database.begin() as conn:
            save_report(conn, week, _REPORT, now - timedelta(days=1), 0)


def write_events(path: Path, first: int, count: int, now: datetime) -> None:
    """Append answers of these minutes, among them records that cannot be used."""
    with path.open("a", encoding="utf-8") as file:
        for number in range(first, first + count):
            at = now - timedelta(seconds=60 - number % 60)
            told = event(number, at, tenant=f"t{number % 3}", prompt_version=f"v{number % 2}")
            if number % 9 == 0:
                told["answer"] += " Write to kim@mail.example, card 4111 1111 1111 1111."
            if number % 11 == 0:
                told |= {"no_such_field": 1, "usage": {"input_tokens": "many"}}
            file.write(json.dumps(told) + "\n")
            if number % 13 == 0:
                file.write('{"event_id": \n' + json.dumps(told) + "\n" + "{}\n")


@contextmanager
def scraped(folder: Path) -> Iterator[list[str]]:
    """Yield host:port of the worker and of the workbench, both at work."""
    store, events, now = f"sqlite:///{folder / 'sentinel.db'}", folder / "events.jsonl", datetime.now(UTC)
    prepare(store, now)
    write_events(events, 0, 200, now)
    worker_port, serve_port = free_ports(2)
    config = folder / "config.yaml"
    config.write_text(
        yaml.safe_dump(
            {
                "store": store,
                "source": {"source": f"file:{events}"},
                "sampling": {
                    "salt": "salt of the scraped agent",
                    "budget": {"units": 20000, "per": "day"},
                },
                "redaction": {"entities": list(PATTERNS)},
                "telemetry": {"http": {"port": worker_port}},
            }
        )
    )
    commands = [
        ["run", "--config", str(config)],
        ["serve", "--config", str(config), "--port", str(serve_port)],
    ]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SENTINEL_")}
    targets = [f"127.0.0.1:{port}" for port in (worker_port, serve_port)]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        # The leader steers the budget by what was counted: it comes when the first answers have been.
        for command, target, ready in zip(commands, targets, (True, False), strict=True):
            with (folder / f"{command[0]}.log").open("wb") as log:
                processes.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "sentinel", *command],
                        stdout=log,
                        stderr=log,
                        env=clean | {"PYTHONPATH": str(ROOT)},
                        cwd=folder,
                    )
                )
            _wait(target, ready, processes[-1], folder)
        yield targets
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


def _wait(target: str, counted: bool, process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until the process serves its metrics and has counted something where that is asked for."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            page = httpx.get(f"http://{target}/metrics", timeout=5)
            if page.status_code == httpx.codes.OK and (
                not counted or re.search(r"^sentinel_stream_events_total [1-9]", page.text, re.MULTILINE)
            ):
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    logs = "\n".join(path.read_text()[-1500:] for path in folder.glob("*.log"))
    raise RuntimeError(f"no metrics at {target}: {logs}")
