"""Numbers of two words: shares (`three quarters`, `1 in 5`), sums of money (`two dollars and ten cents`)."""

from __future__ import annotations

import re

from sentinel.indicators.number_values import CARDINALS, ORDINALS, SCALES, value_of

_WORD = "|".join(sorted((*CARDINALS, *SCALES), key=lambda word: (-len(word), word)))
_SECOND = rf"(?P<second>\d{{1,9}}(?:[.,]\d{{1,3}})?|(?:{_WORD})\b(?:[\s-](?:and\s)?(?:{_WORD})\b){{0,4}})"
_OUT_OF = re.compile(rf"\s(?:(?:in|out\sof|of)\s)(?:every\s|each\s)?{_SECOND}(?![\w%.,-]*\d)", re.IGNORECASE)
_CENTS_AFTER = re.compile(
    rf"\s(?:dollars?|euros?|pounds?|bucks?|francs?)(?:,?\sand|,)?\s{_SECOND}\s?(?:cents?|pence|centimes?|¢)",
    re.IGNORECASE,
)
_CENTS = re.compile(r"[\s-]?(?:cents?|pence|centimes?|céntimos?|centavos?)\b", re.IGNORECASE)
_PARTS = {
    "half": 2, "halves": 2, "quarter": 4, "quarters": 4, "thirds": 3,
    **{f"{word}s": value for word, value in ORDINALS.items() if 4 <= value <= 20 or value == 100},
}  # fmt: skip
#: After `one` and `a` the ordinal itself is a part: `one fifth`.
_PARTS_OF_ONE = {word: value for word, value in ORDINALS.items() if 3 <= value <= 20 or value == 100}

#: Money that may have cents.
MONEY = ("dollar", "dollars", "euro", "euros", "pound", "pounds", "buck", "bucks", "franc", "francs")
#: What follows a number that may be of two words.
OPENING = frozenset(
    ("in", "out", "of", *MONEY,
     "cent", "cents", "pence", "centime", "centimes", "céntimos", "centavos", *_PARTS, *_PARTS_OF_ONE)
)  # fmt: skip


def compound(
    text: str, end: int, value: float, word: str
) -> tuple[int, tuple[float, ...], float | None] | None:
    """Read on from a number that ends at `end` and is followed by `word`, in lower case.

    Returns where the whole ends, the values it may have, and the second number where the two may as well
    stand for themselves; None where the number stands alone.
    """
    if word in ("in", "out", "of"):
        match = _OUT_OF.match(text, end)
        second = _number(match["second"]) if match else 0.0
        if match is None or not 0 < value <= second or (word == "of" and "every" not in match[0].lower()):
            return None
        return match.end(), shares(value, second), second
    parts = _PARTS.get(word) or (_PARTS_OF_ONE.get(word) if value == 1 else None)
    if parts is not None:
        if not 0 < value < 4 * parts or value != int(value):
            return None
        return _after(text, end, word), shares(value, parts), None
    if _CENTS.match(text, end):
        return _after(text, end, word), (value / 100, value), None
    if (match := _CENTS_AFTER.match(text, end)) is not None:
        second = _number(match["second"])
        if second < 100:
            return match.end(), (round(value + second / 100, 2),), second
    return None


def shares(upper: float, lower: float) -> tuple[float, ...]:
    """Return a share as a value, and rounded as it is mostly written (a third is 0.33)."""
    share = upper / lower
    return share, round(share, 2), round(share, 3)


def _after(text: str, end: int, word: str) -> int:
    """Return where the word ends that follows after one sign or none."""
    return end + len(word) + (0 if text[end : end + 1].isalpha() else 1)


def _number(written: str) -> float:
    if written[0].isdigit():
        return float(written.replace(",", "." if len(written.partition(",")[2]) != 3 else ""))
    return value_of(written)
