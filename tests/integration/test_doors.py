"""Promise 5, door by door: 10,000 planted values, and none of them in anything the product writes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

import pytest

from sentinel.redaction import DEFAULT_ENTITIES
from tests.integration.planted import Planted, broken_lines, event, label_line
from tests.services.ports import free_port

#: A minute on a quiet machine: a dozen commands, most of which load the model.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[2]
EVENTS = 130
LABELS = 60
FEWEST = 10_000
PERIOD = ("--from", "2026-11-16", "--to", "2026-11-23")
PAGES = ("/metrics", "/readyz", "/healthz", "/", "/api/queue")


class Written:
    """The folder in which all was written; `planted` is what must not be in it."""

    def __init__(self, folder: Path, planted: Planted) -> None:
        self.folder = folder
        self.planted = planted

    def everything(self) -> Iterator[tuple[str, str]]:
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                yield str(path.relative_to(self.folder)), path.read_bytes().decode("utf-8", "replace")

    def leaks(self) -> list[str]:
        """Return where a value stands, and of which class it is: as written, and with its digits alone."""
        found = []
        for name, text in self.everything():
            digits = re.sub(r"(?<=[0-9])[ -](?=[0-9])", "", text)
            for value, entity in self.planted.values.items():
                plain = re.sub(r"[^0-9]", "", value) if entity in ("CREDIT_CARD", "US_SSN") else ""
                if value in text or (len(plain) == 16 and plain in digits):
                    found.append(f"{entity} in {name}")
        return found


def environment(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder),
        "SENTINEL_STORE": f"sqlite:///{folder / 's.db'}",
        "SENTINEL_SAMPLING__RATE": "1",
        "SENTINEL_SAMPLING__SALT": "a salt of the tests",
        "SENTINEL_DOMAINS__ATTRIBUTES": "note, plan",
        "SENTINEL_TELEMETRY__LOGS__LEVEL": "debug",
    }


def command(folder: Path, *arguments: str, given: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
    run = subprocess.run(
        [sys.executable, "-m", "sentinel", *arguments],
        input=given,
        capture_output=True,
        cwd=folder,
        env=environment(folder),
        check=False,
    )
    name = f"step-{len(list(folder.glob('step-*.out'))):02d}"
    (folder / f"{name}.out").write_bytes(run.stdout)
    (folder / f"{name}.err").write_bytes(run.stderr)
    assert run.returncode in codes, (arguments, run.returncode, run.stderr[-600:])
    return run.stdout


def serve(folder: Path) -> None:
    """Start the workbench and write down what each page says."""
    port = free_port()
    with (folder / "serve.out").open("wb") as out, (folder / "serve.err").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "sentinel", "serve", "--port", str(port)],
            cwd=folder,
            env=environment(folder),
            stdout=out,
            stderr=err,
        )
        try:
            for page in PAGES:
                (folder / f"page-{page.strip('/').replace('/', '-') or 'queue'}").write_bytes(
                    page_of(f"http://127.0.0.1:{port}{page}")
                )
        finally:
            process.terminate()
            process.wait(timeout=180)


def page_of(address: str, seconds: float = 60.0) -> bytes:
    """Return what an address answers, whatever its status; wait until somebody is there."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            return error.read()
        except (URLError, ConnectionError):
            assert time.monotonic() < deadline, address
            time.sleep(0.3)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    source = tmp_path_factory.mktemp("source")
    folder = tmp_path_factory.mktemp("written")
    planted = Planted()
    lines = [json.dumps(event(planted, number)).encode() for number in range(EVENTS)]
    events = source / "events.jsonl"
    events.write_bytes(b"\n".join([*lines, *broken_lines(planted)]) + b"\n")
    labels = [json.dumps(label_line(planted, f"door-{number}")) for number in range(LABELS)]
    labels += [json.dumps(label_line(planted, "never-drawn")), '{"comment": "' + planted.sentence()]
    labels += [json.dumps(label_line(planted, planted.email()) | {"abstention": planted.sentence()})]
    label_file = source / "labels.jsonl"
    label_file.write_text("\n".join(labels) + "\n")
    texts = "\n".join(planted.sentence() for _ in range(50)).encode()
    totals = json.loads(command(folder, "run", "--source", f"file:{events}", "--until-end", "--json"))
    assert totals["events"] == totals["sampled"] == EVENTS + 2  # of the broken lines two are only odd
    assert totals["dead_letters"] >= 9
    command(folder, "check", str(events), codes=(0, 1))
    command(folder, "labels", "import", str(label_file), codes=(0, 1))
    command(folder, "labels", "export")
    for kind in ("jsonl", "csv"):
        command(folder, "units", "export", "--format", kind)
    for kind in ("json", "html", "markdown"):
        command(folder, "report", *PERIOD, "--format", kind)
    redacted = command(folder, "redact", "-", given=events.read_bytes())
    assert redacted.count(b'"event_id"') >= EVENTS
    assert command(folder, "redact", "--text", "-", given=texts).count(b"<EMAIL_1>") == 50
    serve(folder)
    return Written(folder, planted)


def test_no_planted_value_is_in_anything_written(written: Written) -> None:
    assert len(written.planted.values) >= FEWEST
    assert set(written.planted.values.values()) == set(DEFAULT_ENTITIES) - {"CRYPTO"} | {"ID"}
    assert written.leaks() == []


def test_what_was_written_is_what_the_product_writes(written: Written) -> None:
    """An empty folder would hold no leak either."""
    texts = dict(written.everything())
    assert "s.db" in texts
    units = [json.loads(line) for line in texts["step-04.out"].splitlines()]
    assert len(units) == EVENTS + 2
    assert texts["step-04.out"].count("<PERSON_1>") > EVENTS
    assert "sentinel_stream_dead_letters_total" in texts["page-metrics"]
    assert "contradicted" in texts["step-03.out"]
    assert "<!DOCTYPE html" in texts["step-07.out"] or "<html" in texts["step-07.out"]


@pytest.mark.parametrize("form", ["as it is", "in groups"])
def test_the_search_finds_what_is_there(form: str, tmp_path: Path) -> None:
    planted = Planted()
    card = next(value for value in iter(planted.card, None) if " " in value)
    shown = card if form == "as it is" else card.replace(" ", "-")
    (tmp_path / "log").write_text(f"card {shown}")
    assert Written(tmp_path, planted).leaks() == ["CREDIT_CARD in log"]
