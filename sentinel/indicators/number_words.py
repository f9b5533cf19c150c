"""English number words as values: `thirty`, `twenty-five`, `two hundred and ten`, `a dozen`, `half`."""
# ruff: noqa: SIM905 - word lists read as text

from __future__ import annotations

import re
from collections.abc import Iterator

_UNITS = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen""".split()
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_CARDINALS = {**_UNITS, **_TENS, "fourty": 40}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
    "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "hundredth": 100,
}  # fmt: skip
_AMOUNTS = {
    "dozen": 12.0, "half": 0.5, "quarter": 0.25, "once": 1.0, "twice": 2.0, "thrice": 3.0, "double": 2.0,
    "triple": 3.0, "couple": 2.0, "single": 1.0, "both": 2.0, "century": 100.0, "decade": 10.0,
}  # fmt: skip

#: Words that state a number in evidence, and those of them that do so in an answer: there `one` is
#: mostly a pronoun and `first` to `third` put points in order.
_EVIDENCE_WORDS = frozenset(
    word.encode() for word in (*_CARDINALS, *_SCALES, *_ORDINALS, *_AMOUNTS, "dozens")
)
_ANSWER_WORDS = frozenset(
    word.encode()
    for word in (*_CARDINALS, *_SCALES, *_ORDINALS)
    if word not in ("one", "first", "second", "third")
)

#: May open a phrase (`one hundred`) without stating a number alone.
_OPENING_WORDS = frozenset((b"one",))

_CARDINAL = "|".join(sorted(_CARDINALS, key=lambda word: (-len(word), word)))
_SCALE = "|".join(_SCALES)
_PHRASE = re.compile(
    rf"(?P<phrase>(?:{_CARDINAL}|{_SCALE})\b(?:[\s-]{{1,2}}(?:and\s)?(?:{_CARDINAL}|{_SCALE})\b){{0,12}})"
    r"(?P<dozen>\sdozens?\b)?(?P<half>\sand\sa\shalf\b)?(?:[\s-]{1,2}(?P<noun>[^\W\d_]+))?",
    re.IGNORECASE,
)
_TENS_BEFORE = re.compile(rf"(?<!\w)({'|'.join(_TENS)})[\s-]$", re.IGNORECASE)
_DIGITS_BEFORE = re.compile(r"\d[\s-]?$")

#: After a small number word these nouns count what the answer itself lists, not what the evidence says.
_ENUMERATING = frozenset(
    """ways way steps step options option things thing reasons reason types type kinds kind factors main key
    different of examples methods parts categories points common possible other major more most primary
    important ones approaches aspects sections groups strategies tips areas features benefits general or
    and in is are to the such basic simple separate distinct possibilities scenarios solutions""".split()
)


def evidence_number_words(text: str, words: frozenset[bytes]) -> Iterator[float]:
    """Yield every value that number words of a text may mean; `words` are its folded words."""
    present = _EVIDENCE_WORDS & words
    if not present:
        return
    for start, word in _places(text, present):
        if word in _AMOUNTS:
            yield _AMOUNTS[word]
        elif word in _ORDINALS:
            yield _ordinal(text, start, word)
        elif match := _PHRASE.match(text, start):
            value = _value(match["phrase"])
            yield value
            if word in _CARDINALS:
                yield float(_CARDINALS[word])
            if match["half"]:
                yield value + 0.5
            if match["dozen"]:
                yield value * 12


def answer_number_words(text: str, words: set[bytes]) -> Iterator[tuple[int, str, float]]:
    """Yield start, written form and value of the number words in an answer that state a number.

    A small number before an enumerating noun (`three main reasons`) counts the answer's own list: it
    states nothing of the evidence. `words` are the content words of the text.
    """
    present = _ANSWER_WORDS & words
    if not present:
        return
    end = -1
    for start, word in _places(text, present | _OPENING_WORDS):
        if start < end:
            continue
        if word in _ORDINALS:
            yield start, text[start : start + len(word)], _ordinal(text, start, word)
            continue
        match = _PHRASE.match(text, start)
        if match is None or _DIGITS_BEFORE.search(text, max(0, start - 2), start):
            continue
        end = match.end("phrase")
        value = _value(match["phrase"])
        noun = (match["noun"] or "").lower()
        if value < 2 or (value < 10 and not match["dozen"] and (not noun or noun in _ENUMERATING)):
            continue
        if match["dozen"]:
            value *= 12
        elif match["half"]:
            value += 0.5
        if noun in _ORDINALS:
            continue
        yield start, match["phrase"], value


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
    return float((_TENS[tens[1].lower()] if tens else 0) + _ORDINALS[word])


def _value(phrase: str) -> float:
    """Return the value of a phrase of cardinals and scales, as one adds and multiplies them in English."""
    total = current = 0
    for word in re.split(r"[\s-]+", phrase.lower()):
        if word in _CARDINALS:
            current += _CARDINALS[word]
        elif word in ("a", "an"):
            current += 1
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
    return float(total + current)
