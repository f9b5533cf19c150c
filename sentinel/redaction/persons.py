"""Persons in a text: what the model says, trimmed, and what it misses in short, lower-case or listed names.

The model was trained on news. Answers and questions hold names it has never seen, alone on a line, in
lists, in lower case. Rules add those that a title, a phrase, a list of names or a known given name
points at; what the model holds for an organisation or a place of several words is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from sentinel.redaction import phrases
from sentinel.redaction.beside import beside
from sentinel.redaction.entities import Entity
from sentinel.redaction.lexicon import (
    is_common_word,
    is_given_name,
    is_ordinary,
    is_surname,
    is_word_in_lower_case,
    lexicon,
    may_be_given,
    may_be_surname,
)
from sentinel.redaction.mentions import (
    Word,
    cued,
    firms,
    is_of_place,
    is_order,
    known,
    listed,
    notable,
    paired,
    split_words,
    titled,
)
from sentinel.redaction.namesakes import begins_place, is_namesake
from sentinel.redaction.spans import Span
from sentinel.redaction.written_names import written_names

_JOINTS = frozenset({" ", ". ", "-", "’", "'", "  ", ".", ", "})


def with_capitals(text: str) -> str:
    """Return the text with lower-case names capitalised, which is what the model knows; offsets stay.

    Capitalised are known names, the word after a given name, and the word that a phrase introduces as
    a name. A text without any such word comes back as it is, and then needs no second look.
    """
    pieces = list(text)
    ordinary = lexicon().words
    after_given = False
    for match in re.finditer(phrases.NAME, text):
        word = match.group()
        if word in ordinary:
            after_given = False
            continue
        candidate = word.islower() and len(word) > 2
        given = candidate and is_given_name(word)
        if given or (candidate and (after_given or is_surname(word) or _introduced(text, match.start()))):
            pieces[match.start()] = _upper(word[0])
        after_given = given and text[match.end() : match.end() + 1] == " "
    return "".join(pieces)


def _introduced(text: str, start: int) -> bool:
    return phrases.STRONG_CUE.search(text, max(0, start - 40), start) is not None


def _upper(character: str) -> str:
    upper = character.upper()
    return upper if len(upper) == 1 else character


def find_persons(
    text: str, view: Sequence[Entity], capital: Sequence[Entity] = (), more: Sequence[Sequence[Entity]] = ()
) -> list[Span]:
    """Return the spans of persons in `text`.

    `view` is what the model says of it, `capital` what it says of its `with_capitals` twin where they differ;
    `more` are the views of models of other languages.
    """
    words = split_words(text)
    candidates = notable(words)
    others = [
        (e.start, e.end)
        for e in view
        if e.label not in phrases.PEOPLE
        and e.words > 1
        and not _like_person(text[e.start : e.end])
        # Of capitals throughout the model knows nothing.
        and not _is_name_in_capitals(text[e.start : e.end])
    ]
    places = {i for e in view if e.label in phrases.NOT_PEOPLE for i in range(e.start, e.end)}
    found = [
        piece
        for one in (view, *more)
        for e in one
        if e.label in phrases.PEOPLE
        for piece in _pieces(text, e.start, e.end)
    ]
    for entity in capital:
        if entity.label in phrases.PEOPLE and _is_recased(text, entity.start, entity.end):
            found.extend(_pieces(text, entity.start, entity.end))
    found += [*titled(text, words), *cued(text, words, candidates, places)]
    found += [*known(text, words, candidates, others), *paired(words, candidates, others, places)]
    found += [
        *written_names(text, lower=may_hold_lower(text, words, candidates)),
        *beside(text, words, candidates, places, others),
    ]
    found = [piece for piece in _merged(_with_glued(words, found)) if not _is_thing(text, *piece)]
    found = _merged([*found, *listed(text, words, candidates, found, places)])
    firm = list(firms(words)) if found else []
    found = [(low, high) for low, high in found if not any(low < end and high > start for start, end in firm)]
    return [Span(*_trimmed(text, low, high), "PERSON") for low, high in found]


def may_hold_lower(text: str, words: Sequence[Word], candidates: Sequence[int]) -> bool:
    """Return whether a name in lower case, or in letters without any case, may be there.

    It has a word that is no ordinary one. With its ending ("mark's") a word may be none that is ordinary
    without it.
    """
    if "'" in text or "’" in text or "`" in text:
        return True
    return any(words[index].text[0] not in ascii_uppercase for index in candidates)


def _with_glued(words: Sequence[Word], found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges, each going on over a name with its particle ("al-Rashid") right behind it."""
    if not found:
        return []
    glued = {w.start: w.end for w in words if w.gap == " " and phrases.PARTICLE_AND_NAME.match(w.text)}
    return [(low, glued.get(high + 1, high)) for low, high in found]


def _is_name_in_capitals(thing: str) -> bool:
    return thing.isupper() and any(map(is_given_name, re.findall(phrases.NAME, thing)))


def _like_person(name: str) -> bool:
    """Return whether what the model holds for something else reads as given name and surname."""
    words = re.findall(phrases.NAME, name)
    if words and words[0].lower() in phrases.LABELS:
        words = words[1:]
        if len(words) == 1:
            return is_given_name(words[0])
    if len(words) not in {2, 3} or any(w.lower() in phrases.OF_PLACES for w in words[1:]):
        return False
    if is_namesake(words) or begins_place(words[0]):
        return False
    pair = may_be_given(words[0]) and may_be_surname(words[-1]) and not any(map(is_common_word, words))
    return is_given_name(words[0]) or pair


def _is_thing(text: str, low: int, high: int) -> bool:
    """Return whether what reads as a name is a disease, a product, or a place after a telling word."""
    words = re.findall(phrases.NAME, text[low:high])
    if phrases.EPONYM.match(text, high):
        return len(words) == 1
    if len(words) != 1:
        return False
    if phrases.OF_THINGS.match(text, high):
        return not is_given_name(words[0]) or is_namesake(words)
    unknown = not (is_given_name(words[0]) or is_surname(words[0]))
    return unknown and phrases.IN_PLACE.search(text, max(0, low - 20), low) is not None


def _pieces(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of name words inside what the model called one person."""
    run: list[Word] = []
    lower = text[low:high].islower()
    for word in split_words(text[low:high]):
        joins = not run or (word.gap in _JOINTS and not (word.gap == ", " and not lower))
        if run and not joins:
            yield from _run(text, low, run)
            run = []
        particle = bool(run) and word.text.lower() in phrases.PARTICLES
        if lower or particle or not word.text[0].islower() or phrases.PARTICLE_AND_NAME.match(word.text):
            run.append(word)
        elif run:
            yield from _run(text, low, run)
            run = []
    yield from _run(text, low, run)


def _run(text: str, low: int, run: list[Word]) -> Iterator[tuple[int, int]]:
    """Yield the run without words that are labels, unless it is ordinary words, a file name or an address."""
    while run and run[-1].text.lower() in phrases.PARTICLES | phrases.LABELS:
        run = run[:-1]
    while run and run[0].text.lower() in phrases.LABELS | phrases.TITLE_WORDS:
        run = run[1:]
    if len(run) == 1 and run[0].text.lower() in phrases.PARTICLES:
        return
    while len(run) > 1 and is_common_word(run[-1].text) and not may_be_surname(run[-1].text):
        run = run[:-1]
    while len(run) > 1 and is_common_word(run[0].text) and not _may_be_name(run[0].text):
        run = run[1:]
    if not run or (len(run) == 1 and len(run[0].text) < 2):
        return
    start, end = low + run[0].start, low + run[-1].end
    words = [word.text for word in run]
    if text.islower() and len(words) == 1 and is_common_word(words[0]):
        return
    if not _is_no_name(text, start, end, words) and (text.islower() or _looks_like_name(words)):
        yield start, end


def _may_be_name(word: str) -> bool:
    return may_be_given(word) or may_be_surname(word)


def _is_no_name(text: str, start: int, end: int, words: Sequence[str]) -> bool:
    """Return whether the words are ordinary ones, a place's or firm's, or part of a file name or address."""
    if is_of_place(words) and not is_given_name(words[0]):
        return True
    if is_namesake(words) or is_ordinary(words) or (len(words) == 2 and begins_place(words[0])):
        return True
    if len(words) == 1 and (phrases.CAMEL.search(words[0]) or is_order(text, words[0], end)):
        return True
    if len(words) == 1 and phrases.ARTICLE.search(text, max(0, start - 5), start):
        return True
    before = phrases.IN_TOKEN_BEFORE.search(text, max(0, start - 2), start)
    return before is not None or phrases.IN_TOKEN_AFTER.match(text, end) is not None


def _looks_like_name(words: Sequence[str]) -> bool:
    if any(is_given_name(word) or is_surname(word) for word in words):
        return True
    return any(
        word[0].isupper() and (not word.isupper() or len(word) > 4 or len(words) > 1) for word in words
    )


def _is_recased(text: str, low: int, high: int) -> bool:
    words = [
        w for w in re.findall(phrases.NAME, text[low:high]) if w.islower() and w not in phrases.PARTICLES
    ]
    introduced = _introduced(text, low)
    named = any(is_given_name(w) or is_surname(w) for w in words) or introduced
    if len(words) == 1 and is_word_in_lower_case(words[0]) and not introduced:
        return False
    return bool(words) and named and not any(is_common_word(w) for w in words) and not is_namesake(words)


def _trimmed(text: str, low: int, high: int) -> tuple[int, int]:
    """Return the span without a possessive ending."""
    match = re.search(r"\\?['’]s?\Z", text[low:high])
    return (low, low + match.start()) if match is not None and match.start() > 0 else (low, high)


def _merged(found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(found):
        if merged and low < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged
