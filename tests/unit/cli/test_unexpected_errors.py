"""An error that nobody expected: one line with type and place, exit 1, and nothing of what it quotes."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
import structlog
from typer.models import CommandInfo

from sentinel.cli import main
from sentinel.cli.leaving import SIGNALS
from sentinel.errors import RetryError
from sentinel.telemetry.logs import LogParams, configure_logging

ROOT = Path(__file__).resolve().parents[3]
PLANTED = "zoe.quartz@corp.test"


class _OwnError(Exception):
    def __str__(self) -> str:
        return PLANTED


def _value() -> None:
    raise ValueError(f"could not parse {PLANTED}")


def _key() -> None:
    {}[PLANTED]  # type: ignore[index]


def _lines() -> None:
    raise ValueError(f"first\n{PLANTED}\nlast")


def _json() -> None:
    json.loads('{"answer": "' + PLANTED)


def _decode() -> None:
    (PLANTED.encode() + b"\xff").decode()


def _note() -> None:
    error = RuntimeError(PLANTED)
    error.add_note(PLANTED)
    raise error


def _group() -> None:
    raise ExceptionGroup(PLANTED, [ValueError(PLANTED), RetryError("own words")])


def _class() -> None:
    raise _OwnError


def _path() -> None:
    raise FileNotFoundError(2, "gone", PLANTED)


def _recursion() -> None:
    def endless(text: str) -> None:
        endless(text)

    endless(PLANTED)


def _chain() -> None:
    try:
        _key()
    except KeyError as error:
        raise RuntimeError(PLANTED) from error


def _in_json_logs() -> None:
    configure_logging(LogParams(format="json"))
    _value()


FAILURES = [
    *(_value, _key, _lines, _json, _decode, _note),
    *(_group, _class, _path, _recursion, _chain, _in_json_logs),
]


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    answers = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, answer in answers.items():
        signal.signal(number, answer)
    root.handlers[:] = handlers
    root.setLevel(level)
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
    structlog.reset_defaults()


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], object]:
    """Run the real command line with a command of the test's beside the others; return the exit code."""

    def run(body: Callable[[], object]) -> object:
        mounted = [*main.app.registered_commands, CommandInfo("fails", callback=lambda: body())]
        monkeypatch.setattr(main.app, "registered_commands", mounted)
        monkeypatch.setattr(sys, "argv", ["sentinel", "fails"])
        with pytest.raises(SystemExit) as ending:
            main.main()
        return ending.value.code

    return run


@pytest.mark.parametrize("body", FAILURES, ids=lambda body: body.__name__)
def test_an_unexpected_error_is_one_line_without_its_message(
    body: Callable[[], None],
    ended: Callable[[Callable[[], object]], object],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ended(body) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1, said.err
    assert "uncaught exception" in said.err
    assert f"{__name__}.{body.__name__}:" in said.err or body in (_json, _recursion)
    assert PLANTED not in said.err
    assert "Traceback" not in said.err


def test_it_is_a_log_event_where_the_command_logs_json(
    ended: Callable[[Callable[[], object]], object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(_in_json_logs) == 1
    event = json.loads(capsys.readouterr().err)
    assert (event["level"], event["error"]["type"]) == ("critical", "builtins.ValueError")


def test_what_fails_beside_the_command_is_logged_too(
    ended: Callable[[Callable[[], object]], object], capsys: pytest.CaptureFixture[str]
) -> None:
    def beside() -> None:
        thread = threading.Thread(target=_value)
        thread.start()
        thread.join()

    assert ended(beside) == 0
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1, said
    assert "in a thread" in said
    assert PLANTED not in said


def test_a_person_who_interrupts_is_told_nothing(
    ended: Callable[[Callable[[], object]], object], capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> NoReturn:
        raise KeyboardInterrupt

    assert ended(interrupted) == 130
    assert capsys.readouterr() == ("", "")


def test_the_process_itself_ends_so(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom sentinel.cli import main\n"
        f"def fails() -> None:\n    raise ValueError({PLANTED!r})\n"
        "main.app.command('fails')(fails)\nsys.argv = ['sentinel', 'fails']\nmain.main()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (1, "")
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert PLANTED not in run.stderr
