"""Values of the chart: the published ones are valid, those that would harm are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.integration.helm_chart import CHART, Render, each_values, helm, render, run

__all__ = ["helm", "render"]


@each_values
def test_lint_is_strict_and_clean(helm: str, values: Path | None) -> None:
    arguments = ["--values", str(values)] if values else []
    done = run(helm, "lint", "--strict", str(CHART), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def _loose(schema: dict[str, Any]) -> dict[str, Any]:
    # A values file says only what differs from the defaults.
    return {key: value for key, value in schema.items() if key != "required"}


@each_values
def test_values_fit_the_schema(values: Path | None) -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load((CHART / "values.yaml").read_text()), _loose(schema))
    if values:
        jsonschema.validate(yaml.safe_load(values.read_text()), _loose(schema))


@pytest.mark.parametrize(
    "values",
    [
        {"runAsUser": 0},
        {"runAsUser": "sentinel"},
        {"securityContext": {"readOnlyRootFilesystem": False}},
        {"agent": {"livenessProbe": {"enabled": True, "exec": {"command": ["true"]}}}},
        {"agent": {"livenessProbe": {"enabled": True, "httpGet": {"path": "/nowhere", "port": 1}}}},
        {"agent": {"readinessProbe": {"enabled": True, "successThreshold": 2}}},
        {"workbench": {"port": 80}},
        {"config": {"store": "sqlite:////sentinel.db"}},
        {"config": {"store": "postgresql://u:p@db/x"}},
        {"config": {"sampling": {"salt": "plain"}}},
        {"config": {"sampling": {"earlier_salts": ["plain"]}}},
        {"config": {"source": {"kafka": {"security": {"sasl_plain_password": "plain"}}}}},
        {"config": {"source": {"kafka": {"security": {"ssl_password": "plain"}}}}},
        {"config": {"source": {"kafka": {"security": {"sasl_oauth_token": "plain"}}}}},
        {"config": {"source": {"kafka": {"sasl_password": "plain"}}}},
        {"secret": {"existingSecret": ""}},
        {"secret": {"salt": "plain"}},
        {"secretEnvironment": [{"name": "SENTINEL_X", "value": "plain"}]},
        {"secretEnvironment": [{"name": "SENTINEL_STORE", "existingSecret": "x", "key": "y"}]},
        {
            "secretEnvironment": [
                {"name": "SENTINEL_SAMPLING__EARLIER_SALTS", "existingSecret": "x", "key": "y"}
            ]
        },
        {"secret": {"earlierSaltsKey": ""}},
        {"image": {"digest": "latest"}},
        {"image": {"tag": "a b"}},
        {"agent": {"replicas": -1}},
        {"agent": {"replica": 2}},
        {"storage": {"tmpSize": "much"}},
        {"workbench": {"service": {"type": "LoadBalancer"}}},
        {"workbench": {"host": "0.0.0.0"}},
        {"workbench": {"ingress": {"enabled": True, "tlsSecret": "review-tls"}}},
        {"workbench": {"service": {"enabled": True}, "ingress": {"enabled": True}}},
        {"workbench": {"service": {"signIn": "nobody"}}},
        {"workbench": {"secretEnvironment": [{"name": "SENTINEL_REVIEW__ACCESS__KEY", "value": "plain"}]}},
        {"config": {"review": {"access": {"key": "plain"}}}},
        {"config": {"review": {"access": {"oidc": {"client_secret": "plain"}}}}},
        {"workbench": {"readinessProbe": {"timeoutSeconds": 1}}},
        {"workbench": {"livenessProbe": {"exec": {"command": ["true"]}}}},
        {"networkPolicy": {"workbenchFrom": "everybody"}},
        {"prometheusRule": {"exclude": "SentinelReportStale"}},
        {"unknown": True},
    ],
    ids=json.dumps,
)
def test_values_that_would_harm_are_refused(render: Render, values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="values don't meet the specifications of the schema"):
        render(values)
