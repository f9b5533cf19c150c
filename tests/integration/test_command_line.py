"""The command from outside: exit codes, one-line errors, help with an example, clean stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    ("run",),
    ("serve",),
    ("demo",),
    ("check",),
    ("indicators",),
    ("redact",),
    ("estimate",),
    ("report",),
    ("alarms",),
    ("doctor",),
    ("units", "export"),
    ("labels", "import"),
    ("labels", "export"),
    ("risk", "refit"),
    ("people", "add"),
    ("people", "list"),
    ("people", "role"),
    ("people", "remove"),
    ("people", "token", "new"),
    ("people", "token", "revoke"),
    ("config", "check"),
    ("db", "upgrade"),
    ("db", "purge"),
    ("db", "dead-letters"),
)


def sentinel(
    *arguments: str, cwd: Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
    return subprocess.run(
        [sys.executable, "-m", "sentinel", *arguments],
        cwd=cwd,
        env={**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **environment},
        input=stdin,
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command: tuple[str, ...], tmp_path: Path) -> None:
    run = sentinel(*command, "--help", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "Example" in run.stdout
    assert f"sentinel {' '.join(command)}" in run.stdout


def test_help_breaks_its_lines_where_the_terminal_does_alone(tmp_path: Path) -> None:
    wide = sentinel("demo", "--help", cwd=tmp_path, COLUMNS="200").stdout.splitlines()
    assert any("import labels (from the hidden truth), estimate, report." in line for line in wide)


def test_help_lists_every_command(tmp_path: Path) -> None:
    run = sentinel("--help", cwd=tmp_path)
    assert run.returncode == 0
    for command in COMMANDS:
        assert f" {command[0]} " in run.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("runn",),
        ("run", "--foo"),
        ("run", "--source", "ftp:x"),
        ("run", "--source", "file:/nowhere/x.jsonl", "--until-end"),
        ("run", "--store", "nonsense", "--source", "file:-", "--until-end"),
        ("run", "--config", "/nowhere.yaml"),
        ("indicators",),
        ("indicators", "/nowhere"),
        ("redact", "/nowhere"),
        ("labels", "import", "/nowhere"),
        ("report", "--from", "yesterday"),
        ("report", "--week", "2026-W60"),
        ("report", "--format", "pdf"),
        ("units", "export", "--format", "xml"),
        ("estimate", "/nowhere.csv"),
        ("db", "upgrade", "--store", "mysql://x"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_line_and_exit_2(arguments: tuple[str, ...], tmp_path: Path) -> None:
    run = sentinel(*arguments, cwd=tmp_path)
    assert run.returncode == 2, (run.returncode, run.stderr)
    assert run.stdout == ""
    assert len(run.stderr.strip().splitlines()) == 1, run.stderr
    assert "Traceback" not in run.stderr


def test_bad_configuration_is_one_line_that_names_key_and_nearest_one(tmp_path: Path) -> None:
    run = sentinel("config", "check", cwd=tmp_path, SENTINEL_SAMPLING__RAET="0.1")
    assert run.returncode == 2
    assert run.stderr.strip().splitlines() == [
        "sentinel: sampling.raet: unknown key in environment variable SENTINEL_SAMPLING__RAET; "
        "the nearest known one is sampling.rate"
    ]


def test_a_shared_store_needs_a_salt(tmp_path: Path) -> None:
    run = sentinel(
        "run", "--source", "file:-", "--until-end", "--store", "postgresql+psycopg://u:hush@127.0.0.1:1/x",
        cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 2
    assert "SENTINEL_SAMPLING__SALT" in run.stderr
    assert "hush" not in run.stderr


def test_a_pipe_whose_reader_leaves_is_no_failure(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    line = json.dumps({"event_id": "a", "answer": "x [1]", "retrieved": [{"id": "d", "text": "x"}]})
    events.write_text((line + "\n") * 5000)
    command = f"{sys.executable} -m sentinel indicators {events} | head -n 1"
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert json.loads(run.stdout)["event_id"] == "a"
    assert run.stderr == ""
    assert run.returncode == 0


def test_the_last_line_of_a_run_is_its_totals(tmp_path: Path) -> None:
    events = [{"event_id": f"e{i}", "answer": f"Answer {i}."} for i in range(20)]
    lines = [json.dumps(event) for event in events]
    stdin = "\n".join([*lines, lines[3], "{", "", json.dumps({"event_id": "", "answer": "x"})])
    run = sentinel(
        "run", "--source", "file:-", "--until-end", "--json", cwd=tmp_path, stdin=stdin,
        SENTINEL_SAMPLING__RATE="1", SENTINEL_REDACTION__ENTITIES="[EMAIL_ADDRESS]",
        SENTINEL_REDACTION_POOL__PROCESSES="0",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "events": 20,
        "sampled": 20,
        "dead_letters": 2,
        "duplicates": 1,
        "tombstones": 0,
    }
    assert (tmp_path / "sentinel.db").exists()
    assert (tmp_path / "sentinel.db.salt").stat().st_mode & 0o777 == 0o600
