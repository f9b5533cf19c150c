"""Standard input, or any pipe, as a source: JSONL that comes once."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Collection, Mapping, Sequence

from sentinel.clock import Clock
from sentinel.errors import ConfigurationError, StopError
from sentinel.records import Partition, RawRecord
from sentinel.stream.lines import Line, LineSplitter
from sentinel.stream.source import PartitionListener

_CHUNK_BYTES = 64 * 1024
_PAUSE_SECONDS = 0.1


class StdinSource:
    """Reads lines from a file descriptor until it ends.

    What was read once cannot come again, so everything that arrives is new: the numbering of bytes goes
    on where the store's offset stands, and `seek` is refused. Records bear the time of the opening.
    """

    partition = Partition("stdin", 0)

    def __init__(self, descriptor: int, max_bytes: int, clock: Clock) -> None:
        self._descriptor = descriptor
        self._max_bytes = max_bytes
        self._opened_at = clock.now()
        self._listener: PartitionListener | None = None
        self._splitter: LineSplitter | None = None
        self._ready: deque[Line] = deque()
        self._ended = False
        self._paused = False

    def subscribe(self, listener: PartitionListener) -> None:
        """Name the listener; it is told of the one partition in the first `poll`."""
        self._listener = listener

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:
        """Return up to `max_records` lines as they come in."""
        splitter = self._splitter or self._start()
        deadline = time.monotonic() + timeout_seconds
        while True:
            remaining = max(0.0, deadline - time.monotonic())
            if self._paused:
                time.sleep(min(remaining, _PAUSE_SECONDS))
            elif not self._ready and not self._ended:
                self._read(splitter, remaining)
            if self._ready and not self._paused:
                count = min(max_records, len(self._ready))
                return [self._record(self._ready.popleft()) for _ in range(count)]
            if self.end_reached() or time.monotonic() >= deadline:
                return []

    def _start(self) -> LineSplitter:
        if self._listener is None:
            raise ConfigurationError("a source needs a listener before its first poll")
        stored = self._listener.on_assigned([self.partition]).get(self.partition, 0)
        self._splitter = LineSplitter(self._max_bytes, stored)
        return self._splitter

    def _read(self, splitter: LineSplitter, timeout_seconds: float) -> None:
        readable, _, _ = select.select([self._descriptor], [], [], timeout_seconds)
        if not readable:
            return
        chunk = os.read(self._descriptor, _CHUNK_BYTES)
        self._ready.extend(splitter.feed(chunk))
        if not chunk:
            self._ended = True
            tail = splitter.finish()
            if tail is not None:
                self._ready.append(tail)

    def _record(self, line: Line) -> RawRecord:
        return RawRecord(
            self.partition, line.offset, line.next_offset, self._opened_at, line.size_bytes, line.value
        )

    def seek(self, partition: Partition, offset: int) -> None:
        """Raise `StopError`, unless `offset` is where reading stands anyway."""
        position = self._ready[0].offset if self._ready else self._splitter and self._splitter.position
        if partition != self.partition or offset != position:
            raise StopError("standard input cannot be read again; put the events in a file to resume")

    def commit(self, next_offsets: Mapping[Partition, int]) -> None:
        """Do nothing: a pipe keeps no offsets."""

    def log_mark(self, partition: Partition, offset: int) -> bytes | None:  # noqa: ARG002
        """Return None: whatever a pipe brings is new."""
        return None

    def pause(self, partitions: Collection[Partition]) -> None:
        """Read nothing until `resume`; the writer waits once the pipe is full."""
        self._paused = self._paused or self.partition in partitions

    def resume(self, partitions: Collection[Partition]) -> None:
        """Undo `pause`."""
        self._paused = self._paused and self.partition not in partitions

    def end_reached(self) -> bool:
        """Return whether the input has ended and all of it was handed out."""
        return self._ended and not self._ready

    def lag(self) -> Mapping[Partition, int]:
        """Return the bytes read and not handed out; what the pipe still holds cannot be known."""
        if self._splitter is None:
            return {}
        position = self._ready[0].offset if self._ready else self._splitter.position
        return {self.partition: self._splitter.position - position}

    def close(self) -> None:
        """Leave the descriptor open: it is the process's own."""
