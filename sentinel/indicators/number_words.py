"""English number words as values: `thirty`, `twenty-five`, `two hundred and ten`, `a dozen`, `half`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_UNITS = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
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

#: Words whose presence makes it worth looking for number words.
NUMBER_WORDS = frozenset(_CARDINALS) | frozenset(_SCALES) | frozenset(_ORDINALS) | frozenset(_AMOUNTS)

_CARDINAL = "|".join(sorted(_CARDINALS, key=lambda word: (-len(word), word)))
_SCALE = "|".join(_SCALES)
_PHRASE = re.compile(
    rf"(?<![\w.,]\s)(?<!\w)(?P<phrase>(?:(?:{_CARDINAL}|an?(?=[\s-](?:{_SCALE})\b))\b"
    rf"(?:[\s-]{{1,2}}(?:and\s)?(?:{_CARDINAL}|{_SCALE})\b){{0,12}}))"
    r"(?P<dozen>\sdozens?\b)?(?P<half>\sand\sa\shalf\b)?(?:[\s-]{1,2}(?P<noun>[^\W\d_]+))?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"(?<!\w)(?:(?P<tens>{'|'.join(_TENS)})[\s-])?(?P<ordinal>{'|'.join(_ORDINALS)})\b", re.IGNORECASE
)
_AMOUNT = re.compile(rf"(?<!\w)(?:{'|'.join(_AMOUNTS)})\b", re.IGNORECASE)

#: After a small number word these nouns count what the answer itself lists, not what the evidence says.
_ENUMERATING = frozenset(
    """ways way steps step options option things thing reasons reason types type kinds kind factors main key
    different of examples methods parts categories points common possible other major more most primary
    important ones approaches aspects sections groups strategies tips areas features benefits general or
    and in is are to the such basic simple separate distinct possibilities scenarios solutions""".split()
)


def evidence_number_words(text: str) -> Iterator[float]:
    """Yield every value that number words of a text may mean."""
    for match in _PHRASE.finditer(text):
        value = _value(match["phrase"])
        yield value
        if match["half"]:
            yield value + 0.5
        if match["dozen"]:
            yield value * 12
        for word in re.split(r"[\s-]+", match["phrase"].lower()):
            if word in _CARDINALS:
                yield float(_CARDINALS[word])
    for match in _ORDINAL.finditer(text):
        yield _ordinal(match)
    for match in _AMOUNT.finditer(text):
        yield _AMOUNTS[match[0].lower()]


def answer_number_words(text: str) -> Iterator[tuple[int, str, float]]:
    """Yield start, written form and value of the number words in an answer that state a number.

    `one` alone is mostly a pronoun, and a small number before an enumerating noun (`three main reasons`)
    counts the answer's own list: neither states a number.
    """
    for match in _PHRASE.finditer(text):
        value = _value(match["phrase"])
        noun = (match["noun"] or "").lower()
        if value < 2 or (value < 10 and not match["dozen"] and (not noun or noun in _ENUMERATING)):
            continue
        if match["dozen"]:
            value *= 12
        elif match["half"]:
            value += 0.5
        yield match.start("phrase"), match["phrase"], value
    for match in _ORDINAL.finditer(text):
        value = _ordinal(match)
        if value > 3:
            yield match.start(), match[0], value


def _ordinal(match: re.Match[str]) -> float:
    tens = match["tens"]
    return float((_TENS[tens.lower()] if tens else 0) + _ORDINALS[match["ordinal"].lower()])


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
