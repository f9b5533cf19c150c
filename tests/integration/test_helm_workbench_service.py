"""A workbench that is reached by name: only where people sign in, over TLS, and by whom it is meant for."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.integration.helm_chart import CHART, Render, component, helm, of_kind, render

__all__ = ["helm", "render"]

VALUES = CHART / "ci/ingress-values.yaml"
PUBLIC = {"public_url": "https://review.example.test:8443/"}
KEY = [{"name": "SENTINEL_REVIEW__ACCESS__KEY", "existingSecret": "review", "key": "key"}]


def served_by(access: dict[str, Any], sign_in: str = "tokens", **workbench: Any) -> dict[str, Any]:
    return {
        "config": {"review": {"access": access}},
        "workbench": {"service": {"enabled": True, "signIn": sign_in}} | workbench,
    }


def test_the_service_leads_to_a_workbench_that_listens_for_it(render: Render) -> None:
    objects = render(VALUES)
    (container,) = component(objects, "workbench")["containers"]
    arguments = container["args"]
    assert arguments[arguments.index("--host") + 1] == "0.0.0.0"
    assert container["ports"] == [{"name": "http", "containerPort": 8080, "protocol": "TCP"}]
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}
    (service,) = (s for s in of_kind(objects, "Service") if s["metadata"]["name"].endswith("-workbench"))
    assert service["spec"]["type"] == "ClusterIP"
    (port,) = service["spec"]["ports"]
    assert (port["name"], port["targetPort"]) == ("web", "http")
    (ingress,) = of_kind(objects, "Ingress")
    (rule,) = ingress["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": service["metadata"]["name"], "port": {"name": "web"}}
    assert rule["host"] == "review.example.test"
    assert ingress["spec"]["tls"] == [{"hosts": [rule["host"]], "secretName": "review-tls"}]


def test_its_secrets_reach_the_workbench_alone(render: Render) -> None:
    objects = render(VALUES)

    def names(of: str) -> set[str]:
        (container,) = component(objects, of)["containers"]
        return {entry["name"] for entry in container["env"]}

    wanted = {one["name"] for one in yaml.safe_load(VALUES.read_text())["workbench"]["secretEnvironment"]}
    assert wanted <= names("workbench")
    assert not wanted & names("agent")
    assert not {name for name in names("workbench") if "SALT" in name}


def test_the_policy_lets_the_controller_in_and_nobody_else(render: Render) -> None:
    (policy,) = (
        p for p in of_kind(render(VALUES), "NetworkPolicy") if p["metadata"]["name"].endswith("-workbench")
    )
    (way,) = policy["spec"]["ingress"]
    assert way["ports"] == [{"port": "http", "protocol": "TCP"}]
    assert way["from"] == yaml.safe_load(VALUES.read_text())["networkPolicy"]["workbenchFrom"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (served_by({}), "public_url"),
        (served_by({"public_url": "http://review.example.test"}), "public_url"),
        (served_by(PUBLIC, "proxy"), "proxy.addresses"),
        (served_by(PUBLIC, "oidc"), "oidc.issuer"),
        (served_by(PUBLIC | {"proxy": {"addresses": ["10.0.0.2"]}}, "proxy"), "SENTINEL_REVIEW__ACCESS__KEY"),
        (served_by(PUBLIC | {"oidc": {"issuer": "https://id.example.test"}}), "SENTINEL_REVIEW__ACCESS__KEY"),
    ],
)
def test_a_service_where_nobody_could_sign_in_is_refused(
    render: Render, values: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        render(values)


def test_tokens_and_a_proxy_will_do(render: Render) -> None:
    by_tokens = render(served_by(PUBLIC))
    assert of_kind(by_tokens, "Ingress") == []
    proxy = PUBLIC | {"proxy": {"addresses": ["10.0.0.2"]}}
    assert len(of_kind(render(served_by(proxy, "proxy", secretEnvironment=KEY)), "Service")) == 2


def test_values_of_a_chart_without_a_service_are_taken_as_none(render: Render) -> None:
    """As `helm upgrade --reuse-values` brings them: what is new in the chart is not in them."""
    without = {"service": None, "ingress": None, "secretEnvironment": None}
    policy = {"enabled": True}
    reused = {"workbench": without, "networkPolicy": policy | {"workbenchFrom": None}}
    assert render(reused) == render({"networkPolicy": policy})
    for name in without:
        assert render({"workbench": {name: None}}) == render(), name
    served = render(served_by(PUBLIC, ingress=None, secretEnvironment=None))
    assert len(of_kind(served, "Service")) == 2
    assert of_kind(served, "Ingress") == []


def test_without_one_there_is_none(render: Render) -> None:
    objects = render()
    assert [s["metadata"]["name"] for s in of_kind(objects, "Service")] == ["release-sentinel-agent"]
    assert of_kind(objects, "Ingress") == []
