"""Social security numbers, network addresses and crypto wallets."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Iterator

from sentinel.redaction.spans import Span

_DASH = "[-\u2010-\u2015\u2212]"
_SSN_DASHED = re.compile(
    rf"(?<![0-9])(?<![0-9]{_DASH})[0-9]{{3}} ?{_DASH} ?[0-9]{{2}} ?{_DASH} ?[0-9]{{4}}(?!{_DASH}?[0-9])"
)
_SSN_LOOSE = re.compile(
    r"(?<![0-9])(?<![0-9][ ._])(?!000|666|9)[0-9]{3}"
    r"([ .\u00a0_])(?!00)[0-9]{2}\1(?!0000)[0-9]{4}(?![ ._]?[0-9])"
)
_SSN_PLAIN = re.compile(r"(?<![0-9])[0-9]{9}(?![0-9])")
_SSN_TELLING = re.compile(
    r"\b(?:ssns?|itin|tin|social[ -]?security|soc\.? ?sec|social insurance|tax[ -]?(?:payer )?id)\b",
    re.IGNORECASE,
)
# Right behind its name it counts whatever it is glued to.
_SSN_TOLD = re.compile(r"\bSSN\W{1,3}(?P<number>[0-9]{3}-[0-9]{2}-[0-9]{4})", re.IGNORECASE)

# Every notation of a number above ends with four digits, or is nine of them.
_FOUR_DIGITS = re.compile(r"[0-9]{4}")

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"(?<![0-9])(?<![0-9]\.){_OCTET}(?:\.{_OCTET}){{3}}(?![0-9])(?!\.[0-9])")
# Filled up with zeros to three digits each, as logs write them.
_PADDED = r"(?:[01][0-9]{2}|2[0-4][0-9]|25[0-5])"
_IPV4_PADDED = re.compile(rf"(?<![0-9])(?<![0-9]\.){_PADDED}(?:\.{_PADDED}){{3}}(?![0-9])(?!\.[0-9])")
_POINT_BETWEEN = re.compile(r"[0-9]\.[0-9]")
_NUMBERING = re.compile(
    r"(?:\b(?:sections?|sec\.?|chapters?|clauses?|articles?|paragraphs?|par\.?|versions?|ver\.?|release|build|appendix"
    r"|figure|fig\.?|table|item|step|rule|requirement|v)|§+)[ \t]*\Z",
    re.IGNORECASE,
)
_IPV6 = re.compile(
    r"(?<![0-9A-Za-z:.])(?=[0-9A-Fa-f]*:)[0-9A-Fa-f:]{3,39}(?:(?<=:)[0-9]{1,3}(?:\.[0-9]{1,3}){3}|(?<=[:0-9A-Fa-f])(?:\.[0-9]{1,3}){3})?(?![0-9A-Za-z])"
)

_ETHEREUM = re.compile(r"(?<![0-9A-Za-z])0x[0-9A-Fa-f]{40}(?![0-9A-Za-z])")
_BECH32 = re.compile(r"(?<![0-9A-Za-z])(?:bc1|BC1|ltc1|tb1)[02-9ac-hj-np-zAC-HJ-NP-Z]{25,87}(?![0-9A-Za-z])")
_BASE58 = re.compile(r"(?<![0-9A-Za-z])[13LMm2n][1-9A-HJ-NP-Za-km-z]{25,34}(?![0-9A-Za-z])")
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def find_ssns(text: str) -> Iterator[Span]:
    """Yield the spans of US social security and taxpayer numbers; bare nine digits need a telling word."""
    if _FOUR_DIGITS.search(text) is None:
        return
    for pattern in (_SSN_DASHED, _SSN_LOOSE):
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), "US_SSN")
    for match in _SSN_TOLD.finditer(text):
        yield Span(match.start("number"), match.end("number"), "US_SSN")
    for match in _SSN_PLAIN.finditer(text):
        if _SSN_TELLING.search(text, max(0, match.start() - 40), match.end() + 25):
            yield Span(match.start(), match.end(), "US_SSN")


def find_ip_addresses(text: str) -> Iterator[Span]:
    """Yield the spans of IPv4 and IPv6 addresses; a numbered section or version is none."""
    for pattern in (_IPV4, _IPV4_PADDED) if _POINT_BETWEEN.search(text) else ():
        for match in pattern.finditer(text):
            if not _NUMBERING.search(text, max(0, match.start() - 16), match.start()):
                yield Span(match.start(), match.end(), "IP_ADDRESS")
    for match in _IPV6.finditer(text) if ":" in text else ():
        value = match.group().rstrip(":") if not match.group().endswith("::") else match.group()
        if sum(c.isalnum() for c in value) >= 3 and _is_ipv6(value):
            yield Span(match.start(), match.start() + len(value), "IP_ADDRESS")


def _is_ipv6(value: str) -> bool:
    try:
        ipaddress.IPv6Address(value)
    except ValueError:
        return False
    return any(c.isdigit() for c in value)


def find_wallets(text: str) -> Iterator[Span]:
    """Yield the spans of Bitcoin (base58check, bech32) and Ethereum addresses."""
    for sign, pattern in (("0x", _ETHEREUM), ("1", _BECH32)):
        for match in pattern.finditer(text) if sign in text else ():
            yield Span(match.start(), match.end(), "CRYPTO")
    for match in _BASE58.finditer(text):
        if _base58check(match.group()):
            yield Span(match.start(), match.end(), "CRYPTO")


def _base58check(value: str) -> bool:
    number = 0
    for character in value:
        number = number * 58 + _ALPHABET.index(character)
    if number.bit_length() > 200:
        return False
    raw = number.to_bytes(25, "big")
    digest = hashlib.sha256(hashlib.sha256(raw[:21]).digest()).digest()
    return digest[:4] == raw[21:]
