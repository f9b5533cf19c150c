"""Names and the words that look like them, from `names.json` beside this file.

Given names and surnames are those of the US Census Bureau's 1990 name files (public domain); the words
are names that stand in lower case in English prose, so they count only where they are written or
introduced like a name.
"""

from __future__ import annotations

import json
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


def is_surname(word: str) -> bool:
    """Return whether the word is a frequent surname and no ordinary word."""
    return word.casefold() in lexicon().surnames and not is_common_word(word)
