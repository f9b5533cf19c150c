"""Bytes to lines, without ever holding a line that is too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its terminator; `offset` and `next_offset` in bytes from the start of the log.

    `value` is None where the line has more bytes (`size_bytes`) than the limit.
    """

    offset: int
    next_offset: int
    size_bytes: int
    value: bytes | None = field(repr=False)


class LineSplitter:
    """Cuts a stream of chunks at LF or CRLF; skips blank lines, forgets the content of long ones."""

    def __init__(self, max_bytes: int, offset: int = 0) -> None:
        self._max_bytes = max_bytes
        self._start = offset
        self._size = 0
        self._kept = bytearray()

    @property
    def position(self) -> int:
        """Return the offset of the next byte to be fed."""
        return self._start + self._size

    @property
    def pending(self) -> bool:
        """Return whether a line has begun and not ended."""
        return self._size > 0

    @property
    def unfinished(self) -> bool:
        """Return whether what is pending is the beginning of a JSON object: its writer has not ended it.

        A line that is too long already is none: nothing that may still come makes it an answer.
        """
        if self._is_too_long:
            return False
        begun = bytes(self._kept).strip()
        return begun.startswith(b"{") and not begun.endswith(b"}")

    @property
    def _is_too_long(self) -> bool:
        over = self._size - self._max_bytes
        return over > 1 or (over == 1 and not self._kept.endswith(b"\r"))

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Yield the lines that end in `chunk`; keep the rest."""
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            self._keep(chunk, begin, end)
            line = self._take(terminator=1)
            if line is not None:
                yield line
            begin = end + 1
        self._keep(chunk, begin, len(chunk))

    def finish(self) -> Line | None:
        """Return the last line if it has no terminator."""
        return self._take(terminator=0)

    def _keep(self, chunk: bytes, begin: int, end: int) -> None:
        self._size += end - begin
        # One byte over the limit is kept: it may be the CR of a CRLF.
        room = self._max_bytes + 1 - len(self._kept)
        self._kept += chunk[begin : min(end, begin + room)]

    def _take(self, terminator: int) -> Line | None:
        offset, size, content = self._start, self._size, bytes(self._kept)
        self._start, self._size = offset + size + terminator, 0
        self._kept.clear()
        whole = len(content) == size
        if whole and content.endswith(b"\r"):
            content, size = content[:-1], size - 1
        if whole and not content.strip():
            return None
        return Line(offset, self._start, size, content if size <= self._max_bytes else None)
