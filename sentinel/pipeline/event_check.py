"""What a file of answer events holds, field by field: for the app's developers, before anything is drawn."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sentinel.errors import DeadLetterError
from sentinel.pipeline.refused_lines import RefusedLines
from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS, RawAnswer
from sentinel.redaction import redact_value
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits
from sentinel.stream.tolerant import EVENT_FIELDS

#: A name that is no identifier may be text that was meant to be a value, and is not shown.
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}")
_MOST_NAMES = 20
OTHER = "(other names)"


@dataclass(slots=True)
class FieldUse:
    """In how many events a field was given (and not null), and in how many it could be used."""

    given: int = 0
    used: int = 0


@dataclass(slots=True)
class EventCheck:
    """What was found; no value of an event is in it.

    `cleaned` counts changed or unknown values by reason, as lines; `unknown` the names of fields that are
    ignored, of the first 20 that look like identifiers and hold nothing personal.
    """

    events: int = 0
    refused: RefusedLines = field(default_factory=RefusedLines)
    cleaned: RefusedLines = field(default_factory=RefusedLines)
    fields: dict[str, FieldUse] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)

    def count_fields(self, given: Mapping[str, Any], used: Mapping[str, Any]) -> None:
        """Count the fields of one event, as sent and as decoded."""
        for name, value in given.items():
            if name not in EVENT_FIELDS:
                self._count_unknown(name)
            elif value is not None:
                use = self.fields.setdefault(name, FieldUse())
                use.given += 1
                use.used += used.get(name) is not None

    def _count_unknown(self, name: str) -> None:
        is_shown = _IDENTIFIER.fullmatch(name) is not None and redact_value(name) == name
        if not is_shown or (name not in self.unknown and len(self.unknown) >= _MOST_NAMES):
            name = OTHER
        self.unknown[name] += 1


def check_events(lines: Iterable[bytes], limits: DecodeLimits) -> EventCheck:
    """Decode each line and count what it has; blank lines are none."""
    found = EventCheck()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        value = line.rstrip(b"\r\n")
        try:
            decoded = decode_value(value, limits)
        except DeadLetterError as error:
            found.refused.add(error.reason, number)
            continue
        found.events += 1
        for reason in decoded.cleaned:
            found.cleaned.add(reason, number)
        found.count_fields(_as_sent(value), _as_decoded(decoded.answer))
    return found


def _as_sent(value: bytes) -> Mapping[str, Any]:
    # Python refuses to read integers of thousands of digits; what a value is does not matter here.
    event: Mapping[str, Any] = json.loads(value.removeprefix(codecs.BOM_UTF8), strict=False, parse_int=str)
    return event


def _as_decoded(answer: RawAnswer) -> Mapping[str, Any]:
    values = {name: getattr(answer, name) for name in answer.__struct_fields__}
    named = {name: answer.domains.get(name) for name in DOMAIN_FIELDS}
    named |= {name: answer.versions.get(name) for name in VERSION_FIELDS}
    known = any(one is not None for one in msgspec.structs.astuple(answer.signals))
    return values | named | {"signals": answer.signals if known else None}
