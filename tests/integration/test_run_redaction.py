"""`sentinel run` where redaction cannot work: it ends with one line, and no answer is lost by it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sentinel.store import checkpoints
from sentinel.store.database import Database
from tests.harness import units_of

ROOT = Path(__file__).resolve().parents[2]
EVENTS = 40


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
    return subprocess.run(
        [sys.executable, "-m", "sentinel", "run", "--source", "file:answers.jsonl", "--until-end", "--json"],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), "SENTINEL_SAMPLING__RATE": "1", **environment},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )


def stored(folder: Path) -> tuple[int, int, list[int]]:
    """Return the units, those of them that have content, and the checkpoints."""
    with Database(f"sqlite:///{folder / 'sentinel.db'}") as database:
        units = units_of(database)
        with database.read() as connection:
            offsets = list(checkpoints.next_offsets(connection).values())
    return len(units), sum(one.unit.answer is not None for one in units.values()), offsets


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [
        json.dumps({"event_id": f"e{i}", "answer": f"Answer {i} for John Smith."}) for i in range(EVENTS)
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


#: What is set wrongly, the exit code, and what the one line says.
FAULTS = [
    ({"MODEL": "nonexistent"}, 2, "'nonexistent' is not installed"),
    ({"MODEL": "en_core_web_smm"}, 2, "'en_core_web_smm' is not installed"),
    ({"MODEL": "numpy"}, 1, "'numpy' cannot be built"),
    ({"MODEL": "."}, 2, "is not installed"),
    ({"ENTITIES": "[EMAIL_ADDRESS, SHOE_SIZE]"}, 2, "SHOE_SIZE"),
]


@pytest.mark.parametrize(
    ("settings", "code", "says", "scope"),
    [(*fault, "stored") for fault in FAULTS] + [(*FAULTS[-1], "all")],
    ids=str,
)
def test_a_fault_of_the_installation_stops_the_run_and_moves_nothing(
    settings: dict[str, str], code: int, says: str, scope: str, folder: Path
) -> None:
    wrong = {f"SENTINEL_REDACTION__{key}": value for key, value in settings.items()}
    ended = run(folder, **wrong, SENTINEL_REDACTION__SCOPE=scope)
    assert ended.returncode == code, ended.stderr
    assert ended.stdout == ""
    complaints = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert len(complaints) == 1, ended.stderr
    assert says in complaints[0]
    assert "Traceback" not in ended.stderr
    assert "John Smith" not in ended.stderr
    assert stored(folder) == (0, 0, [])


@pytest.mark.parametrize("wrong", [{"MODEL": "nonexistent"}, {"ENTITIES": "[SHOE_SIZE]"}], ids=str)
def test_once_mended_everything_is_there(wrong: dict[str, str], folder: Path) -> None:
    assert (
        run(folder, **{f"SENTINEL_REDACTION__{key}": value for key, value in wrong.items()}).returncode == 2
    )
    ended = run(folder)
    assert ended.returncode == 0, ended.stderr
    totals = json.loads(ended.stdout)
    assert (totals["events"], totals["sampled"], totals["dead_letters"]) == (EVENTS, EVENTS, 0)
    units, with_content, offsets = stored(folder)
    assert (units, with_content) == (EVENTS, EVENTS)
    assert offsets == [(folder / "answers.jsonl").stat().st_size]


def test_a_model_that_goes_missing_later_leaves_what_was_committed(folder: Path) -> None:
    assert run(folder).returncode == 0
    before = stored(folder)
    with (folder / "answers.jsonl").open("a") as stream:
        stream.write(json.dumps({"event_id": "late", "answer": "Late."}) + "\n")
    assert run(folder, SENTINEL_REDACTION__ENTITIES="[SHOE_SIZE]").returncode == 2
    assert stored(folder) == before
    assert run(folder).returncode == 0
    assert stored(folder)[:2] == (EVENTS + 1, EVENTS + 1)
