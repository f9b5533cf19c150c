"""An app's first own file: what is of no use in it is counted and found, never quoted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sentinel.cli.main import app

SECRET = "Zoe Quartz"
GOOD: dict[str, Any] = {"event_id": "e1", "answer": f"{SECRET} pays."}
RUN = {
    "SENTINEL_REDACTION__ENTITIES": "[EMAIL_ADDRESS]",
    "SENTINEL_REDACTION_POOL__PROCESSES": "0",
    "SENTINEL_SAMPLING__SALT": "for tests only",
}


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def written(*lines: dict[str, Any] | str) -> None:
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines)
    Path("answers.jsonl").write_text(text)


def command(*arguments: str, **environment: str) -> Result:
    result = CliRunner().invoke(app, arguments, env={**RUN, **environment}, catch_exceptions=False)
    assert SECRET not in result.output
    assert "Zoe" not in result.output
    return result


def check(*lines: dict[str, Any] | str) -> tuple[int, dict[str, Any]]:
    written(*lines)
    result = command("check", "answers.jsonl", "--json")
    return result.exit_code, json.loads(result.stdout)


def run(store: str = "s.db", **environment: str) -> list[str]:
    result = command(
        "run", "--source", "file:answers.jsonl", "--until-end", "--store", f"sqlite:///{store}", **environment
    )
    assert result.exit_code == 0
    return [line for line in result.stderr.splitlines() if not line.startswith("{")]


def test_every_field_is_counted_as_sent_and_as_usable() -> None:
    code, found = check(
        GOOD | {"app": "shop", "model": "m", "retrieved": [], "occurred_at": "2026-11-23T09:30:00Z"},
        GOOD | {"retrieved": SECRET, "occurred_at": "yesterday", "app": None, "tenant": ""},
    )
    assert code == 0
    assert found["events"] == 2
    assert found["fields"] == {
        "answer": {"given": 2, "used": 2},
        "app": {"given": 1, "used": 1},
        "event_id": {"given": 2, "used": 2},
        "model": {"given": 1, "used": 1},
        "occurred_at": {"given": 2, "used": 1},
        "retrieved": {"given": 2, "used": 1},
        "tenant": {"given": 1, "used": 1},
    }
    assert found["cleaned_lines"] == {"bad_time": [2], "wrong_type": [2]}


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"occurred_at": "yesterday"}, "bad_time"),
        ({"occurred_at": "2026-11-23T09:30:00"}, "bad_time"),
        ({"occurred_at": 1763890200}, "bad_time"),
        ({"retrieved": SECRET}, "wrong_type"),
        ({"app": ["shop"]}, "wrong_type"),
        ({"answerable": "no"}, "wrong_type"),
        ({"signals": {"thumbs": "sideways"}}, "bad_choice"),
        ({"usage": {"input_tokens": -1}}, "out_of_range"),
        ({"usage": {"input_tokens": "NaN"}}, "non_finite"),
        ({"session_id": "x" * 5000}, "too_long"),
        ({"user_correction": True}, "unknown_field"),
    ],
)
def test_what_cannot_be_used_is_found_by_reason_and_line(odd: dict[str, Any], reason: str) -> None:
    code, found = check(GOOD, "", GOOD | odd)
    assert (code, found["events"]) == (0, 2)
    assert found["cleaned_events"] == {reason: 1}
    assert found["cleaned_lines"] == {reason: [3]}


def test_names_of_unknown_fields_are_shown_where_they_are_names() -> None:
    _, found = check(
        GOOD | {"user_correction": True, SECRET: 1, f"{SECRET}@corp.test": 1, "x" * 41: 1, "é": 1},
        GOOD | {f"field_{number}": 1 for number in range(40)},
    )
    names = found["unknown_fields"]
    assert len(names) <= 21
    assert names["user_correction"] == 1
    assert sum(names.values()) == 45
    assert SECRET not in names


def test_a_refused_line_is_a_failed_check() -> None:
    code, found = check("nope", GOOD, "[]", {"event_id": "e2"}, '{"event_id": "e3", "answer": "' + "9" * 9)
    assert code == 1
    assert found["refused_lines"] == {"not_json": [1, 5], "not_an_object": [3], "missing_field": [4]}


def test_odd_json_is_no_obstacle() -> None:
    code, found = check(
        "\ufeff" + json.dumps(GOOD),
        json.dumps(GOOD)[:-1] + ', "usage": {"input_tokens": ' + "9" * 5000 + "}}",
    )
    assert (code, found["events"]) == (0, 2)


def test_the_table_says_the_same_in_words() -> None:
    written(GOOD | {"occurred_at": "yesterday", "colour": 1}, "nope")
    said = command("check", "answers.jsonl").stdout
    assert "1 event, 1 line refused" in said
    assert "refused: not_json 1 (line 2)" in said
    assert "bad_time 1 (line 1)" in said
    assert "unknown fields, ignored: colour 1" in said


def test_a_run_says_what_it_could_not_use_and_where_to_look() -> None:
    written("nope", GOOD | {"occurred_at": "yesterday", "colour": 1}, {"event_id": "e2"}, "[]", "nope")
    assert run() == [
        "none drawn of 1 answer: sampling.rate 0.02 draws about one in 50; SENTINEL_SAMPLING__RATE=1 with a "
        "new --store draws every one",
        "4 dead letters: missing_field 1, not_an_object 1, not_json 2; where they stand: "
        "`sentinel db dead-letters --store sqlite:///s.db`",
        "1 value changed or made unknown: bad_time 1; which ones: `sentinel check answers.jsonl`",
        "1 unknown field ignored; which ones: `sentinel check answers.jsonl`",
        "1 events, 0 sampled, 4 dead letters, 0 duplicates, 0 tombstones",
    ]


def test_a_run_that_finds_nothing_new_says_why() -> None:
    written(GOOD)
    assert run(SENTINEL_SAMPLING__RATE="1")[-1].startswith("1 events, 1 sampled")
    again = run(SENTINEL_SAMPLING__RATE="1")
    assert again[0].startswith("nothing new in file:answers.jsonl: the store keeps its place")
    assert len(run("other.db", SENTINEL_SAMPLING__RATE="1")) == 1


def test_an_empty_file_was_not_read_before() -> None:
    written()
    assert run() == ["0 events, 0 sampled, 0 dead letters, 0 duplicates, 0 tombstones"]
