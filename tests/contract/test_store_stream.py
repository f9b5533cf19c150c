"""What the stream leaves behind: dead letters, seen hashes, known values."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import numpy as np
import pytest
import sqlalchemy as sa

from sentinel.records import Partition
from sentinel.store import deduplication, known_values
from sentinel.store.database import Database
from sentinel.store.dead_letters import DeadLetter, add_dead_letters, iter_dead_letters, purge_dead_letters
from sentinel.store.deduplication import SeenHashes
from sentinel.store.schema import seen_hashes
from tests.contract.store_samples import DAY, NOON, NOW, PARTITION

OTHER = Partition("answers", 4)
MINUTE = timedelta(minutes=1)


def a_letter(offset: int, partition: Partition = PARTITION, reason: str = "malformed") -> DeadLetter:
    stamp = None if offset % 2 else NOW
    return DeadLetter(partition, offset, reason, "answer: must be a string", stamp, 2**33 + offset)


def test_dead_letters_come_back_newest_first(database: Database) -> None:
    with database.begin() as conn:
        assert add_dead_letters(conn, [a_letter(2), a_letter(1)], 10, NOW) == 2
        assert add_dead_letters(conn, [a_letter(1, OTHER)], 10, NOW + MINUTE) == 1
    with database.read() as conn:
        assert list(iter_dead_letters(conn)) == [a_letter(1, OTHER), a_letter(2), a_letter(1)]
        assert list(iter_dead_letters(conn, limit=1)) == [a_letter(1, OTHER)]
    with database.begin() as conn:
        assert purge_dead_letters(conn, NOW + MINUTE) == 2
        assert list(iter_dead_letters(conn)) == [a_letter(1, OTHER)]


def test_a_record_is_parked_once(database: Database) -> None:
    with database.begin() as conn:
        assert add_dead_letters(conn, [a_letter(1), a_letter(1, reason="oversized")], 10, NOW) == 1
    with database.begin() as conn:
        assert add_dead_letters(conn, [a_letter(1, reason="later"), a_letter(3)], 10, NOW) == 1
        assert sorted(letter.reason for letter in iter_dead_letters(conn)) == ["malformed", "malformed"]


@pytest.mark.parametrize(("keep", "written"), [(0, 0), (1, 1), (7, 7), (2000, 1500)])
def test_a_flood_keeps_only_its_first_letters(database: Database, keep: int, written: int) -> None:
    flood = [a_letter(offset) for offset in range(1500)]
    with database.begin() as conn:
        assert add_dead_letters(conn, flood, keep, NOW) == written
        assert sorted(letter.offset for letter in iter_dead_letters(conn, 5000)) == list(range(written))
        with pytest.raises(ValueError, match="keep"):
            add_dead_letters(conn, flood, -1, NOW)


def some_hashes(*numbers: int) -> SeenHashes:
    return SeenHashes(
        np.array(numbers, dtype=np.uint64), np.array([n % 60_000 for n in numbers], dtype=np.uint16)
    )


def loaded(database: Database, since: datetime, partitions: list[Partition] | None = None) -> list[int]:
    with database.read() as conn:
        found = deduplication.load(conn, since, 10_000, partitions)
    assert list(found) == sorted(found)
    numbers = []
    for seen in found.values():
        assert (seen.hashes.dtype, seen.places.dtype) == (np.uint64, np.uint16)
        assert seen.places.tolist() == [number % 60_000 for number in seen.hashes.tolist()]
        numbers += seen.hashes.tolist()
    return sorted(numbers)


def test_hashes_come_by_the_hour_they_arrived_in(database: Database) -> None:
    with database.begin() as conn:
        for number in range(150):
            deduplication.append(conn, PARTITION, some_hashes(number), NOON + number * MINUTE)
    with database.read() as conn:
        found = deduplication.load(conn, NOON, 10_000)
    assert {hour: len(seen.hashes) for hour, seen in found.items()} == {
        NOON: 60,
        NOON + 60 * MINUTE: 60,
        NOON + 120 * MINUTE: 30,
    }


def test_hashes_are_kept_bit_for_bit(database: Database) -> None:
    numbers = some_hashes(0, 1, 2**63, 2**64 - 1, 0x0102030405060708)
    with database.begin() as conn:
        deduplication.append(conn, PARTITION, numbers, NOW)
        deduplication.append(conn, OTHER, some_hashes(), NOW)
        stored = conn.scalars(sa.select(seen_hashes.c.hashes)).all()
    assert [bytes(blob) for blob in stored] == [numbers.hashes.astype("<u8").tobytes()]
    assert loaded(database, NOW) == sorted(numbers.hashes.tolist())


def test_hashes_are_loaded_by_minute_and_partition(database: Database) -> None:
    with database.begin() as conn:
        for number in range(6):
            deduplication.append(conn, PARTITION, some_hashes(number), NOON + number * MINUTE)
            deduplication.append(conn, OTHER, some_hashes(100 + number), NOON + number * MINUTE)
    assert loaded(database, NOON + 4 * MINUTE + timedelta(seconds=59), [PARTITION]) == [4, 5]
    assert loaded(database, NOON + 4 * MINUTE) == [4, 5, 104, 105]
    assert loaded(database, NOON, [PARTITION, OTHER]) == [*range(6), *range(100, 106)]
    assert loaded(database, NOON, []) == loaded(database, NOON, [Partition("else", 3)]) == []
    with database.begin() as conn:
        assert deduplication.purge(conn, NOON + 4 * MINUTE + timedelta(seconds=1)) == 8
    assert loaded(database, NOON) == [4, 5, 104, 105]


def test_no_more_than_asked_for_are_loaded_and_the_newest_first(database: Database) -> None:
    """Ten hours, a minute of each; a store may hold more hashes than a worker may keep."""
    with database.begin() as conn:
        for number in range(10):
            at = NOON + timedelta(hours=number, minutes=number)
            deduplication.append(conn, PARTITION, some_hashes(*range(10 * number, 10 * number + 10)), at)
            deduplication.append(conn, OTHER, some_hashes(1000 + number), at)

    def hours(most: int, partitions: list[Partition] | None = None) -> list[tuple[int, int]]:
        with database.read() as conn:
            found = deduplication.load(conn, NOON + timedelta(hours=2), most, partitions)
        return [((hour - NOON) // timedelta(hours=1), len(seen.hashes)) for hour, seen in found.items()]

    assert hours(1000) == [(number, 11) for number in range(2, 10)]
    assert hours(1000, [PARTITION]) == [(number, 10) for number in range(2, 10)]
    assert hours(25, [PARTITION]) == [(7, 10), (8, 10), (9, 10)]
    assert hours(1) in ([(9, 10)], [(9, 1)])
    assert hours(1000, []) == []


def test_past_minutes_become_one_row_each(database: Database) -> None:
    def rows() -> list[tuple[int, int]]:
        with database.read() as conn:
            order = (seen_hashes.c.partition, seen_hashes.c.minute, seen_hashes.c.id)
            found = conn.execute(sa.select(seen_hashes).order_by(*order)).all()
        return [(row.partition, (row.minute - NOON) // MINUTE) for row in found]

    def commit(partition: Partition, now: datetime, *numbers: int) -> None:
        with database.begin() as conn:
            deduplication.append(conn, partition, some_hashes(*numbers), now)

    for number in range(5):
        commit(PARTITION, NOON + timedelta(seconds=number), number, number + 10)
        commit(OTHER, NOON, 50 + number)
    assert rows() == [(3, 0)] * 5 + [(4, 0)] * 5
    commit(PARTITION, NOON + MINUTE, 90)
    assert rows() == [(3, 0), (3, 1)] + [(4, 0)] * 5
    commit(PARTITION, NOON + 3 * MINUTE)  # nothing new: packs all the same
    commit(PARTITION, NOON + timedelta(seconds=30), 91)  # a clock that stepped back
    assert rows() == [(3, 0), (3, 0), (3, 1)] + [(4, 0)] * 5
    commit(PARTITION, NOON + 4 * MINUTE)
    assert rows() == [(3, 0), (3, 1)] + [(4, 0)] * 5
    assert loaded(database, NOON, [PARTITION]) == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 90, 91]
    assert loaded(database, NOON, [OTHER]) == [50, 51, 52, 53, 54]


def test_values_are_new_once(database: Database) -> None:
    first = {("model", "m1"): NOW, ("app", "m1"): NOW}
    with database.begin() as conn:
        assert known_values.note_values(conn, first) == set(first)
        assert known_values.note_values(conn, {}) == set()
    with database.begin() as conn:
        again = {("model", "m1"): NOW + DAY, ("model", "M1"): NOW + DAY, ("model", ""): NOW}
        assert known_values.note_values(conn, again) == {("model", "M1"), ("model", "")}
        assert known_values.all_values(conn) == again | first


def test_a_value_rolled_back_is_new_again(database: Database) -> None:
    def fail() -> None:
        with database.begin() as conn:
            known_values.note_values(conn, {("model", "m1"): NOW})
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    with database.begin() as conn:
        assert known_values.note_values(conn, {("model", "m1"): NOW}) == {("model", "m1")}


def test_of_four_writers_one_is_told_that_a_value_is_new(database: Database) -> None:
    gate = threading.Barrier(4)
    values = [("model", f"m{n}") for n in range(30)]

    def note(worker: int) -> set[tuple[str, str]]:
        gate.wait(timeout=30)
        with database.begin() as conn:
            return known_values.note_values(conn, dict.fromkeys(values[worker:] + values[:worker], NOW))

    with ThreadPoolExecutor(4) as pool:
        told = [value for new in pool.map(note, range(4)) for value in new]
    assert sorted(told) == sorted(values)
