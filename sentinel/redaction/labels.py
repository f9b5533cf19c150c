"""Personal data in what apps name things by, without a model: ids, labels, versions, tenants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sentinel.redaction.custom import find_custom, own_first, without_allowed
from sentinel.redaction.lexicon import (
    folded,
    is_also_given,
    is_common_word,
    is_given_name,
    is_surname,
    lexicon,
    may_be_given,
    may_be_surname,
)
from sentinel.redaction.mentions import Word, is_of_place, split_words
from sentinel.redaction.namesakes import begins_place, is_firm, is_namesake, is_place
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.patterns import find_patterns, raw_patterns
from sentinel.redaction.phrases import PARTICLES
from sentinel.redaction.spans import Span, disjoint

#: Types exact enough to be replaced inside an identifier, where any run of digits may stand.
IDENTIFIER_ENTITIES = frozenset({"EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "US_SSN", "IP_ADDRESS"})
# Phones that are all of an id: with a plus or in North America's three groups. Other digits are numbers.
_PHONE_ID = re.compile(
    r"\s*(?:\+[0-9 ().-]{8,20}|(?:1[-. ])?(?:\([0-9]{3}\) ?|[0-9]{3}[-. ])[0-9]{3}[-. ][0-9]{4})\s*"
)
_PLACES_OF_TWO = frozenset(
    {("sierra", "leone"), ("sierra", "nevada"), ("sierra", "madre"), ("baton", "rouge")}
)
_JOINTS = frozenset({" ", "_", "-", ".", "+", "  ", "/"})
_CAPITAL_INSIDE = re.compile(
    r"(?:Mc|Mac|De|Di|La|Le|Van|O['’]|D['’])[^\W\d_]['’]?[^\W\d_]+\Z|[^\W\d_]+['’-][^\W\d_]+\Z"
)


def find_in_identifier(text: str, params: RedactionParams) -> list[Span]:
    """Return the disjoint spans that are replaced inside an id: checked digits, addresses, full names."""
    wanted = [entity for entity in params.entities if entity in IDENTIFIER_ENTITIES]
    spans = raw_patterns(text, wanted, ())
    if "PHONE_NUMBER" in params.entities and _PHONE_ID.fullmatch(text):
        spans += raw_patterns(text, ["PHONE_NUMBER"], params.phone_regions)
    found = own_first([*spans, *find_custom(text, params), *_names(text, params)], params)
    return without_allowed(text, disjoint(text, found), params)


def find_in_label(text: str, params: RedactionParams) -> list[Span]:
    """Return the disjoint spans that are replaced in a short word of the app."""
    found = own_first([*find_patterns(text, params), *_names(text, params)], params)
    return without_allowed(text, disjoint(text, found), params)


def _names(text: str, params: RedactionParams) -> list[Span]:
    return list(find_full_names(text)) if "PERSON" in params.entities else []


def find_full_names(text: str) -> Iterator[Span]:
    """Yield the spans of full names: capitalised words, a given name first and a surname behind it.

    Initials and particles may stand between; `Surname, Given` counts as well. Places, products, firms
    and ordinary words do not.
    """
    if text.islower():
        return
    words = _capitalised(text)
    index = 0
    while index + 1 < len(words):
        last = _name_from(words, index)
        if last is None:
            index += 1
        else:
            while last + 1 < len(words) and _goes_on(words[last + 1]):
                last += 1
            yield Span(words[index].start, words[last].end, "PERSON")
            index = last + 1


def _goes_on(word: Word) -> bool:
    """Return whether the word is one more surname."""
    return word.gap in {" ", "-", "_"} and _is_written_as_name(word.text) and not is_common_word(word.text)


def _capitalised(text: str) -> list[Word]:
    """Return the words of the text; a hyphen before a capital parts them too, but for double names."""
    words: list[Word] = []
    for word in split_words(text):
        pieces = list(re.finditer(r"[^-]+", word.text))
        capitals = [piece.group()[0].isupper() for piece in pieces]
        # "Mary-Johnson" and "kb-Mary"; "Smith-Jones-Weber" is one name.
        if not (
            (len(pieces) == 2 and all(capitals)) or (len(pieces) > 1 and capitals[-1] and not capitals[0])
        ):
            words.append(word)
            continue
        for piece, gap in zip(pieces, (word.gap, *["-"] * (len(pieces) - 1)), strict=True):
            words.append(Word(word.start + piece.start(), word.start + piece.end(), piece.group(), gap))
    return words


def _name_from(words: Sequence[Word], index: int) -> int | None:
    """Return the index of the last word of the full name that begins with the word, if one does."""
    first = words[index]
    if not _is_written_as_name(first.text):
        return None
    if index and first.gap == " " and begins_place(words[index - 1].text):
        return None
    if words[index + 1].gap == ", ":
        other = words[index + 1].text
        return index + 1 if _is_written_as_name(other) and _is_full_name(other, first.text) else None
    for last in range(index + 1, min(index + 4, len(words))):
        word = words[last]
        if word.gap not in _JOINTS and not (word.gap == ". " and len(words[last - 1].text) == 1):
            return None
        if word.text in PARTICLES or (len(word.text) == 1 and word.text.isupper()):
            continue
        if not _is_written_as_name(word.text) or _names_thing(words, last + 1):
            return None
        if _is_full_name(first.text, word.text):
            return last
        middle = is_given_name(first.text) and not (is_common_word(word.text) or is_place(word.text))
        if not (may_be_given(word.text) or middle):
            return None
    return None


def _names_thing(words: Sequence[Word], index: int) -> bool:
    """Return whether the word behind a name makes it that of a street, a firm or a prize."""
    return index < len(words) and words[index].gap == " " and is_of_place(("", words[index].text))


def _is_written_as_name(word: str) -> bool:
    if len(word) < 2 or not word[0].isupper():
        return False
    return word[1:].islower() or (word.isupper() and len(word) > 3) or _CAPITAL_INSIDE.match(word) is not None


def _is_full_name(given: str, surname: str) -> bool:
    """Return whether two words are a given name and a surname and together nothing else."""
    if begins_place(given) or is_firm(given, surname) or is_of_place((given, surname)):
        return False
    if (folded(given), folded(surname)) in _PLACES_OF_TWO:
        return False
    if is_namesake((given, surname)):
        return False
    if given.isupper() and not is_given_name(given):  # abbreviations are written so too
        return False
    place = is_place(given)
    if is_common_word(surname) or is_place(surname):
        # Words both ways: a frequent pair only, and nothing that is a product or a place as well.
        known = is_given_name(given) and folded(surname) in lexicon().surnames
        return known and not place and not is_namesake((given,))
    if is_given_name(given):
        return may_be_surname(surname) or not (place or is_namesake((surname,)))
    if is_common_word(given):
        return is_also_given(given) and is_surname(surname)
    return may_be_given(given) and may_be_surname(surname)
