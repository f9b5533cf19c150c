"""Single values of an event: what is kept, what becomes unknown, what was done to it."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, Literal

from sentinel.characters import clean_text
from sentinel.errors import DeadLetterError
from sentinel.stream.limits import DecodeLimits

CleanedReason = Literal[
    "unknown_field",
    "wrong_type",
    "non_finite",
    "out_of_range",
    "too_long",
    "bad_time",
    "bad_choice",
    "surrogate",
    "nul",
]

#: Largest integer every store and every JSON reader downstream can hold.
MAX_INTEGER = 2**63 - 1

_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,10})?", re.ASCII)
_INTEGER = re.compile(r"-?\d{1,18}(?:\.0{1,9})?", re.ASCII)
_NAMED_NON_FINITE = frozenset({"nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity"})


class Cleaner:
    """Cleans the values of one event and counts, by reason, what it changed or made unknown."""

    def __init__(self, limits: DecodeLimits) -> None:
        self.limits = limits
        self.counts: Counter[str] = Counter()

    def count(self, reason: CleanedReason, times: int = 1) -> None:
        """Count values that were changed or made unknown."""
        if times:
            self.counts[reason] += times

    def characters(self, text: str) -> str:
        """Return `text` without NUL and with U+FFFD for lone surrogates."""
        has_nul = "\0" in text
        has_surrogate = not text.isascii() and _SURROGATE.search(text) is not None
        self.count("nul", has_nul)
        self.count("surrogate", has_surrogate)
        return clean_text(text) if has_nul or has_surrogate else text

    def text(self, value: Any, field: str) -> str | None:
        """Return a long text; a wrong type is unknown, more than the limit rejects the event."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.count("wrong_type")
            return None
        if len(value) > self.limits.max_text_characters:
            raise DeadLetterError("too_long", f"{field} has more characters than decode limits allow")
        return self.characters(value)

    def label(self, value: Any) -> str | None:
        """Return a short text; an integer becomes its digits, anything else that is odd unknown."""
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            self.count("non_finite" if _is_non_finite(value) else "wrong_type")
            return None
        if len(value) > self.limits.max_label_characters:
            self.count("too_long")
            return None
        return self.characters(value)

    def identifier(self, value: Any, field: str, max_characters: int) -> str:
        """Return an id: something else would be another id, so what is odd rejects the event."""
        if value is None:
            raise DeadLetterError("missing_field", f"{field} is required")
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise DeadLetterError("wrong_type", f"{field} must be a string")
        if len(value) > max_characters:
            raise DeadLetterError("too_long", f"{field} has more than {max_characters} characters")
        return self.characters(value)

    def flag(self, value: Any) -> bool | None:
        """Return a truth value; only JSON's own two are any."""
        if value is None or isinstance(value, bool):
            return value
        self.count("wrong_type")
        return None

    def number(self, value: Any) -> float | None:
        """Return a finite number, also one written as a string."""
        if value is None:
            return None
        if isinstance(value, str):
            value = self._number_in(value)
            if value is None:
                return None
        elif isinstance(value, bool) or not isinstance(value, int | float):
            self.count("wrong_type")
            return None
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.count("non_finite")
            return None
        return number

    def _number_in(self, text: str) -> float | None:
        if _NUMBER.fullmatch(text):
            return float(text)
        self.count("non_finite" if text.lower() in _NAMED_NON_FINITE else "wrong_type")
        return None

    def whole_number(self, value: Any) -> int | None:
        """Return an integer from 0 to 2⁶³ - 1, also one written as a string or as 3.0."""
        if value is None:
            return None
        if isinstance(value, str) and _INTEGER.fullmatch(value):
            value = int(value.partition(".")[0])
        if _is_non_finite(value):
            self.count("non_finite")
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            self.count("wrong_type")
            return None
        if not 0 <= value <= MAX_INTEGER:
            self.count("out_of_range")
            return None
        return value

    def json(self, value: Any) -> Any:
        """Return a copy of any JSON value that every store can hold.

        A number that is not finite becomes None; an integer beyond 64 bits its digits, for they are
        evidence.
        """
        if isinstance(value, str):
            if len(value) > self.limits.max_text_characters:
                raise DeadLetterError("too_long", "a tool call has a longer text than decode limits allow")
            return self.characters(value)
        if isinstance(value, dict):
            return {self.characters(key): self.json(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if _is_non_finite(value):
            self.count("non_finite")
            return None
        if isinstance(value, int) and abs(value) > MAX_INTEGER:
            self.count("out_of_range")
            return str(value)
        return value


def _is_non_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
