"""Proper names in an answer that no evidence holds."""
# ruff: noqa: SIM905 - word lists read as text

from __future__ import annotations

import re

from sentinel.indicators.word_sets import RUN, capitalised_runs
from sentinel.indicators.words import STOP_WORDS, lowered

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĹŁĽŃŅŇŌŐŒŘŚŞŠŢŤŪŮŰŹŻŽΑ-ΩА-Я"
_CAPITALISED = re.compile(rf"[{_UPPER}][^\W\d_]+")
_NAME = re.compile(RUN.format(_UPPER))
_SPACE = re.compile("[ \u00a0]")
_POSSESSIVE = re.compile(r"['’]s?$")
_TITLE_BEFORE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|No|vs)\.$")
_LETTERS = re.compile(r"[^\W\d_]+")
#: Before the first word of a sentence, a list item, a heading, a quotation or a table cell.
_OPENERS = frozenset('.!?:;•|>#*\n“”"([–—-')
_BETWEEN = " \t\u00a0*_\"“'‘([#>•-"

#: A line that is a heading capitalises its words anyway; nobody is named in it alone.
_HEADING = re.compile(r"^ {0,3}#{1,6} [^\n]*$|^[ \t]{0,8}\*\*[^*\n]{1,80}\*\*:?[ \t]{0,8}$", re.MULTILINE)

#: Capitalised in English without being the name of something.
_NO_NAMES = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays january february march april may june july august september october
    november december jan feb mar apr jun jul aug sep sept oct nov dec ok yes no please note tip
    warning step faq pdf url html json csv api usd eur gbp am pm ai id mr mrs ms dr prof st passage
    passages document documents source sources section chapter article table figure page""".split()
)


def ungrounded_names(text: str, missing: set[bytes]) -> tuple[str, ...]:
    """Return the distinct names of an answer that the evidence does not hold, as written.

    A name is a run of capitalised words; a single capitalised word counts only where no sentence begins.
    It is ungrounded when one of its words is among `missing`, the answer's words that no evidence holds.
    Headings are passed over. `text` is the answer without code, citations and addresses.
    """
    if missing and ("#" in text or "**" in text):
        text = _HEADING.sub("", text)
    if not missing:
        return ()
    places = capitalised_runs(text, missing) if text.isascii() else _runs(text, missing)
    found: dict[str, None] = {}
    for index in range(0, len(places), 2):
        start = places[index]
        written = text[start : places[index + 1]]
        is_one_word = written.isalpha()
        words = [lowered(written)] if is_one_word else _words(written)
        if not any(word.encode() in missing and word not in _NO_NAMES for word in words):
            continue
        if is_one_word and len(written) == 1:
            continue
        if start and (text[start - 1].isalnum() or text[start - 1] in "_’'-@/."):
            continue
        opens = _starts_sentence(text, start)
        if opens and is_one_word:
            continue
        name = _without_plain_words(written, missing if opens else None)
        if name is None:
            continue
        if _SPACE.search(name) is None and _starts_sentence(text, start + written.index(name)):
            continue
        found[name] = None
    return tuple(found)


def _runs(text: str, missing: set[bytes]) -> list[int]:
    """Return start and end of each run of capitalised words; nothing where none of these is missing."""
    matches = list(_NAME.finditer(text))
    # Every capital stands in a run, so that the capitalised words of the text are those of its runs.
    capitalised = _CAPITALISED.findall("\n".join([match[0] for match in matches]))
    if missing.isdisjoint(lowered("\n".join(capitalised)).encode().split()):
        return []
    return [place for match in matches for place in match.span()]


def _words(run: str) -> list[str]:
    return [lowered(word) for word in _LETTERS.findall(run)]


def _starts_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 12) : start].rstrip(_BETWEEN)
    if not before:
        return True
    if before[-1] == "." and _TITLE_BEFORE.search(before):
        return False
    return before[-1] in _OPENERS or text[start - 1] in "\n#>|(["


def _without_plain_words(name: str, missing: set[bytes] | None) -> str | None:
    """Drop leading and trailing words that are no part of a name; None where nothing stays.

    `missing` is given where a sentence begins: its first word is capitalised anyway, so it is dropped
    when the evidence knows it (`Ask Anderson`).
    """
    parts = _SPACE.split(name)
    if missing is not None and len(parts) > 1 and lowered(parts[0]).encode() not in missing:
        parts.pop(0)
    while parts and parts[0][:1].islower():
        parts.pop(0)
    while parts and _is_plain(parts[0]):
        parts.pop(0)
    while parts and _is_plain(parts[-1]):
        parts.pop()
    joined = _POSSESSIVE.sub("", " ".join(parts))
    return joined if len(joined) > 2 else None


def _is_plain(part: str) -> bool:
    word = _LETTERS.match(lowered(part))
    return word is None or word[0] in _NO_NAMES or word[0].encode() in STOP_WORDS
