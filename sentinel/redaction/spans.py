"""Spans of personal data in a text, and how overlapping ones become disjoint."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sentinel.redaction.params import DEFAULT_ENTITIES

_RANK = {entity: rank for rank, entity in enumerate(DEFAULT_ENTITIES)}


class Span(NamedTuple):
    """A found value: `[start, end)` in code points of its text, and its entity type."""

    start: int
    end: int
    entity: str


class Taken:
    """Ranges of a text that are taken, kept in order and apart, so that a look costs a logarithm."""

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self._ranges: list[tuple[int, int]] = []
        for low, high in sorted(ranges):
            if self._ranges and low < self._ranges[-1][1]:
                self._ranges[-1] = (self._ranges[-1][0], max(high, self._ranges[-1][1]))
            elif low < high:
                self._ranges.append((low, high))

    def add(self, low: int, high: int) -> None:
        """Take a range that is free."""
        insort(self._ranges, (low, high))

    def is_free(self, low: int, high: int) -> bool:
        """Return whether nothing of the range is taken."""
        return next(self.within(low, high), None) is None

    def within(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """Yield the taken ranges that touch `[low, high)`, in order."""
        for index in range(max(0, bisect_right(self._ranges, (low, low)) - 1), len(self._ranges)):
            start, end = self._ranges[index]
            if start >= high:
                return
            if end > low:
                yield start, end


def disjoint(text: str, spans: Iterable[Span], protected: Sequence[tuple[int, int]] = ()) -> list[Span]:
    """Return non-overlapping spans in order, so that no value is half replaced.

    Where two overlap, the more exact type (see `DEFAULT_ENTITIES`), then the longer span, stays whole;
    what the other covers beyond it stays a span of its own if it still holds something personal: the
    rest of a name, or four digits and more. `protected` ranges are cut out of every span likewise.
    """
    order = sorted(set(spans), key=lambda s: (_RANK.get(s.entity, len(_RANK)), s.start - s.end, s.start))
    taken = Taken(protected)
    kept: list[Span] = []
    for span in order:
        pieces = _subtract(span, taken)
        if pieces != [span]:
            pieces = [p for piece in pieces if (p := _trim(text, piece)) is not None]
        kept.extend(pieces)
        for piece in pieces:
            taken.add(piece.start, piece.end)
    return sorted(kept)


def _subtract(span: Span, taken: Taken) -> list[Span]:
    pieces: list[Span] = []
    start = span.start
    for low, high in taken.within(span.start, span.end):
        if low > start:
            pieces.append(span._replace(start=start, end=low))
        start = max(start, high)
    if start < span.end:
        pieces.append(span._replace(start=start))
    return pieces


def _trim(text: str, piece: Span) -> Span | None:
    """Return the piece without its edges of punctuation, or None if nothing personal is left."""
    start, end = piece.start, piece.end
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    rest = text[start:end]
    if piece.entity == "PERSON":
        personal = sum(c.isalpha() for c in rest) >= 2 and rest[0].isupper()
    elif piece.entity not in _RANK:  # a type that the operator has asked for: none of it stays
        personal = bool(rest)
    else:
        personal = sum(c.isdigit() for c in rest) >= 4
    return Span(start, end, piece.entity) if personal else None
