"""Reading the values of a label line: each function takes one key's value or refuses it.

A refusal is a `DeadLetterError`: a fixed word as reason, and as detail the key and its rule, never a
value that stood in the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args

from sentinel.characters import clean_text
from sentinel.errors import DeadLetterError

_MISSING = object()
Choice = TypeVar("Choice", bound=str)


def required(line: Mapping[str, Any], key: str, where: str = "") -> Any:
    """Return the value of a key that must be there."""
    value = line.get(key, _MISSING)
    if value is _MISSING:
        raise DeadLetterError("missing_key", f"{where}{key} is required")
    return value


def string(value: Any, key: str, most: int, *, empty: bool = True) -> str:
    """Return a cleaned string of at most `most` code points."""
    if not isinstance(value, str):
        raise DeadLetterError("wrong_type", f"{key} must be a string")
    if len(value) > most:
        raise DeadLetterError("too_long", f"{key} may have {most} characters")
    cleaned = clean_text(value)
    if not empty and not cleaned.strip():
        raise DeadLetterError("empty", f"{key} must not be empty")
    return cleaned


def optional_string(value: Any, key: str, most: int) -> str | None:
    """Return a cleaned string, None for null and for one that holds nothing but space."""
    if value is None:
        return None
    cleaned = string(value, key, most)
    return cleaned if cleaned.strip() else None


def boolean(value: Any, key: str) -> bool:
    """Return true or false; 0, 1 and "true" are neither."""
    if not isinstance(value, bool):
        raise DeadLetterError("wrong_type", f"{key} must be true or false")
    return value


def optional_boolean(value: Any, key: str) -> bool | None:
    """Return true, false, or None for null: unknown."""
    return None if value is None else boolean(value, key)


def choice(value: Any, key: str, allowed: Any) -> Any:
    """Return a value of the `Literal` `allowed`."""
    known = get_args(allowed)
    if not isinstance(value, str):
        raise DeadLetterError("wrong_type", f"{key} must be one of {', '.join(known)}")
    if value not in known:
        raise DeadLetterError("unknown_value", f"{key} must be one of {', '.join(known)}")
    return value


def items(value: Any, key: str, most: int) -> list[Any]:
    """Return a list of at most `most` items."""
    if not isinstance(value, list):
        raise DeadLetterError("wrong_type", f"{key} must be a list")
    if len(value) > most:
        raise DeadLetterError("too_many", f"{key} may hold {most} items")
    return value


def mapping(value: Any, key: str) -> Mapping[str, Any]:
    """Return a JSON object."""
    if not isinstance(value, dict):
        raise DeadLetterError("wrong_type", f"{key} must be an object")
    return value


Abstention = Literal["none", "correct", "unnecessary", "failed"]
EvidenceRetrieved = Literal["hit", "miss", "unknown"]
Role = Literal["annotator", "adjudicator"]
