"""The schedule as a worker loads it: whole at first, then what was appended since."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from sentinel.cli.wiring import design_of
from sentinel.pipeline.scheduling import LEAD, adopt_design, load_schedule
from sentinel.sampling.schedule import BEGINNING
from sentinel.sampling.selection import Salt
from sentinel.store import schedule as stored
from sentinel.store.database import Database
from tests.harness import WEEK, fresh_database, settings_for, with_rate

SALT = Salt.of("a salt of the tests")


def appended(database: Database, count: int, at: datetime) -> None:
    with database.begin() as connection:
        last = stored.read_rows(connection)[-1]
        for number in range(count):
            stored.append_row(connection, replace(last, reason=f"row {number}"), at, WEEK)


def rows_read(database: Database, load: Any) -> tuple[Any, int]:
    """Return what `load` returns and how many schedule rows the store gave for it."""
    fetched = 0

    def count(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        nonlocal fetched
        if "FROM schedule_rows" in statement:
            fetched += len(connection.connection.cursor().execute(statement, _[0]).fetchall())

    sa.event.listen(database._engine, "after_cursor_execute", count)
    found = load()
    sa.event.remove(database._engine, "after_cursor_execute", count)
    return found, fetched


def test_a_reload_reads_the_appended_rows_only_and_holds_them_all(tmp_path: Path) -> None:
    design = design_of(settings_for(), SALT)
    with fresh_database(tmp_path) as database:
        adopt_design(database, design, WEEK)
        appended(database, 200, WEEK)
        whole, fetched = rows_read(
            database, lambda: load_schedule(database, BEGINNING, design.indicators, WEEK)
        )
        assert (len(whole.rows), fetched) == (201, 201)
        later = WEEK + timedelta(hours=1)
        same, fetched = rows_read(
            database, lambda: load_schedule(database, later, design.indicators, WEEK, whole)
        )
        assert fetched == 0
        assert same.rows == whole.rows
        assert same.reaches_to == later + LEAD
        other = design_of(with_rate(settings_for(), 0.7), SALT)
        adopt_design(database, other, WEEK)
        appended(database, 2, later)
        grown, fetched = rows_read(
            database, lambda: load_schedule(database, later, design.indicators, WEEK, same)
        )
        assert fetched == 3
        anew = load_schedule(database, later, design.indicators, WEEK)
        assert grown == anew, "as if it had been read whole"
        assert set(grown.designs) == {design.design_id, other.design_id}
