"""What the configuration adds to the recognisers and takes from them: patterns, denied and allowed values.

Patterns run on the `regex` package, which gives up after a time: a pattern that backtracks without end costs
the one text, which is then not written, and not the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import regex

from sentinel.errors import DeadLetterError
from sentinel.redaction.params import DENIED, Recognizer, RedactionParams
from sentinel.redaction.spans import Span, Taken

#: The time for a pattern is for texts up to this length, and grows with longer ones.
_CHARACTERS_PER_TURN = 100_000


class RecognizerTimeoutError(DeadLetterError):
    """A configured pattern did not come to an end; the text cannot be redacted, and the message has none."""

    def __init__(self, entity: str) -> None:
        super().__init__("redaction_failed", f"the recognizer of {entity} took too long (recognizer_seconds)")


def find_custom(text: str, params: RedactionParams) -> Iterator[Span]:
    """Yield the spans of configured patterns and of denied values, overlapping ones included.

    Raises:
        RecognizerTimeoutError: if a pattern takes longer than `recognizer_seconds` (more for long texts).
    """
    if not (params.recognizers or params.deny):
        return
    seconds = params.recognizer_seconds * max(1.0, len(text) / _CHARACTERS_PER_TURN)
    for entity, pattern in _compiled(params.recognizers, params.deny):
        try:
            for match in pattern.finditer(text, timeout=seconds):
                if match.end() > match.start():
                    yield Span(match.start(), match.end(), entity)
        except TimeoutError:
            raise RecognizerTimeoutError(entity) from None


@lru_cache(maxsize=16)
def _compiled(
    recognizers: tuple[Recognizer, ...], deny: tuple[str, ...]
) -> tuple[tuple[str, regex.Pattern[str]], ...]:
    """Return the patterns under their entity types."""
    found = [(one.entity, regex.compile(one.pattern, _flags(one))) for one in recognizers]
    if deny:
        words = sorted(
            {r"\s+".join(map(regex.escape, value.split())) for value in deny}, key=len, reverse=True
        )
        found.append((DENIED, regex.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", regex.IGNORECASE)))
    return tuple(found)


def _flags(recognizer: Recognizer) -> int:
    return int(regex.IGNORECASE) if recognizer.ignore_case else 0


def own_types(params: RedactionParams) -> frozenset[str]:
    """Return the types that the configuration adds."""
    return frozenset([*(one.entity for one in params.recognizers), *([DENIED] if params.deny else ())])


def own_first(spans: Iterable[Span], params: RedactionParams) -> list[Span]:
    """Return the spans without those of other types that lie within one of the configuration's own."""
    found = list(spans)
    types = own_types(params)
    own = Taken((s.start, s.end) for s in found if s.entity in types) if types else Taken()
    return [
        s
        for s in found
        if s.entity in types
        or not any(low <= s.start and s.end <= high for low, high in own.within(s.start, s.end))
    ]


def is_allowed(value: str, params: RedactionParams) -> bool:
    """Return whether the configuration says that this value stays, in whatever case and spacing."""
    return bool(params.allow) and _spelling(value) in _spellings(params.allow)


def without_allowed(text: str, spans: Sequence[Span], params: RedactionParams) -> list[Span]:
    """Return the spans whose whole value is not allowed."""
    if not params.allow:
        return list(spans)
    return [span for span in spans if not is_allowed(text[span.start : span.end], params)]


def allowing(params: RedactionParams) -> Callable[[str], bool] | None:
    """Return what tells allowed values, or None where there are none."""
    return (lambda value: is_allowed(value, params)) if params.allow else None


@lru_cache(maxsize=16)
def _spellings(allow: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_spelling, allow))


def _spelling(value: str) -> str:
    return " ".join(value.casefold().split())
