"""Probes of the chart that somebody answers, and the workbench that is reached through its pod only."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from sentinel.review.loopback import is_loopback
from sentinel.store.database import Database
from tests.integration.helm_chart import (
    ANSWERED,
    CHART,
    EVERY_VALUES,
    ROOT,
    Objects,
    Render,
    component,
    each_values,
    helm,
    of_kind,
    render,
    run,
)
from tests.integration.rendered_settings import config_file, environment_of
from tests.services.ports import free_port

__all__ = ["helm", "render"]


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
    """Whether there is one that its pod keeps to itself."""
    workbench = {} if values is None else yaml.safe_load(values.read_text()).get("workbench", {})
    return workbench.get("enabled", True) and not workbench.get("service", {}).get("enabled", False)


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
