"""Freed memory is kept for the next fetch, and holes between blocks that live on are given back."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: Blocks of 100 KB, every tenth of which lives on: the others are 90 MB of holes that no end of a heap frees.
PROGRAM = """
import sys, time
from pathlib import Path
from sentinel.cli.heap import settle_heap, tended_heap

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

settle_heap()
blocks = [bytes(100_000) for _ in range(1000)]
for block in blocks:
    memoryview(block).tobytes()
kept = blocks[::10]
del blocks, block
before = resident()
with tended_heap():
    deadline = time.monotonic() + float(sys.argv[1])
    while resident() > before - 50 and time.monotonic() < deadline:
        time.sleep(0.1)
print(len(kept), round(before - resident()))
"""


def given_back(seconds: int, **environment: str) -> int:
    """Return the megabytes of holes that were given back within so many seconds."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(seconds)],
        env={**inherited, **environment},
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return int(done.stdout.split()[1])


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator is tuned, and Linux shows pages")
def test_holes_are_given_back() -> None:
    assert given_back(30) > 50


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator is tuned, and Linux shows pages")
def test_an_operators_own_settings_of_the_allocator_stand() -> None:
    assert given_back(5, MALLOC_ARENA_MAX="1") < 50
