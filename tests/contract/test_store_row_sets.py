"""Rows written as a set are as if written one by one: in order, once, added up where they are the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from sentinel.store import dead_letters, frame
from sentinel.store.columns import stored_key
from sentinel.store.database import Database
from sentinel.store.dead_letters import DeadLetter
from sentinel.store.frame import CellCounts, CellKey, FrameSlice
from sentinel.store.row_sets import insert_new
from sentinel.store.schema import dead_letters as letters_table
from sentinel.store.schema import known_values
from tests.contract.store_samples import NOON, PARTITION

_LETTER = DeadLetter(PARTITION, 0, "too_large", "bytes", None, 7)


def test_cells_whose_names_become_the_same_in_the_store_are_added_up(database: Database) -> None:
    long = "x" * 1000
    names = ("a\0b", "a\ufffdb", long, stored_key(long))
    stored = {stored_key(name) for name in names}
    assert len(stored) < len(names)
    cells = {
        CellKey(NOON, PARTITION, "design-1", "app", name): CellCounts(10**n, 10**n, 0, n, 2 * n, 3 * n)
        for n, name in enumerate(names)
    }
    for _ in range(2):
        with database.begin() as conn:
            frame.add_cells(conn, cells)
    with database.read() as conn:
        found = frame.totals(conn, NOON, NOON + frame.WINDOW)
    wanted: dict[FrameSlice, CellCounts] = {}
    for key, counts in cells.items():
        named = FrameSlice("app", stored_key(key.value), "design-1")
        wanted[named] = wanted.get(named, CellCounts()) + counts + counts
    assert found == wanted


def test_rows_are_written_in_the_order_given(database: Database) -> None:
    letters = [replace(_LETTER, offset=(n * 7919) % 1009) for n in range(1009)]
    with database.begin() as conn:
        assert dead_letters.add_dead_letters(conn, letters, 2000, NOON) == 1009
    in_order = sa.select(letters_table.c.offset).order_by(letters_table.c.id)
    with database.read() as conn:
        assert list(conn.scalars(in_order)) == list(range(1009))


def test_only_what_is_new_is_returned_and_what_is_there_stays(database: Database) -> None:
    row = {"field": "model", "value": "m1", "first_seen_at": NOON}
    with database.begin() as conn:
        insert_new(conn, known_values, [row])
        later = {**row, "first_seen_at": NOON + timedelta(days=1)}
        new = insert_new(conn, known_values, [later, {**later, "value": "m2"}], returning=("value",))
        assert [one.value for one in new] == ["m2"]
        held = {one.value: one.first_seen_at for one in conn.execute(sa.select(known_values))}
    assert held == {"m1": NOON, "m2": NOON + timedelta(days=1)}


def test_the_ends_of_the_calendar_and_of_whole_numbers_are_kept(database: Database) -> None:
    ends = [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
    letters = [
        replace(_LETTER, offset=offset, record_timestamp=end, size_bytes=size)
        for (offset, size), end in zip(((0, 2**63 - 1), (2**63 - 1, -(2**63))), ends, strict=True)
    ]
    with database.begin() as conn:
        dead_letters.add_dead_letters(conn, letters, 2, NOON)
    with database.read() as conn:
        found = sorted(dead_letters.iter_dead_letters(conn), key=lambda one: one.offset)
    assert found == letters
