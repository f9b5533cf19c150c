"""Proper names in an answer, and which of them no evidence holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sentinel.indicators.words import STEM_LETTERS, STOP_STEMS

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĹŁĽŃŅŇŌŐŒŘŚŞŠŢŤŪŮŰŹŻŽΑ-ΩА-Я"
_TOKEN = rf"[{_UPPER}][\w’'-]*"
_NAME = re.compile(
    rf"(?<![\w’'.-]){_TOKEN}(?:[ \u00a0](?:(?:of|the|de|van|von|der|la|del|di|al)[ \u00a0]){{0,2}}{_TOKEN})*"
)
_CODE = re.compile(rf"(?<![\w-])[{_UPPER}]{{1,6}}-?\d[\w-]{{0,20}}")
_CAPITALISED = re.compile(rf"(?<![\w’'.-])[{_UPPER}]")
_SENTENCE_BEFORE = re.compile(r"(?:^|[.!?:;•|>#*\n“\"(\[–—-])[\s*_\"“'‘(\[#>•-]*$")
_PART = re.compile(r"[^\W_]+")
_WORDS_OF_NAME = re.compile(r"[^\W\d_]{3,}")

#: Capitalised in English without being a name of something.
_NO_NAMES = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december jan feb mar apr jun jul aug sep sept oct nov dec ok yes no please
    note tip warning step faq pdf url html json csv api usd eur gbp am pm ai id mr mrs ms dr prof st
    passage passages document documents source sources section chapter article table figure page""".split()
)


def ungrounded_names(text: str, evidence_words: Iterable[frozenset[str]]) -> tuple[str, ...]:
    """Return the distinct names of an answer that the evidence does not hold, as written.

    A name is a run of capitalised words; a single capitalised word counts only where no sentence
    begins, or where the answer writes it so elsewhere. A name is grounded when all its words stand in
    the evidence, whatever their case. `text` is the answer without code, markers and links.
    """
    if not _CAPITALISED.search(text):
        return ()
    known = tuple(evidence_words)
    inner: list[tuple[str, tuple[str, ...]]] = []
    for match in _NAME.finditer(text):
        name = _without_stop_words(match[0])
        if name is None:
            continue
        missing = tuple(word for word in _words(name) if not any(word in words for words in known))
        if not missing:
            continue
        single = " " not in name and "\u00a0" not in name
        if single and _starts_sentence(text, match.start() + match[0].index(name)):
            continue
        inner.append((name, missing))
    return tuple(dict.fromkeys(name for name, _ in inner))


def _starts_sentence(text: str, start: int) -> bool:
    return _SENTENCE_BEFORE.search(text, max(0, start - 12), start) is not None or start == 0


def _without_stop_words(name: str) -> str | None:
    """Drop leading and trailing words that are no part of a name; None where nothing stays."""
    parts = re.split(r"[ \u00a0]", name)
    while parts and _is_plain(parts[0]):
        parts.pop(0)
    while parts and _is_plain(parts[-1]):
        parts.pop()
    joined = " ".join(parts)
    if len(joined) < 3:
        return None
    return re.sub(r"['’]s?$", "", joined)


def _is_plain(part: str) -> bool:
    word = re.sub(r"['’].*$", "", part).lower()
    return (
        len(word) < 2
        or word in _NO_NAMES
        or (word[:STEM_LETTERS] in STOP_STEMS)
        or word in {"of", "the", "i"}
    )


def _words(name: str) -> list[str]:
    return [word for word in _WORDS_OF_NAME.findall(name.lower()) if word[:STEM_LETTERS] not in STOP_STEMS]
