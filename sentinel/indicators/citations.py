"""Citations of an answer: which of them lead to a retrieved passage, which lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from sentinel.indicators.markers import BY_START, Reference, references_in
from sentinel.indicators.named_ids import may_name_ids, named_ids
from sentinel.indicators.resolver import NUMBERED, Resolver
from sentinel.records import Citation, CitationIndicators

_MARK_POSITION = re.compile(r"\d+:(\d+)(?:†.*)?")


def citation_indicators(
    references: list[Reference],
    resolver: Resolver,
    citations: tuple[Citation, ...],
    claims_need_citation: bool,
) -> CitationIndicators:
    """Resolve what the text marks and what the app cites.

    `markers` counts single references in the text. `claims_need_citation`: citations are expected, the
    answer is substantive and no abstention.
    """
    found = _resolved(references, resolver, citations)
    return _indicators(found, len(found), resolver, citations, claims_need_citation)


def plain_indicators(
    numbers: list[str],
    markers: int,
    resolver: Resolver,
    citations: tuple[Citation, ...],
    claims_need_citation: bool,
) -> CitationIndicators:
    """Return `citation_indicators` of a text that refers to sources by what `plain_citations` found alone."""
    if citations or not resolver.known:
        found = [(number, resolver.plain(number)) for number in numbers]
        return _indicators(found, markers, resolver, citations, claims_need_citation)
    valid: list[str] = []
    invalid: list[str] = []
    for number in numbers:
        passage = resolver.plain(number)
        if passage is None:
            invalid.append(number)
        elif passage not in valid:
            valid.append(passage)
    return CitationIndicators(
        markers, tuple(valid), tuple(invalid) if invalid else (), claims_need_citation and not numbers
    )


def _indicators(
    found: list[tuple[str, str | None]],
    markers: int,
    resolver: Resolver,
    citations: tuple[Citation, ...],
    claims_need_citation: bool,
) -> CitationIndicators:
    if citations:
        found.extend((citation.id, resolver.cited(citation.id)) for citation in citations)
    valid = tuple(dict.fromkeys([passage for _, passage in found if passage is not None]))
    invalid: tuple[str, ...] = ()
    if resolver.known and found:
        invalid = tuple(dict.fromkeys([written for written, passage in found if passage is None]))
    return CitationIndicators(markers, valid, invalid, claims_need_citation and not found)


def text_references(text: str, resolver: Resolver, telling: Set[bytes], signs: int) -> list[Reference]:
    """Return everything in the text that may be a citation, in order of place.

    `telling` are the text's words among `markers.TELLING_WORDS`, and maybe others; `signs` its signs, as
    `signs.look_at` returns them, and maybe others.
    """
    references = references_in(text, telling, signs)
    named = ids_named(text, resolver, telling, signs)
    if named:
        inside = {place for reference in named for place in range(reference.start, reference.end)}
        references = [reference for reference in references if reference.start not in inside] + named
        references.sort(key=BY_START)
    return references


def ids_named(text: str, resolver: Resolver, telling: Set[bytes], signs: int) -> list[Reference]:
    """Return the round brackets and lines that hold nothing but ids of the answer's passages."""
    if not (resolver.ids and may_name_ids(signs)):
        return []
    return named_ids(
        text,
        lambda piece: resolver.exact(piece) is not None,
        lambda number: resolver.numbered(number) is not None,
        telling,
        signs,
    )


def _resolved(
    references: list[Reference], resolver: Resolver, citations: tuple[Citation, ...]
) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    marks: dict[str, list[tuple[str, str | None]]] | None = None
    for reference in references:
        kind, content = reference.kind, reference.content
        if kind == "bracket":
            resolved = resolver.reference(content)
            if resolved:
                # the first of a range was a marker of its own
                found += resolved[1:] if reference.label == "range" else resolved
        elif kind == "mark":
            marks = marks or _marks(references, resolver, citations)
            found += marks[content]
        elif kind == "link":
            found += _link(reference, resolver)
        elif kind == "prose":
            found.append((content, resolver.exact(content) or _at(resolver, reference.label)))
        else:
            found.append((content, _at(resolver, reference.label)))
    return found


def _at(resolver: Resolver, number: str) -> str | None:
    return resolver.exact(number) or resolver.numbered(int(number))


def _link(reference: Reference, resolver: Resolver) -> Iterable[tuple[str, str | None]]:
    """Resolve a link by its target, then by its text; a link to elsewhere is no citation."""
    target = reference.content
    if (passage := resolver.exact(target) or resolver.address(target)) is not None:
        return [(target, passage)]
    trimmed = target.rstrip(".,;:!?*_")
    if trimmed != target and (passage := resolver.exact(trimmed) or resolver.address(trimmed)) is not None:
        return [(trimmed, passage)]
    label = reference.label
    if label and (resolver.exact(label) is not None or NUMBERED.fullmatch(label)):
        return resolver.reference(label) or ()
    return ()


def _marks(
    references: list[Reference], resolver: Resolver, citations: tuple[Citation, ...]
) -> dict[str, list[tuple[str, str | None]]]:
    """Resolve file-search marks: by an id they name, else the n-th distinct mark is the n-th annotation.

    Without annotations the second number of `4:0†source` is a position from 0 in what was retrieved.
    A mark beyond the last annotation leads nowhere.
    """
    resolved: dict[str, list[tuple[str, str | None]]] = {}
    place = 0
    for reference in references:
        content = reference.content
        if reference.kind != "mark" or content in resolved:
            continue
        head, _, tail = content.partition("†")
        passage = resolver.exact(content) or resolver.exact(tail.strip()) or resolver.exact(head.strip())
        position = _MARK_POSITION.fullmatch(content)
        if passage is None and position is None:
            resolved[content] = resolver.reference(content) or []
            continue
        if passage is None and position is not None:
            if citations:
                passage = resolver.exact(citations[place].id) if place < len(citations) else None
            else:
                passage = resolver.numbered(int(position[1][:6]) + 1)
        place += 1
        resolved[content] = [(content, passage)]
    return resolved
