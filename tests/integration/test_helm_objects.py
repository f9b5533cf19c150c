"""Objects of the chart around its pods: services, monitors, alert rules, names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentinel.telemetry import catalogue
from tests.integration.helm_chart import (
    ANSWERED,
    CHART,
    ROOT,
    Objects,
    Render,
    containers,
    each_values,
    helm,
    of_kind,
    render,
)

__all__ = ["helm", "render"]


@each_values
def test_services_and_monitors_find_their_pods(render: Render, values: Path | None) -> None:
    objects = render(values)
    templates = [d["spec"]["template"] for d in of_kind(objects, "Deployment")]
    for deployment in of_kind(objects, "Deployment"):
        wanted = deployment["spec"]["selector"]["matchLabels"].items()
        assert wanted <= deployment["spec"]["template"]["metadata"]["labels"].items()
    for service in of_kind(objects, "Service"):
        hit = [t for t in templates if service["spec"]["selector"].items() <= t["metadata"]["labels"].items()]
        assert len(hit) == 1
        names = {port["name"] for c in hit[0]["spec"]["containers"] for port in c["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= names
    for monitor in of_kind(objects, "ServiceMonitor"):
        wanted = monitor["spec"]["selector"]["matchLabels"].items()
        hits = [s for s in of_kind(objects, "Service") if wanted <= s["metadata"]["labels"].items()]
        assert [s["spec"]["selector"]["app.kubernetes.io/component"] for s in hits] == ["agent"]
        for endpoint in monitor["spec"]["endpoints"]:
            assert endpoint["path"] in ANSWERED
            assert all(endpoint["port"] in {p["name"] for p in s["spec"]["ports"]} for s in hits)


@each_values
def test_names_are_single_and_short(render: Render, values: Path | None) -> None:
    objects = render(values, release="a-release-with-a-name-as-long-as-helm-lets-it-be-53")
    names = [(document["kind"], document["metadata"]["name"]) for document in objects]
    assert len(names) == len(set(names))
    assert all(len(name) <= 63 for _, name in names)


def test_the_metrics_port_is_one_for_process_container_and_service(render: Render) -> None:
    objects = render({"agent": {"metricsPort": 9999}, "workbench": {"enabled": False}})
    (container,) = containers(objects)
    environment = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert environment["SENTINEL_TELEMETRY__HTTP__PORT"] == "9999"
    assert environment["SENTINEL_TELEMETRY__HTTP__HOST"] == "0.0.0.0"
    assert container["ports"][0]["containerPort"] == 9999
    assert of_kind(objects, "Service")[0]["spec"]["ports"][0]["port"] == 9999


def test_optional_objects_are_off_by_default_and_on_when_asked(render: Render) -> None:
    optional = {"ServiceMonitor", "PrometheusRule", "NetworkPolicy"}
    assert not optional & {document["kind"] for document in render()}
    assert optional <= {document["kind"] for document in render(CHART / "ci/full-values.yaml")}


def rules_of(objects: Objects) -> list[dict[str, Any]]:
    (resource,) = of_kind(objects, "PrometheusRule")
    return list(resource["spec"]["groups"])


def test_the_rules_in_the_chart_are_the_rules(render: Render) -> None:
    rules = (ROOT / "grafana/alerts/sentinel.rules.yaml").read_text()
    assert (CHART / "files/sentinel.rules.yaml").read_text() == rules
    everything = rules_of(render({"prometheusRule": {"enabled": True, "exclude": []}}))
    assert everything == yaml.safe_load(rules)["groups"]


def test_an_agent_that_leads_exports_what_every_alert_reads(render: Render) -> None:
    """The gauges of queue and report come from it: without it the workbench keeps them to its own pod."""
    rules = {"prometheusRule": {"enabled": True}}
    leads = next(one for one in containers(render(rules)) if one["args"][0] == "run")["args"]
    assert leads[:2] == ["run", "--config"]
    assert "--lead" in leads
    alone = next(
        one for one in containers(render(rules | {"agent": {"lead": False}})) if one["args"][0] == "run"
    )["args"]
    assert alone == [one for one in leads if one != "--lead"]
    assert (
        rules_of(render(rules))
        == yaml.safe_load((ROOT / "grafana/alerts/sentinel.rules.yaml").read_text())["groups"]
    )


def test_alerts_can_be_left_out_by_name(render: Render) -> None:
    def alerts(groups: list[dict[str, Any]]) -> dict[str, str]:
        rules = [rule for group in groups for rule in group["rules"]]
        return {rule["alert"]: rule["expr"] for rule in rules if "alert" in rule}

    everything = alerts(rules_of(render({"prometheusRule": {"enabled": True}})))
    gauges = (ROOT / "sentinel/review/gauges.py").read_text()
    served = {
        getattr(catalogue, name).name
        for name in set(re.findall(r"\bc\.([A-Z_]+)\b", gauges))
        if hasattr(getattr(catalogue, name), "name")
    }
    # Those that the values' own comment names for a chart without an agent that leads.
    read = {name for name, expression in everything.items() if any(one in expression for one in served)}
    values = (CHART / "values.yaml").read_text()
    assert read
    assert all(name in values for name in read)
    groups = rules_of(render({"prometheusRule": {"enabled": True, "exclude": sorted(read)}}))
    assert all(group["rules"] for group in groups)
    kept = alerts(groups)
    assert kept.keys() == everything.keys() - read
    assert kept.items() <= everything.items()


@pytest.mark.parametrize("base", ["https://git.example/s/blob/main", "https://git.example/s/blob/main/"])
def test_alerts_link_their_runbooks_where_they_can_be_read(base: str, render: Render) -> None:
    rules = rules_of(render({"prometheusRule": {"enabled": True, "runbookBaseUrl": base}}))
    annotations = [rule["annotations"] for group in rules for rule in group["rules"] if "alert" in rule]
    assert annotations
    for one in annotations:
        assert one["runbook_url"] == f"https://git.example/s/blob/main/{one['runbook']}"
    plain = rules_of(render({"prometheusRule": {"enabled": True}}))
    assert all("runbook_url" not in rule.get("annotations", {}) for group in plain for rule in group["rules"])
