"""Names and the words that look like them, from `names.json` beside this file.

Names come from the US Census Bureau, the US Social Security Administration and Mimesis, words from SCOWL
(`names-sources.txt`; `docs/names_json.md` says how the file is made). A name that is an ordinary word as
well counts only where it is written or introduced like a name.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sentinel.redaction.shapes import ends_like_surname, is_korean_given

# Letters that Unicode does not decompose into a plain one and a mark.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "ı": "i", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h"}
)


class Lexicon(NamedTuple):
    """Sets of lower-case words without accents; the rare names are apart from the frequent ones."""

    given: frozenset[str]
    given_rare: frozenset[str]
    surnames: frozenset[str]
    surnames_rare: frozenset[str]
    words: frozenset[str]
    both: frozenset[str]
    proper: frozenset[str]
    given_world: frozenset[str]
    surnames_world: frozenset[str]
    surnames_east: frozenset[str]


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, read once per process."""
    content = json.loads(files("sentinel.redaction").joinpath("names.json").read_text("utf-8"))
    return Lexicon(*(frozenset(content[key].split()) for key in Lexicon._fields))


def folded(word: str) -> str:
    """Return the word in lower case without accents, as the lists spell it."""
    return word.lower() if word.isascii() else _unaccented(word)


def _unaccented(word: str) -> str:
    spread = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in spread if not unicodedata.combining(c)).translate(_LETTERS)


def is_common_word(word: str) -> bool:
    """Return whether the word, in any case, is an ordinary English word as well."""
    return word.isascii() and word.lower() in lexicon().words


def is_word_in_lower_case(word: str) -> bool:
    """Return whether the word, written in lower case, is an English word, be it a frequent name too."""
    return is_common_word(word) or word in lexicon().both


def is_proper_noun(word: str) -> bool:
    """Return whether the word is a place, a people, a month or the like, and no frequent name."""
    return folded(word) in lexicon().proper


def is_given_name(word: str) -> bool:
    """Return whether the word is a frequent given name and no ordinary word."""
    plain = folded(word)
    names = lexicon()
    # Abbreviations read like some of the world's names (IBAN).
    known = plain in names.given or (len(plain) > 3 and plain in names.given_world and not word.isupper())
    return (known or ("-" in plain and _is_double_given(plain))) and not is_common_word(word)


def _is_double_given(plain: str) -> bool:
    """Return whether all parts of a hyphenated word are given names ("jean-luc"), or it is a Korean one."""
    parts = plain.split("-")
    names = lexicon()
    both = all(part in names.given or (len(part) > 2 and part in names.given_world) for part in parts)
    return (both or is_korean_given(plain)) and not all(map(is_common_word, parts))


def is_surname(word: str) -> bool:
    """Return whether the word is a frequent surname and no ordinary word."""
    return folded(word) in lexicon().surnames and not is_common_word(word)


def is_also_given(word: str) -> bool:
    """Return whether the word is a frequent given name, be it an ordinary word as well."""
    return folded(word) in lexicon().given


def is_also_surname(word: str) -> bool:
    """Return whether the word is a frequent surname, be it an ordinary word as well."""
    return folded(word) in lexicon().surnames


def may_be_given(word: str) -> bool:
    """Return whether the word or its first part is a given name, rare ones and ordinary words included."""
    names = lexicon()
    return any(p in names.given or p in names.given_rare or p in names.given_world for p in _parts(word))


def may_be_surname(word: str) -> bool:
    """Return whether the word or a part of it is a surname, rare ones and ordinary words included."""
    names = lexicon()
    return any(
        p in names.surnames or p in names.surnames_rare or p in names.surnames_world for p in _parts(word)
    ) or (ends_like_surname(folded(word)) and not is_common_word(word))


def _parts(word: str) -> list[str]:
    """Return the word with and without its apostrophes, and the parts that hyphens make."""
    plain = folded(word)
    whole = plain.replace("'", "").replace("’", "")
    return [plain, whole, *plain.split("-")] if plain != whole or "-" in plain else [plain]


def is_ordinary(words: Sequence[str]) -> bool:
    """Return whether capitalised words are ordinary ones, a heading say, and no given name and surname."""
    names = lexicon()
    plain = [folded(word) for word in words]
    if not all(is_common_word(word) or is_proper_noun(word) for word in words):
        return False
    return plain[0] not in names.given or not all(w in names.given or w in names.surnames for w in plain)
