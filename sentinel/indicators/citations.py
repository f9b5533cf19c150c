"""Citations of an answer: which of them lead to a retrieved passage, which lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sentinel.indicators.markers import Reference, named_ids, references_in
from sentinel.indicators.params import CitationResolution
from sentinel.records import Citation, CitationIndicators, Passage

_NUMBERED = re.compile(
    r"(?:\^|#|№|(?:doc|document|source|src|ref|reference|passage|citation|cite|chunk|context|excerpt|snippet|note)s?"
    r"[ _:.#-]?)?(\d{1,3})\^?(?:†.*)?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,3})\s?[-–—]\s?(\d{1,3})")
_SEPARATOR = re.compile(r"\s*[,;&|]\s*|\s+and\s+")
_SLUG = re.compile(r"[^\W_]+(?:[-_.:/#][^\W_]+)+", re.UNICODE)
_MARK_POSITION = re.compile(r"\d+:(\d+)(?:†.*)?")
_DIGITS = re.compile(r"\d+")
_WIDEST_RANGE = 30


class Resolver:
    """Finds the passage that a reference names.

    Sources are the retrieved passages; where retrieval is unknown, the ids that the app itself cites.
    With neither, nothing is known of any reference: none is valid and none invalid.
    """

    def __init__(
        self,
        retrieved: tuple[Passage, ...] | None,
        citations: tuple[Citation, ...],
        resolution: CitationResolution,
    ) -> None:
        self.known = retrieved is not None or bool(citations)
        cited = (citation.id for citation in citations)
        self.ids = tuple(p.id for p in retrieved) if retrieved is not None else tuple(dict.fromkeys(cited))
        self._by_id = {} if resolution == "position" else {identity: identity for identity in self.ids}
        self._by_folded: dict[str, str | None] = {}
        for identity in self._by_id:
            folded = identity.casefold()
            self._by_folded[folded] = None if folded in self._by_folded else identity
        numeric = any(identity.isdigit() for identity in self.ids)
        self._by_position = resolution == "position" or (resolution == "auto" and not numeric)
        self._resolved: dict[str, list[tuple[str, str | None]] | None] = {}
        self._shapes = frozenset(_shape(identity) for identity in self.ids)
        self._all_slugs = bool(self.ids) and all(_plain_slug(identity) for identity in self.ids)

    def exact(self, text: str) -> str | None:
        """Return the passage of this id; a different case is forgiven where it is unambiguous."""
        return self._by_id.get(text) or self._by_folded.get(text.casefold())

    def numbered(self, number: int) -> str | None:
        """Return the passage at this position, from 1, where positions count."""
        return self.ids[number - 1] if self._by_position and 0 < number <= len(self.ids) else None

    def looks_like_an_id(self, text: str) -> bool:
        """Return whether a text is built like the ids: equal but for digits, or a slug among slugs."""
        if len(text) < 2 or " " in text or text.isdigit():
            return False
        has_digit = _DIGITS.search(text) is not None
        return (has_digit and _shape(text) in self._shapes) or (self._all_slugs and _plain_slug(text))

    def reference(self, content: str) -> list[tuple[str, str | None]] | None:
        """Resolve one bracket's content: pairs of the text as written and its passage.

        None where the brackets hold no citation at all ([km/h], [sic], [x], [0, 1]).
        """
        if content not in self._resolved:
            self._resolved[content] = self._resolve(content)
        return self._resolved[content]

    def _resolve(self, content: str) -> list[tuple[str, str | None]] | None:
        if (passage := self.exact(content)) is not None:
            return [(content, passage)]
        pieces = _SEPARATOR.split(content) if not content.isdigit() else [content]
        pieces = [piece for piece in pieces if piece]
        if len(pieces) > 1 and "0" in pieces and self.exact("0") is None:
            return None
        found: list[tuple[str, str | None]] = []
        prefix = ""
        for piece in pieces:
            single = self._single(piece)
            if single is None and prefix and piece.isdigit():
                single = self._single(prefix + piece)
            if single is None:
                if not found:
                    return None
                continue
            prefix = piece.rstrip("0123456789")
            found.extend(single)
        return found or None

    def _single(self, piece: str) -> list[tuple[str, str | None]] | None:
        if (passage := self.exact(piece)) is not None:
            return [(piece, passage)]
        if (numbered := _NUMBERED.fullmatch(piece)) is not None:
            number = numbered[1]
            return [(piece, self.exact(number) or self.numbered(int(number)))]
        if (span := _RANGE.fullmatch(piece)) is not None:
            first, last = int(span[1]), int(span[2])
            if not 0 < first < last or last - first >= _WIDEST_RANGE:
                return None
            return [(str(n), self.exact(str(n)) or self.numbered(n)) for n in range(first, last + 1)]
        if piece.isdigit() and any(identity.isdigit() for identity in self.ids):
            return [(piece, None)]
        return [(piece, None)] if self.looks_like_an_id(piece) else None


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
    found = list(_resolved(references, resolver, citations))
    markers = len(found)
    found.extend((citation.id, resolver.exact(citation.id)) for citation in citations)
    valid = tuple(dict.fromkeys(passage for _, passage in found if passage is not None))
    invalid: tuple[str, ...] = ()
    if resolver.known:
        invalid = tuple(dict.fromkeys(written for written, passage in found if passage is None))
    return CitationIndicators(
        markers=markers, valid=valid, invalid=invalid, missing=claims_need_citation and not found
    )


def text_references(text: str, resolver: Resolver) -> list[Reference]:
    """Return everything in the text that may be a citation, in order of place."""
    references = references_in(text)
    if resolver.ids and ("(" in text or "ource" in text):
        named = named_ids(text, frozenset(resolver.ids))
        inside = {place for reference in named for place in range(reference.start, reference.end)}
        references = [reference for reference in references if reference.start not in inside] + named
        references.sort(key=lambda reference: reference.start)
    return references


def _resolved(
    references: list[Reference], resolver: Resolver, citations: tuple[Citation, ...]
) -> Iterator[tuple[str, str | None]]:
    marks = _marks(references, resolver, citations)
    for reference in references:
        if reference.kind == "mark":
            yield from marks[reference.content]
        elif reference.kind == "link":
            yield from _link(reference, resolver)
        elif reference.kind == "prose":
            number = int(reference.content.rpartition(" ")[2])
            passage = (
                resolver.exact(reference.content) or resolver.exact(str(number)) or resolver.numbered(number)
            )
            yield reference.content, passage
        elif reference.kind == "raised":
            if (passage := resolver.numbered(int(reference.content))) is not None:
                yield reference.content, passage
        else:
            yield from resolver.reference(reference.content) or ()


def _link(reference: Reference, resolver: Resolver) -> Iterable[tuple[str, str | None]]:
    """Resolve a link by its target, then by its text; a link to elsewhere is no citation."""
    target = reference.content
    for form in (target, target.rstrip("/"), target + "/", target.partition("#")[0]):
        if (passage := resolver.exact(form)) is not None:
            return [(target, passage)]
    label = reference.label
    if label and (resolver.exact(label) is not None or _NUMBERED.fullmatch(label)):
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


def _shape(text: str) -> str:
    return _DIGITS.sub("0", text.casefold())


def _plain_slug(text: str) -> bool:
    """Return whether a text is a slug of lower-case words, such as `refund-policy`."""
    return ("-" in text or "_" in text) and text.islower() and _SLUG.fullmatch(text) is not None
