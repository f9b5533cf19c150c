"""A given name or surname alone, behind the full name: the same person, where nobody else is meant.

Only behind it, in reading order with the answer last: where the part comes first, the full name says more
than was known, and a reviewer must see that it does. And for all of an answer or not at all: one value has
one placeholder.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sentinel.redaction.lexicon import is_common_word, is_given_name
from sentinel.redaction.phrases import PARTICLES, TITLE_WORDS
from sentinel.redaction.spans import Span, Taken

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]{2,})*")


def linked_parts(texts: Iterable[tuple[str, Sequence[Span]]]) -> Mapping[str, str]:
    """Return, by its case-folded form, each part that stands for a full name, and that full name.

    `texts` are those of an answer in reading order, with their disjoint spans.
    """
    read = [(text, [span for span in spans if span.entity == "PERSON"]) for text, spans in texts]
    full: dict[tuple[str, ...], str] = {}
    owners: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for text, spans in read:
        for span in spans:
            words = _name_words(text[span.start : span.end])
            if len(words) > 1:
                full.setdefault(words, text[span.start : span.end])
                for word in words:
                    owners[word].add(words)
    parts = {
        word: next(iter(names))
        for word, names in owners.items()
        if len(names) == 1 and word in (next(iter(names))[0], next(iter(names))[-1]) and len(word) > 2
    }
    behind = _behind(read, parts) if parts else frozenset()
    return {word: full[parts[word]] for word in behind}


def _name_words(value: str) -> tuple[str, ...]:
    """Return the words of a name in small letters, without titles and particles."""
    words = (match.group().casefold() for match in _WORD.finditer(value))
    return tuple(word for word in words if word not in TITLE_WORDS | PARTICLES)


def _behind(
    read: Sequence[tuple[str, Sequence[Span]]], parts: Mapping[str, tuple[str, ...]]
) -> frozenset[str]:
    """Return the parts whose first lone mention comes after their full name."""
    said: set[tuple[str, ...]] = set()
    settled: dict[str, bool] = {}
    for text, spans in read:
        names = Taken((span.start, span.end) for span in spans if " " in text[span.start : span.end])
        full = {span.start: _name_words(text[span.start : span.end]) for span in spans}
        lone = {span.start for span in spans}
        for match in _WORD.finditer(text):
            word = match.group().casefold()
            if word not in parts and word.endswith("s"):
                word = word[:-1]
            if match.start() in full and not names.is_free(*match.span()):
                said.add(full[match.start()])
            elif (
                word in parts
                and names.is_free(*match.span())
                and (match.start() in lone or _is_written_as_part(match.group()))
            ):
                settled.setdefault(word, parts[word] in said)
    return frozenset(word for word, is_behind in settled.items() if is_behind)


def _is_written_as_part(word: str) -> bool:
    return word[0].isupper() and (is_given_name(word) or not is_common_word(word))
