"""`sentinel risk refit` from outside: a table or JSON on stdout, one row in the schedule, one-line errors."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from sentinel.reporting.period import last_whole_week
from sentinel.store import schedule
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import fresh_database, settings_for
from tests.integration.test_command_line import sentinel
from tests.unit.learning.taught_store import a_week, label


def test_the_command_shows_the_scores_and_adopts_what_is_better(tmp_path: Path) -> None:
    # The command has the clock of the machine: it looks at the weeks before the one that runs.
    week = last_whole_week(datetime.now(UTC), "UTC")
    with fresh_database(tmp_path) as database:
        a_week(MemoryTopic(), database, settings_for(rate=0.4), week.start, 500, 0)
        label(database, lambda one: one.unit.indicators["missing_citation"] is True, week.start, week.end)
        store = ("--store", f"sqlite:///{tmp_path / 'store.db'}")
        dry = sentinel("risk", "refit", "--dry-run", *store, cwd=tmp_path)
        assert dry.returncode == 0, dry.stderr
        assert dry.stdout.splitlines()[1].split() == [
            "model",
            "log",
            "loss",
            "variance",
            "plain",
            "calibrated",
        ]
        assert [line.split()[0] for line in dry.stdout.splitlines()[2:4]] == ["default", "fitted"]
        assert dry.stdout.splitlines()[4].startswith("would be adopted: fitted to")
        with database.read() as connection:
            assert len(schedule.read_rows(connection)) == 1
        told = sentinel("risk", "refit", "--json", *store, cwd=tmp_path)
        assert told.returncode == 0, told.stderr
        document = json.loads(told.stdout)
        with database.read() as connection:
            rows = schedule.read_rows(connection)
    assert len(rows) == 2
    assert document["adopted"] == {
        "design": rows[1].design_id,
        "effective_at": rows[1].effective_at.isoformat(),
    }
    assert [one["name"] for one in document["models"]] == ["default", "fitted"]
    assert document["labelled"] > document["bad"] > 0


def test_a_store_that_was_never_run_on_is_told_what_to_do(tmp_path: Path) -> None:
    fresh_database(tmp_path).close()
    run = sentinel("risk", "refit", "--store", f"sqlite:///{tmp_path / 'store.db'}", cwd=tmp_path)
    assert run.returncode == 1
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert "sentinel run" in run.stderr
