"""Promise 4: kill -9 anywhere, and the store ends as if nothing had happened."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from sentinel.pipeline.fault_points import POINTS
from sentinel.store.database import Database
from tests.fault.contents import assert_same, contents, event_counts
from tests.fault.processes import Run, run_to_end
from tests.fault.streams import PERSONAL, mixed

COUNT = 150


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream") / "answers.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in mixed(COUNT)))
    return path


def held(url: str, **options: Any) -> dict[str, Any]:
    with Database(url) as database:
        return contents(database, **options)


@pytest.fixture(scope="module")
def undisturbed(stream: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("undisturbed")
    url = f"sqlite:///{folder / 's.db'}"
    totals = run_to_end(folder, f"file:{stream}", url)
    with Database(url) as database:
        assert event_counts(database)["events"] == totals["events"] == COUNT
        assert event_counts(database)["units"] == totals["sampled"]
    assert 30 < totals["sampled"] < 120
    assert totals["duplicates"] > 40
    assert totals["dead_letters"] == COUNT // 10
    stored = b"".join(path.read_bytes() for path in folder.glob("s.db*"))
    assert not [value for value in PERSONAL if value.encode() in stored]
    return held(url)


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_a_point_of_the_first_and_of_a_later_batch(
    point: str, stream: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    for armed in (f"{point}:1", f"{point}:3"):
        with Run(tmp_path, f"file:{stream}", url, point=armed) as run:
            assert run.ends() == -signal.SIGKILL, run.log
    run_to_end(tmp_path, f"file:{stream}", url)
    assert_same(undisturbed, held(url))


def test_batches_of_another_size_after_a_kill_change_nothing(
    stream: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    sizes = {"batch_records": 17, "batch_units": 3, "poll_seconds": 0.1}
    with Run(tmp_path, f"file:{stream}", url, point="minutes_written:9", settings={"pipeline": sizes}) as run:
        assert run.ends() == -signal.SIGKILL
    run_to_end(tmp_path, f"file:{stream}", url)
    assert_same(undisturbed, held(url))


def test_killed_in_the_same_place_again_and_again_it_still_ends(
    stream: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    kills = 0
    for _ in range(10):
        with Run(tmp_path, f"file:{stream}", url, point="after_commit:2") as run:
            if run.ends() == 0:
                break
            kills += 1
    assert kills == 3, "two batches a life, of six or seven"
    assert_same(undisturbed, held(url))
