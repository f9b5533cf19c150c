"""Payment card numbers: digits in the groups people write, checked by prefix, length and Luhn sum."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sentinel.redaction.spans import Span

# Digits with at most one separator (two for a spaced dash) between them.
_SEPARATOR = (
    r"(?:[ \t\u00a0\u2007\u2009\u202f][-\u2010-\u2015.][ \u00a0\u202f]"
    r"|  |[-\s.\u00a0\u2007\u2009\u2010-\u2015\u202f_*·•]|[ ]?[/,|:][ ]?)"
)
# Numbers in a row are written with these too: between them only a card's own groups count.
_LISTING = re.compile(r"[/,|:]")
_CARD_GROUPS = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3)})
_RUN = re.compile(rf"[0-9](?:{_SEPARATOR}?[0-9]){{11,}}")
_GROUP = re.compile(r"[0-9]+")
_TELLING = re.compile(
    r"\b(?:credit|debit|card|visa|master ?card|amex|american express|maestro|discover|jcb|diners)",
    re.IGNORECASE,
)
# Issuer prefixes and lengths after ISO/IEC 7812 and the brands' published ranges.
_BRANDS = (
    (re.compile(r"4"), frozenset({13, 16, 19})),
    (re.compile(r"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)"), frozenset({16})),
    (re.compile(r"3[47]"), frozenset({15})),
    (re.compile(r"3(?:0[0-5]|095|[689])"), frozenset({14, 16, 19})),
    (re.compile(r"35"), frozenset({16, 17, 18, 19})),  # JCB, with older prefixes than 3528 to 3589
    (re.compile(r"180[0-9]|2131"), frozenset({15})),
    (re.compile(r"220[0-5]"), frozenset({16, 17, 18, 19})),
    (re.compile(r"6(?:011|4[4-9]|5|2|0|1|3|7|8|9)"), frozenset({16, 17, 18, 19})),
)


# Maestro and its like: nearly any digits, so only unbroken or in fours.
_MAESTRO = re.compile(r"50|5[6-9]|6")


def luhn(digits: str) -> bool:
    """Return whether the Luhn sum (ISO/IEC 7812-1, annex B) of the digits is a multiple of ten."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_card(digits: str, *, in_fours: bool = True) -> bool:
    """Return whether the digits are a card number by prefix, length and check digit.

    `in_fours` false: they are written in other groups, and then the widest prefixes do not count.
    """
    if digits[0] not in "123456" or len(set(digits)) == 1:
        return False
    known = any(len(digits) in lengths and prefix.match(digits) for prefix, lengths in _BRANDS)
    if not known and in_fours:
        known = 12 <= len(digits) <= 19 and _MAESTRO.match(digits) is not None
    return known and luhn(digits)


def find_cards(text: str) -> Iterator[Span]:
    """Yield the spans of card numbers in `text`, also where they are glued to letters."""
    for run in _RUN.finditer(text):
        yield from _in_run(text, run.start(), run.end())


def _in_run(text: str, start: int, end: int) -> Iterator[Span]:
    groups = [match.span() for match in _GROUP.finditer(text, start, end)]
    first = 0
    while first < len(groups):
        last = _card_from(text, groups, first)
        if last is None:
            first += 1
            continue
        yield Span(groups[first][0], groups[last][1], "CREDIT_CARD")
        first = last + 1


def _card_from(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """Return the index of the last group of the card that begins with group `first`.

    The shortest counts, for a number may follow, unless groups of four go on to a longer one.
    """
    best: int | None = None
    digits = ""
    if text[groups[first][0]] not in "23456" and not text.startswith("180", groups[first][0]):
        return None
    for last in range(first, min(len(groups), first + 20)):
        digits += text[groups[last][0] : groups[last][1]]
        if len(digits) > 19:
            break
        parts = groups[first : last + 1]
        in_fours = all(high - low == 4 for low, high in parts[:-1])
        if best is not None and not (in_fours and len(parts) > 1):
            break
        if len(digits) < 12:
            continue
        shape = tuple(high - low for low, high in parts)
        if shape not in _CARD_GROUPS and _LISTING.search(text, parts[0][0], parts[-1][1]):
            continue
        if is_card(digits, in_fours=in_fours) or _written_as_card(text, parts, digits):
            best = last
    return best


def _written_as_card(text: str, groups: list[tuple[int, int]], digits: str) -> bool:
    """Return whether digits that fail the check still read as a card: its groups and a telling word."""
    shape = tuple(high - low for low, high in groups)
    if shape not in {(4, 4, 4, 4), (16,), (4, 6, 5), (15,)} or not digits.startswith(
        ("2", "3", "4", "5", "6")
    ):
        return False
    return _TELLING.search(text, max(0, groups[0][0] - 40), groups[-1][1] + 20) is not None
