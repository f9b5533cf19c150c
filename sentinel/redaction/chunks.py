"""Cuts long texts into overlapping pieces that a model can take."""

from __future__ import annotations

from collections.abc import Iterator


def chunks(text: str, size: int, overlap: int) -> Iterator[tuple[int, str]]:
    """Yield `(offset, piece)`: pieces of at most `size` code points that cover the text.

    A piece ends at white space where there is any in its last quarter, and the next begins `overlap`
    code points earlier, at white space too, so that a name across a border is whole in one of them.
    """
    start = 0
    while len(text) - start > size:
        end = _border(text, start + size * 3 // 4, start + size)
        yield start, text[start:end]
        start = max(start + 1, _border(text, end - overlap, end) if overlap else end)
    yield start, text[start:]


def _border(text: str, low: int, high: int) -> int:
    """Return the place after the last white space in `[low, high)`, or `high` without any."""
    for place in range(high - 1, low - 1, -1):
        if text[place].isspace():
            return place + 1
    return high
