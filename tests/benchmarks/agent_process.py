"""`sentinel run` as an operator starts it, watched from outside: its commits, its memory, its readiness."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import yaml

from tests.benchmarks.surroundings import conninfo
from tests.services.ports import free_port

ROOT = Path(__file__).parents[2]
_LONGEST_SECONDS = 3600.0
_EVENTS = re.compile(r"^sentinel_stream_events_total (\S+)", re.MULTILINE)


class Agent:
    """One agent process on a topic; a context manager that leaves no process behind."""

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        store: str,
        *,
        group: str = "bench",
        rate: float = 0.01,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.port = free_port()
        kafka = {"bootstrap_servers": [bootstrap], "topic": topic, "group_id": group}
        sections: dict[str, Any] = {
            "source": {"source": "kafka", "kafka": kafka},
            "store": store,
            "sampling": {"salt": "a salt of the benchmarks", "rate": rate},
            "telemetry": {"http": {"port": self.port}},
            **(settings or {}),
        }
        self._folder = tempfile.TemporaryDirectory(prefix="sentinel-bench-")
        config = Path(self._folder.name) / "config.yaml"
        config.write_text(yaml.safe_dump(sections))
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._log = Path(self._folder.name) / "log"
        self.started = time.perf_counter()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sentinel", "run", "--config", str(config)],
                cwd=self._folder.name,
                env=environment,
                stdout=log,
                stderr=log,
            )

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
        self._folder.cleanup()

    @property
    def pid(self) -> int:
        """Return the id of the consuming process."""
        return self._process.pid

    @property
    def log(self) -> str:
        """Return the end of what it wrote."""
        return self._log.read_text(errors="replace")[-2000:]

    def check(self) -> None:
        """End the benchmark where the process has ended."""
        if self._process.poll() is not None:
            sys.exit(f"the agent ended with {self._process.returncode}:\n{self.log}")

    def is_ready(self) -> bool:
        """Return whether /readyz says so."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def resident_bytes(self) -> int:
        """Return the resident size of the consuming process now."""
        return _status(self.pid, "VmRSS")

    def processor_seconds(self) -> tuple[float, float]:
        """Return what the consuming process, and its children (redaction), have used of processors."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return _used(self.pid), sum(_used(int(child)) for child in children)

    def events(self) -> int:
        """Return the answers this process has counted, by its own metrics; 0 before it has begun."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as answer:
                found = _EVENTS.search(answer.read().decode())
        except OSError:
            return 0
        return int(float(found[1])) if found else 0

    def queued_seconds(self) -> float:
        """Return how long its main thread could have worked and was given no processor."""
        return int(Path(f"/proc/{self.pid}/task/{self.pid}/schedstat").read_text().split()[1]) / 1e9

    def peak_bytes(self) -> int:
        """Return the largest resident size the consuming process has had."""
        return _status(self.pid, "VmHWM")


def _used(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _status(pid: int, field: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen between the first commit and the last: `rate` records a second over `seconds`.

    `consuming` and `redacting` are processor seconds a record, summed over the agents.
    """

    rate: float
    seconds: float
    consuming: float
    redacting: float


def watch(
    store: str, agents: list[Agent], until: int, on_progress: Callable[[int], None] = lambda _: None
) -> Watched:
    """Wait until the store holds `until` records of all partitions.

    Read from the store itself, twenty times a second, so that watching costs the agents next to nothing.
    """
    deadline = time.perf_counter() + _LONGEST_SECONDS
    first, began, used = 0, 0.0, [0.0, 0.0]
    with psycopg.connect(conninfo(store), autocommit=True) as connection:
        while True:
            done, now = _committed(connection), time.perf_counter()
            on_progress(done)
            if done and not began:
                first, began, used = done, now, _used_by(agents)
            if done >= until:
                counted = max(1, done - first)
                spent = [(end - start) / counted for end, start in zip(_used_by(agents), used, strict=True)]
                return Watched(counted / max(now - began, 1e-9), now - began, *spent)
            _check(agents)
            if now > deadline:
                sys.exit(f"not done after an hour: {done} of {until}")
            time.sleep(0.05)


@dataclass(frozen=True, slots=True)
class Together:
    """What agents did while all of them were at work.

    `rate` records a second; `unqueued` the same over the time in which they were not waiting for a processor;
    `consuming` processor seconds a record; `queued` the share of the time spent waiting for a processor.
    """

    rate: float
    unqueued: float
    consuming: float
    queued: float


def watch_together(store: str, agents: list[Agent], partition_ends_at: int) -> Together:
    """Watch from when every agent has counted an answer until the first partition is read to its end.

    Start, joining the group and the last records of the slowest are left out: then not all are at work.
    """
    while not all(agent.events() for agent in agents):
        _check(agents)
        time.sleep(0.1)
    before, began = [_work_of(agent) for agent in agents], time.perf_counter()
    with psycopg.connect(conninfo(store), autocommit=True) as connection:
        while _furthest(connection) < partition_ends_at:
            _check(agents)
            time.sleep(0.02)
    seconds = time.perf_counter() - began
    spent = [
        [end - start for start, end in zip(first, _work_of(agent), strict=True)]
        for first, agent in zip(before, agents, strict=True)
    ]
    counted = sum(events for events, _, _ in spent)
    return Together(
        counted / seconds,
        sum(events / (seconds - queued) for events, _, queued in spent),
        sum(used for _, used, _ in spent) / counted,
        sum(queued for _, _, queued in spent) / seconds / len(agents),
    )


def _work_of(agent: Agent) -> tuple[int, float, float]:
    return agent.events(), agent.processor_seconds()[0], agent.queued_seconds()


def _check(agents: list[Agent]) -> None:
    for agent in agents:
        agent.check()


def _furthest(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT coalesce(max(next_offset), 0) FROM checkpoints").fetchone()
    return int(row[0]) if row else 0


def _used_by(agents: list[Agent]) -> list[float]:
    return [sum(parts) for parts in zip(*(agent.processor_seconds() for agent in agents), strict=True)]


def _committed(connection: psycopg.Connection[Any]) -> int:
    try:
        row = connection.execute("SELECT coalesce(sum(next_offset), 0) FROM checkpoints").fetchone()
    except psycopg.errors.UndefinedTable:
        return 0
    return int(row[0]) if row else 0
