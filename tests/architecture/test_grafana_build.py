"""What is committed below grafana/ is what its source builds, and Grafana's own types read it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.alerting import Rule
from grafana_foundation_sdk.models.dashboard import Dashboard

from grafana.build.__main__ import files, stale
from grafana.build.groups import ALERTS, GROUPS, RECORDS
from grafana.build.provisioning import DATASOURCE_VARIABLE
from grafana.build.rules import Record, without_records

ROOT = Path(__file__).resolve().parents[2]
DASHBOARDS = sorted((ROOT / "grafana/dashboards").glob("*.json"))
PROVISIONED = yaml.safe_load((ROOT / "grafana/provisioning/alerting/sentinel.yaml").read_text())
#: Of Grafana's units those that a reader needs no explanation for.
UNITS = {"reqps", "ops", "short", "s", "percentunit", "none"}


def boards() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in DASHBOARDS]


def shown(board: dict[str, Any]) -> list[dict[str, Any]]:
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def test_building_again_changes_nothing() -> None:
    assert stale() == [], "run: python -m grafana.build"
    done = subprocess.run(
        [sys.executable, "-m", "grafana.build", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_file_that_was_changed_missing_or_too_many_is_named(tmp_path: Path) -> None:
    for path, text in files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert stale(tmp_path) == []
    (tmp_path / "grafana/dashboards/by-hand.json").write_text("{}")
    (tmp_path / "grafana/alerts/sentinel.rules.yaml").write_text("groups: []\n")
    (tmp_path / "helm/sentinel/files/sentinel.rules.yaml").unlink()
    named = ["grafana/alerts/sentinel.rules.yaml", "grafana/dashboards/by-hand.json"]
    assert stale(tmp_path) == [*named, "helm/sentinel/files/sentinel.rules.yaml"]


def test_there_is_one_dashboard_for_each_of_the_three_questions() -> None:
    uids = [board["uid"] for board in boards()]
    assert uids == ["sentinel-audited-rate", "sentinel-indicators", "sentinel-operations"]
    assert [path.stem for path in DASHBOARDS] == uids


@pytest.mark.parametrize("board", boards(), ids=lambda board: board["uid"])
def test_grafanas_own_types_read_a_dashboard_and_write_the_same(board: dict[str, Any]) -> None:
    again = json.loads(JSONEncoder().encode(Dashboard.from_json(board)))
    # The type has no fields for what only a Prometheus annotation has.
    for query in board["annotations"]["list"]:
        for own in ("titleFormat", "textFormat", "step", "useValueForTime"):
            assert query.pop(own) is not None
    assert again == board


@pytest.mark.parametrize("board", boards(), ids=lambda board: board["uid"])
def test_panels_fill_the_grid_without_overlap(board: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
    lines = {y for _, y in taken}
    assert lines == set(range(max(lines) + 1))
    # No line of the grid is left half empty.
    assert {y: sum((x, y) in taken for x in range(24)) for y in lines} == dict.fromkeys(lines, 24)


@pytest.mark.parametrize("board", boards(), ids=lambda board: board["uid"])
def test_every_panel_has_a_unit_a_description_and_named_lines(board: dict[str, Any]) -> None:
    for panel in shown(board):
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert len(panel["description"].split()) > 6, panel["title"]
        assert all(target["legendFormat"] for target in panel["targets"])
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])


@pytest.mark.parametrize("board", boards(), ids=lambda board: board["uid"])
def test_every_dashboard_marks_versions_and_shifts(board: dict[str, Any]) -> None:
    marks = {query["name"]: query for query in board["annotations"]["list"]}
    assert {"New versions", "New version of sentinel", "Draw changed", "Shifts"} == marks.keys()
    assert all(query["datasource"]["uid"] == "${datasource}" and query["enable"] for query in marks.values())
    for field in ("model", "prompt_version", "index_version", "app_version"):
        assert field in marks["New versions"]["expr"]


def test_grafana_and_prometheus_have_the_same_alerts() -> None:
    twins = {rule["title"]: rule for group in PROVISIONED["groups"] for rule in group["rules"]}
    assert twins.keys() == {alert.name for alert in ALERTS}
    assert len({rule["uid"] for rule in twins.values()}) == len(twins)
    for alert in ALERTS:
        twin = twins[alert.name]
        assert twin["data"][0]["model"]["expr"] == without_records(alert.expr, RECORDS)
        assert "sentinel:" not in twin["data"][0]["model"]["expr"]
        assert twin["for"] == (alert.lasting or "0s")
        assert twin["labels"] == {"severity": alert.severity}
        assert twin["annotations"]["summary"] == alert.summary
        assert twin["annotations"]["runbook"].endswith(f"/{alert.name}.md")
        assert re.fullmatch(r"[a-z-]{5,40}", twin["uid"])


def test_grafana_fires_on_whatever_the_query_returns_and_on_nothing_else() -> None:
    for group in PROVISIONED["groups"]:
        assert (group["orgId"], group["folder"], group["interval"]) == (1, "Sentinel", "1m")
        for rule in group["rules"]:
            query, there, threshold = rule["data"]
            assert query["datasourceUid"] == f"${DATASOURCE_VARIABLE}"
            assert query["model"]["instant"] is True
            assert there["model"]["expression"] == "is_number($query) || is_nan($query) || is_inf($query)"
            assert threshold["model"]["conditions"][0]["evaluator"] == {"type": "gt", "params": [0]}
            assert rule["condition"] == threshold["refId"] == "threshold"
            # An empty result is a healthy one; no series at all is an alert of its own.
            assert (rule["noDataState"], rule["execErrState"]) == ("OK", "Error")


def test_texts_for_grafana_name_the_value_of_the_query() -> None:
    texts = [
        text
        for group in PROVISIONED["groups"]
        for rule in group["rules"]
        for text in rule["annotations"].values()
    ]
    assert any("$values.query.Value" in text for text in texts)
    assert [text for text in texts if re.search(r"\$value\b", text)] == []


def test_grafanas_own_types_read_the_rules() -> None:
    for group in PROVISIONED["groups"]:
        for rule in group["rules"]:
            needed = {"folderUID": group["folder"], "orgID": 1, "ruleGroup": group["name"]}
            read = json.loads(JSONEncoder().encode(Rule.from_json(rule | needed)))
            assert read["data"][0]["model"]["expr"] == rule["data"][0]["model"]["expr"]
            assert (read["uid"], read["condition"], read["for"]) == (rule["uid"], "threshold", rule["for"])


def test_a_recorded_series_is_replaced_by_what_is_recorded_also_within_another() -> None:
    records = [Record("sentinel:a:rate5m", "sum(x)"), Record("sentinel:b:ratio", "sentinel:a:rate5m / y")]
    assert without_records("sentinel:b:ratio > 1", records) == "((sum(x)) / y) > 1"
    assert without_records("up == 0", records) == "up == 0"
    with pytest.raises(KeyError):
        without_records("sentinel:c:ratio", records)


def test_groups_are_single_and_hold_something() -> None:
    names = [group.name for group in GROUPS]
    assert len(set(names)) == len(names)
    assert all(group.rules for group in GROUPS)
