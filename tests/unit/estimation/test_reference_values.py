"""`sentinel estimate` beside R's survey: the figures of one sample, frozen in `reference/`.

`reference/reference.R` made the sample and the figures; they change only if somebody runs it again.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sentinel.cli.main import app

FOLDER = Path(__file__).parent / "reference"
with (FOLDER / "reference.csv").open(encoding="utf-8", newline="") as _file:
    FIGURES = list(csv.DictReader(_file))
BY_OPTIONS: dict[str, dict[str, float]] = defaultdict(dict)
for _row in FIGURES:
    BY_OPTIONS[_row["options"]][_row["path"]] = float(_row["value"])


def estimated(options: str) -> Any:
    words = options.replace("population.json", str(FOLDER / "population.json")).split()
    run = CliRunner().invoke(app, ["estimate", str(FOLDER / "sample.csv"), "--json", *words])
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def at(document: Any, path: str) -> float:
    for key in path.split("."):
        document = document[key]
    return float(document)


@pytest.mark.parametrize("options", BY_OPTIONS, ids=lambda options: options or "default")
def test_every_figure_is_that_of_survey(options: str) -> None:
    document = estimated(options)
    found = {path: at(document, path) for path in BY_OPTIONS[options]}
    assert found == pytest.approx(BY_OPTIONS[options], rel=1e-9)


def test_the_figures_are_of_every_kind() -> None:
    assert len(FIGURES) > 200
    kinds = {word for options in BY_OPTIONS for word in options.split() if word.startswith("--")}
    assert kinds == {
        "--ci", "--level", "--domains", "--contrast", "--variance", "--cluster", "--calibrate", "--method",
        "--population",
    }  # fmt: skip
    assert {path.rsplit(".", 1)[-1] for figures in BY_OPTIONS.values() for path in figures} == {
        "estimate", "se", "lower", "upper", "difference", "degrees_of_freedom",
    }  # fmt: skip


def test_the_sample_has_what_makes_estimators_differ() -> None:
    with (FOLDER / "sample.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    probabilities = [float(row["pi"]) for row in rows]
    assert min(probabilities) < 0.05
    assert probabilities.count(1.0) >= 5
    assert 0 < [row["labelled"] for row in rows].count("0") < len(rows) / 4
    assert any(row["answered"] == "0" and row["labelled"] == "1" for row in rows)
    assert len({row["conversation"] for row in rows}) < len(rows) / 2
