"""Whether an answer declines: wholly, in part, or not at all."""

from __future__ import annotations

import re

from sentinel.indicators.phrases import (
    ABOUT_THE_CONTEXT,
    CONTRAST,
    DECLINES,
    FILLERS,
    FOREIGN_TRIGGERS,
    SHORT_DECLINES,
    TRIGGERS,
)
from sentinel.indicators.sentences import sentences_of
from sentinel.indicators.words import content_words, folded
from sentinel.records import AbstentionIndicators, AbstentionKind

#: A decline is looked for in the first sentences only: a later one is a caveat within an answer.
LEADING_SENTENCES = 3
#: After a contrast (`However, …`) so many content words answer; without one, an explanation of the
#: decline may take up to `EXPLANATION_WORDS`.
CONTRAST_WORDS = 4
EXPLANATION_WORDS = 14
#: So many content words before the decline are an answer already.
PRECEDING_WORDS = 4
#: After a decline, so many quoted words are what was asked for (a text written on demand).
QUOTED_WORDS = 12
_MOST_CHARACTERS = 4000
_LEADING_CHARACTERS = 1200
_QUOTED = re.compile(
    r"\"[^\"\n]{3,400}\"|“[^”\n]{3,400}”|«[^»\n]{3,400}»|„[^“”\n]{3,400}[“”]|^>.*$", re.MULTILINE
)
_CLAUSE = re.compile(
    r"[,;]?\s+(?=but\b|however\b|though\b)|(?<=,)\s+(?=(?:so|yet)\b)|\s+[-–—]\s+|;\s+", re.IGNORECASE
)
_CITED = re.compile(r"\[\^?\d{1,3}|【|\[doc", re.IGNORECASE)


def abstention_indicators(answer: str, answerable: bool | None) -> AbstentionIndicators:
    """Classify an answer; an empty one is `full`, the app's own flag decides otherwise.

    `partial`: declines and answers as well. Apologies, quoted speech and hedged help do not decline.
    """
    if not answer or answer.isspace():
        return AbstentionIndicators(kind="full", source="none" if answerable is not False else "flag")
    if answerable is not None:
        return AbstentionIndicators(kind="none" if answerable else "full", source="flag")
    kind = _kind(answer)
    return AbstentionIndicators(kind=kind, source="none" if kind == "none" else "phrase")


def _kind(answer: str) -> AbstentionKind:
    head = answer[:_MOST_CHARACTERS].replace("’", "'").replace("‘", "'")
    if len(head) < 200 and SHORT_DECLINES.fullmatch(head.strip(" \t\n*_\"'`.!…")):
        return "full"
    if not _triggers(head[:_LEADING_CHARACTERS]):
        return "none"
    text = _unquoted(head)
    sentences = sentences_of(text[:_LEADING_CHARACTERS])[:LEADING_SENTENCES]
    if not any(_triggers(sentence) for sentence in sentences):
        return "none"
    leading = [piece for sentence in sentences for piece in _CLAUSE.split(sentence)]
    first = next((index for index, piece in enumerate(leading) if _declines(piece)), None)
    if first is None:
        return "none"
    if any(_states(piece, PRECEDING_WORDS) for piece in leading[:first]):
        return "partial"
    if len(head.split()) - len(text.split()) > QUOTED_WORDS:
        return "partial"
    rest = [piece for sentence in sentences_of(text)[LEADING_SENTENCES:] for piece in _CLAUSE.split(sentence)]
    return "partial" if _answers(leading[first + 1 :] + rest) else "full"


def _unquoted(text: str) -> str:
    """Take quoted speech out, unless nothing else is there."""
    if '"' in text or not text.isascii() or text.startswith(">") or "\n>" in text:
        unquoted = _QUOTED.sub(" ", text)
        return unquoted if len(unquoted.split()) > 1 else text
    return text


def _triggers(text: str) -> bool:
    """Return whether a text holds a word without which nothing declines; cheap, and mostly false."""
    if not TRIGGERS.isdisjoint(folded(text).split()):
        return True
    return not text.isascii() and FOREIGN_TRIGGERS.search(text) is not None


def _declines(piece: str) -> bool:
    return _triggers(piece) and DECLINES.search(piece[:_LEADING_CHARACTERS]) is not None


def _content_words(piece: str) -> int:
    """Return a clause's content words; none where it asks, points elsewhere or describes sources."""
    if FILLERS.search(piece) or ABOUT_THE_CONTEXT.search(piece):
        return 0
    return len(content_words(piece))


def _states(piece: str, enough: int) -> bool:
    """Return whether a clause states something of its own: cited, or with enough content words."""
    words = _content_words(piece)
    return words >= enough or (words > 0 and _CITED.search(piece) is not None)


def _answers(pieces: list[str]) -> bool:
    """Return whether the clauses after a decline are an answer of its own."""
    explained = 0
    for piece in pieces:
        if _declines(piece):
            continue
        if _states(piece, CONTRAST_WORDS if CONTRAST.match(piece) else EXPLANATION_WORDS + 1):
            return True
        explained += _content_words(piece)
        if explained > EXPLANATION_WORDS:
            return True
    return False
