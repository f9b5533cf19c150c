"""Stable surrogates: within one answer the same value has the same placeholder, and no two share one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sentinel.redaction.lexicon import is_common_word
from sentinel.redaction.phones import canonical_phone

Key = tuple[str, str]
_SHORT = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "IBAN_CODE": "IBAN",
    "US_SSN": "SSN",
    "IP_ADDRESS": "IP",
}
_DIGIT_TYPES = frozenset({"CREDIT_CARD", "US_SSN", "PHONE_NUMBER"})
_PLACEHOLDER = re.compile(r"<([A-Z][A-Z_]*)_([0-9]{1,9})>")
_WORD = re.compile(r"[^\W\d_]+")
_NAME_GOES_ON = re.compile(r"[ -][^\W\d_a-z]|[^\W_]")
_BETWEEN_DIGITS = r"[-\s.()/\u00a0\u2010-\u2015]{0,3}"


def short_name(entity: str) -> str:
    """Return the word that stands in placeholders of the type."""
    return _SHORT.get(entity, entity)


def existing_placeholders(text: str) -> list[tuple[int, int]]:
    """Return the ranges of `text` that are placeholders already."""
    return [match.span() for match in _PLACEHOLDER.finditer(text)]


class Surrogates:
    """The table of one answer. `regions`: see `RedactionParams.phone_regions`.

    `texts` are all texts of the answer: a placeholder that stands in one already is not given again.
    """

    def __init__(self, regions: Sequence[str], texts: Iterable[str] = ()) -> None:
        self._regions = tuple(regions)
        self._placeholders: dict[Key, str] = {}
        self._taken = {match.group() for text in texts for match in _PLACEHOLDER.finditer(text)}
        self._last: Counter[str] = Counter()
        self._known: dict[str, str] = {}
        self._forms: dict[str, set[str]] = {
            "digits": set(),
            "code": set(),
            "mail": set(),
            "exact": set(),
            "name": set(),
        }
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._parts: set[str] = set()
        self.entities: Counter[str] = Counter()

    def add(self, entity: str, value: str) -> str:
        """Return the placeholder of the value, a new one if it is new."""
        key = self._key(entity, value)
        if key not in self._placeholders:
            self._placeholders[key] = self._next(short_name(entity))
            self.entities[entity] += 1
        self._remember(entity, value, self._placeholders[key])
        return self._placeholders[key]

    def number(self, digits: str) -> str | None:
        """Return the placeholder of a known card, phone or social security number with these digits."""
        return self._known.get(f"digits:{digits}")

    def occurrences(self, text: str, *, names: bool) -> list[tuple[int, int, str]]:
        """Return `(start, end, placeholder)` of known values ; `names` false: exact types only."""
        found: list[tuple[int, int, str]] = []
        for form in self._forms:
            if self._forms[form] and (names or form != "name"):
                found.extend(self._of_form(form, text))
        if names and self._parts:
            found.extend(self._of_parts(text))
        return found

    def _of_form(self, form: str, text: str) -> Iterator[tuple[int, int, str]]:
        for match in self._pattern(form).finditer(text):
            placeholder = self._known.get(f"{form}:{_normal(form, match.group())}")
            if placeholder is not None:
                yield match.start(), match.end(), placeholder

    def _of_parts(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield parts of known names that stand alone, written like a name and not within another one."""
        for match in _WORD.finditer(text):
            if match.group() in self._parts and not _NAME_GOES_ON.match(text, match.end()):
                yield match.start(), match.end(), self.add("PERSON", match.group())

    def _pattern(self, form: str) -> re.Pattern[str]:
        if form not in self._patterns:
            longest_first = sorted(self._forms[form], key=lambda f: (-len(f), f))
            self._patterns[form] = re.compile("|".join(longest_first))
        return self._patterns[form]

    def _remember(self, entity: str, value: str, placeholder: str) -> None:
        form, expression = _form(entity, value)
        if not expression:
            return
        self._known.setdefault(f"{form}:{_normal(form, value)}", placeholder)
        if expression not in self._forms[form]:
            self._forms[form].add(expression)
            self._patterns.pop(form, None)
        if entity == "PERSON":
            words = value.split()
            if len(words) > 1:
                self._parts.update(
                    w
                    for w in words
                    if len(w) >= 3 and w[:1].isupper() and w.isalpha() and not is_common_word(w)
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
        form, _ = _form(entity, value)
        return (form if form == "digits" else entity), _normal(form, value)


def _form(entity: str, value: str) -> tuple[str, str]:
    """Return how other places of the value are looked for: the form's name and a regular expression."""
    if entity in _DIGIT_TYPES:
        digits = re.sub(r"[^0-9]", "", value)
        return "digits", rf"(?<![0-9]){_BETWEEN_DIGITS.join(digits)}(?![0-9])" if len(digits) >= 7 else ""
    if entity == "IBAN_CODE":
        letters = re.sub(r"[^0-9A-Za-z]", "", value).upper()
        return "code", "(?i:" + r"[-\s]{0,2}".join(letters) + ")"
    if entity == "EMAIL_ADDRESS":
        return "mail", f"(?i:(?<![^\\W_]){re.escape(value)}(?![^\\W_]))"
    if entity != "PERSON":
        return "exact", f"(?<![^\\W_]){re.escape(value)}(?![^\\W_])"
    words = value.split()
    body = r"[\s._+-]{1,3}".join(re.escape(word) for word in words)
    if len(words) > 1 or (len(value) >= 3 and not is_common_word(value)):
        return "name", f"(?i:(?<![^\\W_]){body}(?![^\\W_]))"
    return "name", f"(?<![^\\W_])(?:{body}|{re.escape(value.upper())})(?![^\\W_])" if len(value) >= 2 else ""


def _normal(form: str, value: str) -> str:
    """Return one spelling for all notations of a value of the form."""
    if form == "digits":
        return re.sub(r"[^0-9]", "", value)
    if form == "code":
        return re.sub(r"[^0-9A-Z]", "", value.upper())
    if form == "mail":
        return value.casefold().replace("%40", "@").replace("＠", "@")
    if form == "name":
        return " ".join(re.split(r"[\s._+-]+", value)).casefold()
    return value
