"""The chart as a real helm renders it, and its objects: shared by the tests of the chart."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.services.missing import skip_or_fail

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm/sentinel"
CI_VALUES = sorted((CHART / "ci").glob("*-values.yaml"))
#: Paths that `sentinel.telemetry.http` answers, and so does the web app.
ANSWERED = {"/healthz", "/readyz", "/metrics"}

Objects = list[dict[str, Any]]
Render = Callable[..., Objects]

EVERY_VALUES = [None, *CI_VALUES]
each_values = pytest.mark.parametrize("values", EVERY_VALUES, ids=lambda v: v.name if v else "defaults")


@pytest.fixture(scope="module")
def helm() -> str:
    candidates = (os.environ.get("SENTINEL_TEST_HELM"), shutil.which("helm"), Path.home() / "go/bin/helm")
    found = next((str(path) for path in candidates if path and Path(path).is_file()), None)
    if found is None:
        skip_or_fail(
            "helm is not installed (go install helm.sh/helm/v3/cmd/helm@v3.19.0, or SENTINEL_TEST_HELM)"
        )
    return found


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


def component(objects: Objects, name: str) -> dict[str, Any]:
    """The pod of the agent or of the workbench; a KeyError where there is none."""
    found = {pod["containers"][0]["name"]: pod for pod in pods(objects)}
    return found[name]
