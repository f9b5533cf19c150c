"""The commands themselves: exit codes, machine output on stdout, the rest on stderr."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import typer
from msgspec import structs
from typer.testing import CliRunner

from sentinel.cli import db, labels, units
from sentinel.cli.report import report
from sentinel.clock import SystemClock
from sentinel.errors import ConfigurationError, StopError
from sentinel.records import Partition, Signals
from sentinel.review.unit_export import COLUMNS
from sentinel.store.database import Database
from sentinel.store.dead_letters import DeadLetter, add_dead_letters
from sentinel.store.units import purge_contents, raise_units
from tests.integration.label_store import MONDAY, claim, drawn, fill, import_lines, line

ROOT = Path(__file__).resolve().parents[2]
FORMULAS = (
    "=1+1",
    "+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    " =1",
    "＝1",
    "%0A=1",
    "|cmd",
    "\r=1",
    "\u00a0-1",
    "\ufeff=1",
)


@pytest.fixture
def url(tmp_path: Path) -> str:
    address = f"sqlite:///{tmp_path / 's.db'}"
    with Database(address) as opened:
        opened.upgrade()
    return address


def app() -> typer.Typer:
    """The commands under the names they have in `sentinel`."""
    mounted = typer.Typer()
    mounted.command("units-export")(units.export)
    mounted.command("labels-import")(labels.import_)
    mounted.command("labels-export")(labels.export)
    mounted.command("report")(report)
    mounted.command("db-purge")(db.purge)
    mounted.command("db-dead-letters")(db.dead_letters)
    return mounted


def run(*arguments: str) -> str:
    """Return standard output; what the command raises is raised."""
    result = CliRunner().invoke(app(), arguments, catch_exceptions=False)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_units_have_the_columns_of_the_contract(url: str) -> None:
    content = {"answer": "Due in 30 days [d1].\u2028End", "question": "when?", "retrieved": [{"id": "d1"}]}
    with Database(url) as store:
        domains = {"app": "billing", "model": "m-1", "prompt_version": "p", "attributes.tier": "gold"}
        unit = drawn("e1", 0.25, content=content, **{k: v for k, v in domains.items() if "." not in k})
        unit.facts.domains["attributes.tier"] = "gold"  # type: ignore[index]
        fill(store, [unit])
    (row,) = [json.loads(text) for text in run("units-export", "--store", url).splitlines()]
    assert tuple(row) == COLUMNS
    assert row["domains"] == {"app": "billing", "attributes.tier": "gold"}
    assert row["versions"] == {"model": "m-1", "prompt_version": "p"}
    assert (row["inclusion_probability"], row["design_weight"]) == (0.25, 4.0)
    assert (row["occurred_at"], row["status"], row["arrivals"]) == ("2026-11-16T12:00:00+00:00", "pending", 1)
    assert (row["answer"], row["question"], row["retrieved"]) == (
        content["answer"], content["question"], content["retrieved"],
    )  # fmt: skip


def test_a_unit_that_a_signal_raised_shows_what_it_was_drawn_with(url: str) -> None:
    later = drawn("e1", 1.0)
    decision = structs.replace(later.decision, reasons=("user_correction",), schedule_row=4)
    facts = structs.replace(later.facts, signals=Signals(user_correction=True))
    corrected = replace(later, decision=decision, facts=facts)
    with Database(url) as store:
        fill(store, [drawn("e1", 0.25), drawn("e2", 0.5)])
        with store.begin() as conn:
            raise_units(conn, [corrected], MONDAY)
    raised, other = (json.loads(text) for text in run("units-export", "--store", url).splitlines())
    assert (raised["inclusion_probability"], raised["design_weight"]) == (1.0, 1.0)
    assert (raised["first_inclusion_probability"], raised["raised_under_row"]) == (0.25, 4)
    assert raised["reasons"] == ["uniform", "user_correction"]
    assert (raised["signals"]["user_correction"], other["signals"]["user_correction"]) == (True, None)
    assert (other["first_inclusion_probability"], other["raised_under_row"]) == (0.5, None)
    header, first, _ = csv.reader(io.StringIO(run("units-export", "--format", "csv", "--store", url)))
    assert first[header.index("raised_under_row")] == "4"
    assert first[header.index("first_inclusion_probability")] == "0.25"


def test_lost_and_purged_units_stay_with_an_empty_answer(url: str) -> None:
    lost = replace(drawn("e3", at=MONDAY + timedelta(days=3)), answer=None)
    with Database(url) as store:
        fill(store, [drawn("e1"), drawn("e2", at=MONDAY + timedelta(days=2)), lost])
        with store.begin() as conn:
            purge_contents(conn, MONDAY + timedelta(days=1))
    rows = [json.loads(text) for text in run("units-export", "--store", url).splitlines()]
    assert [(row["event_id"], row["status"], row["answer"]) for row in rows] == [
        ("e1", "purged", ""),
        ("e2", "pending", "text"),
        ("e3", "lost", ""),
    ]
    found = json.loads(run("report", "--from", "2026-11-16", "--to", "2026-11-23", "--store", url))
    assert [found["coverage"][key] for key in ("drawn", "pending", "lost", "purged")] == [3, 1, 1, 1]


def test_retention_by_command(url: str) -> None:
    old, new = MONDAY, SystemClock().now()
    with Database(url) as store:
        fill(store, [drawn("e1", at=old - timedelta(days=500)), drawn("e2", at=new)])
        letters = [DeadLetter(Partition("answers", 1), offset, "not_json", "x", old, 5) for offset in (7, 8)]
        with store.begin() as conn:
            add_dead_letters(conn, letters, 10, new)
    nothing = {"minute_counts": 0, "dead_letters": 0}
    for command in (("db-purge", "--dry-run"), ("db-purge",)):
        assert json.loads(run(*command, "--store", url)) == {"contents": 1, "unlabelled": 1, **nothing}
    assert json.loads(run("db-purge", "--store", url)) == {"contents": 0, "unlabelled": 0, **nothing}
    rows = [json.loads(text) for text in run("units-export", "--store", url).splitlines()]
    assert [(row["status"], row["answer"]) for row in rows] == [("purged", ""), ("pending", "text")]
    shown = [json.loads(text) for text in run("db-dead-letters", "--store", url).splitlines()]
    assert [(one["topic"], one["partition"], one["offset"], one["reason"]) for one in shown] == [
        ("answers", 1, 8, "not_json"), ("answers", 1, 7, "not_json"),
    ]  # fmt: skip
    assert len(run("db-dead-letters", "--limit", "1", "--store", url).splitlines()) == 1


def test_more_units_than_a_page(url: str) -> None:
    with Database(url) as store:
        fill(store, [drawn(f"e{n:04d}") for n in range(1203)])
    rows = run("units-export", "--store", url).splitlines()
    assert len({json.loads(row)["event_id"] for row in rows}) == len(rows) == 1203


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_spreadsheet_runs_nothing(url: str, formula: str) -> None:
    with Database(url) as store:
        fill(store, [drawn("e1", content={"answer": formula, "question": 'a, "b"\nc'})])
    rows = list(
        csv.DictReader(io.StringIO(run("units-export", "--format", "csv", "--store", url), newline=""))
    )
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["answer"] == "'" + formula
    assert rows[0]["question"] == 'a, "b"\nc'
    assert json.loads(rows[0]["domains"]) == {"app": "billing"}
    assert float(rows[0]["inclusion_probability"]) == 0.5


def test_out_writes_a_file_whole_or_not_at_all(url: str, tmp_path: Path) -> None:
    with Database(url) as store:
        fill(store, [drawn("e1")])
    target = tmp_path / "units.jsonl"
    assert run("units-export", "--out", str(target), "--store", url) == ""
    assert json.loads(target.read_text())["event_id"] == "e1"
    with pytest.raises(ConfigurationError, match="cannot be written"):
        run("units-export", "--out", str(tmp_path / "no" / "units.jsonl"), "--store", url)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith((".", "units"))) == [
        "units.jsonl"
    ]


def test_a_store_without_a_schema_is_said_to_need_one(tmp_path: Path) -> None:
    (tmp_path / "new.db").touch()
    for command in ("units-export", "labels-export", "report"):
        with pytest.raises(StopError, match=r"at schema none.*run `sentinel db upgrade`"):
            run(command, "--store", f"sqlite:///{tmp_path / 'new.db'}")


@pytest.mark.parametrize("name", ["typo.db", "no/such/folder/typo.db", "ty po.db"])
def test_a_store_that_is_not_there_is_not_made_by_looking(name: str, tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text("{}\n")
    for command in (("units-export",), ("labels-export",), ("report",), ("labels-import", "labels.jsonl")):
        arguments = [str(tmp_path / one) if one.endswith(".jsonl") else one for one in command]
        with pytest.raises(StopError, match=f"there is no store at .*{name}"):
            run(*arguments, "--store", f"sqlite:///{tmp_path / name}")
    assert [path.name for path in tmp_path.iterdir()] == ["labels.jsonl"]


def test_a_report_of_a_week_without_data_is_a_success(url: str) -> None:
    found = json.loads(run("report", "--week", "2026-W01", "--store", url))
    assert (found["rates"]["case"]["status"], found["rates"]["case"]["estimate"]) == ("no_data", None)
    assert found["period"]["from"] == "2025-12-29"
    for form, begins in (("html", "<!doctype html>"), ("markdown", "# Audited")):
        assert run("report", "--week", "2026-W01", "--format", form, "--store", url).startswith(begins)


def test_a_report_by_dates_and_timezone(url: str, tmp_path: Path) -> None:
    with Database(url) as store:
        fill(store, [drawn("e1")])
        import_lines(store, line("e1", claim("contradicted")))
    out = tmp_path / "report.json"
    dates = ("--from", "2026-11-16", "--to", "2026-11-23", "--timezone", "Asia/Kolkata")
    run("report", *dates, "--out", str(out), "--store", url)
    found = json.loads(out.read_text())
    assert found["period"]["timezone"] == "Asia/Kolkata"
    assert found["period"]["start"] == "2026-11-15T18:30:00+00:00"
    assert found["rates"]["case"]["numerator"] == 1
    with pytest.raises(ConfigurationError, match="--to"):
        run("report", "--from", "2026-11-16", "--store", url)


def test_labels_in_and_out_through_the_real_command(url: str, tmp_path: Path) -> None:
    """A process of its own, with the redaction model in its worker."""
    with Database(url) as store:
        fill(store, [drawn("e1"), drawn("e2")])
    lines = [
        line("e1", claim(text="Write to zoe.marsh@corp.test."), annotator="zoe.marsh@corp.test"),
        line("e2", claim("wrong")),
        line("stranger", claim()),
    ]
    script = (
        "import sys, typer\n"
        "from sentinel.cli import labels\n"
        "if __name__ == '__main__':\n"
        "    app = typer.Typer(); app.command('import')(labels.import_)\n"
        "    app.command('export')(labels.export); app()\n"
    )
    program = tmp_path / "program.py"
    program.write_text(script)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "SENTINEL_SAMPLING__SALT": "for tests only"}

    def command(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, program, *arguments, "--store", url],
            input=text, env=environment, capture_output=True, text=True, cwd=tmp_path, check=False,
        )  # fmt: skip

    taken = command("import", "-", text="\n".join(json.dumps(one) for one in lines))
    assert taken.returncode == 0, taken.stderr
    counts = json.loads(taken.stdout)
    assert (counts["accepted"], counts["refused"], counts["non_probability"]) == (2, 1, 1)
    assert counts["reasons"] == {"unknown_value": 1}
    assert "line 2 refused, unknown_value: claims[0].label" in taken.stderr
    out = command("export")
    assert out.returncode == 0, out.stderr
    assert "zoe" not in out.stdout + taken.stdout + taken.stderr
    again = command("import", "-", text=out.stdout)
    assert json.loads(again.stdout)["reasons"] == {"duplicate": 2}, again.stderr
