"""International bank account numbers (ISO 13616): country length and mod-97 check."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sentinel.redaction.spans import Span

#: Length of an IBAN by country, from the SWIFT IBAN registry.
LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27,
    "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25,
    "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18,
    "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33,
    "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}  # fmt: skip
_SEPARATOR = r"[ \t\r\n\u00a0\u2009\u202f.\u2010-\u2015-]"
_START = re.compile(rf"[A-Za-z]{{2}}(?={_SEPARATOR}?[0-9]{_SEPARATOR}?[0-9])")
_STEP = re.compile(rf"(?:{_SEPARATOR}{{0,2}}([0-9A-Za-z]))")
#: Without separators, or in fours with the same one throughout.
_GROUPED = re.compile(
    rf"(?:[0-9A-Za-z]+|[0-9A-Za-z]{{4}}(?:(?P<sep>{_SEPARATOR})[0-9A-Za-z]{{4}})(?:(?P=sep)[0-9A-Za-z]{{4}})*"
    r"(?:(?P=sep)[0-9A-Za-z]{1,3})?)\Z"
)
_TELLING = re.compile(r"\bIBAN\b", re.IGNORECASE)


def find_ibans(text: str) -> Iterator[Span]:
    """Yield the spans of IBANs in `text`, with or without spaces, in either case, glued or not."""
    done = 0
    for start in _START.finditer(text):
        if start.start() < done or start.group().upper() not in LENGTHS:
            continue
        end = _end_of(text, start.start())
        if end is not None:
            done = end
            yield Span(start.start(), end, "IBAN_CODE")


def _end_of(text: str, start: int) -> int | None:
    wanted = LENGTHS[text[start : start + 2].upper()]
    characters: list[str] = []
    position = start
    while len(characters) < wanted:
        step = _STEP.match(text, position)
        if step is None:
            return None
        characters.append(step.group(1))
        position = step.end()
    value = "".join(characters).upper()
    digits = sum(c.isdigit() for c in value)
    ends = not text[position : position + 1].isalnum()
    # Some countries' have more letters than digits; words that happen to fit are not written in such groups.
    grouped = ends and not text[start - 1 : start].isalnum() and _GROUPED.match(text[start:position])
    if digits < (6 if grouped else wanted // 2):
        return None
    if _mod97(value) or (_TELLING.search(text, max(0, start - 30), start) and ends):
        return position
    return None


def has_check_sum(value: str) -> bool:
    """Return whether an IBAN in any notation passes its mod-97 check."""
    return _mod97(re.sub(r"[^0-9A-Za-z]", "", value).upper())


def _mod97(value: str) -> bool:
    rearranged = value[4:] + value[:4]
    return int("".join(str(int(c, 36)) for c in rearranged)) % 97 == 1
