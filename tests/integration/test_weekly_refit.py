"""The risk model is looked at by itself: once for each week, by the process that leads, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sentinel.cli.scheduled_work import WEEKLY_REFIT
from sentinel.settings import Settings
from sentinel.store import schedule, scheduled_runs
from sentinel.store.database import Database
from sentinel.store.leases import LeaseLostError
from tests.harness import fresh_database, settings_for
from tests.integration.leading_turns import DAY, take_turn, traffic

#: Week 47 is reported, and looked at, on Wednesday 25 November at 6:00.
PLANNED = datetime(2026, 11, 25, 6, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with fresh_database(tmp_path) as opened:
        traffic(opened, 160, 1)
        yield opened


def looked(database: Database, now: datetime, settings: Settings | None = None) -> list[str]:
    take_turn(database, WEEKLY_REFIT, now, settings=settings)
    return done(database)


def done(database: Database) -> list[str]:
    with database.read() as conn:
        return sorted(scheduled_runs.done_windows(conn, WEEKLY_REFIT))


def test_each_week_is_looked_at_once_however_often_the_leader_looks(database: Database) -> None:
    assert looked(database, PLANNED) == ["2026-W47"]
    assert looked(database, PLANNED + 3 * DAY) == ["2026-W47"]
    assert looked(database, PLANNED + 7 * DAY) == ["2026-W47", "2026-W48"]
    # A leader that was away for weeks looks once, at what there is now.
    assert looked(database, PLANNED + 35 * DAY) == ["2026-W47", "2026-W48", "2026-W52"]


def test_without_labels_the_schedule_stays_as_it_is(database: Database) -> None:
    with database.read() as conn:
        before = schedule.read_rows(conn)
    looked(database, PLANNED)
    with database.read() as conn:
        assert schedule.read_rows(conn) == before


def test_it_can_be_switched_off(database: Database) -> None:
    settings = settings_for()
    off = replace(settings, learning=replace(settings.learning, enabled=False))
    assert looked(database, PLANNED, off) == []


def test_an_empty_store_is_left_for_later(tmp_path: Path) -> None:
    with fresh_database(tmp_path, "empty.db") as empty:
        assert looked(empty, PLANNED) == []


def test_a_process_that_no_longer_leads_records_nothing(database: Database) -> None:
    with pytest.raises(LeaseLostError):
        take_turn(database, WEEKLY_REFIT, PLANNED, lost=True)
    assert done(database) == []
