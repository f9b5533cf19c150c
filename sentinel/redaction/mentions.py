"""Names that rules find where the model sees none: titled, introduced, known, paired or listed ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from sentinel.redaction import phrases
from sentinel.redaction.lexicon import (
    folded,
    is_also_given,
    is_also_surname,
    is_common_word,
    is_given_name,
    is_ordinary,
    is_surname,
    is_word_in_lower_case,
    lexicon,
    may_be_given,
    may_be_surname,
)
from sentinel.redaction.namesakes import begins_place, is_firm, is_namesake, is_place
from sentinel.redaction.shapes import is_east_asian

Range = tuple[int, int]


class Word(NamedTuple):
    """One word of the text; `gap` is what stands between it and the word before."""

    start: int
    end: int
    text: str
    gap: str

    def __repr__(self) -> str:
        return f"Word(start={self.start}, end={self.end})"


def split_words(text: str) -> list[Word]:
    """Return the words of the text in order."""
    words: list[Word] = []
    last = 0
    for match in re.finditer(phrases.NAME, text):
        words.append(Word(match.start(), match.end(), match.group(), text[last : match.start()]))
        last = match.end()
    return words


def notable(words: Sequence[Word]) -> list[int]:
    """Return the indices of the words that may be a part of a name: all but ordinary ones in lower case.

    A rule that looks for names word by word need look at no other.
    """
    ordinary = lexicon().words
    return [index for index, word in enumerate(words) if word.text not in ordinary]


def is_name_word(word: str) -> bool:
    """Return whether the word is written like a name: a capital first, and no abbreviation."""
    if word[0].islower() and phrases.PARTICLE_AND_NAME.match(word):
        return True
    return word[0].isupper() and (not word.isupper() or len(word) > 3)


def titled(text: str, words: Sequence[Word]) -> Iterator[Range]:
    """Yield the names behind a title, with it if it is a form of address."""
    matches = list(phrases.TITLES.finditer(text))
    starts = {word.start: index for index, word in enumerate(words)} if matches else {}
    for match in matches:
        index = starts.get(match.end())
        if index is None or words[index].text.lower() in phrases.TITLE_WORDS:
            continue
        word = words[index].text
        if word.islower():
            if match.group().islower() and not is_common_word(word):
                yield match.start(), _extended(words, index, lower=True)
        elif is_name_word(word):
            end = _extended(words, index)
            if match.group().strip(" \t.").lower() in phrases.SHORT_TITLES:
                yield match.start(), end
            elif not is_ordinary(_texts(words, index, end)) or may_be_surname(word):
                yield words[index].start, end


def _extended(words: Sequence[Word], index: int, *, lower: bool = False, limit: int = 3) -> int:
    """Return the end of the name that begins with the word: more capitalised words, particles, initials."""
    end = index
    for place in range(index + 1, min(len(words), index + 1 + limit)):
        word = words[place]
        if word.gap != " " and not (word.gap in {". ", "."} and len(words[place - 1].text) == 1):
            break
        if word.text.lower() in phrases.LABELS or (place > index + 1 and _ends_name(word.text)):
            break
        if (
            is_name_word(word.text)
            or (len(word.text) == 1 and word.text.isupper())
            or (lower and word.text.islower() and (is_surname(word.text) or is_given_name(word.text)))
        ):
            end = place
        elif word.text.lower() not in phrases.PARTICLES:
            break
    return words[end].end


def _ends_name(word: str) -> bool:
    """Return whether a capitalised word is no part of the name before it, as in "Ana Roy Senior Analyst"."""
    return len(word) > 3 and is_common_word(word) and not (is_also_given(word) or is_also_surname(word))


def cued(text: str, words: Sequence[Word], candidates: Sequence[int], others: set[int]) -> Iterator[Range]:
    """Yield the names that a phrase before or after them gives away.

    `candidates`: the words that are `notable`; `others`: the places in the text that the model holds for
    something that is no person.
    """
    for index in candidates:
        word = words[index]
        plain = word.text.lower()
        if len(plain) < 2 or plain in phrases.LABELS or plain in phrases.TITLE_WORDS:
            continue
        if word.text.islower():
            if is_given_name(plain) and phrases.STRONG_CUE.search(text, max(0, word.start - 40), word.start):
                yield word.start, _extended(words, index, lower=True)
        elif is_name_word(word.text) and (
            index == 0 or word.gap != " " or not _joins_name(words[index - 1].text)
        ):
            end = _extended(words, index)
            if _is_introduced(text, words, index, end, others):
                yield word.start, end


def _joins_name(word: str) -> bool:
    return is_name_word(word) and word.lower() not in phrases.LABELS | phrases.TITLE_WORDS


def _texts(words: Sequence[Word], index: int, end: int) -> list[str]:
    return [w.text for w in words[index : index + 5] if w.end <= end]


def _is_introduced(text: str, words: Sequence[Word], index: int, end: int, others: set[int]) -> bool:
    word = words[index]
    name = _texts(words, index, end)
    low = max(0, word.start - 48)
    if phrases.OF_THINGS.match(text, end) or is_of_place(name) or begins_place(word.text):
        return False
    if phrases.STRONG_CUE.search(text, low, word.start) or phrases.POSSESSED.match(text, end):
        return True
    addressed = phrases.ADDRESS_BEFORE.search(text, low, word.start) or phrases.ADDRESS_AFTER.match(text, end)
    if addressed and (
        is_also_given(word.text) or (may_be_given(word.text) and not is_common_word(word.text))
    ):
        return True
    if is_namesake(name):
        return is_also_given(name[0]) and phrases.SPEAKS.match(text, end) is not None
    if is_ordinary(name):
        return False
    if phrases.ROLE_CUE.search(text, low, word.start) or phrases.OWNS_ADDRESS.match(text, end):
        return True
    if is_common_word(word.text):
        return False
    return _is_hinted(text, name, low, word.start, end, labelled=word.start in others)


def _is_hinted(text: str, name: Sequence[str], low: int, start: int, end: int, *, labelled: bool) -> bool:
    """Return whether a phrase that other things share points at a name; the model may say otherwise."""
    named = may_be_given(name[0])
    if labelled and not named and len(name) == 1:
        return False
    if phrases.SPEAKS.match(text, end) or phrases.WEAK_CUE.search(text, low, start):
        return True
    turn = phrases.TURN_AFTER.match(text, end) and phrases.TURN_BEFORE.search(text, low, start)
    return named and bool(turn or phrases.ACTS.match(text, end))


def known(
    text: str, words: Sequence[Word], candidates: Sequence[int], others: Sequence[Range]
) -> Iterator[Range]:
    """Yield names that begin with a known given name, outside of longer names of other things."""
    for index in candidates:
        word = words[index]
        if not is_given_name(word.text) or word.text.lower() in phrases.LABELS:
            continue
        if any(low <= word.start < high for low, high in others):
            continue
        if index and word.gap in {" ", ". "} and begins_place(words[index - 1].text):
            continue
        following = words[index + 1] if index + 1 < len(words) and words[index + 1].gap == " " else None
        if is_name_word(word.text):
            end = _extended(words, index)
            name = _texts(words, index, end)
            if len(name) == 1 and word.text.lower() in phrases.PARTICLES:
                continue  # an article of another language
            if not (_is_place_here(name) or is_of_place(name) or is_order(text, word.text, end)):
                yield word.start, end
        elif (
            word.text.islower()
            and following is not None
            and following.text.islower()
            and is_surname(following.text)
        ):
            yield word.start, following.end


def is_order(text: str, word: str, end: int) -> bool:
    """Return whether the word is a verb here that others bear as a name."""
    return is_word_in_lower_case(word.lower()) and phrases.DOES.match(text, end) is not None


def _is_place_here(name: Sequence[str]) -> bool:
    """Return whether a name that is a place's or a product's as well is one here."""
    if is_namesake(name):
        return True
    return is_place(name[0]) and not may_be_surname(name[1])


def is_of_place(name: Sequence[str]) -> bool:
    """Return whether capitalised words end like a street, a firm, a prize or another named thing."""
    return len(name) > 1 and name[-1].lower() in phrases.OF_PLACES


def paired(
    words: Sequence[Word], candidates: Sequence[int], others: Sequence[Range], labelled: set[int]
) -> Iterator[Range]:
    """Yield a given name and a surname side by side, rare ones too.

    One of them may be unknown where the model holds the words (`labelled`) for nothing else.
    """
    for index, following in pairwise(candidates):
        if following != index + 1:
            continue
        first, second = words[index], words[following]
        if second.gap != " " or not (is_name_word(first.text) and is_name_word(second.text)):
            continue
        if _is_eastern_pair(first.text, second.text):
            yield first.start, second.end
            continue
        if is_common_word(second.text) or any(low <= first.start < high for low, high in others):
            continue
        end = _extended(words, index)
        name = _texts(words, index, end)
        labels = phrases.LABELS | phrases.TITLE_WORDS
        if first.text.lower() in labels or second.text.lower() in labels or is_of_place(name):
            continue
        if begins_place(first.text) or is_namesake(name) or is_place(second.text):
            continue
        if _is_pair(first, second, opens=index == 0 or first.gap != " ", labelled=first.start in labelled):
            yield first.start, end


def _is_eastern_pair(first: str, second: str) -> bool:
    """Return whether the words are a Chinese or Korean name in Latin letters ("Sun Yifei")."""
    words = (first, second)
    if all(map(is_common_word, words)) or any(map(is_place, words)) or begins_place(first):
        return False
    longer = max(words, key=len)
    return not is_common_word(longer) and is_east_asian(folded(first), folded(second))


def _is_pair(first: Word, second: Word, *, opens: bool, labelled: bool) -> bool:
    given, surname = may_be_given(first.text), may_be_surname(second.text)
    if is_common_word(first.text):  # opens: the first word of a sentence has a capital anyhow
        return given and surname and not opens and is_also_given(first.text)
    if given and surname:
        return True
    foreign = not (first.text.isascii() and second.text.isascii())
    return not labelled and (given or surname or foreign)


def firms(words: Sequence[Word]) -> Iterator[Range]:
    """Yield the places of firms that are called like people."""
    for first, second in pairwise(words):
        if second.gap in {" ", " & ", " and "} and is_firm(first.text, second.text):
            yield first.start, second.end
    for word in words:
        parts = word.text.split("-")
        if len(parts) == 2 and is_firm(*parts):
            yield word.start, word.end


def listed(
    text: str, words: Sequence[Word], candidates: Sequence[int], found: Sequence[Range], others: set[int]
) -> Iterator[Range]:
    """Yield the capitalised members of an enumeration some member of which is a person."""
    persons = {i for low, high in found for i in range(low, high)}
    run: list[Range] = []
    previous = -2
    for index in candidates:
        word = words[index]
        if (
            not is_name_word(word.text)
            or word.text.lower() in phrases.LABELS
            or (not run and is_common_word(word.text))
        ):
            continue
        if run and index - previous == 1 and word.gap == " ":
            run[-1] = (run[-1][0], word.end)
        elif run and _continues(words, previous, index):
            run.append((word.start, word.end))
        else:
            yield from _members(text, run, persons, others)
            run = [] if is_common_word(word.text) else [(word.start, word.end)]
        previous = index
    yield from _members(text, run, persons, others)


def _continues(words: Sequence[Word], previous: int, index: int) -> bool:
    """Return whether the word is the next member of the enumeration whose last word is `previous`."""
    gap = words[index].gap
    if index - previous == 1:
        return gap in {", ", " & ", "/", "; "}
    joint = words[index - 1]
    return (
        index - previous == 2
        and joint.text.lower() in {"and", "or", "nor"}
        and gap == " "
        and joint.gap in {" ", ", "}
    )


def _members(text: str, run: Sequence[Range], persons: set[int], others: set[int]) -> Iterator[Range]:
    """Yield the run's members if a third of them are persons by other signs."""
    if len(run) < 2:
        return
    names = [re.findall(phrases.NAME, text[low:high]) for low, high in run]
    surnames = sum(
        low not in others and low not in persons and is_surname(text[low:high]) for low, high in run
    )
    people = sum(low in persons for low, _ in run) + surnames
    if people * 3 < len(run):
        return
    for (low, high), name in zip(run, names, strict=True):
        most = people * 2 >= len(run)
        if low in others and not most:
            continue
        if is_namesake(name) and not (most and low not in others and is_given_name(name[0])):
            continue
        if not is_ordinary(name) or may_be_surname(name[-1]):
            yield low, high
