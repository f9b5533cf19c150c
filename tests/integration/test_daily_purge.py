"""What was kept long enough goes by itself, once a day, by the process that leads."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from sentinel.cli.scheduled_work import RETENTION
from sentinel.store import scheduled_runs
from sentinel.store.database import Database
from sentinel.store.schema import unit_contents
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import WEEK, consume_topic, event, fill, fresh_database, settings_for, units_of
from tests.integration.leading_turns import DAY, take_turn


def look(database: Database, days: float) -> list[str]:
    take_turn(database, RETENTION, WEEK + days * DAY)
    with database.read() as conn:
        return sorted(scheduled_runs.done_windows(conn, RETENTION))


def with_content(database: Database) -> int:
    with database.read() as conn:
        return conn.scalar(sa.select(sa.func.count()).select_from(unit_contents)) or 0


def test_contents_go_once_they_are_old_and_units_stay(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        topic = MemoryTopic()
        fill(topic, [event(number, WEEK + number * timedelta(hours=1)) for number in range(100)])
        consume_topic(topic, database, settings_for())
        drawn = len(units_of(database))
        assert look(database, 399.9) == ["2027-12-20"]
        assert with_content(database) == drawn > 10
        assert look(database, 402.5) == ["2027-12-20", "2027-12-23"]
        assert 0 < with_content(database) < drawn
        # Once a day: what has become old since waits for the next.
        before = with_content(database)
        look(database, 402.9)
        assert with_content(database) == before
        look(database, 410)
        assert with_content(database) == 0
        assert len(units_of(database)) == drawn


def test_days_long_past_are_forgotten(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        look(database, 0)
        assert look(database, 31) == ["2026-12-17"]
