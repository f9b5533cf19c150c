"""Names and the words that look like them, from `names.json` beside this file.

Given names and surnames are those of the US Census Bureau's 1990 name files (public domain); the words
are those that stand in lower case in English prose: a name among them counts only where it is written
or introduced like a name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Lexicon(NamedTuple):
    """Three sets of lower-case words."""

    given: frozenset[str]
    surnames: frozenset[str]
    words: frozenset[str]


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, read once per process."""
    content = json.loads(files("sentinel.redaction").joinpath("names.json").read_text("utf-8"))
    return Lexicon(*(frozenset(content[key].split()) for key in ("given", "surnames", "words")))


def is_common_word(word: str) -> bool:
    """Return whether the word, in any case, is an ordinary English word as well."""
    return word.casefold() in lexicon().words


def is_given_name(word: str) -> bool:
    """Return whether the word is a given name and no ordinary word."""
    return word.casefold() in lexicon().given and not is_common_word(word)


def is_ordinary(words: Sequence[str]) -> bool:
    """Return whether capitalised words are ordinary ones, a heading say, and no given name and surname."""
    names = lexicon()
    plain = [word.casefold() for word in words]
    if not all(word in names.words for word in plain):
        return False
    return plain[0] not in names.given or not all(w in names.given or w in names.surnames for w in plain)


def is_surname(word: str) -> bool:
    """Return whether the word is a frequent surname and no ordinary word."""
    return word.casefold() in lexicon().surnames and not is_common_word(word)
