"""Whether an event's id is personal data: it is stored as it is, so that such an event is refused.

Ids are mostly numbers, and most numbers pass some check. Refused is only what hardly any id scheme makes:
an e-mail address; a payment card of 14 to 16 digits with a known issuer's prefix, its check digit and a
card's groups; an IBAN with its check sum; a social security number in its dashed groups. Ids of 17 digits
and more (snowflakes), Unix times, UUIDs and hexadecimal digests pass, and so do four numbers with points
between them, which are versions more often than network addresses, and telephone numbers.
"""

from __future__ import annotations

import re

from sentinel.redaction.cards import luhn
from sentinel.redaction.folding import fold
from sentinel.redaction.ibans import LENGTHS, find_ibans, has_check_sum
from sentinel.redaction.patterns import MACHINE_ID

_EMAIL = re.compile(r"[^\s@%]+(?:@|%40)\w(?:[\w-]|\.(?=\w))*\.[^\W\d_]{2,}", re.IGNORECASE)
# What most ids are, told at one glance: one UUID, or plain signs with at most eight digits.
_HARMLESS = re.compile(
    r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
    r"|(?:[A-Za-z_:./-]*[0-9]){0,8}[A-Za-z_:./-]*"
)
_SHORTEST_IBAN = min(LENGTHS.values())
_NINE_DIGITS = re.compile(r"[0-9](?:[^0-9]{0,3}[0-9]){8}")
_SSN = re.compile(r"(?<![0-9])(?<![0-9]-)(?!000|666)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?!-?[0-9])")
_GAP = r"[-_ ./]?"
_CARD = re.compile(
    rf"(?<![0-9])(?:[0-9]{{14,16}}|[0-9]{{4}}({_GAP})[0-9]{{4}}\1[0-9]{{4}}\1[0-9]{{4}}"
    rf"|[0-9]{{4}}({_GAP})[0-9]{{6}}\2[0-9]{{4,5}})(?![0-9])"
)
# ISO/IEC 7812 prefixes of Visa, Mastercard, Discover, JCB, UnionPay; American Express; Diners.
_ISSUER = {
    16: re.compile(r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|6011|65|64[4-9]|35(?:2[89]|[3-8])|62"),
    15: re.compile(r"3[47]"),
    14: re.compile(r"3(?:0[0-5]|[689])"),
}
_HEX_TOKEN = re.compile(r"[0-9A-Fa-f]*[A-Fa-f][0-9A-Fa-f]*")
_TOKEN_BEFORE = re.compile(r"[0-9A-Za-z]*\Z")
_TOKEN_AFTER = re.compile(r"[0-9A-Za-z]*")


def personal_data_in_id(event_id: str) -> str | None:
    """Return what personal data an id holds (`an e-mail address`), or None."""
    if _HARMLESS.fullmatch(event_id) is not None:
        return None
    plain = fold(event_id).text
    if ("@" in plain or "%40" in plain) and _EMAIL.search(plain) is not None:
        return "an e-mail address"
    if _NINE_DIGITS.search(plain) is None:
        return None
    kind = _checked_number(plain)
    return kind if kind is None else _checked_number(MACHINE_ID.sub("", plain))


def _checked_number(text: str) -> str | None:
    if _SSN.search(text) is not None:
        return "a social security number"
    if any(_is_card(text, match) for match in _CARD.finditer(text)):
        return "a card number"
    if len(text) >= _SHORTEST_IBAN and any(_is_iban(text, s.start, s.end) for s in find_ibans(text)):
        return "an IBAN"
    return None


def _is_iban(text: str, start: int, end: int) -> bool:
    glued = text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()
    return not glued and has_check_sum(text[start:end])


def _is_card(text: str, match: re.Match[str]) -> bool:
    digits = re.sub(r"[^0-9]", "", match.group())
    issuer = _ISSUER.get(len(digits))
    if issuer is None or issuer.match(digits) is None or not luhn(digits) or len(set(digits)) == 1:
        return False
    before = _TOKEN_BEFORE.search(text, 0, match.start())
    after = _TOKEN_AFTER.match(text, match.end())
    around = (before.group() if before else "") + (after.group() if after else "")
    return _HEX_TOKEN.fullmatch(around) is None
