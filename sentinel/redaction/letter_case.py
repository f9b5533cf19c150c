"""Names in one letter case: `KOVALENKO Ivan`, `SASKIA VAN DEN BROEK`, `dear milica jovanović`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sentinel.redaction.lexicon import (
    folded,
    is_also_given,
    is_common_word,
    is_given_name,
    is_word_in_lower_case,
    may_be_given,
    may_be_surname,
)
from sentinel.redaction.namesakes import is_known_thing, is_place
from sentinel.redaction.phrases import LABELS, OF_PLACES, TITLE_WORDS
from sentinel.redaction.shapes import is_east_asian

Range = tuple[int, int]

_CAPITAL = "A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-ЯЁЄІЇҐ"
# A surname in capitals with a given name that is not: "KOVALENKO Ivan".
_CAPITALS_FIRST = re.compile(
    rf"(?<![\w@.-])(?P<last>[{_CAPITAL}]['’]?[{_CAPITAL}]{{2,}}(?:[-'’ ][{_CAPITAL}]{{2,}})?),? "
    rf"(?P<first>[{_CAPITAL}][a-zß-ÿ][^\W\d_]*(?:-[^\W\d_]+)?)(?! [{_CAPITAL}][a-z])(?![\w@-])"
)
# Two words in capitals with the particles between them: "SASKIA VAN DEN BROEK".
_CAPITAL_PART = rf"[{_CAPITAL}]{{2,}}(?:[-'’][{_CAPITAL}]{{2,}})*"
_CAPITALS_BOTH = re.compile(
    rf"(?<![\w@./-])(?P<first>{_CAPITAL_PART}) "
    rf"(?:(?:VAN|VON|DE|DER|DEN|DA|DI|DEL|DELLA|DOS|LA|LE|BIN|AL|EL) ){{0,3}}"
    rf"(?P<last>{_CAPITAL_PART})(?![\w@/-])"
)
_LOWER_WORD = re.compile(
    r"(?<![\w.@/#-])(?P<first>[^\W\d_]{4,}(?:-[^\W\d_]+)?)(?: (?P<last>[^\W\d_]{3,}))?(?![\w@/-])(?!\.\w)"
)
_LOWER_PART = r"[^\W\d_A-Z]+(?:['’-][^\W\d_A-Z]+)*"
# Lower-case words where a name must come, in messages that have no capitals.
_LOWER_NAMED = re.compile(
    r"(?i:\b(?:dear|hi its|hi it's|hey its|hey it's|it's me|its me|this is|here is|i am|i'm|im|my name's"
    r"|name is|name:?|hello|yo|great job|well done|nice work|ping|paging|ask|tell|hey|hi|customer:"
    r"|caller:|(?:user|customer): (?:hi |hey |hello )?(?:its|it's)"
    r"|reported by:?|assigned to:?|requested by:?|signed:?|signed by:?|ask for|asked for|spoke to|spoke with"
    r"|patient:?|contact:|attn:?|sincerely,?|regards,|thanks,|thx,?|cheers,|love,|xoxo,?|account holder:?"
    r"|on behalf of|cardholder:?) )"
    rf"(?P<name>{_LOWER_PART}(?: {_LOWER_PART}){{0,3}})(?![\w@/]|\.\w)"
)
_LOWER = re.compile(r"(?<![\w.@/-])(?P<first>[^\W\d_]{2,}) (?P<last>[^\W\d_]{2,})(?![\w@/-])(?!\.\w)")
_INTRODUCED = re.compile(
    r"(?:\b(?:my|his|her|their|full) name(?:['’]?s| is| was)|\bi am called|\bthis is|\bit['’]?s|\bsigned by"
    r"|\bforward (?:it|this|that) to|\bspoke (?:to|with)|\bmet with|\brefund|\b(?:on )?behalf of"
    r"|\baccount of|\bbelongs to|\bask(?:ed)? for) \Z",
    re.IGNORECASE,
)


def names_by_case(text: str, *, lower: bool = True) -> Iterator[Range]:
    """Yield names in `text` that are written in capitals or, with `lower`, in lower case."""
    yield from _capitals_first(text)
    yield from _all_capitals(text)
    if lower:
        yield from _lower(text)


def _capitals_first(text: str) -> Iterator[Range]:
    whole = text.strip()
    for match in _CAPITALS_FIRST.finditer(text):
        last, first = match.group("last"), match.group("first")
        start = match.start()
        before, _, surname = last.rpartition(" ")
        if before and (is_common_word(before) or before.lower() in LABELS):
            start, last = match.start() + len(before) + 1, surname
        if is_common_word(last) or not may_be_surname(surname) or is_place(first) or is_known_thing(last):
            continue
        alone = match.group() == whole or text[:start].endswith("\n")
        if (may_be_given(first) and not is_common_word(first)) or (alone and is_also_given(first)):
            yield start, match.end()


def _all_capitals(text: str) -> Iterator[Range]:
    """Yield names in capitals throughout: a given name, rare ones too, and a surname behind it."""
    for match in _CAPITALS_BOTH.finditer(text):
        first, last = match.group("first"), match.group("last")
        words = (first, last)
        if any(is_known_thing(w) or w.lower() in LABELS | OF_PLACES | TITLE_WORDS for w in words):
            continue
        if (is_east_asian(folded(first), folded(last)) and not all(map(is_common_word, words))) or (
            not any(map(is_common_word, words)) and may_be_given(first) and may_be_surname(last)
        ):
            yield match.span()


def _lower(text: str) -> Iterator[Range]:
    for match in _LOWER.finditer(text):
        first, last = match.group("first"), match.group("last")
        if not (first.islower() and last.islower()) or is_common_word(first) or is_common_word(last):
            continue
        named = is_given_name(first) and may_be_surname(last)
        told = _INTRODUCED.search(text, max(0, match.start() - 24), match.start()) is not None
        if named or (told and (may_be_given(first) or may_be_surname(last) or not match.group().isascii())):
            yield match.span()
    if text.islower():
        yield from _all_lower(text)
    for match in _LOWER_NAMED.finditer(text):
        words = match.group("name").split(" ")
        while (
            words
            and is_word_in_lower_case(words[-1])
            and not (
                len(words) > 1
                and may_be_surname(words[-1])
                and len(words[-1]) > 3
                and not is_common_word(words[-1])
            )
        ):
            words.pop()
        if words and _is_lower_name(words):
            yield match.start("name"), match.start("name") + len(" ".join(words))


def _all_lower(text: str) -> Iterator[Range]:
    """Yield frequent given names in a text without any capital, with the surname behind them."""
    for match in _LOWER_WORD.finditer(text):
        word = match.group("first")
        if len(word) < 4 or not is_given_name(word) or is_word_in_lower_case(word) or is_known_thing(word):
            continue
        last = match.group("last") or ""
        surname = last and may_be_surname(last) and not is_word_in_lower_case(last)
        yield match.start(), match.end() if surname else match.end("first")


def _is_lower_name(words: Sequence[str]) -> bool:
    """Return whether lower-case words behind "dear" or "reported by:" are a name."""
    if len(words[0]) < 3 or is_word_in_lower_case(words[0]) or is_place(words[0]) or words[0] in LABELS:
        return False
    return any(may_be_given(word) or may_be_surname(word) for word in words) or len(words) > 1
