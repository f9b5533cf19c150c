"""Where placeholders go in a text: detected values first, then known ones that detection missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sentinel.redaction.spans import Taken
from sentinel.redaction.surrogates import Surrogates, existing_placeholders

#: Start, end (code points, end exclusive) and the placeholder that goes there.
Place = tuple[int, int, str]
Range = tuple[int, int]


def with_known(
    text: str,
    places: Sequence[Place],
    table: Surrogates,
    *,
    names: bool = True,
    protected: Sequence[Range] = (),
    allowed: Callable[[str], bool] | None = None,
) -> list[Place]:
    """Return the places and, beside them, every other occurrence of a value the table knows.

    `names` false looks for exact types only (an identifier keeps its words); `protected` ranges are
    closed to names but not to exact types, which are replaced in the identifier itself as well. `allowed`
    tells values that stay, be they a part of a name.
    """
    kept = Taken(protected)
    known = set(table.occurrences(text, names=False))
    if names:
        known.update(p for p in table.occurrences(text, names=True) if kept.is_free(p[0], p[1]))
    closed = Taken([*existing_placeholders(text), *((start, end) for start, end, _ in places)])
    merged = list(places)
    for place in sorted(known, key=lambda p: (p[0] - p[1], p[0], p[2])):
        if closed.is_free(place[0], place[1]):
            merged.append(place)
            closed.add(place[0], place[1])
    if names:
        merged += table.parts(text, closed, kept)
    if allowed is not None:
        merged = [place for place in merged if not allowed(text[place[0] : place[1]])]
    return sorted(merged)


def substitute(text: str, places: Sequence[Place]) -> str:
    """Return the text with each place, in order and disjoint, replaced by its placeholder."""
    pieces: list[str] = []
    position = 0
    for start, end, placeholder in places:
        pieces += [text[position:start], placeholder]
        position = end
    return "".join([*pieces, text[position:]])


def moved(position: int | None, places: Sequence[Place], *, end: bool) -> int | None:
    """Return where an offset of the raw text lies in the redacted one; within a value, at its edge."""
    if position is None:
        return None
    shift = 0
    for low, high, placeholder in places:
        if high <= position:
            shift += len(placeholder) - (high - low)
        elif low < position:
            return low + shift + (len(placeholder) if end else 0)
    return position + shift
