"""The command against reference values computed with other software, where they are at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SENTINEL_SHARED", ROOT.parent / "shared"))
CHECK = SHARED / "checks" / "check_oracles.py"
RUNNER = """
import typer
from sentinel.cli.estimate import estimate
app = typer.Typer()
app.callback()(lambda: None)
app.command("estimate")(estimate)
app()
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not CHECK.exists(), reason=f"no reference values: {CHECK.name} is not beside the project"
    ),
]


def test_every_reference_value_is_met(tmp_path):
    runner = tmp_path / "runner.py"
    runner.write_text(RUNNER)
    environment = os.environ | {"SENTINEL": f"{sys.executable} {runner}", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, str(CHECK), "-v"], env=environment, capture_output=True, text=True, timeout=850
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    assert "reference values met" in run.stdout
