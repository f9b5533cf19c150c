"""What a worker does without: libraries that are large and that only reports and models need."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Each takes 20 MB and more of a process that has to stay small.
LARGE = ("scipy.stats", "scipy.optimize", "spacy", "thinc", "presidio_analyzer", "matplotlib", "pandas")


@pytest.mark.parametrize("command", ["sentinel.cli.main", "sentinel.cli.run"])
def test_a_worker_starts_without_large_libraries(command: str) -> None:
    code = f"import sys, {command}; print(*sorted({set(LARGE)!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == []
