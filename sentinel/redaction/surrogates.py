"""Stable surrogates: within one answer the same value has the same placeholder, and no two share one."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sentinel.redaction.lexicon import is_common_word
from sentinel.redaction.occurrences import CodeIndex, DigitIndex, Occurrence, WordIndex
from sentinel.redaction.phones import canonical_phone
from sentinel.redaction.spans import Taken

Key = tuple[str, str]
_SHORT = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "IBAN_CODE": "IBAN",
    "US_SSN": "SSN",
    "IP_ADDRESS": "IP",
}
_DIGIT_TYPES = frozenset({"CREDIT_CARD", "US_SSN", "PHONE_NUMBER"})
_FORMS = {"IBAN_CODE": "code", "EMAIL_ADDRESS": "mail", "IP_ADDRESS": "address", "PERSON": "name"}
_FEW = 32
_PLACEHOLDER = re.compile(r"<([A-Z][A-Z_]*)_([0-9]{1,9})>")
_WORD = re.compile(r"[^\W\d_]+")
_NAME_GOES_ON = re.compile(r"[ -][^\W\d_a-z]|[^\W_]")
_SPELT_AT = re.compile(r"\s*[\[({]\s*(?:at|@)\s*[\])}]\s*|\s+at\s+|\s*@\s*")
_SPELT_DOT = re.compile(r"\s*[\[({]\s*(?:dot|\.)\s*[\])}]\s*|\s+dot\s+|\s*[。.]\s*")


def short_name(entity: str) -> str:
    """Return the word that stands in placeholders of the type."""
    return _SHORT.get(entity, entity)


def existing_placeholders(text: str) -> list[tuple[int, int]]:
    """Return the ranges of `text` that are placeholders already."""
    return [match.span() for match in _PLACEHOLDER.finditer(text)]


class Surrogates:
    """The table of one answer. `regions`: see `RedactionParams.phone_regions`.

    `texts` are all texts of the answer: a placeholder that stands in one already is not given again.
    Values and texts are plain copies (see `folding`), so that one value has one notation. `links` are parts
    of names that stand for a full one (see `linking`).
    """

    def __init__(
        self, regions: Sequence[str], texts: Iterable[str] = (), links: Mapping[str, str] | None = None
    ) -> None:
        self._links = links or {}
        self._regions = tuple(regions)
        self._placeholders: dict[Key, str] = {}
        self._taken = {match.group() for text in texts for match in _PLACEHOLDER.finditer(text)}
        self._last: Counter[str] = Counter()
        self._digits = DigitIndex()
        self._codes = CodeIndex()
        self._exact = WordIndex()
        self._names = WordIndex()
        self._parts: set[str] = set()
        self._stems: set[str] = set()
        self._spelt: set[Key] = set()
        self.entities: Counter[str] = Counter()

    def add(self, entity: str, value: str) -> str:
        """Return the placeholder of the value, a new one if it is new."""
        whole = self._linked(value) if entity == "PERSON" else None
        key = self._key(entity, value if whole is None else whole)
        if key not in self._placeholders:
            self._placeholders[key] = self._next(short_name(entity))
            self.entities[entity] += 1
        if (entity, value) not in self._spelt:
            self._spelt.add((entity, value))
            self._remember(entity, value, self._placeholders[key])
        return self._placeholders[key]

    def _linked(self, value: str) -> str | None:
        """Return the full name of which the value is a part, be it in the plural or genitive."""
        part = value.casefold()
        return self._links.get(part) or (self._links.get(part[:-1]) if part.endswith("s") else None)

    @property
    def spellings(self) -> int:
        """Return how many spellings of values are known: while it grows, another look may find more."""
        return len(self._spelt)

    def number(self, digits: str) -> str | None:
        """Return the placeholder of a known card, phone or social security number with these digits."""
        return self._digits.get(digits)

    def occurrences(self, text: str, *, names: bool) -> list[Occurrence]:
        """Return `(start, end, placeholder)` of known values; `names` false: exact types only."""
        found: list[Occurrence] = []
        for index in (self._digits, self._codes, self._exact):
            if index:
                found.extend(index.find(text))
        if names and self._names:
            found.extend(self._names.find(text))
        return found

    def parts(self, text: str, *closed: Taken) -> Iterator[Occurrence]:
        """Yield parts of known names that stand alone, outside of `closed` and of longer names.

        Only these get a placeholder: a part that never stands alone is no value of its own. Of a plural or
        genitive (`Smiths`, `Annas`) the ending stays.
        """
        sought = self._parts | self._stems
        if not sought or (len(sought) <= _FEW and not any(part in text for part in sought)):
            return
        for match in _WORD.finditer(text):
            part, end = match.group(), match.end()
            if part not in self._parts:
                part, end = part[:-1], end - 1
                if text[end] != "s" or part not in self._stems:
                    continue
            if _NAME_GOES_ON.match(text, match.end()):
                continue
            if all(taken.is_free(*match.span()) for taken in closed):
                yield match.start(), end, self.add("PERSON", part)

    def _remember(self, entity: str, value: str, placeholder: str) -> None:
        if entity in _DIGIT_TYPES:
            digits = _normal("digits", value)
            if len(digits) >= 7:
                self._digits.add(digits, placeholder)
        elif entity == "IBAN_CODE":
            self._codes.add(_normal("code", value), placeholder)
        elif entity == "EMAIL_ADDRESS":
            for spelling in {value: None, _normal("mail", value): None}:
                self._exact.add(spelling, placeholder)
        elif entity == "PERSON":
            self._remember_name(value, placeholder)
        else:
            self._exact.add(value, placeholder, exact=(value,))

    def _remember_name(self, value: str, placeholder: str) -> None:
        words = value.split()
        self._stems.update(
            w for w in words if len(w) >= 4 and w[:1].isupper() and w.isalpha() and not is_common_word(w)
        )
        if len(words) > 1 or (len(value) >= 3 and not is_common_word(value)):
            self._names.add(value, placeholder, name=True)
        elif len(value) >= 2:
            self._names.add(value, placeholder, name=True, exact=(value, value.upper()))
        if len(words) > 1:
            self._parts.update(
                w for w in words if len(w) >= 3 and w[:1].isupper() and w.isalpha() and not is_common_word(w)
            )

    def _next(self, word: str) -> str:
        while True:
            self._last[word] += 1
            placeholder = f"<{word}_{self._last[word]}>"
            if placeholder not in self._taken:
                return placeholder

    def _key(self, entity: str, value: str) -> Key:
        if entity == "PHONE_NUMBER":
            return "digits", canonical_phone(value, self._regions)
        form = "digits" if entity in _DIGIT_TYPES else _FORMS.get(entity, "exact")
        return (form if form == "digits" else entity), _normal(form, value)


def _normal(form: str, value: str) -> str:
    """Return one spelling for all notations of a value of the form."""
    if form == "digits":
        return re.sub(r"[^0-9]", "", value)
    if form == "code":
        return re.sub(r"[^0-9A-Z]", "", value.upper())
    if form == "mail":
        plain = value.casefold().replace("%40", "@").replace("＠", "@")
        return _SPELT_DOT.sub(".", _SPELT_AT.sub("@", plain, count=1))
    if form == "name":
        return " ".join(re.split(r"[\s._+-]+", value)).casefold()
    return _address(value) if form == "address" else value


def _address(value: str) -> str:
    """Return a network address in its shortest form."""
    plain = re.sub(r"(?<![0-9A-Fa-f:])0+(?=[0-9]+(?:\.|\Z))", "", value) if ":" not in value else value
    try:
        return str(ipaddress.ip_address(plain))
    except ValueError:
        return value
