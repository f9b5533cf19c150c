"""The chart as a real helm renders it: valid, unprivileged, with probes that somebody answers."""

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
import typer
import yaml
from kafka import KafkaConsumer

from sentinel.cli.main import app
from sentinel.config import load_settings
from sentinel.review.params import is_loopback
from sentinel.settings import Settings
from sentinel.store.database import Database
from sentinel.telemetry import catalogue

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
        for container in (*pod["containers"], *pod.get("initContainers", [])):
            mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
            for path in ("/tmp", container["workingDir"]):
                assert "emptyDir" in volumes[mounts[path]["name"]]
                assert not mounts[path].get("readOnly")
            assert {mount["name"] for mount in mounts.values()} == set(volumes)
            environment = {entry["name"]: entry.get("value") for entry in container["env"]}
            assert environment["HOME"] == "/tmp"
            assert environment["MPLCONFIGDIR"].startswith("/tmp/")


def component(objects: Objects, name: str) -> dict[str, Any]:
    """The pod of the agent or of the workbench; a KeyError where there is none."""
    found = {pod["containers"][0]["name"]: pod for pod in pods(objects)}
    return found[name]


def probes(container: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: container[name] for name in ("livenessProbe", "readinessProbe") if name in container}


PATHS = {"livenessProbe": "/healthz", "readinessProbe": "/readyz"}


@each_values
def test_the_agents_probes_call_a_named_port_on_a_path_that_is_answered(
    render: Render, values: Path | None
) -> None:
    (container,) = component(render(values), "agent")["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert len(ports) == len(container["ports"])
    assert "readinessProbe" in probes(container)
    for name, probe in probes(container).items():
        # A broker that is away makes the agent not ready; restarting it would mend nothing.
        assert probe["httpGet"] == {"path": PATHS[name], "port": "http"}
        assert probe["httpGet"]["path"] in ANSWERED
        assert "exec" not in probe


def with_workbench(values: Path | None) -> bool:
    return values is None or yaml.safe_load(values.read_text()).get("workbench", {}).get("enabled", True)


each_workbench = pytest.mark.parametrize(
    "values", [v for v in EVERY_VALUES if with_workbench(v)], ids=lambda v: v.name if v else "defaults"
)


@each_workbench
def test_the_workbench_is_reached_through_its_pod_only(render: Render, values: Path | None) -> None:
    objects = render(values)
    (container,) = component(objects, "workbench")["containers"]
    arguments = container["args"]
    assert is_loopback(arguments[arguments.index("--host") + 1])
    assert "ports" not in container
    labels = [
        d["spec"]["template"]["metadata"]["labels"]
        for d in of_kind(objects, "Deployment")
        if d["metadata"]["name"].endswith("-workbench")
    ]
    assert len(labels) == 1
    for service in of_kind(objects, "Service"):
        assert not service["spec"]["selector"].items() <= labels[0].items()
    assert of_kind(objects, "Ingress") == []
    policies = [
        p
        for p in of_kind(objects, "NetworkPolicy")
        if p["spec"]["podSelector"]["matchLabels"].items() <= labels[0].items()
    ]
    assert all((p["spec"]["policyTypes"], p["spec"]["ingress"]) == (["Ingress"], []) for p in policies)


@each_workbench
def test_the_workbenchs_probes_ask_from_inside_and_end_in_time(render: Render, values: Path | None) -> None:
    (container,) = component(render(values), "workbench")["containers"]
    port = container["args"][container["args"].index("--port") + 1]
    assert set(probes(container)) == set(PATHS)
    for name, probe in probes(container).items():
        assert "httpGet" not in probe
        *_, asked, path, seconds = probe["exec"]["command"]
        assert (asked, path) == (port, PATHS[name])
        assert 0 < int(seconds) < probe["timeoutSeconds"] <= probe["periodSeconds"]


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
            assert set(secrets_of(container)) == {"SENTINEL_STORE"}


#: What the Secrets hold; the password would be a number, were it not taken to the letter.
HELD = {
    "SENTINEL_STORE": "postgresql+psycopg://sentinel:x@db/sentinel",
    "SENTINEL_SAMPLING__SALT": "0123",
    "SENTINEL_SAMPLING__EARLIER_SALTS": '["0122", "0121"]',
    "SENTINEL_SOURCE__KAFKA__SECURITY__SASL_PLAIN_USERNAME": "sentinel",
    "SENTINEL_SOURCE__KAFKA__SECURITY__SASL_PLAIN_PASSWORD": "0815",
}


def environment_of(container: dict[str, Any], **held: str) -> dict[str, str]:
    known = {**HELD, **held}
    return {e["name"]: e["value"] if "value" in e else known[e["name"]] for e in container["env"]}


def config_file(objects: Objects, folder: Path) -> Path:
    (configmap,) = of_kind(objects, "ConfigMap")
    path = folder / "config.yaml"
    path.write_text(configmap["data"]["config.yaml"], encoding="utf-8")
    return path


def settings_of(objects: Objects, name: str, folder: Path) -> Settings:
    (container,) = component(objects, name)["containers"]
    return load_settings(config_file(objects, folder), environment_of(container))


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


@each_values
def test_every_container_calls_a_command_that_exists(render: Render, values: Path | None) -> None:
    called = {}
    for container in containers(render(values)):
        command: Any = typer.main.get_command(app)
        context = None
        rest = list(container["args"])
        while hasattr(command, "commands"):
            context = command.make_context("sentinel", [], parent=context, resilient_parsing=True)
            command = command.commands[rest.pop(0)]
        given = command.make_context(command.name, rest, parent=context).params
        assert given["config"] == Path("/etc/sentinel/config.yaml")
        called[container["name"]] = given
    assert called["agent"]["source"] == "kafka"
    assert called["agent"]["until_end"] is False


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


def test_the_notes_say_how_the_workbench_is_opened(helm: str, tmp_path: Path) -> None:
    # Only the notes of an installation are printed: as a template of a copy they are rendered alike.
    copy = tmp_path / "sentinel"
    shutil.copytree(CHART, copy)
    notes = (copy / "templates/NOTES.txt").read_text()
    (copy / "templates/notes.yaml").write_text(
        '{{- define "notes" }}' + notes + '{{ end }}\nnotes: {{ include "notes" . | quote }}\n'
    )
    port = ("--set", "workbench.port=8181", "--namespace", "apps", "--show-only", "templates/notes.yaml")
    shown = yaml.safe_load(run(helm, "template", "answers", str(copy), *port).stdout)["notes"]
    assert "kubectl --namespace apps port-forward deploy/answers-sentinel-workbench 8080:8181" in shown
    assert "service/" not in shown
    without = run(helm, "template", "answers", str(copy), *port, "--set", "workbench.enabled=false")
    assert "port-forward" not in yaml.safe_load(without.stdout)["notes"]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Pod:
    """The workbench's containers as processes of this machine, on a store in a file."""

    def __init__(self, objects: Objects, folder: Path) -> None:
        pod = component(objects, "workbench")
        (self.before,) = pod["initContainers"]
        (self.container,) = pod["containers"]
        self.store = f"sqlite:///{folder / 'store.db'}"
        self.config = config_file(objects, folder)

    def start(self, container: dict[str, Any]) -> subprocess.Popen[bytes]:
        arguments = [str(self.config) if a.endswith("config.yaml") else a for a in container["args"]]
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SENTINEL_")}
        given = environment_of(container, SENTINEL_STORE=self.store)
        return subprocess.Popen(
            [sys.executable, "-m", "sentinel", *arguments],
            env={**kept, **given, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, probe: str) -> int:
        command = self.container[probe]["exec"]["command"]
        assert command[0] == "python"
        # As in a pod behind a proxy, which must not be asked about the pod itself.
        proxied = {**os.environ, "http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
        limit = self.container[probe]["timeoutSeconds"]
        done = subprocess.run(
            [sys.executable, *command[1:]], env=proxied, timeout=limit, capture_output=True, check=False
        )
        return done.returncode

    def until(self, probe: str, code: int) -> bool:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self.ask(probe) == code:
                return True
            time.sleep(0.2)
        return False


def test_the_workbench_starts_as_rendered_and_its_probes_tell_the_truth(
    render: Render, tmp_path: Path
) -> None:
    port = free_port()
    pod = Pod(render({"workbench": {"port": port}}), tmp_path)
    assert (pod.ask("livenessProbe"), pod.ask("readinessProbe")) == (1, 1)
    assert pod.start(pod.container).wait(60) == 1, "served a store without a schema"
    assert pod.start(pod.before).wait(60) == 0
    with Database(pod.store) as database:
        database.require_schema()
    served = pod.start(pod.container)
    try:
        assert pod.until("readinessProbe", 0)
        assert pod.ask("livenessProbe") == 0
        # A forwarded port brings the name the browser used.
        assert httpx.get(f"http://127.0.0.1:{port}/", headers={"host": "localhost:8080"}).status_code == 200
        assert httpx.get(f"http://127.0.0.1:{port}/", headers={"host": "workbench:8080"}).status_code == 421
        with closing(sqlite3.connect(tmp_path / "store.db")) as broken:
            broken.execute("ALTER TABLE units RENAME TO lost")
        assert pod.until("readinessProbe", 1)
        assert pod.ask("livenessProbe") == 0
    finally:
        served.terminate()
        assert served.wait(30) == 0
    assert pod.ask("livenessProbe") == 1


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
        return {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"]}

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
        {"workbench": {"ingress": {"enabled": True}}},
        {"workbench": {"readinessProbe": {"timeoutSeconds": 1}}},
        {"workbench": {"livenessProbe": {"exec": {"command": ["true"]}}}},
        {"networkPolicy": {"workbenchFrom": []}},
        {"prometheusRule": {"exclude": "SentinelReportStale"}},
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
