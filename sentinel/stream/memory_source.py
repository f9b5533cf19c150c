"""A topic in memory, shared by the workers of one process: for tests, the demo and other embedders.

It behaves as a broker does where that matters: partitions move between workers at any poll, a worker
that lost one may not know it yet, commits can fail, the topic can be away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from sentinel.errors import ConfigurationError, RetryError, StopError
from sentinel.records import Partition, RawRecord
from sentinel.stream.source import PartitionListener


class MemoryTopic:
    """Logs by partition; `first_offset` moves up where old records are gone."""

    def __init__(self, name: str = "answers", partitions: int = 1) -> None:
        self.partitions = tuple(Partition(name, number) for number in range(partitions))
        self.available = True
        self.commits_fail = False
        self.committed: dict[Partition, int] = {}
        self._first = dict.fromkeys(self.partitions, 0)
        self._logs: dict[Partition, list[RawRecord]] = {partition: [] for partition in self.partitions}

    def append(
        self,
        value: bytes | None,
        timestamp: datetime | None = None,
        number: int = 0,
        size_bytes: int | None = None,
    ) -> RawRecord:
        """Add a record; `size_bytes` differs from the value's length where a source dropped it."""
        partition = self.partitions[number]
        offset = self.end(partition)
        size = len(value or b"") if size_bytes is None else size_bytes
        record = RawRecord(partition, offset, offset + 1, timestamp, size, value)
        self._logs[partition].append(record)
        return record

    def end(self, partition: Partition) -> int:
        """Return the offset the next record will get."""
        return self._first[partition] + len(self._logs[partition])

    def first(self, partition: Partition) -> int:
        """Return the offset of the oldest record still there."""
        return self._first[partition]

    def forget_before(self, partition: Partition, offset: int) -> None:
        """Drop old records, as a broker's retention does."""
        del self._logs[partition][: offset - self._first[partition]]
        self._first[partition] = offset

    def read(self, partition: Partition, offset: int, max_records: int) -> Sequence[RawRecord]:
        """Return records from `offset` on."""
        begin = offset - self._first[partition]
        return self._logs[partition][begin : begin + max_records]


class MemorySource:
    """One worker's view of a `MemoryTopic`; all partitions unless `assign` says otherwise.

    `max_bytes`: the content of a longer value is dropped and its size kept.
    """

    def __init__(self, topic: MemoryTopic, max_bytes: int | None = None) -> None:
        self._topic = topic
        self._max_bytes = max_bytes
        self._listener: PartitionListener | None = None
        self._positions: dict[Partition, int] = {}
        self._ends: dict[Partition, int] = {}
        self._paused: set[Partition] = set()
        self._assignments: deque[tuple[Partition, ...]] = deque([topic.partitions])
        self._first_turn = 0

    def subscribe(self, listener: PartitionListener) -> None:
        """Name the listener."""
        self._listener = listener

    def assign(self, numbers: Iterable[int]) -> None:
        """Have the next `poll` begin with a rebalance that leaves this worker these partitions.

        As with Kafka's eager protocol everything is revoked first, also what is assigned again.
        """
        self._assignments.append(tuple(self._topic.partitions[number] for number in numbers))

    def forget_first_assignment(self) -> None:
        """Start with no partition: a worker that has yet to join."""
        self._assignments.clear()

    def _rebalance(self) -> None:
        if self._listener is None:
            raise ConfigurationError("a source needs a listener before its first poll")
        while self._assignments:
            assigned = self._assignments.popleft()
            if self._positions:
                revoked = sorted(self._positions)
                self._positions.clear()
                self._listener.on_revoked(revoked)
            stored = self._listener.on_assigned(assigned)
            for partition in assigned:
                self._ends.setdefault(partition, self._topic.end(partition))
                self._positions[partition] = self._start(self._listener, partition, stored.get(partition))

    def _start(self, listener: PartitionListener, partition: Partition, stored: int | None) -> int:
        first = self._topic.first(partition)
        if stored is None:
            return first
        self._check_not_beyond(partition, stored)
        if stored < first:
            listener.on_gap(partition, stored, first)
            return first
        return stored

    def _check_not_beyond(self, partition: Partition, offset: int) -> None:
        end = self._topic.end(partition)
        if offset > end:
            message = f"{partition} ends at {end} but was read up to {offset} before: it was made anew"
            raise StopError(message)

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:  # noqa: ARG002
        """Return up to `max_records`, partitions taking turns; never waits."""
        if not self._topic.available:
            raise RetryError("the topic is away")
        self._rebalance()
        partitions = sorted(self._positions.keys() - self._paused)
        turn = self._first_turn % len(partitions) if partitions else 0
        self._first_turn += 1
        records: list[RawRecord] = []
        for partition in partitions[turn:] + partitions[:turn]:
            batch = self._topic.read(partition, self._positions[partition], max_records - len(records))
            if batch:
                self._positions[partition] = batch[-1].next_offset
                records.extend(self._bounded(record) for record in batch)
        return records

    def _bounded(self, record: RawRecord) -> RawRecord:
        if self._max_bytes is None or record.size_bytes <= self._max_bytes:
            return record
        return RawRecord(
            record.partition, record.offset, record.next_offset, record.timestamp, record.size_bytes, None
        )

    def seek(self, partition: Partition, offset: int) -> None:
        """Go on at `offset`."""
        if partition not in self._positions or self._listener is None:
            message = f"{partition} is not assigned"
            raise StopError(message)
        self._positions[partition] = self._start(self._listener, partition, offset)

    def commit(self, next_offsets: Mapping[Partition, int]) -> None:
        """Remember the offsets at the topic, unless it is told to fail."""
        if not self._topic.commits_fail:
            self._topic.committed.update(next_offsets)

    def log_mark(self, partition: Partition, offset: int) -> bytes | None:  # noqa: ARG002
        """Return None: a topic in memory has no other of its name."""
        return None

    def pause(self, partitions: Collection[Partition]) -> None:
        """Hand out nothing of these until `resume`."""
        self._paused.update(partitions)

    def resume(self, partitions: Collection[Partition]) -> None:
        """Undo `pause`."""
        self._paused.difference_update(partitions)

    def end_reached(self) -> bool:
        """Return whether every assigned partition stands at or past its first end."""
        if self._assignments:
            return False
        return all(offset >= self._ends[partition] for partition, offset in self._positions.items())

    def lag(self) -> Mapping[Partition, int]:
        """Return the records between each position and the present end."""
        return {partition: self._topic.end(partition) - at for partition, at in self._positions.items()}

    def close(self) -> None:
        """Give the partitions back."""
        self._positions.clear()
