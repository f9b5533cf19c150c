"""What English number words are worth."""
# ruff: noqa: SIM905 - word lists read as text
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re

_UNITS = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen""".split()
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
CARDINALS = {**_UNITS, **TENS, "fourty": 40}
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
    "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "hundredth": 100,
}  # fmt: skip
DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90,
}  # fmt: skip
_GAP = re.compile(r"[\s-]+")


def value_of(phrase: str) -> float:
    """Return the value of a phrase of cardinals and scales, as one adds and multiplies them in English.

    Two numbers beside each other are a year: `nineteen ninety-nine`, `twenty twenty-four`, `nineteen oh five`.
    """
    words = [word for word in _GAP.split(phrase.lower()) if word != "and"]
    if (year := _year(words)) is not None:
        return year
    total = current = 0
    for word in words:
        if word in CARDINALS:
            current += CARDINALS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in SCALES:
            total += max(current, 1) * SCALES[word]
            current = 0
    return float(total + current)


def _year(words: list[str]) -> float | None:
    if not 2 <= len(words) <= 3 or not 10 <= CARDINALS.get(words[0], 0) <= 20:
        return None
    rest = [0 if word == "oh" else CARDINALS.get(word, -1) for word in words[1:]]
    if (
        -1 in rest
        or (rest[0] < 10 and words[1] != "oh")
        or (len(rest) == 2 and (rest[0] % 10 or rest[1] > 9))
    ):
        return None
    return float(100 * CARDINALS[words[0]] + sum(rest))
