"""Lines in, redacted lines out: what `sentinel redact` does, without the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import islice
from typing import Any, Protocol

import msgspec

from sentinel.errors import DeadLetterError
from sentinel.pipeline.refused_lines import RefusedLines
from sentinel.records import RawAnswer, RedactedAnswer

#: What is taken from a stream at once, if it is there.
_PIECE_BYTES = 1 << 18
#: Decodes one line; raises `DeadLetterError` for a bad one.
DecodeLine = Callable[[bytes], RawAnswer]
#: Redacts a short value (id, domain, attribute); two values that differ must not become one.
Clean = Callable[[str], str]


class Redactor(Protocol):
    """What a stream needs of a redaction pool."""

    def redact(self, answers: list[RawAnswer]) -> list[RedactedAnswer | DeadLetterError]:
        """Return each answer redacted, in order, or the dead letter it became."""
        ...

    def redact_texts(self, texts: list[str]) -> list[str | DeadLetterError]:
        """Return each text redacted, in order, or the dead letter it became."""
        ...


@dataclass(slots=True)
class RedactionCounts:
    """How many lines were read, and which of them were refused."""

    lines: int = 0
    refusals: RefusedLines = field(default_factory=RefusedLines)

    @property
    def refused(self) -> dict[str, int]:
        """Return how many lines were refused, by reason."""
        return dict(self.refusals.counts)


def redact_text_lines(
    lines: Iterable[bytes], redactor: Redactor, counts: RedactionCounts, batch: int = 256
) -> Iterator[str]:
    """Yield exactly one redacted line per line; one that cannot be redacted becomes `<REDACTION_FAILED>`.

    `lines` are bytes with or without their line end, which is not part of the text; bytes that are not
    UTF-8 become U+FFFD. Of a stream, what is there is redacted together and waits for nothing more.
    """
    for group in _lines_at_hand(lines, batch):
        texts = [line.rstrip(b"\r\n").decode("utf-8", "replace") for line in group]
        for result in redactor.redact_texts(texts):
            counts.lines += 1
            if isinstance(result, DeadLetterError):
                counts.refusals.add(result.reason, counts.lines)
                yield "<REDACTION_FAILED>"
            else:
                yield result


def redact_event_lines(
    lines: Iterable[bytes],
    decode: DecodeLine,
    redactor: Redactor,
    clean: Clean,
    counts: RedactionCounts,
    batch: int = 64,
) -> Iterator[str]:
    """Yield one redacted JSON event per good line; bad and blank ones give no output, bad ones are counted.

    Only the event's known fields come out; `session_id` and `user_id` do not.
    """
    read = 0
    for group in _lines_at_hand(lines, batch):
        answers: list[RawAnswer] = []
        numbers: list[int] = []
        first, read = read + 1, read + len(group)
        for number, line in enumerate(group, first):
            if not line.strip():
                continue
            counts.lines += 1
            try:
                answers.append(decode(line))
            except DeadLetterError as error:
                counts.refusals.add(error.reason, number)
            else:
                numbers.append(number)
        for answer, number, result in zip(answers, numbers, redactor.redact(answers), strict=True):
            if isinstance(result, DeadLetterError):
                counts.refusals.add(result.reason, number)
            else:
                yield encoded_event(answer, result, clean).decode()


def encoded_event(answer: RawAnswer, redacted: RedactedAnswer, clean: Clean) -> bytes:
    """Return the redacted event as one line of JSON."""
    return msgspec.json.encode(_event(answer, redacted, clean))


def _event(answer: RawAnswer, redacted: RedactedAnswer, clean: Clean) -> dict[str, Any]:
    """Return the redacted event with the fields that say where it belongs, made free of patterns."""
    event: dict[str, Any] = {"event_id": clean(answer.event_id)}
    if answer.occurred_at is not None:
        event["occurred_at"] = answer.occurred_at.isoformat()
    for fields in (answer.domains, answer.versions):
        event |= {name: clean(value) for name, value in fields.items()}
    if answer.attributes:
        event["attributes"] = {
            clean(name): _cleaned(value, clean) for name, value in answer.attributes.items()
        }
    return {**event, **redacted.content}


def _cleaned(value: object, clean: Clean) -> object:
    """Return an attribute's value; a number stays one unless it is long enough to hold personal data."""
    text = clean(str(value))
    return text if isinstance(value, str) or text != str(value) else value


def _lines_at_hand(lines: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    """Yield up to `size` lines at a time: of a stream those that are there, without waiting for another."""
    if not isinstance(lines, BufferedReader):
        iterator = iter(lines)
        while group := list(islice(iterator, size)):
            yield group
        return
    begun: list[bytes] = []
    while piece := lines.read1(_PIECE_BYTES):
        whole, separator, rest = piece.rpartition(b"\n")
        if not separator:
            begun.append(rest)
            continue
        ready = b"".join([*begun, whole]).split(b"\n")
        begun = [rest] if rest else []
        for start in range(0, len(ready), size):
            yield ready[start : start + size]
    if begun:
        yield [b"".join(begun)]
