"""Batches read at once hold the records that the client's own reader finds, and fail where it fails."""

from __future__ import annotations

import importlib
import struct
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.consumer.fetcher import Fetcher
from kafka.errors import CorruptRecordError, UnsupportedCodecError
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords
from kafka.record.util import calc_crc32c
from kafka.structs import TopicPartition

from sentinel.cli import extensions
from sentinel.stream import kafka_records

if not extensions.IS_NATIVE:
    pytest.skip("the extension module is not built here", allow_module_level=True)

read: Any = importlib.import_module("sentinel.stream._native_records").records

HERE = TopicPartition("answers", 3)
#: Where attributes, base offset, times and checksum stand in a batch, and where its records begin.
CRC, ATTRIBUTES, FIRST_TIMESTAMP, MAX_TIMESTAMP, RECORDS = 17, 21, 27, 35, 61
MANY = settings(max_examples=500, deadline=None)
NUMBERS = st.one_of(st.integers(0, 200), st.integers(0, 2**40))
BYTES = st.one_of(st.none(), st.binary(max_size=300))
HEADERS = st.lists(st.tuples(st.text(max_size=80), BYTES), max_size=4)
RECORDS_GIVEN = st.lists(st.tuples(NUMBERS, BYTES, BYTES, HEADERS), min_size=1, max_size=8)


def batch(given_records: list[Any], codec: int = 0, *, base: int = 0, transactional: bool = False) -> bytes:
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=transactional,
        producer_id=7 if transactional else -1,
        producer_epoch=1,
        base_sequence=0,
        batch_size=1 << 30,
    )
    for number, (timestamp, key, value, headers) in enumerate(given_records):
        builder.append(number, timestamp, key, value, headers)
    built = bytearray(builder.build())
    built[0:8] = struct.pack(">q", base)
    return bytes(built)


def sealed(built: bytearray) -> bytes:
    """Return a changed batch with the checksum that belongs to it."""
    struct.pack_into(">I", built, CRC, calc_crc32c(memoryview(built)[ATTRIBUTES:]))
    return bytes(built)


def outcome(kind: Any, data: bytes, take: int = 10_000, at: int = 0) -> list[Any]:
    """Return everything that a reader gives, fails with, and tells of where it is."""
    partition = kind(at, HERE, MemoryRecords(data))
    seen: list[Any] = []
    for _ in range(100):
        if not partition:
            break
        try:
            seen.append(partition.take(take))
        except Exception as error:
            seen.append((type(error), str(error)))
            if isinstance(error, CorruptRecordError | UnsupportedCodecError):
                break
        seen.append((partition.next_fetch_offset, partition.records_read, partition.bytes_read))
    return seen


def both_read(data: bytes, take: int = 10_000, at: int = 0) -> list[Any]:
    ours = outcome(kafka_records._PartitionRecords, data, take, at)
    assert ours == outcome(Fetcher.PartitionRecords, data, take, at)
    return ours


@given(st.lists(RECORDS_GIVEN, min_size=1, max_size=3), st.sampled_from([0, 1]), NUMBERS, st.integers(1, 20))
@MANY
def test_the_same_records_and_positions(batches: list[list[Any]], codec: int, base: int, take: int) -> None:
    data = b""
    for given_records in batches:
        data += batch(given_records, codec, base=base)
        base += len(given_records)
    seen = both_read(data, take)
    assert sum(len(records) for records in seen[::2]) == sum(map(len, batches))


@pytest.mark.parametrize("codec", [0, 1, 2, 3, 4])
def test_every_codec(codec: int) -> None:
    given_records = [(1_796_100_000_000 + i, None, b"value %d" % i * 50, []) for i in range(40)]
    (records, _) = both_read(batch(given_records, codec, base=1000))
    assert [record.value for record in records] == [value for _, _, value, _ in given_records]
    assert [record.offset for record in records] == list(range(1000, 1040))


def test_times_of_the_broker_count_where_the_topic_says_so() -> None:
    built = bytearray(batch([(5, None, b"a", []), (9, b"k", b"b", [("h", None)])]))
    built[ATTRIBUTES + 1] |= 0x08
    struct.pack_into(">q", built, MAX_TIMESTAMP, 123_456)
    (records, _) = both_read(sealed(built))
    assert [(record.timestamp, record.timestamp_type) for record in records] == [(123_456, 1)] * 2


def test_a_fetch_from_the_middle_of_a_batch_begins_there() -> None:
    (records, _) = both_read(batch([(i, None, b"%d" % i, []) for i in range(10)], base=50), at=57)
    assert [record.offset for record in records] == [57, 58, 59]


def test_marks_of_transactions_are_no_records() -> None:
    mark = bytearray(batch([(1, struct.pack(">hh", 0, 1), b"", [])], base=2, transactional=True))
    mark[ATTRIBUTES + 1] |= 0x20
    data = batch([(1, None, b"a", []), (1, None, b"b", [])], transactional=True) + sealed(mark)
    seen = both_read(data + batch([(1, None, b"c", [])], base=3))
    assert [record.value for record in seen[0]] == [b"a", b"b", b"c"]


@given(RECORDS_GIVEN, st.data())
@MANY
def test_a_batch_that_is_damaged_fails_as_it_does_with_the_client(
    given_records: list[Any], data: st.DataObject
) -> None:
    built = bytearray(batch(given_records))
    changes = data.draw(
        st.lists(st.tuples(st.integers(RECORDS, len(built) - 1), st.integers(0, 255)), min_size=1, max_size=3)
    )
    for place, byte in changes:
        built[place] = byte
    both_read(sealed(built))


@given(RECORDS_GIVEN, st.integers(-(2**31), 2**31 - 1))
@MANY
def test_a_wrong_number_of_records_fails_as_it_does_with_the_client(
    given_records: list[Any], count: int
) -> None:
    built = bytearray(batch(given_records))
    struct.pack_into(">i", built, RECORDS - 4, count)
    both_read(sealed(built))


@pytest.mark.parametrize("place", [0, FIRST_TIMESTAMP])
@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_offsets_and_times_at_the_ends_of_their_range(place: int, number: int) -> None:
    built = bytearray(batch([(5, None, b"a", []), (9, None, b"b", []), (1, None, b"c", [])]))
    struct.pack_into(">q", built, place, number)
    both_read(sealed(built), at=-(2**63))


def test_a_wrong_checksum_is_refused_before_anything_is_read() -> None:
    built = bytearray(batch([(5, None, b"a", [])]))
    built[-2] ^= 1
    (error,) = both_read(bytes(built))
    assert error[0] is CorruptRecordError


@given(st.binary(max_size=60), st.integers(-2, 70), st.integers(-2, 10))
@MANY
def test_what_is_no_records_is_refused(buffer: bytes, start: int, count: int) -> None:
    try:
        found = read(buffer, start, count, 0, 0, False)
    except ValueError:
        return
    assert len(found) == count


@pytest.mark.parametrize("wrong", [("text", 0, 0, 0, 0, False), (b"", 0, 0, 2**63, 0, False), (b"",)])
def test_wrong_arguments_are_refused(wrong: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, OverflowError)):
        read(*wrong)


@pytest.mark.parametrize("damage", [lambda built: built, lambda built: built[:-1] + b"\x05"])
def test_many_batches_leave_no_memory_behind(damage: Callable[[bytes], bytes]) -> None:
    built = damage(batch([(i, b"key", b"value" * 9, [("h", b"x"), ("i", None)]) for i in range(5)]))

    def again(times: int) -> None:
        for _ in range(times):
            try:
                read(built, RECORDS, 5, 0, 0, False)
            except ValueError:
                continue

    again(1000)
    before = sys.getallocatedblocks()
    again(20_000)
    assert sys.getallocatedblocks() - before < 500
