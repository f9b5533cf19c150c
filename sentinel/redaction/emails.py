"""E-mail addresses, wherever they stand: glued to other text, in JSON, in URLs, spelt out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sentinel.redaction.spans import Span

_AT = re.compile(r"[@＠]|%40", re.IGNORECASE)
# Local part and domain are found outwards from the sign, so that time stays linear in the text.
_LATIN = "A-Za-z0-9À-ɏ"
_LOCAL_LATIN = re.compile(rf"(?:[{_LATIN}._+'!#$*~^-]|%(?!40)){{1,128}}\Z")
_LOCAL_ANY = re.compile(r"[\w.%+'-]{1,128}\Z")
_LOCAL_QUOTED = re.compile(r'"[\w.+ -]{1,64}"\Z')
_LABEL = rf"(?:[{_LATIN}_](?:[{_LATIN}_-]{{0,62}}[{_LATIN}_])?)"
_DOMAIN_LATIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})+|\[[0-9A-Fa-f.:]{{2,45}}\]|localhost\b")
_DOMAIN_ANY = re.compile(r"[\w-]+(?:[.。][\w-]+)+")
_SPELT = re.compile(
    r"\b[A-Za-z0-9._+-]{1,64} ?[\[({] ?at ?[\])}] ?[A-Za-z0-9-]{1,63}"
    r"(?: ?(?:\.|[\[({] ?dot ?[\])}]) ?[A-Za-z0-9-]{1,63}){1,4}",
    re.IGNORECASE,
)
_WINDOW = 130


def find_emails(text: str) -> Iterator[Span]:
    """Yield the spans of e-mail addresses in `text`."""
    for sign in _AT.finditer(text):
        span = _around(text, sign.start(), sign.end())
        if span is not None:
            yield span
    if "at" in text or "AT" in text:
        for match in _SPELT.finditer(text):
            yield Span(match.start(), match.end(), "EMAIL_ADDRESS")


def _around(text: str, start: int, end: int) -> Span | None:
    low = max(0, start - _WINDOW)
    before = text[low:start]
    domain = _DOMAIN_LATIN.match(text, end) or _DOMAIN_ANY.match(text, end)
    local = _LOCAL_QUOTED.search(before) or _LOCAL_LATIN.search(before) or _LOCAL_ANY.search(before)
    if domain is None or local is None:
        return None
    name = local.group().lstrip(".'!#$*~^-") if local.group()[0] != '"' else local.group()
    escape = re.match(r"(?:%[0-9A-Fa-f]{2})+", name)
    if escape is not None:
        name = name[escape.end() :]
    if not name:
        return None
    return Span(start - len(name), domain.end(), "EMAIL_ADDRESS")
