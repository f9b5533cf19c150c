"""Five thousand answers, each with values of its own in every field: the metrics page stays bounded."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import httpx
import yaml

from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS
from sentinel.telemetry.catalogue import CATALOGUE
from sentinel.telemetry.declarations import HistogramSpec, MetricSpec
from tests.harness import PATTERNS
from tests.services.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
EVENTS, CAP = 5000, 20
FIELDS = (*DOMAIN_FIELDS, *VERSION_FIELDS)


def hostile_event(number: int) -> dict[str, object]:
    """An answer whose every name holds an id, each of another kind."""
    unique = UUID(int=number * 2**64 + 0x5EED).hex
    return {
        "event_id": f"attack-{number}",
        "occurred_at": datetime.now(UTC).isoformat(),
        "app": f"app-{number}",
        "workflow": f"/orders/{number}/refund",
        "task": f"task {unique}",
        "tenant": f"tenant-{number}",
        "locale": f"de-{number}",
        "model": f"gpt-4o:ft-{unique}",
        "prompt_version": unique,
        "index_version": f"{number}\u202e\n{unique}" * 4,
        "app_version": f"1.0.{number}",
        "answer": f"Answer {number} is 12 [1].",
        "retrieved": [{"id": f"doc-{unique}", "text": "It is 12.", "class": f"class-{number}"}],
        "attributes": {f"key-{number}": number},
        "finish_reason": f"stop-{number}",
        "tool_calls": [{"name": f"tool-{number}", "output": "12"}],
        f"unknown_{number}": unique,
    }


def most_series(spec: MetricSpec) -> int:
    count = len(spec.buckets) + 3 if isinstance(spec, HistogramSpec) else 1
    for label in spec.labels:
        count *= len(label.known) + CAP * label.is_open + 1
    return count


@contextmanager
def agent(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SENTINEL_")}
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "sentinel", "run", "--lead", "--config", str(folder / "config.yaml")],
            stdout=log,
            stderr=log,
            env=clean | {"PYTHONPATH": str(ROOT)},
            cwd=folder,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def page(port: int, process: subprocess.Popen[bytes], wanted: int) -> str:
    """The metrics page when `wanted` records are accounted for."""
    deadline = time.monotonic() + 120
    text = ""
    while time.monotonic() < deadline and process.poll() is None:
        try:
            text = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=20).text
        except httpx.TransportError:
            time.sleep(0.2)
            continue
        if _value(text, "sentinel_stream_events_total") >= wanted:
            return text
        time.sleep(0.3)
    raise AssertionError(f"not read in time: {text[:200]}")


def _value(text: str, series: str) -> float:
    found = re.search(rf"^{re.escape(series)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_the_page_of_a_running_agent_stays_bounded_and_a_dead_one_leaves_nothing(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    with events.open("w", encoding="utf-8") as file:
        for number in range(EVENTS):
            file.write(json.dumps(hostile_event(number)) + "\n")
            if number % 50 == 0:
                file.write(f'{{"event_id": "bad-{number}", "answer": {number}}}\n')
    port = free_port()
    settings = {
        "store": f"sqlite:///{tmp_path / 'sentinel.db'}",
        "source": {"source": f"file:{events}"},
        "sampling": {"salt": "salt of the attack", "rate": 0.01},
        "redaction": {"entities": list(PATTERNS)},
        "telemetry": {"http": {"port": port}, "metrics": {"label_values": CAP}},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(settings))
    with agent(tmp_path, port) as process:
        text = page(port, process, EVENTS)
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        assert len(lines) <= sum(most_series(spec) for spec in CATALOGUE)
        for field in FIELDS:
            own = [line for line in lines if f'domain="{field}"' in line]
            assert len(own) == CAP + 1, field
            assert sum(float(line.rsplit(" ", 1)[1]) for line in own) == EVENTS
            assert sum('value="other"' in line for line in own) == 1
        assert max(len(line) for line in lines) < 300
        for trace in ("doc-", "class-", "key-", "stop-", "tool-", "attack-", "bad-", "unknown_0"):
            assert trace not in text
        assert _value(text, "sentinel_review_pending_units") > 0
        process.send_signal(signal.SIGKILL)
        process.wait()
    # What a dead worker showed is gone with its port; the next one shows what the store says.
    with agent(tmp_path, port) as process:
        page(port, process, 0)
        again = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=20).text
        assert _value(again, "sentinel_stream_events_total") == 0
        assert _value(again, "sentinel_review_pending_units") == _value(text, "sentinel_review_pending_units")
