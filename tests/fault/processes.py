"""`sentinel run` as a process of its own, to be killed, stopped and started again."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from tests.fault.command import CLOCK_VARIABLE, run_command

ROOT = Path(__file__).parents[2]
REDACTED = ("EMAIL_ADDRESS", "CREDIT_CARD")
#: No language model: a start takes a second or two.
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "sampling": {"salt": "a salt of the tests", "rate": 0.3},
    "redaction": {"entities": list(REDACTED)},
    "redaction_pool": {"processes": 0},
    "pipeline": {"batch_records": 40, "batch_units": 1000, "poll_seconds": 0.1},
    "telemetry": {"http": {"port": None}},
}


_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.fault.command"])


class Run:
    """One `sentinel run`; a context manager that leaves no process behind.

    The process is forked from one that has done the imports, which spares seconds a start. With
    `fresh` it is the command as an operator starts it. `clock` is a file with the seconds by which its
    clock is off.
    """

    def __init__(
        self,
        folder: Path,
        source: str,
        store: str,
        *,
        point: str | None = None,
        until_end: bool = True,
        fresh: bool = False,
        clock: Path | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        given = settings or {}
        merged = {name: {**SETTINGS.get(name, {}), **given.get(name, {})} for name in SETTINGS | given}
        self._base = folder / f"run-{len(list(folder.glob('run-*.yaml')))}"
        config = self._base.with_suffix(".yaml")
        config.write_text(yaml.safe_dump(merged))
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
        environment["PYTHONPATH"] = str(ROOT)
        if point is not None:
            environment["SENTINEL_TEST_FAULT_POINT"] = point
        if clock is not None:
            environment[CLOCK_VARIABLE] = str(clock)
        command = ["run", "--config", str(config), "--json", "--source", source, "--store", store]
        command += [*(["--until-end"] if until_end else []), *options]
        self._popen: subprocess.Popen[bytes] | None = None
        if fresh:
            with self._out.open("wb") as out, self._err.open("wb") as err:
                self._popen = subprocess.Popen(
                    [sys.executable, "-m", "sentinel", *command],
                    cwd=folder,
                    env=environment,
                    stdout=out,
                    stderr=err,
                )
            self.pid = self._popen.pid
        else:
            arguments = (command, environment, str(folder), str(self._out), str(self._err))
            self._fork = _forks.Process(target=run_command, args=arguments)
            self._fork.start()
            self.pid = int(self._fork.pid or 0)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        if self.lives:
            self.send(signal.SIGKILL)
        self.ends(30.0)

    @property
    def _out(self) -> Path:
        return self._base.with_suffix(".out")

    @property
    def _err(self) -> Path:
        return self._base.with_suffix(".err")

    @property
    def log(self) -> str:
        """The end of what it wrote to stderr."""
        return self._err.read_text(errors="replace")[-3000:] if self._err.exists() else ""

    @property
    def lives(self) -> bool:
        return (self._popen.poll() is None) if self._popen is not None else self._fork.is_alive()

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def ends(self, seconds: float = 60.0) -> int:
        """Wait for its end and return the exit code (negative: the signal that ended it)."""
        if self._popen is not None:
            return self._popen.wait(timeout=seconds)
        self._fork.join(seconds)
        code = self._fork.exitcode
        assert code is not None, f"still running after {seconds} s: {self.log}"
        return code

    @property
    def summary(self) -> dict[str, int]:
        totals: dict[str, int] = json.loads(self._out.read_text().splitlines()[-1])
        return totals


def run_to_end(folder: Path, source: str, store: str, **options: Any) -> dict[str, int]:
    """Run to the end of the source and return the totals; anything but success fails the test."""
    with Run(folder, source, store, **options) as run:
        code = run.ends()
        assert code == 0, run.log
        return run.summary


def output_of(folder: Path, *arguments: str) -> str:
    """Run another command of the product and return what it printed; anything but success fails the test."""
    base = folder / f"command-{time.time_ns()}"
    out, err = base.with_suffix(".out"), base.with_suffix(".err")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
    given = (arguments, environment, str(folder), str(out), str(err))
    process = _forks.Process(target=run_command, args=given)
    process.start()
    process.join(60)
    assert process.exitcode == 0, err.read_text()
    return out.read_text()


def report_of(folder: Path, url: str, begins: datetime, ends: datetime) -> dict[str, Any]:
    """Return `sentinel report --format json` of the days of [`begins`, `ends`], UTC."""
    days = ("--from", f"{begins:%Y-%m-%d}", "--to", f"{ends + timedelta(days=1):%Y-%m-%d}")
    document: dict[str, Any] = json.loads(
        output_of(folder, "report", *days, "--format", "json", "--store", url)
    )
    return document


def metric_of(port: int, name: str, **labels: str) -> float:
    """Return a metric as Prometheus would read it; 0 for a counter that has not begun to count."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    assert f"# TYPE {name.removesuffix('_total')}" in text, name
    total = 0.0
    for line in text.splitlines():
        series, _, value = line.rpartition(" ")
        if series.partition("{")[0] == name and all(
            f'{key}="{one}"' in series for key, one in labels.items()
        ):
            total += float(value)
    return total


def is_frozen(run: Run) -> bool:
    """Return whether the process is stopped, as at a fault point that freezes."""
    state = Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"


def kafka_settings(bootstrap: str, topic: str, group: str, **more: Any) -> dict[str, Any]:
    """Sections that read a topic in a group which notices the death of a member within two seconds."""
    kafka = {
        "bootstrap_servers": [bootstrap],
        "topic": topic,
        "group_id": group,
        "session_timeout_seconds": 2.0,
        "heartbeat_interval_seconds": 0.4,
        **more,
    }
    return {"source": {"kafka": kafka}}


def wait_until(holds: Callable[[], bool], seconds: float = 30.0, run: Run | None = None) -> None:
    """Wait until something holds; fail after the time, or if the process ends meanwhile."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert run is None or run.lives, f"the process ended: {run.log}"
        assert time.monotonic() < deadline, run.log if run else "not in time"
        time.sleep(0.1)


def readiness(port: int) -> tuple[int, dict[str, str]]:
    """Return status and reasons of /readyz; 0 where nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
            return answer.status, json.load(answer)["not_ready"]
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)["not_ready"]
    except OSError:
        return 0, {}
