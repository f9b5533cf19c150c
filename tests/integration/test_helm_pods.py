"""Pods of the chart: unprivileged, on a root that is read-only, of the image the Dockerfile makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer

from sentinel.cli.main import app
from tests.integration.helm_chart import ROOT, Render, containers, each_values, helm, pods, render

__all__ = ["helm", "render"]


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


@each_values
def test_the_pod_gets_no_token_and_no_service_links(render: Render, values: Path | None) -> None:
    for pod in pods(render(values)):
        assert pod["enableServiceLinks"] is False
        assert pod["automountServiceAccountToken"] is False


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


def test_a_digest_wins_over_the_tag(render: Render) -> None:
    digest = "sha256:" + "a" * 64
    images = {c["image"] for c in containers(render({"image": {"tag": "1.2.3", "digest": digest}}))}
    assert images == {f"sentinel@{digest}"}
    assert {c["image"] for c in containers(render({"image": {"tag": "1.2.3"}}))} == {"sentinel:1.2.3"}


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
    builds, runs = bases
    assert re.fullmatch(r"python:3\.11\.\d+-slim-bookworm", runs)
    # The same Python, and a C compiler for the extension modules.
    assert builds == runs.replace("-slim", "")
    assert 'ENTRYPOINT ["sentinel"]' in lines
    assert any("--require-hashes" in line and "requirements.lock" in line for line in lines)
    assert not [line for line in lines if line.startswith(("ADD ", "CMD "))]
