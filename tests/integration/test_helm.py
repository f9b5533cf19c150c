"""The chart as a real helm renders it: valid, unprivileged, with probes that somebody answers."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm/sentinel"
CI_VALUES = sorted((CHART / "ci").glob("*-values.yaml"))
#: Paths that `sentinel.telemetry.http` answers, and so does the web app.
ANSWERED = {"/healthz", "/readyz", "/metrics"}

Objects = list[dict[str, Any]]
Render = Callable[..., Objects]


@pytest.fixture(scope="module")
def helm() -> str:
    candidates = (os.environ.get("SENTINEL_TEST_HELM"), shutil.which("helm"), Path.home() / "go/bin/helm")
    for candidate in candidates:
        if candidate and Path(candidate).is_file():
            return str(candidate)
    reason = "helm is not installed (go install helm.sh/helm/v3/cmd/helm@v3.19.0, or SENTINEL_TEST_HELM)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def render(helm: str, tmp_path_factory: pytest.TempPathFactory) -> Render:
    def rendered(values: dict[str, Any] | Path | None = None, release: str = "release") -> Objects:
        arguments: list[str] = []
        if isinstance(values, Path):
            arguments = ["--values", str(values)]
        elif values is not None:
            path = tmp_path_factory.mktemp("values") / "values.yaml"
            path.write_text(yaml.safe_dump(values))
            arguments = ["--values", str(path)]
        done = run(helm, "template", release, str(CHART), "--namespace", "apps", *arguments)
        if done.returncode != 0:
            raise ValueError(done.stderr)
        return [document for document in yaml.safe_load_all(done.stdout) if document]

    return rendered


def of_kind(objects: Objects, kind: str) -> Objects:
    return [document for document in objects if document["kind"] == kind]


def pods(objects: Objects) -> Iterator[dict[str, Any]]:
    for deployment in of_kind(objects, "Deployment"):
        yield deployment["spec"]["template"]["spec"]


def containers(objects: Objects) -> Iterator[dict[str, Any]]:
    for pod in pods(objects):
        yield from pod["containers"]
        yield from pod.get("initContainers", [])


EVERY_VALUES = [None, *CI_VALUES]
each_values = pytest.mark.parametrize("values", EVERY_VALUES, ids=lambda v: v.name if v else "defaults")


@each_values
def test_lint_is_strict_and_clean(helm: str, values: Path | None) -> None:
    arguments = ["--values", str(values)] if values else []
    done = run(helm, "lint", "--strict", str(CHART), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


@each_values
def test_values_fit_the_schema(values: Path | None) -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load((CHART / "values.yaml").read_text()), _loose(schema))
    if values:
        jsonschema.validate(yaml.safe_load(values.read_text()), _loose(schema))


def _loose(schema: dict[str, Any]) -> dict[str, Any]:
    # A values file says only what differs from the defaults.
    return {key: value for key, value in schema.items() if key != "required"}


@each_values
def test_every_container_is_unprivileged_and_its_root_is_read_only(
    render: Render, values: Path | None
) -> None:
    found = list(containers(render(values)))
    assert found
    for container in found:
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] is True
        assert context["runAsNonRoot"] is True
        assert isinstance(context["runAsUser"], int)
        assert context["runAsUser"] > 0
        assert context["allowPrivilegeEscalation"] is False
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        assert "privileged" not in context


@each_values
def test_what_must_be_written_can_be_written(render: Render, values: Path | None) -> None:
    for pod in pods(render(values)):
        assert isinstance(pod["securityContext"]["fsGroup"], int)
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        for container in pod["containers"]:
            mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
            for path in ("/tmp", container["workingDir"]):
                assert "emptyDir" in volumes[mounts[path]["name"]]
                assert not mounts[path].get("readOnly")
            assert {mount["name"] for mount in mounts.values()} == set(volumes)
            environment = {entry["name"]: entry.get("value") for entry in container["env"]}
            assert environment["HOME"] == "/tmp"
            assert environment["MPLCONFIGDIR"].startswith("/tmp/")


@each_values
def test_probes_call_a_named_port_on_a_path_that_is_answered(render: Render, values: Path | None) -> None:
    for container in containers(render(values)):
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        assert len(ports) == len(container["ports"])
        probes = {name: container[name] for name in ("livenessProbe", "readinessProbe") if name in container}
        assert "readinessProbe" in probes
        for name, probe in probes.items():
            assert probe["httpGet"]["path"] == ("/healthz" if name == "livenessProbe" else "/readyz")
            assert probe["httpGet"]["path"] in ANSWERED
            assert probe["httpGet"]["port"] in ports


@each_values
def test_liveness_and_readiness_are_not_the_same_question(render: Render, values: Path | None) -> None:
    # A broker that is away makes the agent not ready; restarting it would mend nothing.
    for container in containers(render(values)):
        if "livenessProbe" in container:
            assert (
                container["livenessProbe"]["httpGet"]["path"]
                != container["readinessProbe"]["httpGet"]["path"]
            )


@each_values
def test_salt_and_store_come_from_a_secret_only(render: Render, values: Path | None) -> None:
    objects = render(values)
    assert of_kind(objects, "Secret") == []
    for container in containers(objects):
        environment = {entry["name"]: entry for entry in container["env"]}
        assert len(environment) == len(container["env"])
        for name in ("SENTINEL_STORE", "SENTINEL_SAMPLING__SALT"):
            assert set(environment[name]) == {"name", "valueFrom"}
            assert set(environment[name]["valueFrom"]) == {"secretKeyRef"}
    for configmap in of_kind(objects, "ConfigMap"):
        config = yaml.safe_load(configmap["data"]["config.yaml"])
        assert "store" not in config
        assert "salt" not in config.get("sampling", {})


@each_values
def test_the_pod_gets_no_token_and_no_service_links(render: Render, values: Path | None) -> None:
    for pod in pods(render(values)):
        assert pod["enableServiceLinks"] is False
        assert pod["automountServiceAccountToken"] is False


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
        assert len(hits) == len(of_kind(objects, "Service"))
        for endpoint in monitor["spec"]["endpoints"]:
            assert endpoint["path"] in ANSWERED
            assert all(endpoint["port"] in {p["name"] for p in s["spec"]["ports"]} for s in hits)


@each_values
def test_names_are_single_and_short(render: Render, values: Path | None) -> None:
    objects = render(values, release="a-release-with-a-name-as-long-as-helm-lets-it-be-53")
    names = [(document["kind"], document["metadata"]["name"]) for document in objects]
    assert len(names) == len(set(names))
    assert all(len(name) <= 63 for _, name in names)


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


def test_a_digest_wins_over_the_tag(render: Render) -> None:
    digest = "sha256:" + "a" * 64
    images = {c["image"] for c in containers(render({"image": {"tag": "1.2.3", "digest": digest}}))}
    assert images == {f"sentinel@{digest}"}
    assert {c["image"] for c in containers(render({"image": {"tag": "1.2.3"}}))} == {"sentinel:1.2.3"}


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


def test_the_rules_in_the_chart_are_the_rules(render: Render) -> None:
    rules = (ROOT / "grafana/alerts/sentinel.rules.yaml").read_text()
    assert (CHART / "files/sentinel.rules.yaml").read_text() == rules
    (resource,) = of_kind(render({"prometheusRule": {"enabled": True}}), "PrometheusRule")
    assert resource["spec"] == yaml.safe_load(rules)


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
        {"config": {"source": {"kafka": {"sasl_password": "plain"}}}},
        {"secret": {"existingSecret": ""}},
        {"secret": {"salt": "plain"}},
        {"secretEnvironment": [{"name": "SENTINEL_X", "value": "plain"}]},
        {"secretEnvironment": [{"name": "SENTINEL_STORE", "existingSecret": "x", "key": "y"}]},
        {"image": {"digest": "latest"}},
        {"image": {"tag": "a b"}},
        {"agent": {"replicas": -1}},
        {"agent": {"replica": 2}},
        {"storage": {"tmpSize": "much"}},
        {"workbench": {"service": {"type": "Headless"}}},
        {"unknown": True},
    ],
    ids=json.dumps,
)
def test_values_that_would_harm_are_refused(render: Render, values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="values don't meet the specifications of the schema"):
        render(values)


def test_the_image_and_the_chart_agree_on_the_user(render: Render) -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    user = [line.split()[1] for line in lines if line.startswith("USER ")][-1]
    uid, gid = (int(number) for number in user.split(":"))
    for container in containers(render()):
        assert container["securityContext"]["runAsUser"] == uid
        assert container["securityContext"]["runAsGroup"] == gid


def test_the_dockerfile_pins_and_runs_without_a_shell() -> None:
    lines = [line.strip() for line in (ROOT / "Dockerfile").read_text().splitlines()]
    bases = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert set(bases) == {bases[0]}
    assert bases[0].startswith("python:3.11.")
    assert bases[0].endswith("-slim-bookworm")
    assert 'ENTRYPOINT ["sentinel"]' in lines
    assert any("--require-hashes" in line and "requirements.lock" in line for line in lines)
    assert not [line for line in lines if line.startswith(("ADD ", "CMD "))]
