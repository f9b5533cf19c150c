"""Citations of an answer: which of them lead to a retrieved passage, which lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import cached_property
from unicodedata import normalize
from urllib.parse import unquote

from sentinel.indicators.markers import BY_START, Reference, named_ids, references_in
from sentinel.indicators.params import CitationResolution
from sentinel.records import Citation, CitationIndicators, Passage

_LABEL = (
    r"(?:doc|document|source|src|ref|reference|passage|citation|cite|chunk|context|excerpt|snippet|note|dokument|quelle"
    r"|documento|fuente|fonte|bron|文档|文檔|来源|來源|资料|資料|文書|出典|문서|출처)s?"
)
_NUMBERED = re.compile(rf"(?:\^|#|№|@|{_LABEL}\.?[ _:#=-]{{0,2}})?(\d{{1,3}})\^?(?:†.*)?", re.IGNORECASE)
_LABELLED = re.compile(
    rf"(?:(?:ids?|{_LABEL}|(?:doc|document|source|passage|chunk)[ _-]?ids?|see)\s?[.:：=#]\s*|(?:see|id) |@)",
    re.IGNORECASE,
)
_RANGE_SIGN = r"\s?(?:[-‐‑–—~…]|\.{2,3}|\bto\b|\bthrough\b|\bbis\b)\s?"
_RANGE = re.compile(rf"(\d{{1,3}}){_RANGE_SIGN}(\d{{1,3}})")
_NAMED_RANGE = re.compile(
    rf"(\^|[^\W\d_][\w .:#-]{{0,40}}?)(\d{{1,3}}){_RANGE_SIGN}(?:\1)?(\d{{1,3}})", re.IGNORECASE
)
_SEPARATOR = re.compile(r"\s*[,;&|、，；]\s*|\s+(?:and|und|et|y|en)\s+")
_SLUG = re.compile(r"[^\W_]+(?:[-_.:/#][^\W_]+)+", re.UNICODE)
#: The kind of a file; a name for the reader to put in is none (`your-file.pdf`).
_SUFFIX = re.compile(r"(?<=[\w)])\.(?:pdf|docx?|pptx?|xlsx?|md|txt|html?|csv|json|rst|odt)$", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(?:your|my|the|file|filename|name|example|document|path|xxx?)(?:[-_. ]|$)", re.IGNORECASE
)
_MARK_POSITION = re.compile(r"\d+:(\d+)(?:†.*)?")
_DIGITS = re.compile(r"\d+")
#: What assistants and newsletters put behind an address: `?utm_source=chatgpt.com`.
_TRACKING = re.compile(r"(?:(?<=\?)|&)utm_[a-z]{1,20}=[^&]{0,200}")
#: Four digits in brackets that read as a year cite nothing: `[2019] EWCA Civ 20`, `in [2019]`.
_YEAR = re.compile(r"1\d{3}|20\d\d")
#: A place within a source: `[d1#p3]`, `[returns-v3:12]`, `[d1 §2]`.
_PLACE_WITHIN = re.compile(r"\s?[:#§@|]|\s")
_WIDEST_RANGE = 30
_NOT_LOOKED_AT: list[tuple[str, str | None]] = []


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
        if retrieved is not None:
            self.ids = tuple([passage.id for passage in retrieved])
        else:
            self.ids = tuple(dict.fromkeys(citation.id for citation in citations))
        self._by_id = {} if resolution == "position" else {identity: identity for identity in self.ids}
        numeric = any(map(str.isdigit, self.ids))
        self._by_position = resolution == "position" or (resolution == "auto" and not numeric)
        self._resolved: dict[str, list[tuple[str, str | None]] | None] = {}

    # Most answers are cited by position or by exact id: the rest is worked out when it is needed.
    @cached_property
    def _by_folded(self) -> dict[str, str | None]:
        by_folded: dict[str, str | None] = {}
        for identity in self._by_id:
            folded = _folded(identity)
            by_folded[folded] = None if folded in by_folded else identity
        return by_folded

    @cached_property
    def _by_address(self) -> dict[str, str]:
        by_address: dict[str, str] = {}
        for identity in self._by_id:
            if "://" in identity:
                by_address.setdefault(_address_key(identity), identity)
        return by_address

    @cached_property
    def _shapes(self) -> frozenset[str]:
        return frozenset(_shape(identity) for identity in self.ids)

    @cached_property
    def _suffixes(self) -> tuple[str, ...]:
        """What the ids end with where they are names of files (`.pdf`)."""
        return tuple({found[0].lower() for identity in self.ids if (found := _SUFFIX.search(identity))})

    @cached_property
    def _all_slugs(self) -> bool:
        return bool(self.ids) and all(_plain_slug(identity) for identity in self.ids)

    def exact(self, text: str) -> str | None:
        """Return the passage of this id; another case or composition is forgiven where it is unambiguous."""
        found = self._by_id.get(text)
        if found or (text.isdigit() and text.isascii()):  # no other id folds to digits
            return found
        return self._by_folded.get(_folded(text))

    def numbered(self, number: int) -> str | None:
        """Return the passage at this position, from 1, where positions count."""
        return self.ids[number - 1] if self._by_position and 0 < number <= len(self.ids) else None

    def address(self, address: str) -> str | None:
        """Return the passage whose id is this address: up to its fragment, a last `/`, `%28` for `(`."""
        return self._by_address.get(_address_key(address))

    def cited(self, identity: str) -> str | None:
        """Return the passage that a structured citation names: by id, else by position as a marker would."""
        bare = identity.strip(" []")
        passage = self.exact(identity) or self.exact(bare)
        if passage is None and "://" in bare:
            passage = self.address(bare)
        if passage is None and bare.isdigit() and len(bare) < 4:
            passage = self.numbered(int(bare))
        return passage

    def looks_like_an_id(self, text: str) -> bool:
        """Return whether a text is built like the ids: but for digits, a file or a slug among such."""
        if len(text) < 2 or " " in text or text.isdigit():
            return False
        if self._suffixes and text.lower().endswith(self._suffixes) and not _PLACEHOLDER.match(text):
            return True
        has_digit = _DIGITS.search(text) is not None
        return (has_digit and _shape(text) in self._shapes) or (self._all_slugs and _plain_slug(text))

    def reference(self, content: str) -> list[tuple[str, str | None]] | None:
        """Resolve one bracket's content: pairs of the text as written and its passage.

        None where the brackets hold no citation at all ([km/h], [sic], [x], [0, 1]).
        """
        known = self._resolved.get(content, _NOT_LOOKED_AT)
        if known is _NOT_LOOKED_AT:
            known = self._resolved[content] = self._resolve(content)
        return known

    def _resolve(self, content: str) -> list[tuple[str, str | None]] | None:
        if (passage := self.exact(content)) is not None:
            return [(content, passage)]
        if len(content) < 4 and content.isascii() and content.isdigit():
            return [(content, self.numbered(int(content)))]
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
        if piece.isdigit():
            year = _YEAR.fullmatch(piece) is not None and not any(known.isdigit() for known in self.ids)
            return None if year else [(piece, None)]
        return self._range(piece) or self._labelled(piece)

    def _range(self, piece: str) -> list[tuple[str, str | None]] | None:
        prefix = ""
        if (span := _RANGE.fullmatch(piece)) is not None:
            first, last = int(span[1]), int(span[2])
        elif (span := _NAMED_RANGE.fullmatch(piece)) is not None:
            prefix, first, last = span[1], int(span[2]), int(span[3])
            if self._one(prefix, first) is None and self._one(prefix, last) is None:
                return None
        else:
            return None
        if not 0 < first < last or last - first >= _WIDEST_RANGE:
            return None
        return [(f"{prefix}{n}", self._one(prefix, n)) for n in range(first, last + 1)]

    def _one(self, prefix: str, number: int) -> str | None:
        """Return the passage of one number within a range (`[doc1–doc3]`)."""
        if (passage := self.exact(f"{prefix}{number}")) is not None:
            return passage
        if prefix and _NUMBERED.fullmatch(f"{prefix}{number}") is None:
            return None
        return self.exact(str(number)) or self.numbered(number)

    def _labelled(self, piece: str) -> list[tuple[str, str | None]] | None:
        """Resolve `id: returns-v3`, `d1#p3`, and what is built like an id but is none."""
        label = _LABELLED.match(piece)
        bare = piece[label.end() :].strip(" \"'") if label else piece
        if label and (passage := self.exact(bare)) is not None:
            return [(piece, passage)]
        place = _PLACE_WITHIN.search(bare)
        head = bare[: place.start()] if place else ""
        if head and not head.isdigit() and (passage := self.exact(head)) is not None:
            return [(piece, passage)]
        named = label is not None and " " not in bare and _DIGITS.search(bare) is not None
        file = head.lower().endswith(self._suffixes) if head and self._suffixes else False
        return [(piece, None)] if named or self.looks_like_an_id(head if file else piece) else None


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
    markers = len(found)
    if citations:
        found.extend((citation.id, resolver.cited(citation.id)) for citation in citations)
    valid = tuple(dict.fromkeys([passage for _, passage in found if passage is not None]))
    invalid: tuple[str, ...] = ()
    if resolver.known and found:
        invalid = tuple(dict.fromkeys([written for written, passage in found if passage is None]))
    return CitationIndicators(
        markers=markers, valid=valid, invalid=invalid, missing=claims_need_citation and not found
    )


def text_references(text: str, resolver: Resolver, telling: Set[bytes]) -> list[Reference]:
    """Return everything in the text that may be a citation, in order of place.

    `telling` are the text's words among `markers.TELLING_WORDS`, and maybe others.
    """
    references = references_in(text, telling)
    if resolver.ids:
        named = named_ids(
            text,
            lambda piece: resolver.exact(piece) is not None,
            lambda number: resolver.numbered(number) is not None,
            telling,
        )
        if named:
            inside = {place for reference in named for place in range(reference.start, reference.end)}
            references = [reference for reference in references if reference.start not in inside] + named
            references.sort(key=BY_START)
    return references


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


def _folded(text: str) -> str:
    """Return an id without differences of case, of apostrophes and of composed and combining accents."""
    return text.casefold() if text.isascii() else normalize("NFC", text.replace("’", "'")).casefold()


def _address_key(address: str) -> str:
    """Return an address without scheme, `utm_…`, fragment, last `/`; host in lower case, `%28` as `(`."""
    rest = address.partition("://")[2].partition("#")[0]
    if "utm_" in rest:
        rest = _TRACKING.sub("", rest).replace("?&", "?").rstrip("?")
    rest = rest.rstrip("/")
    host, slash, path = rest.partition("/")
    return host.lower() + slash + unquote(path)


def _shape(text: str) -> str:
    return _DIGITS.sub("0", text.casefold())


def _plain_slug(text: str) -> bool:
    """Return whether a text is a slug of lower-case words, such as `refund-policy`."""
    return ("-" in text or "_" in text) and text.islower() and _SLUG.fullmatch(text) is not None
