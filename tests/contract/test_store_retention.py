"""Retention: what was kept long enough goes, in many short transactions; all that is counted stays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.errors import RetryError
from sentinel.store import dead_letters, frame, minute_counts, retention, schema, units
from sentinel.store.database import Database
from sentinel.store.retention import Purged, RetentionParams
from tests.contract.store_samples import DAY, NOW, PARTITION, a_unit

KEPT = RetentionParams(contents_days=30, minute_counts_days=20, dead_letters_days=10)
SECRET = "a sentence that must go"
NOTHING = Purged(0, 0, 0, 0)


def letter(offset: int) -> dead_letters.DeadLetter:
    return dead_letters.DeadLetter(PARTITION, offset, "not_json", "x", NOW, 3)


def minute(days: float) -> minute_counts.MinuteKey:
    return minute_counts.MinuteKey((NOW - timedelta(days=days)).replace(second=0, microsecond=0), PARTITION)


@pytest.fixture
def filled(database: Database) -> Database:
    """Units, minutes and letters of 0 to 59 days ago; of each four units one is labelled and one lost."""
    aged = [a_unit(f"u{days:02d}", event_time=NOW - days * DAY) for days in range(60)]
    drawn = [replace(unit, answer=None) if place % 4 == 3 else unit for place, unit in enumerate(aged)]
    with database.begin() as conn:
        units.insert_units(conn, drawn, NOW)
        units.set_status(conn, [f"u{days:02d}" for days in range(0, 60, 4)], "labelled")
        minute_counts.add_minutes(conn, {minute(days): {"events": 1} for days in range(60)})
        frame.add_cells(
            conn, {frame.CellKey(frame.window_of(NOW - 50 * DAY), PARTITION, "d"): frame.CellCounts(9)}
        )
        for days in range(60):
            dead_letters.add_dead_letters(conn, [letter(days)], 9, NOW - days * DAY)
    return database


def counted(database: Database) -> dict[str, list[Any]]:
    """What retention must leave, column by column."""
    columns = [column for column in schema.units.c if column.name not in ("status", "awaits_opinion")]
    with database.read() as conn:
        return {
            "units": conn.execute(sa.select(*columns).order_by(schema.units.c.id)).all(),
            "frame": conn.execute(sa.select(schema.frame_cells)).all(),
        }


def statuses(database: Database) -> dict[str, tuple[str, bool]]:
    """Status of each unit, and whether its content is there."""
    held = schema.units.outerjoin(schema.unit_contents)
    query = sa.select(schema.units.c.event_id, schema.units.c.status, schema.unit_contents.c.unit_id)
    with database.read() as conn:
        rows = conn.execute(query.select_from(held)).all()
    return {row.event_id: (row.status, row.unit_id is not None) for row in rows}


def test_what_is_old_goes_and_what_is_counted_stays(filled: Database) -> None:
    before = counted(filled)
    with filled.read() as conn:
        expected = retention.due(conn, KEPT, NOW)
    found = retention.purge(filled.begin, KEPT, NOW)
    # Days 31 to 59 (day 30 is not over; the minute of day 20 began before): of 29 units 7 are labelled, 8
    # lost and so without content.
    assert found == expected == Purged(contents=21, unlabelled=14, minute_counts=40, dead_letters=49)
    assert counted(filled) == before
    for event_id, (status, has_content) in statuses(filled).items():
        days = int(event_id[1:])
        kind = {0: "labelled", 3: "lost"}.get(days % 4, "purged" if days > 30 else "pending")
        assert (status, has_content) == (kind, days <= 30 and days % 4 != 3), event_id
    with filled.read() as conn:
        is_open = schema.units.c.awaits_opinion
        still = set(conn.scalars(sa.select(schema.units.c.status).where(is_open)))
        assert still == {"pending"}
        assert not conn.scalar(sa.select(sa.func.count()).where(schema.units.c.status == "pending", ~is_open))
    assert retention.purge(filled.begin, KEPT, NOW) == NOTHING
    with filled.read() as conn:
        assert retention.due(conn, KEPT, NOW) == NOTHING


def test_looking_deletes_nothing(filled: Database) -> None:
    before = statuses(filled)
    with filled.read() as conn:
        assert retention.due(conn, KEPT, NOW) != NOTHING
    assert statuses(filled) == before


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(RetentionParams)])
def test_none_keeps_for_good(filled: Database, name: str) -> None:
    part = name.removesuffix("_days")
    found = retention.purge(filled.begin, replace(KEPT, **{name: None}), NOW + 1000 * DAY)
    assert getattr(found, part) == 0
    for other in {"contents", "minute_counts", "dead_letters"} - {part}:
        assert getattr(found, other) > 0
    assert retention.purge(filled.begin, RetentionParams(None, None, None), NOW + 10_000 * DAY) == NOTHING


@pytest.mark.parametrize("days", [0, -1, 0.5, 36_501, float("nan"), float("inf")])
def test_days_that_delete_everything_or_nothing_are_refused(days: float) -> None:
    with pytest.raises(ValueError, match="contents_days"):
        RetentionParams(contents_days=days)


def test_workers_get_their_turn_and_a_store_that_goes_away_loses_nothing(filled: Database) -> None:
    with filled.begin() as conn:
        old = [a_unit(f"old{number:05d}", event_time=NOW - 40 * DAY) for number in range(1200)]
        units.insert_units(conn, old, NOW)
    transactions = 0

    @contextmanager
    def failing() -> Iterator[Connection]:
        nonlocal transactions
        transactions += 1
        if transactions == 3:
            raise RetryError("the store is away")
        with filled.begin() as conn:
            yield conn

    with pytest.raises(RetryError):
        retention.purge(failing, KEPT, NOW)
    with filled.read() as conn:
        left = retention.due(conn, KEPT, NOW)
    assert left.contents == 1221 - 1000, "two transactions of 500 were done"
    assert retention.purge(failing, KEPT, NOW) == left
    assert transactions > 3 + 29


@pytest.mark.parametrize("when", [NOW, NOW + 400 * DAY])
def test_an_empty_store_has_nothing_to_delete(database: Database, when: datetime) -> None:
    assert retention.purge(database.begin, RetentionParams(), when) == NOTHING


def test_what_was_deleted_is_not_in_the_file_any_more(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Database(f"sqlite:///{path}") as database:
        database.upgrade()
        with database.begin() as conn:
            units.insert_units(
                conn, [a_unit("e1", content={"answer": SECRET}, event_time=NOW - 60 * DAY)], NOW
            )
    assert SECRET.encode() in path.read_bytes()
    with Database(f"sqlite:///{path}") as database:
        assert retention.purge(database.begin, KEPT, NOW).contents == 1
    assert [one.name for one in tmp_path.iterdir()] == ["s.db"], "the log is gone with the last connection"
    assert SECRET.encode() not in path.read_bytes()
