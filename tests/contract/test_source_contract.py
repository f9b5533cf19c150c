"""One suite for every source: what the pipeline may rely on, whichever it reads from."""

from __future__ import annotations

import itertools
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sentinel.clock import FixedClock
from sentinel.errors import ConfigurationError, StopError
from sentinel.records import Partition, RawRecord
from sentinel.stream.file_source import FileSource
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_source import KafkaSource
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.stream.source import Source
from sentinel.stream.stdin_source import StdinSource
from tests.services.topics import make_topic, produce

MAX_BYTES = 200


@dataclass
class Owner:
    """A listener that keeps offsets, as the store would."""

    stored: dict[Partition, int] = field(default_factory=dict)
    assigned: list[Partition] = field(default_factory=list)
    revoked: list[Partition] = field(default_factory=list)
    owned: set[Partition] = field(default_factory=set)
    gaps: list[tuple[Partition, int, int]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def on_assigned(self, partitions: Sequence[Partition]) -> dict[Partition, int]:
        self.threads.add(threading.get_ident())
        self.assigned.extend(partitions)
        self.owned.update(partitions)
        return {partition: self.stored[partition] for partition in partitions if partition in self.stored}

    def on_revoked(self, partitions: Sequence[Partition]) -> None:
        self.threads.add(threading.get_ident())
        self.revoked.extend(partitions)
        self.owned.difference_update(partitions)

    def on_first_sight(self, starts: Mapping[Partition, int]) -> dict[Partition, int]:
        if not self.stored.keys() & starts.keys():
            self.stored.update(starts)
        return {partition: self.stored[partition] for partition in starts if partition in self.stored}

    def on_gap(self, partition: Partition, expected_offset: int, found_offset: int) -> None:
        self.gaps.append((partition, expected_offset, found_offset))


class Log:
    """Something records can be written to, and sources opened on."""

    can_go_back = True

    def write(self, *values: bytes | None) -> None:
        raise NotImplementedError

    def open(self) -> Source:
        raise NotImplementedError


class MemoryLog(Log):
    def __init__(self) -> None:
        self.topic = MemoryTopic()

    def write(self, *values: bytes | None) -> None:
        for value in values:
            self.topic.append(value, datetime.now(UTC))

    def open(self) -> Source:
        return MemorySource(self.topic, MAX_BYTES)


class FileLog(Log):
    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def write(self, *values: bytes | None) -> None:
        with self.path.open("ab") as file:
            file.write(b"".join((value or b"") + b"\n" for value in values))

    def open(self) -> Source:
        return FileSource(self.path, MAX_BYTES, FixedClock(datetime(2026, 1, 1, tzinfo=UTC)), follow=True)


class PipeLog(Log):
    can_go_back = False

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()

    def write(self, *values: bytes | None) -> None:
        os.write(self.writer, b"".join((value or b"") + b"\n" for value in values))

    def open(self) -> Source:
        return StdinSource(self.reader, MAX_BYTES, FixedClock(datetime(2026, 1, 1, tzinfo=UTC)))


class KafkaLog(Log):
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.topic = f"answers-{uuid.uuid4().hex}"
        make_topic(bootstrap, self.topic)

    def write(self, *values: bytes | None) -> None:
        produce(self.bootstrap, self.topic, values)

    def open(self) -> Source:
        params = KafkaParams((self.bootstrap,), topic=self.topic, group_id=self.topic)
        return KafkaSource(params, MAX_BYTES)


_KAFKA = pytest.param("kafka", marks=pytest.mark.kafka)
every_source = pytest.mark.parametrize("log", ["memory", "file", "pipe", _KAFKA], indirect=True)
#: What a pipe gave is gone, and its end is its writer's.
sources_that_go_back = pytest.mark.parametrize("log", ["memory", "file", _KAFKA], indirect=True)
#: A line is never null.
sources_with_null = pytest.mark.parametrize("log", ["memory", _KAFKA], indirect=True)


@pytest.fixture
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    if request.param == "memory":
        yield MemoryLog()
    elif request.param == "file":
        yield FileLog(tmp_path / "events.jsonl")
    elif request.param == "kafka":
        yield KafkaLog(request.getfixturevalue("kafka_bootstrap"))
    else:
        pipe = PipeLog()
        yield pipe
        os.close(pipe.reader)
        os.close(pipe.writer)


@pytest.fixture
def connect(log: Log) -> Iterator[Callable[..., Source]]:
    opened: list[Source] = []

    def _connect(owner: Owner) -> Source:
        source = log.open()
        source.subscribe(owner)
        opened.append(source)
        return source

    yield _connect
    for source in opened:
        source.close()


def read(source: Source, count: int, seconds: float = 20.0) -> list[RawRecord]:
    records: list[RawRecord] = []
    deadline = time.monotonic() + seconds
    while len(records) < count and time.monotonic() < deadline:
        records.extend(source.poll(100, 0.2))
    return records


def values(records: Sequence[RawRecord]) -> list[bytes | None]:
    return [record.value for record in records]


@every_source
def test_records_come_in_order_with_offsets_that_chain(log: Log, connect: Callable[..., Source]) -> None:
    log.write(*(b'{"n":%d}' % n for n in range(50)))
    records = read(connect(Owner()), 50)
    assert values(records) == [b'{"n":%d}' % n for n in range(50)]
    assert records[0].offset == 0
    assert all(a.next_offset == b.offset for a, b in itertools.pairwise(records))
    assert {record.size_bytes - len(record.value or b"") for record in records} == {0}
    assert all(record.timestamp is not None and record.timestamp.tzinfo is UTC for record in records)


@every_source
def test_max_records_is_kept_and_nothing_lost(log: Log, connect: Callable[..., Source]) -> None:
    log.write(*(b"%d" % n for n in range(10)))
    source = connect(Owner())
    batches: list[Sequence[RawRecord]] = []
    while sum(map(len, batches)) < 10:
        batches.append(source.poll(3, 1.0))
    assert max(map(len, batches)) <= 3
    assert [record.value for batch in batches for record in batch] == [b"%d" % n for n in range(10)]


@every_source
def test_the_owner_is_told_before_the_first_record_on_the_callers_thread(
    log: Log, connect: Callable[..., Source]
) -> None:
    log.write(b"1")
    owner = Owner()
    records = read(connect(owner), 1)
    assert owner.assigned == [records[0].partition]
    assert owner.threads == {threading.get_ident()}
    assert owner.revoked == []


@sources_that_go_back
def test_a_stored_offset_leads(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", b"2", b"3")
    first = connect(Owner())
    records = read(first, 3)
    # Committed to the source is everything, stored only the first: the second has to come again.
    first.commit({records[0].partition: records[2].next_offset})
    first.close()
    owner = Owner({records[0].partition: records[0].next_offset})
    assert values(read(connect(owner), 2)) == [b"2", b"3"]


@sources_that_go_back
def test_without_a_stored_offset_commits_do_not_count(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", b"2")
    first = connect(Owner())
    records = read(first, 2)
    first.commit({records[0].partition: records[1].next_offset})
    first.close()
    assert values(read(connect(Owner()), 2)) == [b"1", b"2"]


@every_source
def test_seek_brings_records_again(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", b"2", b"3")
    source = connect(Owner())
    records = read(source, 3)
    if not log.can_go_back:
        with pytest.raises(StopError, match="cannot be read again"):
            source.seek(records[0].partition, records[1].offset)
        return
    source.seek(records[0].partition, records[1].offset)
    assert values(read(source, 2)) == [b"2", b"3"]


@every_source
def test_seek_outside_of_the_assignment_is_refused(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1")
    source = connect(Owner())
    read(source, 1)
    with pytest.raises(StopError):
        source.seek(Partition("elsewhere", 9), 0)


@every_source
def test_pause_holds_back_and_resume_lets_go(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1")
    source = connect(Owner())
    (record,) = read(source, 1)
    source.pause([record.partition])
    log.write(b"2")
    assert source.poll(10, 0.5) == []
    source.resume([record.partition])
    assert values(read(source, 1)) == [b"2"]


@every_source
def test_oversized_records_come_without_content(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", b"x" * MAX_BYTES, b"y" * (MAX_BYTES + 1), b"z" * (MAX_BYTES * 50), b"2")
    records = read(connect(Owner()), 5)
    assert values(records) == [b"1", b"x" * MAX_BYTES, None, None, b"2"]
    assert [record.size_bytes for record in records] == [1, MAX_BYTES, MAX_BYTES + 1, MAX_BYTES * 50, 1]


@sources_with_null
def test_tombstones_have_no_size(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", None, b"2")
    records = read(connect(Owner()), 3)
    assert [(record.value, record.size_bytes) for record in records] == [(b"1", 1), (None, 0), (b"2", 1)]


@every_source
def test_bytes_that_are_no_text_pass_unharmed(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", b"\xff\xfe{\x22", b"\x00\x80\xc0", b"2")
    assert values(read(connect(Owner()), 4)) == [b"1", b"\xff\xfe{\x22", b"\x00\x80\xc0", b"2"]


@every_source
def test_records_written_later_arrive(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1")
    source = connect(Owner())
    assert values(read(source, 1)) == [b"1"]
    log.write(b"2")
    assert values(read(source, 1)) == [b"2"]


@sources_that_go_back
def test_end_is_that_of_the_start(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", b"2")
    source = connect(Owner())
    assert not source.end_reached()
    read(source, 1)
    while not source.end_reached():
        source.poll(1, 0.2)
    log.write(b"3")
    assert source.end_reached()
    assert values(read(source, 1)) == [b"3"]


@sources_that_go_back
def test_an_empty_log_is_at_its_end_once_assigned(log: Log, connect: Callable[..., Source]) -> None:
    source = connect(Owner())
    deadline = time.monotonic() + 20
    while not source.end_reached() and time.monotonic() < deadline:
        assert source.poll(10, 0.2) == []
    assert source.end_reached()


@every_source
def test_lag_falls_to_zero(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1", b"2", b"3")
    source = connect(Owner())
    assert source.lag() == {}
    records = read(source, 3)
    assert source.lag() == {records[0].partition: 0}
    if log.can_go_back:
        source.seek(records[0].partition, records[1].offset)
        assert source.lag()[records[0].partition] > 0


@sources_that_go_back
def test_a_stored_offset_beyond_the_end_stops(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1")
    first = connect(Owner())
    (record,) = read(first, 1)
    first.close()
    with pytest.raises(StopError, match="up to 1000"):
        read(connect(Owner({record.partition: 1000})), 1)


@every_source
def test_polling_without_an_owner_is_refused(log: Log) -> None:
    source = log.open()
    with pytest.raises(ConfigurationError, match="listener"):
        source.poll(1, 0.0)
    source.close()


@every_source
def test_close_can_be_called_twice(log: Log, connect: Callable[..., Source]) -> None:
    log.write(b"1")
    source = connect(Owner())
    read(source, 1)
    source.close()
    source.close()
