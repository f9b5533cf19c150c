"""One record in; an answer, a tombstone or a reason out.

No error holds anything of the record: neither in its text nor as the error it came from.
"""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from sentinel.errors import DeadLetterError
from sentinel.records import RawAnswer, RawRecord
from sentinel.stream.cleaning import Cleaner
from sentinel.stream.limits import DecodeLimits, is_deeper_than
from sentinel.stream.strict import decode_clean
from sentinel.stream.tolerant import clean_event

#: Every reason for which a record can be dead-lettered here: a closed set of metric labels.
REASONS = frozenset(
    {
        "oversized",
        "too_deep",
        "not_utf8",
        "not_json",
        "not_an_object",
        "missing_field",
        "wrong_type",
        "too_long",
        "too_many_items",
        "personal_data_in_id",
    }
)

_NOTHING_CLEANED: Mapping[str, int] = {}
_MALFORMED = object()
#: How deep a clean event nests without tools: its passages. Tools may say anything.
_CLEAN_DEPTH = 3
# A double ends at 309 digits; Python refuses to read more than 4300.
_MAX_DIGITS = 310


class Decoded(msgspec.Struct, frozen=True, gc=False):
    """An answer, and how many of its values were changed or made unknown, by `CleanedReason`."""

    answer: RawAnswer
    cleaned: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A record whose value is null, in Kafka's way or in JSON's: counted, and nothing else."""


def decode(record: RawRecord, limits: DecodeLimits) -> Decoded | Tombstone:
    """Return what a record holds.

    Raises `DeadLetterError` with a reason of `REASONS`.
    """
    if record.size_bytes > limits.max_bytes:
        raise DeadLetterError("oversized", f"the value has more than {limits.max_bytes} bytes")
    if record.value is None or record.value.strip() == b"null":
        return Tombstone()
    return decode_value(record.value, limits)


def decode_value(value: bytes, limits: DecodeLimits) -> Decoded:
    """Return the answer in one JSON text: a record's value, a line, a request's body.

    Keys given twice: the last one counts. Raises `DeadLetterError` with a reason of `REASONS`.
    """
    if len(value) > limits.max_bytes:
        raise DeadLetterError("oversized", f"the value has more than {limits.max_bytes} bytes")
    answer = decode_clean(value, limits)
    if answer is not None and not answer.tool_calls and limits.max_depth >= _CLEAN_DEPTH:
        return Decoded(answer, _NOTHING_CLEANED)
    too_deep = is_deeper_than(value, limits.max_depth)
    if answer is not None and not too_deep:
        return Decoded(answer, _NOTHING_CLEANED)
    text = _text(value)
    if text is None:
        raise DeadLetterError("not_utf8", "the value is not UTF-8")
    if too_deep:
        raise DeadLetterError("too_deep", f"lists and objects nest deeper than {limits.max_depth}")
    return _decode_tolerantly(text, limits)


def _decode_tolerantly(text: str, limits: DecodeLimits) -> Decoded:
    event = _parsed(text)
    if event is _MALFORMED:
        raise DeadLetterError("not_json", "the value is not JSON")
    if not isinstance(event, dict):
        raise DeadLetterError("not_an_object", "the value is JSON but no object")
    cleaner = Cleaner(limits)
    answer = clean_event(event, cleaner)
    return Decoded(answer, dict(cleaner.counts))


def _text(value: bytes) -> str | None:
    try:
        return value.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        return None


def _parsed(text: str) -> Any:
    # The parser's own error holds the text: it must not become the context of ours.
    try:
        return json.loads(text, strict=False, parse_int=_parse_integer)
    except (ValueError, RecursionError):
        return _MALFORMED


def _parse_integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else math.inf
