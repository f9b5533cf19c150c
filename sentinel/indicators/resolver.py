"""Which passage a reference names: by id, by position, by address."""

from __future__ import annotations

import re
from unicodedata import normalize
from urllib.parse import unquote

from sentinel.indicators.params import CitationResolution
from sentinel.indicators.retrieved import ReadPassages, read_passages
from sentinel.indicators.words import lowered
from sentinel.records import Citation, Passage

_LABEL = (
    r"(?:doc|document|source|src|ref|reference|passage|citation|cite|chunk|context|excerpt|snippet|note|dokument|quelle"
    r"|documento|fuente|fonte|bron|文档|文檔|来源|來源|资料|資料|文書|出典|문서|출처)s?"
)
#: One number, with or without a label.
NUMBERED = re.compile(rf"(?:\^|#|№|@|{_LABEL}\.?[ _:#=-]{{0,2}})?(\d{{1,3}})\^?(?:†.*)?", re.IGNORECASE)
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
_DIGITS = re.compile(r"\d+")
#: What assistants and newsletters put behind an address: `?utm_source=chatgpt.com`.
_TRACKING = re.compile(r"(?:(?<=\?)|&)utm_[a-z]{1,20}=[^&]{0,200}")
#: Four digits in brackets that read as a year cite nothing: `[2019] EWCA Civ 20`, `in [2019]`.
_YEAR = re.compile(r"1\d{3}|20\d\d")
#: A place within a source: `[d1#p3]`, `[returns-v3:12]`, `[d1 §2]`.
_PLACE_WITHIN = re.compile(r"\s?[:#§@|]|\s")
_WIDEST_RANGE = 30
_NOT_LOOKED_AT: list[tuple[str, str | None]] = []


class _Forms:
    """How the ids of one answer are built."""

    def __init__(self, ids: tuple[str, ...]) -> None:
        self.shapes = frozenset([_shape(identity) for identity in ids])
        #: What the ids end with where they are names of files (`.pdf`).
        self.suffixes = tuple({found[0].lower() for identity in ids if (found := _SUFFIX.search(identity))})
        self.all_slugs = bool(ids) and all(_plain_slug(identity) for identity in ids)


class Resolver:
    """Finds the passage that a reference names.

    Sources are the retrieved passages; where retrieval is unknown, the ids that the app itself cites.
    With neither, nothing is known of any reference: none is valid and none invalid. `read` is what
    `read_passages` returns of the retrieved, where it is there already.
    """

    def __init__(
        self,
        retrieved: tuple[Passage, ...] | None,
        citations: tuple[Citation, ...],
        resolution: CitationResolution,
        read: ReadPassages | None = None,
    ) -> None:
        self.known = retrieved is not None or bool(citations)
        if retrieved is None:
            self.ids = tuple(dict.fromkeys([citation.id for citation in citations]))
            self._numeric = any(map(str.isdigit, self.ids))
        else:
            if read is None:
                read = read_passages(retrieved)
            self.ids = read[0]
            self._numeric = read[1]
        self._resolution = resolution
        self._by_position = resolution == "position" or (resolution == "auto" and not self._numeric)
        # Most answers are cited by position: the rest is worked out when it is needed. No `cached_property`,
        # for compiled it is worked out each time.
        self._ids: dict[str, str] | None = None
        self._folded_ids: dict[str, str | None] | None = None
        self._addresses: dict[str, str] | None = None
        self._forms: _Forms | None = None
        self._resolved: dict[str, list[tuple[str, str | None]] | None] | None = None

    def _by_id(self) -> dict[str, str]:
        if self._ids is None:
            self._ids = {} if self._resolution == "position" else {one: one for one in self.ids}
        return self._ids

    def _by_folded(self) -> dict[str, str | None]:
        by_folded = self._folded_ids
        if by_folded is None:
            by_folded = self._folded_ids = {}
            for identity in self._by_id():
                folded = _folded(identity)
                by_folded[folded] = None if folded in by_folded else identity
        return by_folded

    def _by_address(self) -> dict[str, str]:
        by_address = self._addresses
        if by_address is None:
            by_address = self._addresses = {}
            for identity in self._by_id():
                if "://" in identity:
                    by_address.setdefault(_address_key(identity), identity)
        return by_address

    def _formed(self) -> _Forms:
        if self._forms is None:
            self._forms = _Forms(self.ids)
        return self._forms

    def exact(self, text: str) -> str | None:
        """Return the passage of this id; another case or composition is forgiven where it is unambiguous."""
        found = self._by_id().get(text)
        if found or (text.isdigit() and text.isascii()):  # no other id folds to digits
            return found
        return self._by_folded().get(_folded(text))

    def plain(self, number: str) -> str | None:
        """Return the passage that up to three ASCII digits name."""
        found = self._by_id().get(number) if self._numeric else None
        if found is not None or not self._by_position:
            return found
        position = int(number)
        return self.ids[position - 1] if 0 < position <= len(self.ids) else None

    def numbered(self, number: int) -> str | None:
        """Return the passage at this position, from 1, where positions count."""
        return self.ids[number - 1] if self._by_position and 0 < number <= len(self.ids) else None

    def address(self, address: str) -> str | None:
        """Return the passage whose id is this address: up to its fragment, a last `/`, `%28` for `(`."""
        return self._by_address().get(_address_key(address))

    def cited(self, identity: str) -> str | None:
        """Return the passage that a structured citation names: by id, else by position as a marker would."""
        bare = identity.strip(" []")
        passage = self.exact(identity) or self.exact(bare)
        if passage is None and "://" in bare:
            passage = self.address(bare)
        if passage is None and bare.isdecimal() and len(bare) < 4:  # `²` is a digit, too
            passage = self.numbered(int(bare))
        return passage

    def looks_like_an_id(self, text: str) -> bool:
        """Return whether a text is built like the ids: but for digits, a file or a slug among such."""
        if len(text) < 2 or " " in text or text.isdigit():
            return False
        forms = self._formed()
        if forms.suffixes and text.lower().endswith(forms.suffixes) and not _PLACEHOLDER.match(text):
            return True
        has_digit = _DIGITS.search(text) is not None
        return (has_digit and _shape(text) in forms.shapes) or (forms.all_slugs and _plain_slug(text))

    def reference(self, content: str) -> list[tuple[str, str | None]] | None:
        """Resolve one bracket's content: pairs of the text as written and its passage.

        None where the brackets hold no citation at all ([km/h], [sic], [x], [0, 1]).
        """
        resolved = self._resolved
        if resolved is None:
            resolved = self._resolved = {}
        known = resolved.get(content, _NOT_LOOKED_AT)
        if known is _NOT_LOOKED_AT:
            known = resolved[content] = self._resolve(content)
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
        if (numbered := NUMBERED.fullmatch(piece)) is not None:
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
        if prefix and NUMBERED.fullmatch(f"{prefix}{number}") is None:
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
        suffixes = self._formed().suffixes if head else ()
        file = head.lower().endswith(suffixes) if suffixes else False
        return [(piece, None)] if named or self.looks_like_an_id(head if file else piece) else None


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
    return lowered(host) + slash + unquote(path)


def _shape(text: str) -> str:
    return _DIGITS.sub("0", text.casefold())


def _plain_slug(text: str) -> bool:
    """Return whether a text is a slug of lower-case words, such as `refund-policy`."""
    return ("-" in text or "_" in text) and text.islower() and _SLUG.fullmatch(text) is not None
