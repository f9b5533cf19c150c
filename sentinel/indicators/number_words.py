"""English number words as values: `thirty`, `twenty-five`, `two hundred and ten`, `a dozen`, `half`."""
# ruff: noqa: SIM905 - word lists read as text

from __future__ import annotations

import re
from collections.abc import Iterator

from sentinel.indicators.number_values import CARDINALS, DECADES, ORDINALS, SCALES, TENS, value_of
from sentinel.indicators.shares import OPENING, compound

_AMOUNTS = {
    "dozen": 12.0, "half": 0.5, "quarter": 0.25, "once": 1.0, "twice": 2.0, "thrice": 3.0, "double": 2.0,
    "triple": 3.0, "couple": 2.0, "single": 1.0, "both": 2.0, "century": 100.0, "decade": 10.0,
}  # fmt: skip

#: Words that state a number in evidence, and those of them that do so in an answer: there `one` is
#: mostly a pronoun and `first` to `third` put points in order.
EVIDENCE_WORDS = frozenset(
    word.encode() for word in (*CARDINALS, *SCALES, *ORDINALS, *_AMOUNTS, *DECADES, "dozens")
)
ANSWER_WORDS = frozenset(
    word.encode()
    for word in (*CARDINALS, *SCALES, *ORDINALS)
    if word not in ("one", "first", "second", "third")
)

#: May open a phrase (`one hundred`) without stating a number alone.
_OPENING_WORDS = frozenset((b"one",))

_CARDINAL = "|".join(sorted(CARDINALS, key=lambda word: (-len(word), word)))
_SCALE = "|".join(SCALES)
_PHRASE = re.compile(
    rf"(?P<phrase>(?:{_CARDINAL}|{_SCALE})\b(?:[\s-]{{1,2}}(?:and\s)?(?:{_CARDINAL}|{_SCALE}|oh)\b){{0,12}})"
    r"(?P<dozen>\sdozens?\b)?(?P<half>\sand\sa\shalf\b)?(?:[\s-]{1,2}(?P<noun>[^\W\d_]+))?",
    re.IGNORECASE,
)
_TENS_BEFORE = re.compile(rf"(?<!\w)({'|'.join(TENS)})[\s-]$", re.IGNORECASE)
_MINUS_BEFORE = re.compile(r"\b(?:minus|negative)\s$", re.IGNORECASE)
_DIGITS_BEFORE = re.compile(r"\d[\s-]?$")

#: After a small number word these nouns count what the answer itself lists, not what the evidence says.
_ENUMERATING = frozenset(
    """ways way steps step options option things thing reasons reason types type kinds kind factors main key
    different of examples methods parts categories points common possible other major more most primary
    important ones approaches aspects sections groups strategies tips areas features benefits general or
    and in is are to the such basic simple separate distinct possibilities scenarios solutions""".split()
)


def evidence_number_words(text: str, words: set[bytes]) -> Iterator[float]:
    """Yield every value that number words of a text may mean; `words` are its folded words."""
    present = EVIDENCE_WORDS & words
    if not present:
        return
    for start, word in _places(text, present):
        if word in _AMOUNTS:
            yield _AMOUNTS[word]
        elif word in DECADES:
            yield from (float(century + DECADES[word]) for century in (0, 1800, 1900))
        elif word in ORDINALS:
            yield _ordinal(text, start, word)
        elif match := _PHRASE.match(text, start):
            yield from _phrase_values(text, match)
            if word in CARDINALS:
                yield float(CARDINALS[word])


def _phrase_values(text: str, match: re.Match[str]) -> Iterator[float]:
    value = value_of(match["phrase"])
    yield value
    if match["half"]:
        yield value + 0.5
    if match["dozen"]:
        yield value * 12
    noun = (match["noun"] or "").lower()
    if noun in OPENING and (whole := compound(text, match.end("phrase"), value, noun)) is not None:
        yield from whole[1]
    if _MINUS_BEFORE.search(text, max(0, match.start() - 9), match.start()):
        yield -value


def answer_number_words(text: str, words: set[bytes]) -> Iterator[tuple[int, int, tuple[float, ...]]]:
    """Yield start, end and possible values of the number words in an answer that state a number.

    A small number before an enumerating noun (`three main reasons`) counts the answer's own list: it
    states nothing of the evidence. `words` are the content words of the text.
    """
    present = ANSWER_WORDS & words
    if not present:
        return
    end = -1
    for start, word in _places(text, present | _OPENING_WORDS):
        if start < end:
            continue
        if word in ORDINALS:
            yield start, start + len(word), (_ordinal(text, start, word),)
            continue
        match = _PHRASE.match(text, start)
        if match is None or _DIGITS_BEFORE.search(text, max(0, start - 2), start):
            continue
        end = match.end("phrase")
        noun = (match["noun"] or "").lower()
        value = value_of(match["phrase"])
        if noun in OPENING and (whole := compound(text, end, value, noun)) is not None:
            end = whole[0]
            yield start, end, whole[1]
            continue
        if (values := _stated(match, value, noun)) is not None:
            yield start, end, values


def _stated(match: re.Match[str], value: float, noun: str) -> tuple[float, ...] | None:
    """Return what a phrase of cardinals states; None where it states nothing of the evidence."""
    if value < 2 or (value < 10 and not match["dozen"] and (not noun or noun in _ENUMERATING)):
        return None
    if noun in ORDINALS:
        return None
    if match["dozen"]:
        return (value * 12,)
    return (value + 0.5,) if match["half"] else (value,)


def _places(text: str, present: frozenset[bytes]) -> list[tuple[int, str]]:
    """Return where the given words stand in a text, as whole words, in order."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    places = []
    for word in sorted(name.decode() for name in present):
        start = lowered.find(word)
        while start >= 0:
            end = start + len(word)
            if not (start and lowered[start - 1].isalnum()) and not lowered[end : end + 1].isalnum():
                places.append((start, word))
            start = lowered.find(word, end)
    places.sort()
    return places


def _ordinal(text: str, start: int, word: str) -> float:
    """Return the value of an ordinal, together with tens that stand before it (`twenty-first`)."""
    tens = _TENS_BEFORE.search(text, max(0, start - 9), start)
    return float((TENS[tens[1].lower()] if tens else 0) + ORDINALS[word])
