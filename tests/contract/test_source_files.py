"""What only a file, a pipe or a topic in memory does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sentinel.clock import FixedClock
from sentinel.errors import ConfigurationError, RetryError, StopError
from sentinel.records import Partition
from sentinel.stream.file_source import FileSource
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_source import KafkaSource
from sentinel.stream.lines import LineSplitter
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.stream.opening import open_source
from sentinel.stream.stdin_source import StdinSource
from tests.contract.test_source_contract import Owner, read, values

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


def opened(path: Path, clock: FixedClock, owner: Owner | None = None, *, follow: bool = False) -> FileSource:
    source = FileSource(path, 20, clock, follow=follow)
    source.subscribe(owner or Owner())
    return source


CONTENTS = {
    "lf": (b"a\nb\n", [b"a", b"b"]),
    "crlf": (b"a\r\nb\r\n", [b"a", b"b"]),
    "mixed": (b"a\r\nb\nc\r\n", [b"a", b"b", b"c"]),
    "no newline at the end": (b"a\nb", [b"a", b"b"]),
    "cr at the end": (b"a\nb\r", [b"a", b"b"]),
    "blank lines": (b"\n\na\n \t\n\r\nb\n\n", [b"a", b"b"]),
    "cr inside": (b"a\rb\n", [b"a\rb"]),
    "only blanks": (b"\n\r\n  ", []),
    "empty": (b"", []),
    "at the limit": (b"x" * 20 + b"\n" + b"y" * 20 + b"\r\n", [b"x" * 20, b"y" * 20]),
    "over the limit": (b"a\n" + b"x" * 21 + b"\nb\n", [b"a", None, b"b"]),
    "over the limit with crlf": (b"x" * 21 + b"\r\nb\n", [None, b"b"]),
    "long blank line": (b" " * 50 + b"\nb\n", [None, b"b"]),
    "long last line": (b"a\n" + b"x" * 999, [b"a", None]),
    "long last object": (b"a\n{" + b"x" * 999, [b"a", None]),
    "long last object that ends": (b"a\n{" + b"x" * 999 + b"}", [b"a", None]),
    "long last object behind blanks": (b"  \t{" + b"x" * 99, [None]),
    "long last object with cr": (b"{" + b"x" * 99 + b"\r", [None]),
    "long last object of nothing but braces": (b"{" * 99, [None]),
    "last object one over the limit": (b"{" + b"x" * 20, [None]),
    "last object one over the limit with cr": (b"{" + b"x" * 20 + b"\r", [None]),
    "last object at the limit": (b"{" + b"x" * 18 + b"}", [b"{" + b"x" * 18 + b"}"]),
    "last object at the limit with cr": (b"{" + b"x" * 18 + b"}\r", [b"{" + b"x" * 18 + b"}"]),
}
#: What begins an object, is not too long and does not end: its writer may go on.
UNFINISHED = {
    "far below the limit": b'{"a"',
    "at the limit": b"{" + b"x" * 19,
    "at the limit with cr": b"{" + b"x" * 19 + b"\r",
    "behind blanks": b"   {" + b"x" * 9,
}


@pytest.mark.parametrize(("content", "lines"), CONTENTS.values(), ids=CONTENTS.keys())
def test_lines_of_a_file(
    content: bytes, lines: list[bytes | None], tmp_path: Path, clock: FixedClock
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(content)
    source = opened(path, clock)
    records = [record for _ in range(20) for record in source.poll(1, 0.0)]
    assert values(records) == lines
    assert source.end_reached()
    for record in records:
        again = opened(path, clock, Owner({source.partition: record.offset}))
        assert again.poll(1, 0.0) == [record]
        again.close()
    source.close()


@pytest.mark.parametrize("tail", UNFINISHED.values(), ids=UNFINISHED.keys())
def test_an_object_that_does_not_end_is_left(tail: bytes, tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"a\n" + tail)
    source = opened(path, clock)
    assert values([record for _ in range(5) for record in source.poll(1, 0.0)]) == [b"a"]
    assert source.end_reached()
    source.close()
    with path.open("ab") as file:
        file.write(b"}" * 40 + b"\n")
    again = opened(path, clock, Owner({source.partition: 2}))
    assert values(again.poll(1, 0.0)) == [None]
    again.close()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(("content", "lines"), CONTENTS.values(), ids=CONTENTS.keys())
def test_where_chunks_are_cut_does_not_matter(content: bytes, lines: list[bytes | None], size: int) -> None:
    splitter = LineSplitter(20)
    found = [line for at in range(0, len(content), size) for line in splitter.feed(content[at : at + size])]
    tail = splitter.finish()
    found += [tail] if tail else []
    assert [line.value for line in found] == lines
    assert splitter.position == len(content)


def test_a_long_line_is_never_held_whole() -> None:
    splitter = LineSplitter(20)
    for _ in range(1000):
        assert list(splitter.feed(b"x" * 10_000)) == []
        assert len(splitter._kept) <= 21
    (line,) = splitter.feed(b"\n")
    assert (line.size_bytes, line.value) == (10_000_000, None)


def test_records_bear_the_files_time_and_its_path(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"a\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    source = opened(path, clock)
    (record,) = source.poll(1, 0.0)
    assert record.timestamp == datetime.fromtimestamp(1_700_000_000, UTC)
    assert record.partition == Partition(f"file:{path}", 0)
    source.close()


def test_a_followed_line_waits_for_its_end(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"a\nbeg")
    source = opened(path, clock, follow=True)
    assert values(source.poll(10, 0.0)) == [b"a"]
    assert source.poll(10, 0.0) == []
    with path.open("ab") as file:
        file.write(b"in\n")
    assert values(source.poll(10, 0.0)) == [b"begin"]
    source.close()


def test_a_followed_line_that_stays_as_it_is_is_taken(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"last")
    source = opened(path, clock, follow=True)
    assert source.poll(10, 0.0) == []
    clock.set(NOW + timedelta(seconds=2))
    (record,) = source.poll(10, 0.0)
    assert (record.value, record.next_offset) == (b"last", 4)
    with path.open("ab") as file:
        file.write(b"\nnext\n")
    assert values(source.poll(10, 0.0)) == [b"next"]
    source.close()


def test_a_line_that_grows_past_the_first_end_is_read_whole(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"a\nbeg")
    source = opened(path, clock)
    assert values(source.poll(1, 0.0)) == [b"a"]
    with path.open("ab") as file:
        file.write(b"in\n")
    assert values(read(source, 1, 1)) == [b"begin"]
    assert source.end_reached()
    source.close()


@pytest.mark.parametrize("follow", [True, False])
def test_a_file_cut_while_it_is_read_stops(follow: bool, tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"a\nb\n")
    source = opened(path, clock, follow=follow)
    read(source, 2, 1)
    path.write_bytes(b"a\n")
    with pytest.raises(StopError, match="truncated"):
        source.poll(1, 0.0)
    source.close()


def test_a_file_shorter_than_the_stored_offset_stops(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"a\n")
    source = opened(path, clock, Owner({Partition(f"file:{path}", 0): 3}))
    with pytest.raises(StopError, match=r"has 2 bytes but was read up to 3.*truncated"):
        source.poll(1, 0.0)
    source.close()


def test_what_is_no_readable_file_stops(tmp_path: Path, clock: FixedClock) -> None:
    with pytest.raises(StopError, match="cannot read"):
        opened(tmp_path / "absent", clock).poll(1, 0.0)
    with pytest.raises(StopError, match="cannot read"):
        opened(tmp_path, clock).poll(1, 0.0)
    with pytest.raises(StopError, match="not a regular file"):
        opened(Path("/dev/null"), clock).poll(1, 0.0)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


def test_a_pipe_ends_with_its_writer_and_goes_on_numbering(pipe: tuple[int, int], clock: FixedClock) -> None:
    reader, writer = pipe
    source = StdinSource(reader, 20, clock)
    owner = Owner({Partition("stdin", 0): 500})
    source.subscribe(owner)
    os.write(writer, b"a\r\n\nb")
    assert [(r.offset, r.value, r.timestamp) for r in source.poll(10, 0.1)] == [(500, b"a", NOW)]
    assert not source.end_reached()
    os.close(writer)
    assert [(r.offset, r.next_offset, r.value) for r in source.poll(10, 0.1)] == [(504, 505, b"b")]
    assert source.end_reached()
    assert source.poll(10, 60.0) == []


def test_two_workers_share_a_topic_in_memory() -> None:
    topic = MemoryTopic(partitions=2)
    first, second = MemorySource(topic), MemorySource(topic)
    one, two = Owner(), Owner()
    first.subscribe(one)
    second.subscribe(two)
    second.forget_first_assignment()
    topic.append(b"a", NOW, 0)
    topic.append(b"b", NOW, 1)
    assert sorted(record.value or b"" for record in first.poll(10, 0)) == [b"a", b"b"]
    assert second.poll(10, 0) == []
    first.assign([0])
    second.assign([1])
    one.stored = {topic.partitions[0]: 1}
    assert values(second.poll(10, 0)) == [b"b"]
    # The first worker has not polled since: it does not know yet that a partition is gone.
    assert one.owned == set(topic.partitions)
    assert first.poll(10, 0) == []
    assert one.owned == {topic.partitions[0]}
    assert one.revoked == list(topic.partitions)


def test_a_topic_in_memory_can_be_away_and_forget() -> None:
    topic = MemoryTopic()
    source, owner = MemorySource(topic), Owner({topic.partitions[0]: 1})
    source.subscribe(owner)
    for n in range(5):
        topic.append(b"%d" % n, NOW)
    topic.forget_before(topic.partitions[0], 3)
    topic.available = False
    with pytest.raises(RetryError):
        source.poll(10, 0)
    topic.available = True
    assert values(source.poll(10, 0)) == [b"3", b"4"]
    assert owner.gaps == [(topic.partitions[0], 1, 3)]
    topic.commits_fail = True
    source.commit({topic.partitions[0]: 5})
    assert topic.committed == {}


def test_names_of_sources(clock: FixedClock, tmp_path: Path) -> None:
    def named(name: str) -> object:
        return open_source(name, max_bytes=10, until_end=True, kafka=KafkaParams(), clock=clock)

    assert isinstance(named("kafka"), KafkaSource)
    (tmp_path / "answers.jsonl").touch()
    assert isinstance(named(f"file:{tmp_path}/answers.jsonl"), FileSource)
    with pytest.raises(ConfigurationError, match="there is no such file"):
        named(f"file:{tmp_path}/nothing.jsonl")
    for wrong in ("", "kafka:x", "file", "file:", "http://x", "events.jsonl", "stdin"):
        with pytest.raises(ConfigurationError, match="unknown source"):
            named(wrong)
