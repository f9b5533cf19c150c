"""What containers of the chart are told: settings that exist, and secrets from a Secret only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from kafka import KafkaConsumer

from sentinel.config import load_settings
from tests.integration.helm_chart import (
    CHART,
    ROOT,
    Render,
    component,
    containers,
    each_values,
    helm,
    of_kind,
    render,
)
from tests.integration.rendered_settings import HELD, config_file, environment_of, settings_of

__all__ = ["helm", "render"]


def secrets_of(container: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {e["name"]: e["valueFrom"]["secretKeyRef"] for e in container["env"] if "valueFrom" in e}


@each_values
def test_salts_and_store_come_from_a_secret_only(render: Render, values: Path | None) -> None:
    objects = render(values)
    assert of_kind(objects, "Secret") == []
    for container in containers(objects):
        names = [entry["name"] for entry in container["env"]]
        assert len(names) == len(set(names))
        secrets = secrets_of(container)
        for entry in container["env"]:
            assert ("valueFrom" in entry) != ("value" in entry)
            if "value" in entry:
                assert not re.search("STORE|SALT|PASSWORD|SECURITY", entry["name"])
        assert not secrets["SENTINEL_STORE"].get("optional")
    for configmap in of_kind(objects, "ConfigMap"):
        config = yaml.safe_load(configmap["data"]["config.yaml"])
        assert "store" not in config
        assert not {"salt", "earlier_salts"} & set(config.get("sampling", {}))


@each_values
def test_the_agent_alone_gets_the_salts(render: Render, values: Path | None) -> None:
    objects = render(values)
    (agent,) = component(objects, "agent")["containers"]
    held = secrets_of(agent)
    assert not held["SENTINEL_SAMPLING__SALT"].get("optional")
    assert held["SENTINEL_SAMPLING__EARLIER_SALTS"]["optional"] is True
    assert held["SENTINEL_SAMPLING__EARLIER_SALTS"]["name"] == held["SENTINEL_SAMPLING__SALT"]["name"]
    for container in containers(objects):
        if container["name"] != "agent":
            # The workbench where people sign in holds what it signs with.
            others = {
                name for name in secrets_of(container) if not name.startswith("SENTINEL_REVIEW__ACCESS__")
            }
            assert others == {"SENTINEL_STORE"}
    assert not any(name.startswith("SENTINEL_REVIEW__ACCESS__") for name in held)


@each_values
def test_every_container_starts_with_settings_that_exist(
    render: Render, values: Path | None, tmp_path: Path
) -> None:
    objects = render(values)
    for container in containers(objects):
        settings = load_settings(config_file(objects, tmp_path), environment_of(container))
        assert settings.store == HELD["SENTINEL_STORE"]
    agent = settings_of(objects, "agent", tmp_path)
    assert (agent.sampling.salt, agent.sampling.earlier_salts) == ("0123", ("0122", "0121"))
    (container,) = component(objects, "agent")["containers"]
    assert agent.telemetry.http.host == "0.0.0.0"
    assert agent.telemetry.http.port == container["ports"][0]["containerPort"]


def test_the_examples_of_a_secured_broker_reach_the_settings(render: Render, tmp_path: Path) -> None:
    kafka = settings_of(render(CHART / "ci/full-values.yaml"), "agent", tmp_path).source.kafka
    assert kafka.bootstrap_servers == ("kafka-0:9093", "kafka-1:9093")
    assert (kafka.topic, kafka.group_id) == ("assistant-answers", "sentinel-production")
    assert kafka.security == {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "ssl_cafile": "/etc/sentinel/secrets/kafka-ca/ca.crt",
        "ssl_check_hostname": True,
        "sasl_plain_username": "sentinel",
        "sasl_plain_password": "0815",
    }
    assert set(kafka.security) <= set(KafkaConsumer.DEFAULT_CONFIG)


def test_settings_of_every_kind_survive_helm(render: Render, tmp_path: Path) -> None:
    settings = settings_of(render(CHART / "ci/full-values.yaml"), "agent", tmp_path)
    assert settings.limits.max_bytes == 4194304
    assert settings.deduplication.most_hashes == 50_000_000
    assert settings.sampling.rate == 0.05
    assert settings.domains.attributes == ("tenant", "language")
    assert settings.indicators.expects_citations("chat") is False
    assert settings.report.timezone == "Europe/Berlin"


@pytest.mark.parametrize("text", ["values.yaml", "ci/full-values.yaml", "docs/operations.md"])
def test_variables_named_in_examples_exist(text: str) -> None:
    path = ROOT / text if text.startswith("docs") else CHART / text
    names = set(re.findall(r"\bSENTINEL_[A-Z_]+[A-Z]\b(?!_)", path.read_text()))
    assert "SENTINEL_SOURCE__KAFKA__SECURITY__SASL_PLAIN_PASSWORD" in names
    for name in names:
        load_settings(None, {name: HELD[name]})


def test_the_values_shown_in_the_documentation_are_accepted(render: Render, tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(config:.*?)```", (ROOT / "docs/operations.md").read_text(), re.DOTALL)
    kafka = settings_of(render(yaml.safe_load(example)), "agent", tmp_path).source.kafka
    assert kafka.bootstrap_servers == ("kafka:9093",)
    assert kafka.topic == "answers"
    assert kafka.security["sasl_plain_password"] == "0815"
    assert set(kafka.security) <= set(KafkaConsumer.DEFAULT_CONFIG)


def test_config_reaches_the_file_unchanged(render: Render) -> None:
    values = yaml.safe_load((CHART / "ci/full-values.yaml").read_text())
    (configmap,) = of_kind(render(values), "ConfigMap")
    assert yaml.safe_load(configmap["data"]["config.yaml"]) == values["config"]
    for container in containers(render(values)):
        mount = next(m for m in container["volumeMounts"] if m["name"] == "config")
        assert mount["mountPath"] in container["args"]


def test_a_changed_config_restarts_the_pods(render: Render) -> None:
    def checksums(rate: float) -> set[str]:
        objects = render({"config": {"sampling": {"rate": rate}}})
        deployments = of_kind(objects, "Deployment")
        return {d["spec"]["template"]["metadata"]["annotations"]["checksum/config"] for d in deployments}

    assert checksums(0.1) != checksums(0.2)
