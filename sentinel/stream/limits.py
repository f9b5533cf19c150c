"""What one event may cost: limits that are checked on the bytes, before anything parses them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sentinel.errors import ConfigurationError

#: The contract's own limit of an event id, in code points.
MAX_EVENT_ID_CHARACTERS = 256

# One JSON string, or the rest of the input where a string never ends: so each byte is looked at once.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


@dataclass(frozen=True, slots=True)
class DecodeLimits:
    """Limits of one event; an event over one of them costs itself, never the stream.

    `max_bytes`: the whole record value. `max_depth`: nested lists and objects. `max_items`: entries of
    one of the event's own lists, and attributes. `max_text_characters`: a long text (answer, question,
    passage, quote), in code points. `max_label_characters`: a short one (ids, domains, versions, tags).
    """

    max_bytes: int = 2 * 1024 * 1024
    max_depth: int = 64
    max_items: int = 1000
    max_text_characters: int = 500_000
    max_label_characters: int = 1024

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) < 1:
                message = f"{name} must be at least 1"
                raise ConfigurationError(message)


def is_deeper_than(value: bytes, max_depth: int) -> bool:
    """Return whether brackets outside of strings nest deeper than `max_depth`.

    Malformed input gets an answer too. Linear in `len(value)`; an event with few brackets is settled by
    counting them.
    """
    if value.count(b"[") + value.count(b"{") <= max_depth:
        return False
    depth = 0
    for byte in _STRING.sub(b"", value).translate(None, _NOT_BRACKETS):
        if byte in b"[{":
            depth += 1
            if depth > max_depth:
                return True
        else:
            depth -= 1
    return False
