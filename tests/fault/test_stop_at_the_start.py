"""Ctrl-C and SIGTERM at any moment of a start: the process ends soon, with one exit code and no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sentinel.store.database import Database
from tests.services.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
#: Seconds after the process has begun to answer signals; the imports take some of them.
MOMENTS = [0.0, 0.3, 1.0, 2.5]


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A real `sentinel`, from the moment at which it answers signals itself."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "sentinel", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), "SENTINEL_TELEMETRY__HTTP__PORT": str(free_port())},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=hears_ctrl_c,
    )  # fmt: skip
    try:
        while process.poll() is None and not answers(process.pid, signal.SIGTERM):
            time.sleep(0.005)
        yield process
    finally:
        process.kill()
        process.communicate()


def hears_ctrl_c() -> None:
    """Undo what a shell does to what it starts in the background, such as this test run."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def answers(pid: int, number: int) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def ended(process: subprocess.Popen[str], number: int, seconds: float) -> tuple[int, str]:
    """Send the signal after so many seconds; return exit code and standard error."""
    time.sleep(seconds)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def waiting_run(folder: Path) -> tuple[str, ...]:
    (folder / "answers.jsonl").write_text('{"event_id": "a", "answer": "x"}\n')
    return ("run", "--source", "file:answers.jsonl", "--store", "sqlite:///s.db")


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("seconds", MOMENTS)
def test_run_and_serve_end_with_success(seconds: float, number: signal.Signals, tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 'served.db'}") as database:
        database.upgrade()
    served = ("serve", "--store", "sqlite:///served.db", "--port", "0")
    for arguments in (waiting_run(tmp_path), served):
        with started(tmp_path, *arguments) as process:
            code, err = ended(process, number, seconds)
            assert code == 0, (arguments, err)
            assert "Traceback" not in err
            assert "exception" not in err


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("seconds", MOMENTS)
@pytest.mark.parametrize("arguments", [("demo", "--events", "20000", "--no-serve"), ("redact", "-")])
def test_what_has_an_end_ends_as_a_shell_expects(
    arguments: tuple[str, ...], seconds: float, number: signal.Signals, tmp_path: Path
) -> None:
    with started(tmp_path, *arguments) as process:
        code, err = ended(process, number, seconds)
        assert code == 128 + number, err
        assert "Traceback" not in err
        assert "exception" not in err


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    with started(tmp_path, "demo", "--events", "20000", "--no-serve") as process:
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
        began = time.monotonic()
        # In its last moments Python itself answers; a shell calls either 130.
        assert ended(process, signal.SIGINT, 0.0)[0] in (130, -signal.SIGINT)
        assert time.monotonic() - began < 4.0


def test_what_a_shell_starts_in_the_background_stays_deaf_to_ctrl_c(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        "os.execv(sys.executable, [sys.executable, '-m', 'sentinel', 'redact', '-'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and not answers(process.pid, signal.SIGTERM):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate("", timeout=60)
    assert (process.returncode, out) == (0, ""), err


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_that_meets_a_class_being_made_is_no_failure(number: signal.Signals, tmp_path: Path) -> None:
    """Dataclasses are made by executing text: CPython remembers an exception that came through there."""
    program = f"""
import sys
from sentinel.cli.interruption import interruptible
with interruptible() as interruption:
    exec("import signal, time; signal.raise_signal({int(number)}); time.sleep(30)")
sys.exit(interruption.exit_code)
"""
    (tmp_path / "interrupted.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "interrupted", "serve"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
