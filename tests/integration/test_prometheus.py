"""A real Prometheus scrapes a running worker and workbench: rules load, expressions have their series."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentinel.telemetry.catalogue import CATALOGUE
from tests.integration.scraped_agent import scraped, write_events
from tests.services.prometheus import PrometheusServer
from tests.services.running import running

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "grafana/alerts/sentinel.rules.yaml"
PROVISIONED = ROOT / "grafana/provisioning/alerting/sentinel.yaml"
DASHBOARDS = sorted((ROOT / "grafana/dashboards").glob("*.json"))

#: What shows something only after an incident, or after a change in a longer history than a test has. Their
#: series are there all the same (`test_every_series_is_exported`).
AFTER_AN_INCIDENT = {
    "Alarms begun",
    "New versions",
    "New version of sentinel",
    "Draw changed",
}


def queries() -> list[tuple[str, str]]:
    """(title, expression) of every panel and annotation, with its variables filled in."""
    found = []
    for path in DASHBOARDS:
        board = json.loads(path.read_text())
        targets = [(p["title"], t["expr"]) for p in board["panels"] for t in p.get("targets", [])]
        found += targets + [(q["name"], q["expr"]) for q in board["annotations"]["list"]]
    filled = {expr: title for title, expr in found}
    return [
        (title, expr.replace("$__rate_interval", "1m").replace("$domain", "app"))
        for expr, title in filled.items()
    ]


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusServer]:
    folder = tmp_path_factory.mktemp("scraped")
    with (
        scraped(folder) as targets,
        running(lambda: PrometheusServer({"sentinel": targets}, [RULES])) as server,
    ):
        _until(lambda: len(server.query("count by (instance) (sentinel_build_info)")) == 2)
        write_events(folder / "events.jsonl", 200, 300, datetime.now(UTC))
        _until(lambda: number(server, "sum(sentinel_stream_events_total)") >= 400)
        _until(lambda: number(server, "sum(increase(sentinel_stream_events_total[1m]))") > 100)
        _until(lambda: bool(server.query("sentinel_shift_active == 1")))
        _until(lambda: bool(server.query("sentinel:indicator_events:ratio_rate5m")))
        yield server


def number(server: PrometheusServer, expr: str) -> float:
    result = server.query(expr)
    return float(result[0]["value"][1]) if result else 0.0


def _until(holds: Any, seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.3)


def test_every_rule_is_loaded_and_evaluated_without_an_error(prometheus: PrometheusServer) -> None:
    written = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    loaded = prometheus.rules()
    names = {rule.get("alert") or rule.get("record") for rule in written}
    assert {rule["name"] for rule in loaded} == names
    assert [(rule["name"], rule["lastError"]) for rule in loaded if rule.get("lastError")] == []
    assert {rule["health"] for rule in loaded} == {"ok"}


def test_a_healthy_agent_with_a_shift_fires_that_and_nothing_else(prometheus: PrometheusServer) -> None:
    firing = prometheus.query('ALERTS{alertstate="firing"}')
    assert {one["metric"]["alertname"] for one in firing} == {"SentinelShiftActive"}
    assert "abstained" in {one["metric"]["series"] for one in firing}


@pytest.mark.parametrize("title", sorted({title for title, _ in queries()}))
def test_every_panel_and_annotation_shows_something(prometheus: PrometheusServer, title: str) -> None:
    asked = [expr for name, expr in queries() if name == title]
    empty = [expr for expr in asked if not prometheus.query(expr)]
    if title in AFTER_AN_INCIDENT:
        assert empty == asked
    else:
        assert empty == []


def test_every_series_is_exported(prometheus: PrometheusServer) -> None:
    names = {one["metric"]["__name__"] for one in prometheus.query('{__name__=~"sentinel_.+"}')}
    wanted = {name for spec in CATALOGUE for name in spec.series_names}
    assert wanted - names == set()
    # Prometheus' client adds when a counter was made.
    assert {name for name in names - wanted if not name.endswith("_created")} == set()


def alert_expressions() -> list[tuple[str, str]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    own = [(rule["alert"], rule["expr"]) for group in groups for rule in group["rules"] if "alert" in rule]
    twins = [rule for group in yaml.safe_load(PROVISIONED.read_text())["groups"] for rule in group["rules"]]
    return own + [(f"{rule['title']} in Grafana", rule["data"][0]["model"]["expr"]) for rule in twins]


@pytest.mark.parametrize(("name", "expr"), alert_expressions())
def test_every_alert_runs_and_has_the_series_it_reads(
    prometheus: PrometheusServer, name: str, expr: str
) -> None:
    result = prometheus.query(expr)
    # One record in eight of the test's is a dead letter, and its store has a shift.
    holds = {"SentinelShiftActive", "SentinelStreamDeadLettersHigh"}
    assert bool(result) == (name.removesuffix(" in Grafana") in holds), name
    selectors = re.findall(r"\bsentinel[_:][a-z0-9_:]+(?:\{[^}]*\})?", expr)
    assert selectors
    assert [one for one in set(selectors) if not prometheus.query(one)] == [], name


def test_both_processes_are_scraped_and_told_apart(prometheus: PrometheusServer) -> None:
    assert {one["value"][1] for one in prometheus.query('up{job="sentinel"}')} == {"1"}
    assert len(prometheus.query("sentinel_leader_active == 1")) == 1
    assert number(prometheus, "count(sentinel_audited_rate)") == 6
    assert number(prometheus, 'sentinel_label_delay_seconds{quantile="0.5"}') == 5 * 3600
    assert number(prometheus, 'sentinel_audited_labelled_units{level="case"}') == 31


def test_the_number_of_series_is_small(prometheus: PrometheusServer) -> None:
    assert number(prometheus, 'count({__name__=~"sentinel_.+"})') < 1500
