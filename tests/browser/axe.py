"""axe-core, the accessibility checker, fetched from the npm registry once and kept for later runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.services.missing import MissingServiceError

VERSION = "4.14.1"


def axe_source() -> str:
    """Return the script; `SENTINEL_TEST_AXE` names a file that has it.

    Raises:
        MissingServiceError: it is not here and cannot be fetched.
    """
    given = os.environ.get("SENTINEL_TEST_AXE")
    kept = Path(given) if given else Path(tempfile.gettempdir()) / f"sentinel-axe-{VERSION}.js"
    if not kept.exists():
        _fetch(kept)
    return kept.read_text(encoding="utf-8")


def _fetch(kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingServiceError("npm is not installed, so axe-core cannot be fetched")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"axe-core@{VERSION}", "--silent"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise MissingServiceError("axe-core cannot be fetched from the npm registry")
        with tarfile.open(Path(folder) / done.stdout.strip().splitlines()[-1]) as package:
            member = package.extractfile("package/axe.min.js")
            assert member is not None
            draft = Path(folder) / "axe.js"
            draft.write_bytes(member.read())
            shutil.move(draft, kept)
