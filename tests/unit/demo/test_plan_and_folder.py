"""Which two weeks are simulated, and what a demonstration may delete."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from sentinel.demo.folder import DemoFolder
from sentinel.demo.plan import Plan, last_two_weeks
from sentinel.errors import ConfigurationError


@pytest.mark.parametrize(
    ("now", "begins"),
    [
        ("2026-11-30T09:00:00+00:00", "2026-11-16"),
        ("2026-11-30T00:00:00+00:00", "2026-11-16"),
        ("2026-11-29T23:59:59+00:00", "2026-11-09"),
        ("2026-12-06T23:59:59+00:00", "2026-11-16"),
        ("2027-01-01T12:00:00+00:00", "2026-12-14"),
        ("2028-03-01T12:00:00+00:00", "2028-02-14"),
        ("2026-11-30T01:00:00+02:00", "2026-11-09"),
    ],
)
def test_the_last_two_whole_weeks_begin_on_a_monday(now: str, begins: str) -> None:
    found = last_two_weeks(datetime.fromisoformat(now))
    assert found == datetime.fromisoformat(begins).replace(tzinfo=UTC)
    assert found.weekday() == 0


def test_simulated_time_has_passed_whatever_the_hour() -> None:
    start = datetime(2026, 11, 23, tzinfo=timezone(timedelta(hours=-8)))
    for hours in range(24 * 8):
        now = start + timedelta(hours=hours)
        plan = Plan(100, 1, last_two_weeks(now))
        assert plan.ends <= now < plan.ends + timedelta(days=7)
        assert plan.begins < plan.prompt_changes_at < plan.ends


def test_a_folder_is_made_and_made_anew(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "deep" / "demo")
    folder.prepare()
    for path in (folder.store, folder.html, folder.json, folder.answers, folder.truth):
        path.write_text("old")
    notes = folder.path / "my notes.txt"
    notes.write_text("kept")
    folder.prepare()
    left = {path.name for path in folder.path.rglob("*") if path.is_file()}
    assert left == {".sentinel-demo", "my notes.txt"}
    assert notes.read_text() == "kept"


@pytest.mark.parametrize("name", ["sentinel.db", "thesis.tex", ".git", "sub/file"])
def test_a_folder_of_somebody_else_is_refused_and_untouched(tmp_path: Path, name: str) -> None:
    theirs = tmp_path / name
    theirs.parent.mkdir(parents=True, exist_ok=True)
    theirs.write_text("precious")
    with pytest.raises(ConfigurationError, match="no demonstration made"):
        DemoFolder(tmp_path).prepare()
    assert theirs.read_text() == "precious"
    assert not (tmp_path / ".sentinel-demo").exists()


def test_an_empty_folder_will_do_and_a_file_will_not(tmp_path: Path) -> None:
    DemoFolder(tmp_path).prepare()
    assert (tmp_path / "simulated-app").is_dir()
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(ConfigurationError, match="no folder"):
        DemoFolder(file).prepare()
    with pytest.raises(ConfigurationError, match="cannot be written"):
        DemoFolder(file / "below").prepare()
