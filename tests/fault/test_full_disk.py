"""A real file system that runs full under SQLite, in a real process."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sentinel.store.database import Database
from tests.fault.contents import assert_same, contents
from tests.fault.processes import Run, readiness, run_to_end, wait_until
from tests.fault.streams import mixed
from tests.fault.topics import counted
from tests.services.missing import skip_or_fail
from tests.services.ports import free_port


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of twelve megabytes (tmpfs), which only root can mount."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        reason = f"a small file system cannot be mounted here: {mounted.stderr.strip()}"
        if os.geteuid() == 0:
            skip_or_fail(reason)
        pytest.skip(reason)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill_up(place: Path) -> Path:
    """Leave no block of the file system free."""
    ballast = place / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return ballast


def test_a_file_system_without_room_is_waited_for(small_disk: Path, tmp_path: Path) -> None:
    values = mixed(400)
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"".join(value + b"\n" for value in values[:100]))
    url, port = f"sqlite:///{small_disk / 's.db'}", free_port()
    settings = {
        "pipeline": {"batch_records": 5, "poll_seconds": 0.1, "longest_wait_seconds": 0.3},
        "telemetry": {"http": {"port": port}},
    }
    with Run(tmp_path, f"file:{path}", url, until_end=False, settings=settings) as run:
        wait_until(lambda: counted(url) > 20 and readiness(port) == (200, {}), run=run)
        ballast = fill_up(small_disk)
        with path.open("ab") as file:
            file.write(b"".join(value + b"\n" for value in values[100:]))
        wait_until(lambda: readiness(port)[0] == 503, run=run)
        reasons = readiness(port)[1]
        assert set(reasons) == {"store"}
        assert "SQLITE_FULL" in reasons["store"] or "SQLITE_IOERR" in reasons["store"], reasons
        stuck = counted(url)
        time.sleep(1.0)
        assert run.lives, run.log
        assert counted(url) == stuck < 400
        ballast.unlink()
        wait_until(lambda: counted(url) == 400, run=run)
        wait_until(lambda: readiness(port) == (200, {}), run=run)
        run.send(signal.SIGTERM)
        assert run.ends(10) == 0, run.log
        assert run.summary["events"] == 400
    calm = f"sqlite:///{tmp_path / 'calm.db'}"
    run_to_end(tmp_path, f"file:{path}", calm)
    run_to_end(tmp_path, f"file:{path}", url)
    with Database(calm) as one, Database(url) as other:
        undisturbed, found = (contents(d, without_first_seen=True) for d in (one, other))
    # A file's records bear the time at which it was opened, or of their arrival where they came later.
    for held in (undisturbed, found):
        for name in ("not_covered", "dead_letters", "units"):
            held.pop(name)
    assert_same(undisturbed, found)
