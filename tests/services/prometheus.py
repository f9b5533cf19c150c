"""A throwaway Prometheus on a loopback port, that scrapes what a test names every second."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.services.missing import MissingServiceError
from tests.services.ports import free_port

_START_SECONDS = 30.0


class PrometheusServer:
    """One server: `targets` are host:port by job, `rule_files` are loaded as they are."""

    def __init__(self, targets: Mapping[str, Sequence[str]], rule_files: Sequence[Path] = ()) -> None:
        found = shutil.which("prometheus")
        if found is None:
            message = "prometheus is not installed (Debian: apt-get install prometheus)"
            raise MissingServiceError(message)
        self._binary = found
        self._home = Path(tempfile.mkdtemp(prefix="sentinel-prometheus-"))
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{free_port()}"
        (self._home / "prometheus.yml").write_text(
            yaml.safe_dump(
                {
                    "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                    "rule_files": [str(path) for path in rule_files],
                    "scrape_configs": [
                        {"job_name": job, "static_configs": [{"targets": list(hosts)}]}
                        for job, hosts in targets.items()
                    ],
                }
            )
        )

    def start(self) -> None:
        """Start and wait until it answers queries."""
        with (self._home / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    self._binary,
                    f"--config.file={self._home / 'prometheus.yml'}",
                    f"--storage.tsdb.path={self._home / 'data'}",
                    f"--web.listen-address={self.url.removeprefix('http://')}",
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._home,
            )
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/-/ready", timeout=2).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise RuntimeError(f"Prometheus did not start: {(self._home / 'log').read_text()[-2000:]}")

    def query(self, expr: str) -> list[dict[str, Any]]:
        """Return the present result of an expression; AssertionError with Prometheus' words for a bad one."""
        answer = httpx.post(f"{self.url}/api/v1/query", data={"query": expr}, timeout=30).json()
        assert answer["status"] == "success", f"{answer.get('error')}: {expr}"
        result = answer["data"]["result"]
        # A scalar is one sample without labels.
        return [{"metric": {}, "value": result}] if answer["data"]["resultType"] == "scalar" else result

    def rules(self) -> list[dict[str, Any]]:
        """Return the state of every rule it has loaded."""
        groups = httpx.get(f"{self.url}/api/v1/rules", timeout=30).json()["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def close(self) -> None:
        """Stop it and remove its data."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=30)
        shutil.rmtree(self._home, ignore_errors=True)
