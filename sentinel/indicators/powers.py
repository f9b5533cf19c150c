"""Numbers whose value stands in more than their digits: signs, powers, mixed fractions, short years."""
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re

#: Signs of fractions, as values.
FRACTION_SIGNS = {
    "½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 1 / 5, "⅖": 2 / 5, "⅗": 3 / 5, "⅘": 4 / 5,
    "⅙": 1 / 6, "⅚": 5 / 6, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8, "⅞": 7 / 8, "⅒": 1 / 10,
}  # fmt: skip
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_EXPONENT = (
    r"(?:(?:\^|\*\*)\s?(?:(?P<{0}>[-−+]?\d{{1,2}})|[{{(]\s?(?P<{0}_inside>[-−+]?\d{{1,2}})\s?[)}}])"
    r"|(?P<{0}_raised>[⁻⁺]?[⁰¹²³⁴-⁹]{{1,2}}))(?!\d|\.\d)"
)
_POWER = re.compile(
    r"(?P<mantissa>\d{1,15}(?:[.,]\d{1,15})?)\s?[×x*·⋅]\s?10"
    + _EXPONENT.format("of_ten")
    + r"|(?P<base>\d{1,4})"
    + _EXPONENT.format("of_base")
    + r"|(?P<float>\d{1,15}(?:\.\d{1,15})?)[eE](?P<of_float>[-+−]?\d{1,2})(?!\w|\.\d)",
    re.IGNORECASE,
)
#: After a number these may open a power; `x` and `e` are found as its following letters.
POWER_SIGNS = frozenset("^*×·⋅⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_MIXED = re.compile(r"(\d{1,4})(?:[ \u00a0-]|\sand\s)(\d{1,2})[/⁄](\d{1,2})(?![\d/⁄])")
_GREATEST_BASE_POWER = 10**30
_MINUS = frozenset("-−")
_CURRENCIES = frozenset("$€£¥₹")


def power(text: str, start: int) -> tuple[int, float] | None:
    """Return end and value of a power at `start`: `10^6`, `10⁶`, `1.2×10^3`, `1.2e3`, `2^10`."""
    match = _POWER.match(text, start)
    if match is None:
        return None
    if match["float"]:
        return match.end(), float(f"{match['float']}e{match['of_float'].translate(_RAISED)}")
    kind = "of_ten" if match["mantissa"] else "of_base"
    written = match[kind] or match[f"{kind}_inside"] or match[f"{kind}_raised"]
    exponent = int(written.translate(_RAISED))
    if match["mantissa"]:
        return match.end(), float(f"{match['mantissa'].replace(',', '.')}e{exponent}")
    base = int(match["base"])
    if base == 10:
        return match.end(), float(f"1e{exponent}")
    value = base**exponent if exponent >= 0 else 0
    return (match.end(), float(value)) if 0 < value < _GREATEST_BASE_POWER else None


def mixed(text: str, start: int) -> tuple[int, float] | None:
    """Return end and value of a whole number with a fraction: `1 1/2`, `2 3⁄4`."""
    match = _MIXED.match(text, start)
    if match is None:
        return None
    whole, upper, lower = (int(group) for group in match.groups())
    return (match.end(), whole + upper / lower) if 0 < upper < lower else None


def sign_before(text: str, start: int) -> tuple[int, int]:
    """Return the sign (-1 or 1) of the number at `start`, and where the number with its sign begins.

    A hyphen is a sign where nothing that it could join stands before it.
    """
    place = start - 1
    if place > 0 and text[place] in _CURRENCIES:
        place -= 1
    if place >= 0 and (text[place] in _MINUS or text[place] == "+"):
        if place and not (text[place - 1].isspace() or text[place - 1] in "(=:~≈[>|<*\"'“"):
            return 1, start
        if place > 1 and text[place - 1] in " \u00a0" and text[place - 2].isdigit():
            return 1, start
        return (-1 if text[place] in _MINUS else 1), place
    before = text[max(0, start - 12) : start].lower()
    for word in ("minus ", "negative "):
        if before.endswith(word) and not before[: -len(word)].rstrip()[-1:].isdigit():
            return -1, start - len(word)
    return 1, start


def is_bullet(text: str, start: int) -> bool:
    """Return whether the sign at `start` opens a line, where it may as well be a bullet (`-5 apples`)."""
    return start == 0 or text[start - 1] == "\n"
