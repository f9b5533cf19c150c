"""Spans of personal data in a text, and how overlapping ones become disjoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sentinel.redaction.params import DEFAULT_ENTITIES

_RANK = {entity: rank for rank, entity in enumerate(DEFAULT_ENTITIES)}


class Span(NamedTuple):
    """A found value: `[start, end)` in code points of its text, and its entity type."""

    start: int
    end: int
    entity: str


def disjoint(text: str, spans: Iterable[Span], protected: Sequence[tuple[int, int]] = ()) -> list[Span]:
    """Return non-overlapping spans in order, so that no value is half replaced.

    Where two overlap, the more exact type (see `DEFAULT_ENTITIES`), then the longer span, stays whole;
    what the other covers beyond it stays a span of its own if it still holds something personal: the
    rest of a name, or four digits and more. `protected` ranges are cut out of every span likewise.
    """
    order = sorted(set(spans), key=lambda s: (_RANK.get(s.entity, len(_RANK)), s.start - s.end, s.start))
    taken: list[tuple[int, int]] = sorted(protected)
    kept: list[Span] = []
    for span in order:
        pieces = _subtract(span, taken)
        if pieces != [span]:
            pieces = [p for piece in pieces if (p := _trim(text, piece)) is not None]
        kept.extend(pieces)
        if pieces:
            taken = sorted([*taken, *((p.start, p.end) for p in pieces)])
    return sorted(kept)


def _subtract(span: Span, taken: Sequence[tuple[int, int]]) -> list[Span]:
    pieces: list[Span] = []
    start = span.start
    for low, high in taken:
        if high <= start or low >= span.end:
            continue
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
    else:
        personal = sum(c.isdigit() for c in rest) >= 4
    return Span(start, end, piece.entity) if personal else None
