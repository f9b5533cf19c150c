"""What of a text only known exact values may change: placeholders, and the markers that name a document."""

from __future__ import annotations

import re
from typing import NamedTuple

from sentinel.redaction.labels import find_in_identifier
from sentinel.redaction.leaves import Kind, Leaf
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.patterns import find_patterns
from sentinel.redaction.spans import Span, Taken, disjoint
from sentinel.redaction.surrogates import existing_placeholders


class Guard(NamedTuple):
    """Ranges that stay, and the spans inside markers that go as they go in the id itself."""

    protected: list[tuple[int, int]]
    personal: list[Span]


def guard(leaf: Leaf, markers: re.Pattern[str] | None, params: RedactionParams) -> Guard:
    """Return what of the leaf's plain copy stays, and what of its markers is personal."""
    text = leaf.plain
    kept = Guard(existing_placeholders(text), [])
    if markers is None or leaf.kind is not Kind.TEXT:
        return kept
    found = [match.span(match.lastgroup or 0) for match in markers.finditer(text)]
    exact = {(s.start, s.end): s for s in find_patterns(text, params)} if found else {}
    values = Taken(exact)
    for low, high in found:
        touched = list(values.within(low, high))
        if any(start <= low and high <= end and high - low < end - start for start, end in touched):
            continue  # an id that happens to stand inside an address or a number is no reference
        start = low
        for span in find_in_identifier(text[low:high], params):
            kept.personal.append(Span(low + span.start, low + span.end, span.entity))
            kept.protected.append((start, low + span.start))
            start = low + span.end
        kept.protected.append((start, high))
    protected = [r for r in kept.protected if r[0] < r[1]]
    return Guard(protected, disjoint(text, kept.personal, existing_placeholders(text)))


def marker_pattern(ids: set[str]) -> re.Pattern[str] | None:
    """Return what finds ids in a text: any in brackets, and outside of them those that look like ids."""
    if not ids:
        return None
    ordered = sorted(ids, key=lambda i: (-len(i), i))
    bracketed = "|".join(re.escape(i) for i in ordered)
    plain = (
        "|".join(re.escape(i) for i in ordered if re.search(r"[0-9_]", i) and re.search(r"[^\W\d_]", i))
        or r"(?!)"
    )
    return re.compile(
        rf"(?<=[\[【(,;|†: ])(?P<bracketed>{bracketed})(?=[\]】),;|†:])|(?<![\w-])(?P<plain>{plain})(?![\w-])"
    )
