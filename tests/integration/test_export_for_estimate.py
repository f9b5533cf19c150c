"""`units export --for-estimate` and `estimate`: the rates of a report from a plain table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sentinel.cli.main import app
from sentinel.store.database import Database
from tests.integration.label_store import claim, drawn, fill, import_lines, line


def command(*arguments: str) -> str:
    run = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert run.exit_code == 0, run.output
    return run.stdout


@pytest.fixture
def url(tmp_path: Path) -> str:
    address = f"sqlite:///{tmp_path / 's.db'}"
    with Database(address) as store:
        store.upgrade()
        units = [drawn(f"e{number}", 0.1 + number % 5 / 10, app="=shop") for number in range(60)]
        fill(store, [*units, drawn("abstained", 0.3), drawn("waiting", 0.2)], events=200)
        for number in range(60):
            said = "contradicted" if number % 4 == 0 else "supported"
            import_lines(store, line(f"e{number}", claim(said, "critical"), claim("supported")))
        import_lines(
            store,
            line("abstained", answered=False, abstention="correct"),
            line("e1", claim("not_in_evidence"), annotator="boss", role="adjudicator"),
            line("stranger", claim("contradicted")),
        )
    return address


def test_the_table_gives_the_rates_of_the_report(url: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    assert command("units", "export", "--for-estimate", "--out", str(table), "--store", url) == ""
    found = json.loads(command("estimate", str(table), "--json"))
    week = ("--from", "2026-11-16", "--to", "2026-11-23")
    rates = json.loads(command("report", *week, "--store", url))["rates"]
    assert (found["n_units"], found["n_labelled"]) == (62, 61)
    for name in ("claim", "case", "critical_claim"):
        plain = rates[name].get("plain") or rates[name]
        mine = found[f"{name}_rate"]
        assert mine["estimate"] == pytest.approx(plain["estimate"])
        assert (mine["numerator"], mine["denominator"]) == (
            rates[name]["numerator"], rates[name]["denominator"],
        )  # fmt: skip


def test_the_rows_are_safe_and_can_be_sliced(url: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    command("units", "export", "--for-estimate", "--out", str(table), "--store", url)
    rows = {row["event_id"]: row for row in csv.DictReader(table.read_text().splitlines())}
    assert rows["e0"]["app"] == "'=shop"
    assert rows["e0"]["week"] == "2026-W47"
    assert (rows["waiting"]["labelled"], rows["waiting"]["answered"]) == ("0", "")
    assert (rows["abstained"]["labelled"], rows["abstained"]["answered"]) == ("1", "0")
    assert rows["e1"]["unsupported_claims"] == "1", "the adjudicator decides"
    assert "stranger" not in rows
    found = json.loads(command("estimate", str(table), "--json", "--domains", "week,app"))
    assert "week=2026-W47" in found["domains"]


@pytest.mark.parametrize(("delimiter", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_another_delimiter_is_named(delimiter: str, name: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(f"pi{delimiter}labelled\n0.5{delimiter}1\n")
    run = CliRunner().invoke(app, ["estimate", str(table)])
    assert run.exit_code == 2
    assert f"separated by {name}; save it with commas" in run.stderr
