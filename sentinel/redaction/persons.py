"""Persons in a text: what the model says, trimmed, and what it misses in short, lower-case or listed names.

The model was trained on news. Answers and questions hold names it has never seen, alone on a line, in
lists, in lower case. Rules add those that a title, a phrase, a list of names or a known given name
points at; what the model holds for an organisation or a place of several words is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy.tokens import Doc

from sentinel.redaction import phrases
from sentinel.redaction.lexicon import is_common_word, is_given_name, is_ordinary, is_surname
from sentinel.redaction.spans import Span


class Word(NamedTuple):
    """One word of the text; `gap` is what stands between it and the word before."""

    start: int
    end: int
    text: str
    gap: str


def with_capitals(text: str) -> str:
    """Return the text with lower-case names capitalised, which is what the model knows; offsets stay.

    Capitalised are known names, the word after a given name, and the word that a phrase introduces as
    a name. A text without any such word comes back as it is, and then needs no second look.
    """
    pieces = list(text)
    after_given = False
    for match in re.finditer(phrases.NAME, text):
        word = match.group()
        candidate = word.islower() and len(word) > 2 and not is_common_word(word)
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


def find_persons(text: str, doc: Doc, capital: Doc | None) -> list[Span]:
    """Return the spans of persons in `text`.

    `doc` is the model's view of it, `capital` that of its `with_capitals` twin, if they differ.
    """
    words = _words(text)
    others = [
        (e.start_char, e.end_char)
        for e in doc.ents
        if e.label_ != "PERSON" and len(e) > 1 and not _like_person(e.text)
    ]
    places = {i for e in doc.ents if e.label_ in phrases.NOT_PEOPLE for i in range(e.start_char, e.end_char)}
    found = [
        piece for e in doc.ents if e.label_ == "PERSON" for piece in _pieces(text, e.start_char, e.end_char)
    ]
    for entity in capital.ents if capital is not None else ():
        if entity.label_ == "PERSON" and _is_recased(text, entity.start_char, entity.end_char):
            found.extend(_pieces(text, entity.start_char, entity.end_char))
    found += [*_titled(text, words), *_cued(text, words, places), *_known(words, others)]
    found = _merged(found)
    found = _merged([*found, *_listed(text, words, found, places)])
    return [Span(*_trimmed(text, low, high), "PERSON") for low, high in found]


def _like_person(name: str) -> bool:
    """Return whether what the model holds for something else reads as given name and surname."""
    words = re.findall(phrases.NAME, name)
    return (
        len(words) in {2, 3}
        and is_given_name(words[0])
        and not any(w.lower() in phrases.OF_PLACES for w in words[1:])
    )


def _words(text: str) -> list[Word]:
    words: list[Word] = []
    last = 0
    for match in re.finditer(phrases.NAME, text):
        words.append(Word(match.start(), match.end(), match.group(), text[last : match.start()]))
        last = match.end()
    return words


def _is_name_word(word: str) -> bool:
    return word[0].isupper() and (not word.isupper() or len(word) > 3)


def _pieces(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of name words inside what the model called one person."""
    run: list[Word] = []
    lower = text[low:high].islower()
    for word in _words(text[low:high]):
        joins = not run or (
            word.gap in {" ", ". ", "-", "’", "'", "  ", ".", ", "} and not (word.gap == ", " and not lower)
        )
        if run and not joins:
            yield from _run(text, low, run)
            run = []
        if (
            lower
            or word.text[0].isupper()
            or (run and word.text.lower() in phrases.PARTICLES)
            or not word.text[0].islower()
        ):
            run.append(word)
        elif run:
            yield from _run(text, low, run)
            run = []
    yield from _run(text, low, run)


def _run(text: str, low: int, run: list[Word]) -> Iterator[tuple[int, int]]:
    """Yield the run without words that are labels, unless it is ordinary words, a file name or an address."""
    while run and run[-1].text.lower() in phrases.PARTICLES | phrases.LABELS:
        run = run[:-1]
    while run and run[0].text.lower() in phrases.LABELS:
        run = run[1:]
    if not run or (len(run) == 1 and len(run[0].text) < 2):
        return
    start, end = low + run[0].start, low + run[-1].end
    words = [word.text for word in run]
    if not _is_no_name(text, start, end, words) and (text.islower() or _looks_like_name(words)):
        yield start, end


def _is_no_name(text: str, start: int, end: int, words: Sequence[str]) -> bool:
    """Return whether the words are ordinary ones, a place's or firm's, or part of a file name or address."""
    if len(words) > 1 and words[-1].lower() in phrases.OF_PLACES and not is_given_name(words[0]):
        return True
    if len(words) == 1 and phrases.ARTICLE.search(text, max(0, start - 5), start):
        return True
    glued = phrases.IN_TOKEN_BEFORE.search(text, max(0, start - 2), start) or phrases.IN_TOKEN_AFTER.match(
        text, end
    )
    return is_ordinary(words) or glued is not None


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
    named = any(is_given_name(w) or is_surname(w) for w in words) or _introduced(text, low)
    return bool(words) and named and not any(is_common_word(w) for w in words)


def _titled(text: str, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    starts = {word.start: index for index, word in enumerate(words)}
    for match in phrases.TITLES.finditer(text):
        index = starts.get(match.end())
        if index is None:
            continue
        lower = (
            match.group().islower() and words[index].text.islower() and not is_common_word(words[index].text)
        )
        if _is_name_word(words[index].text) or lower:
            yield match.start(), _extended(words, index, lower=lower)


def _extended(words: Sequence[Word], index: int, *, lower: bool = False, limit: int = 3) -> int:
    """Return the end of the name that begins with the word: more capitalised words, particles, initials."""
    end = index
    for place in range(index + 1, min(len(words), index + 1 + limit)):
        word = words[place]
        if word.gap != " " and not (word.gap in {". ", "."} and len(words[place - 1].text) == 1):
            break
        if word.text.lower() in phrases.LABELS:
            break
        if (
            _is_name_word(word.text)
            or (len(word.text) == 1 and word.text.isupper())
            or (lower and word.text.islower() and (is_surname(word.text) or is_given_name(word.text)))
        ):
            end = place
        elif word.text.lower() not in phrases.PARTICLES:
            break
    return words[end].end


def _cued(text: str, words: Sequence[Word], places: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the names that a phrase before or after them gives away."""
    for index, word in enumerate(words):
        if (
            len(word.text) < 2
            or word.text.lower() in phrases.LABELS
            or word.text.lower() in phrases.TITLE_WORDS
        ):
            continue
        before = text[max(0, word.start - 40) : word.start]
        if word.text.islower():
            if (
                not is_common_word(word.text)
                and phrases.STRONG_CUE.search(before)
                and is_given_name(word.text)
            ):
                yield word.start, _extended(words, index, lower=True)
        elif _is_name_word(word.text) and (
            index == 0 or word.gap != " " or not _is_name_word(words[index - 1].text)
        ):
            end = _extended(words, index)
            strong = phrases.STRONG_CUE.search(before) or phrases.POSSESSED.match(text, end)
            weak = word.start not in places and not is_common_word(word.text)
            if strong or (weak and (phrases.WEAK_CUE.search(before) or phrases.SPEAKS.match(text, end))):
                yield word.start, end


def _known(words: Sequence[Word], others: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield names that begin with a known given name, outside of longer names of other things."""
    for index, word in enumerate(words):
        if not is_given_name(word.text) or any(low <= word.start < high for low, high in others):
            continue
        following = words[index + 1] if index + 1 < len(words) and words[index + 1].gap == " " else None
        if _is_name_word(word.text):
            if (
                following is None
                or following.text.lower() not in phrases.OF_PLACES
                or following.text.islower()
            ):
                yield word.start, _extended(words, index)
        elif (
            word.text.islower()
            and following is not None
            and following.text.islower()
            and is_surname(following.text)
        ):
            yield word.start, following.end


def _listed(
    text: str, words: Sequence[Word], found: Sequence[tuple[int, int]], places: set[int]
) -> Iterator[tuple[int, int]]:
    """Yield the capitalised members of an enumeration some member of which is a person."""
    persons = {i for low, high in found for i in range(low, high)}
    run: list[tuple[int, int]] = []
    previous = -2
    for index, word in enumerate(words):
        if (
            not _is_name_word(word.text)
            or word.text.lower() in phrases.LABELS
            or (not run and is_common_word(word.text))
        ):
            continue
        if run and index - previous == 1 and word.gap == " ":
            run[-1] = (run[-1][0], word.end)
        elif run and _continues(words, previous, index):
            run.append((word.start, word.end))
        else:
            yield from _members(text, run, persons, places)
            run = [] if is_common_word(word.text) else [(word.start, word.end)]
        previous = index
    yield from _members(text, run, persons, places)


def _continues(words: Sequence[Word], previous: int, index: int) -> bool:
    """Return whether the word is the next member of the enumeration whose last word is `previous`."""
    gap = words[index].gap
    if index - previous == 1:
        return gap in {", ", " & ", "/", "; "}
    joint = words[index - 1]
    return (
        index - previous == 2
        and joint.text.lower() in {"and", "or"}
        and gap == " "
        and joint.gap in {" ", ", "}
    )


def _members(
    text: str, run: Sequence[tuple[int, int]], persons: set[int], places: set[int]
) -> Iterator[tuple[int, int]]:
    """Yield the run's members if a third of them are persons by other signs."""
    if len(run) < 2:
        return
    surnames = sum(
        low not in places and low not in persons and is_surname(text[low:high]) for low, high in run
    )
    people = sum(low in persons for low, _ in run) + surnames
    if people * 3 >= len(run):
        yield from ((low, high) for low, high in run if low not in places or people * 2 >= len(run))


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
