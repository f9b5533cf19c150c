"""What a file holds that is of no use: said by reason and line number, never by value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sentinel.cli.main import app
from sentinel.errors import StopError
from sentinel.store.database import Database
from tests.integration.label_store import SECRET as SALT
from tests.integration.label_store import drawn, fill, line
from tests.integration.test_command_line import sentinel
from tests.integration.test_labels_and_units_commands import url

__all__ = ["url"]
PATTERNS = {
    "SENTINEL_REDACTION__ENTITIES": "[EMAIL_ADDRESS]",
    "SENTINEL_SAMPLING__SALT": SALT,
    "SENTINEL_REDACTION_POOL__PROCESSES": "0",
}
SECRET = "zoe.quartz@corp.test"
GOOD = '{"event_id": "e1", "answer": "Yes."}'


@pytest.mark.parametrize("command", ["indicators", "redact"])
def test_the_refused_lines_are_named_and_the_rest_comes_out(command: str, tmp_path: Path) -> None:
    lines = [f"no json {SECRET}", GOOD, "", '{"event_id": "e2"}', f'"{SECRET}"', "{", *["["] * 7]
    run = sentinel(command, "-", cwd=tmp_path, stdin="\n".join(lines) + "\n", **PATTERNS)
    assert run.returncode == 0
    assert [json.loads(one)["event_id"] for one in run.stdout.splitlines()] == ["e1"]
    assert run.stderr.splitlines() == [
        "11 lines refused: missing_field 1 (line 4), not_an_object 1 (line 5), "
        "not_json 9 (lines 1, 6, 7, 8, 9, …)"
    ]


def test_one_refused_line_is_one(tmp_path: Path) -> None:
    run = sentinel("indicators", "-", cwd=tmp_path, stdin="x\n")
    assert (run.returncode, run.stdout) == (0, "")
    assert run.stderr == "1 line refused: not_json 1 (line 1)\n"


def imported(url: str, *lines: dict[str, Any] | str) -> tuple[int, dict[str, object], list[str]]:
    """What `labels import` gives: exit code, counts, and what it says on standard error."""
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines)
    run = CliRunner().invoke(app, ["labels", "import", "-", "--store", url], input=text, env=PATTERNS)
    assert run.exception is None or isinstance(run.exception, StopError), run.exception
    assert SECRET not in run.output
    return run.exit_code, json.loads(run.stdout), run.stderr.splitlines()


@pytest.mark.parametrize(
    ("lines", "code", "accepted"),
    [
        ([], 0, 0),
        (["", "  "], 0, 0),
        (["nonsense"], 1, 0),
        (["{}", f'"{SECRET}"', "["], 1, 0),
        ([line("e1", )], 0, 1),
        ([line("e1"), "nonsense"], 0, 1),
        ([line("e1"), line("e1")], 0, 1),
        ([line("e2")], 0, 1),
    ],
)  # fmt: skip
def test_an_import_fails_where_nothing_at_all_could_be_kept(
    lines: list[dict[str, Any] | str], code: int, accepted: int, url: str
) -> None:
    with Database(url) as store:
        fill(store, [drawn("e1")])
    first, counts, _ = imported(url, *lines)
    assert (first, counts["accepted"]) == (code, accepted)
    again, counts, _ = imported(url, *lines)
    assert again == code, "the same file may be imported again"
    assert counts["accepted"] == 0
    assert counts["lines"] == len([one for one in lines if one not in ("", "  ")])


def test_labels_of_answers_that_were_never_drawn_are_pointed_at(url: str) -> None:
    with Database(url) as store:
        fill(store, [drawn("e1")])
    code, counts, said = imported(url, line("e1"), line("E1"))
    assert (code, counts["non_probability"]) == (0, 1)
    assert said == [
        "1 label is of an answer that was never drawn: kept, in no rate (line 2); a mistyped event_id "
        "looks the same"
    ]
    _, _, said = imported(url, *(line(f"other-{number}") for number in range(25)))
    numbers = ", ".join(map(str, range(1, 21)))
    assert said == [
        f"25 labels are of answers that were never drawn: kept, in no rate (lines {numbers}, …); a mistyped "
        "event_id looks the same"
    ]
