"""E-mail addresses, wherever they stand: glued to other text, in JSON, in URLs, spelt out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sentinel.redaction.lexicon import is_common_word
from sentinel.redaction.spans import Span

_AT = re.compile(r"[@＠]|%40", re.IGNORECASE)
# Local part and domain are found outwards from the sign, the local part in the reversed text, so that
# time stays linear in the text.
_LATIN = "A-Za-z0-9À-ɏ"
_LOCAL_LATIN = re.compile(rf"(?:[{_LATIN}._+'!#$*~^-]|(?<!04)%)+")
_LOCAL_ANY = re.compile(r"[\w.%+'-]+")
_LOCAL_QUOTED = re.compile(r'"[\w.+ -]{1,64}"')
_LABEL = rf"(?:[{_LATIN}_](?:[{_LATIN}_-]{{0,62}}[{_LATIN}_])?)"
# Hosts without a dot that serve mail; any other word behind the sign may be a version or a handle.
_HOST = (
    r"(?:localhost|localdomain|intranet|internal|corp(?:orate)?|lan|mail(?:host|server|hub)?|smtp|exchange"
    r"|office|company|workgroup|webmail|postfix)(?![\w-])"
)
_DOMAIN_LATIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})+|\[[0-9A-Fa-f.:]{{2,45}}\]|{_HOST}")
_DOMAIN_ANY = re.compile(r"[\w-]+(?:[.。][\w-]+)+")
_NAMED_DOMAIN = r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}(?![\w-])"
_SPELT = re.compile(
    r"\b[A-Za-z0-9._+-]{1,64} ?[\[({] ?at ?[\])}] ?[A-Za-z0-9-]{1,63}"
    r"(?: ?(?:\.|[\[({] ?dot ?[\])}]) ?[A-Za-z0-9-]{1,63}){1,4}",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    r"\b(?P<local>[A-Za-z0-9_+-]{1,64}(?:(?:\.| dot )[A-Za-z0-9_+-]{1,64}){0,3}) at "
    r"(?P<host>[A-Za-z0-9-]{1,63})(?:(?:\.| dot )[A-Za-z0-9-]{1,63}){0,3} dot [A-Za-z]{2,24}\b",
    re.IGNORECASE,
)
_SPACED = re.compile(
    rf"(?<![\w.])[A-Za-z0-9][A-Za-z0-9._+-]{{0,63}}(?: {{1,2}}@ {{0,2}}| {{0,2}}@ {{1,2}}){_NAMED_DOMAIN}"
)
#: Longest local part that is looked for; the standard allows 64 characters.
_WINDOW = 1024


def find_emails(text: str) -> Iterator[Span]:
    """Yield the spans of e-mail addresses in `text`."""
    for sign in _AT.finditer(text):
        span = _around(text, sign.start(), sign.end())
        if span is not None:
            yield span
    if "@ " in text or " @" in text:
        for match in _SPACED.finditer(text):
            yield Span(match.start(), match.end(), "EMAIL_ADDRESS")
    if "at" in text or "AT" in text:
        for match in _SPELT.finditer(text):
            yield Span(match.start(), match.end(), "EMAIL_ADDRESS")
        if " dot " in text or " DOT " in text:
            yield from _in_words(text)


def _in_words(text: str) -> Iterator[Span]:
    for match in _IN_WORDS.finditer(text):
        local = match.group("local")
        start = match.start()
        first, _, rest = local.partition(" dot ")
        if rest and is_common_word(first):  # "mail me dot" is no local part
            continue
        if not (is_common_word(local) and is_common_word(match.group("host"))):
            yield Span(start, match.end(), "EMAIL_ADDRESS")


def _around(text: str, start: int, end: int) -> Span | None:
    domain = _DOMAIN_LATIN.match(text, end) or _DOMAIN_ANY.match(text, end)
    if domain is None:
        return None
    before = text[max(0, start - _WINDOW) : start][::-1]
    local = _LOCAL_QUOTED.match(before) or _LOCAL_LATIN.match(before) or _LOCAL_ANY.match(before)
    if local is None:
        return None
    found = local.group()[::-1]
    name = found.lstrip(".'!#$*~^-") if found[0] != '"' else found
    escape = re.match(r"(?:%[0-9A-Fa-f]{2})+", name)
    if escape is not None:
        name = name[escape.end() :]
    return Span(start - len(name), domain.end(), "EMAIL_ADDRESS") if name else None
