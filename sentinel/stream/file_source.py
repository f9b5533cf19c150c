"""A JSONL file as a source: one partition, offsets in bytes."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import time
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sentinel.clock import Clock
from sentinel.errors import ConfigurationError, StopError
from sentinel.records import Partition, RawRecord
from sentinel.stream.lines import Line, LineSplitter
from sentinel.stream.source import PartitionListener

_CHUNK_BYTES = 256 * 1024
# Long lines end a poll before its number of records does: 8 MiB are in hand at once, and one line more.
_MOST_CHUNKS = 32
_LOOK_AGAIN_SECONDS = 0.1
# What a file is known by: its first bytes, and the last ones that have been read.
_HEAD_BYTES = 4096
_TAIL_BYTES = 1024


class FileSource:
    """Reads a file from the stored offset on; with `follow`, also what is written to it later.

    A last line without terminator is handed out at the end of a file that is not followed; in one that
    is, once it has not grown for `settle_seconds`, for its writer may be in the middle of it. One that
    begins a JSON object and does not end it is left for the next time: half an answer is none. Records
    bear the file's modification time as of the opening, those written later none. A file that is replaced
    (rotated) while it is read goes on being read as it was opened; one that is written anew in place is
    noticed by the bytes that were read before, and refused.
    """

    def __init__(
        self,
        path: Path,
        max_bytes: int,
        clock: Clock,
        *,
        follow: bool = True,
        settle_seconds: float = 1.0,
    ) -> None:
        self._path = path.absolute()
        self.partition = Partition(f"file:{self._path}", 0)
        self._max_bytes = max_bytes
        self._clock = clock
        self._follow = follow
        self._settle_seconds = settle_seconds
        self._listener: PartitionListener | None = None
        self._file: io.FileIO | None = None
        self._timestamp: datetime | None = None
        self._splitter = LineSplitter(max_bytes)
        self._ready: deque[Line] = deque()
        self._end = 0
        self._tail_since: float | None = None
        self._read_so_far: bytes | None = None
        self._paused = False

    def subscribe(self, listener: PartitionListener) -> None:
        """Name the listener; it is told of the one partition in the first `poll`."""
        self._listener = listener

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:
        """Return up to `max_records` lines; raise `StopError` where the file is gone or shorter."""
        file = self._file or self._open()
        deadline = time.monotonic() + timeout_seconds
        while True:
            if not self._paused:
                self._read(file, max_records)
                if self._ready:
                    return [self._record(self._ready.popleft()) for _ in range(self._batch(max_records))]
            remaining = deadline - time.monotonic()
            if remaining <= 0 or (not self._follow and self.end_reached()):
                return []
            time.sleep(min(remaining, _LOOK_AGAIN_SECONDS))

    def _batch(self, max_records: int) -> int:
        return min(max_records, len(self._ready))

    def _open(self) -> io.FileIO:
        if self._listener is None:
            raise ConfigurationError("a source needs a listener before its first poll")
        file = _open_regular(self._path)
        self._file = file
        status = os.fstat(file.fileno())
        self._timestamp = datetime.fromtimestamp(status.st_mtime, UTC)
        self._end = status.st_size
        stored = self._listener.on_assigned([self.partition]).get(self.partition, 0)
        self._go_to(file, stored)
        return file

    def _go_to(self, file: io.FileIO, offset: int) -> None:
        self._check_not_shorter(file, offset)
        file.seek(offset)
        self._splitter = LineSplitter(self._max_bytes, offset)
        self._ready.clear()
        self._tail_since = None
        self._read_so_far = _mark(file, offset)

    def _check_not_shorter(self, file: io.FileIO, offset: int) -> None:
        size = os.fstat(file.fileno()).st_size
        if size < offset:
            message = (
                f"{self._path} has {size} bytes but was read up to {offset} before: it was truncated or "
                "replaced; give the new content another path or use another store"
            )
            raise StopError(message)

    def _check_not_rewritten(self, file: io.FileIO) -> None:
        offset = self._splitter.position
        if self._read_so_far is not None and _mark(file, offset) != self._read_so_far:
            self._check_not_shorter(file, offset)
            message = (
                f"{self._path} is another file than the one that was read up to {offset}: it was written "
                "anew; give the new content another path or use another store"
            )
            raise StopError(message)

    def _read(self, file: io.FileIO, wanted: int) -> None:
        if len(self._ready) >= wanted:
            return
        self._check_not_rewritten(file)
        self._read_chunks(file, wanted)
        self._read_so_far = _mark(file, self._splitter.position)

    def _read_chunks(self, file: io.FileIO, wanted: int) -> None:
        for _ in range(_MOST_CHUNKS):
            if len(self._ready) >= wanted:
                return
            chunk = file.read(self._next_bytes())
            if not chunk:
                self._check_not_shorter(file, self._splitter.position)
                self._take_tail()
                return
            self._tail_since = None
            self._ready.extend(self._splitter.feed(chunk))

    def _next_bytes(self) -> int:
        # A line that had begun at the end is read to its own: its writer may have gone on since.
        if self._follow or (self._splitter.pending and self._splitter.position >= self._end):
            return _CHUNK_BYTES
        return max(0, min(_CHUNK_BYTES, self._end - self._splitter.position))

    def _take_tail(self) -> None:
        if not self._splitter.pending or self._splitter.unfinished:
            return
        if self._follow and not self._is_settled():
            return
        line = self._splitter.finish()
        self._tail_since = None
        if line is not None:
            self._ready.append(line)

    def _is_settled(self) -> bool:
        now = self._clock.monotonic_seconds()
        if self._tail_since is None:
            self._tail_since = now
        return now - self._tail_since >= self._settle_seconds

    def _record(self, line: Line) -> RawRecord:
        # A line written since the opening is newer than the file then was: it has its arrival's time.
        timestamp = self._timestamp if line.offset < self._end else None
        return RawRecord(
            self.partition, line.offset, line.next_offset, timestamp, line.size_bytes, line.value
        )

    def seek(self, partition: Partition, offset: int) -> None:
        """Go on at byte `offset`, which must be the start of a line."""
        if partition != self.partition or self._file is None:
            message = f"{partition} is not assigned"
            raise StopError(message)
        self._go_to(self._file, offset)

    def commit(self, next_offsets: Mapping[Partition, int]) -> None:
        """Do nothing: a file keeps no offsets."""

    def log_mark(self, partition: Partition, offset: int) -> bytes | None:
        """Return the digest of the file's first bytes and of those before `offset`."""
        if partition != self.partition or self._file is None:
            return None
        if os.fstat(self._file.fileno()).st_size < offset:
            return None  # a shorter file is refused with a word of its own
        return _mark(self._file, offset)

    def pause(self, partitions: Collection[Partition]) -> None:
        """Hand out nothing until `resume`."""
        self._paused = self._paused or self.partition in partitions

    def resume(self, partitions: Collection[Partition]) -> None:
        """Undo `pause`."""
        self._paused = self._paused and self.partition not in partitions

    def end_reached(self) -> bool:
        """Return whether the bytes the file had at the opening have been handed out."""
        if self._file is None or self._ready:
            return False
        waits = self._splitter.pending and not self._splitter.unfinished and not self._follow
        return self._splitter.position >= self._end and not waits

    def lag(self) -> Mapping[Partition, int]:
        """Return the bytes between the next line and the present end of the file."""
        if self._file is None:
            return {}
        position = self._ready[0].offset if self._ready else self._splitter.position
        return {self.partition: max(0, os.fstat(self._file.fileno()).st_size - position)}

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _mark(file: io.FileIO, offset: int) -> bytes:
    """Digest what a file that only grows still has when it is read up to `offset` again."""
    head = os.pread(file.fileno(), min(_HEAD_BYTES, offset), 0)
    tail_bytes = min(_TAIL_BYTES, offset)
    tail = os.pread(file.fileno(), tail_bytes, offset - tail_bytes)
    return hashlib.blake2b(head + tail, digest_size=16).digest()


def _open_regular(path: Path) -> io.FileIO:
    try:
        file = io.FileIO(path, "r")
    except OSError as error:
        message = f"cannot read {path}: {error.strerror}; give a file this user may read"
        raise StopError(message) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        message = f"{path} is not a regular file; pipe it in and use file:-"
        raise StopError(message)
    return file
