"""Column types that store and return the same value on SQLite and on PostgreSQL.

SQLite would take any value in any column; these types refuse what PostgreSQL refuses, with `StopError`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from sentinel.characters import clean_text
from sentinel.errors import StopError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
#: A B-tree entry of PostgreSQL holds some 2,700 bytes; the widest key here has six of these strings.
_KEY_BYTES = 400
#: The longest event id of the contract: 256 code points of up to 4 bytes.
_EVENT_ID_BYTES = 1024


def clean_json(value: Any) -> Any:
    """Return a JSON value with `clean_text` applied to every string and key."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_json(item) for item in value]
    return value


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    message = f"a {type(value).__name__} is not a JSON value"
    raise TypeError(message)


def encode_json(value: Any) -> str:
    """Return `value` as JSON text in its own key order; NaN and infinities raise `ValueError`."""
    text = _encode(value)
    return clean_text(_encode(clean_json(value)) if "\\u0000" in text else text)


#: Made once: `json.dumps` would make one for every value.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)


def _encode(value: Any) -> str:
    return _ENCODER.encode(value)


def shorten_key(text: str, limit_bytes: int) -> str:
    """Return `text`, or, where it has more bytes than an index can take, its beginning and its hash."""
    encoded = text.encode()
    if len(encoded) <= limit_bytes:
        return text
    digest = hashlib.blake2b(encoded, digest_size=16).hexdigest()
    return f"{encoded[: limit_bytes - len(digest) - 1].decode(errors='ignore')}~{digest}"


def stored_key(text: str) -> str:
    """Return `text` as a `KeyText` column holds it."""
    return shorten_key(clean_text(text), _KEY_BYTES)


def stored_event_id(event_id: str) -> str:
    """Return an event id as the store holds it."""
    return shorten_key(clean_text(event_id), _EVENT_ID_BYTES)


class UtcTime(TypeDecorator[datetime]):
    """An aware time in UTC, exact to the microsecond.

    PostgreSQL: `timestamptz`. SQLite: whole microseconds since 1970, which sort and compare as times.
    """

    impl = sa.BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the column type of this database."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.TIMESTAMP(timezone=True))
        return dialect.type_descriptor(sa.BigInteger())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Return what the driver takes; a naive time is refused."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise StopError("a stored time must be aware")
        if dialect.name == "postgresql":
            return value.astimezone(UTC)
        return (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return the stored time in UTC."""
        if value is None:
            return None
        if dialect.name == "postgresql":
            return value.astimezone(UTC)  # type: ignore[no-any-return]
        return _EPOCH + value * _MICROSECOND  # type: ignore[no-any-return]


class CleanText(TypeDecorator[str]):
    """Text of any length, cleaned of what one of the databases cannot hold."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Return the cleaned text."""
        return None if value is None else clean_text(value)


class KeyText(TypeDecorator[str]):
    """Cleaned text that stands in an index: over the limit it is cut and ends in its own hash."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, limit_bytes: int = _KEY_BYTES) -> None:
        super().__init__()
        self.limit_bytes = limit_bytes

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Return the cleaned and, if need be, shortened text."""
        return None if value is None else shorten_key(clean_text(value), self.limit_bytes)


def event_id_type() -> KeyText:
    """Return the type of an `event_id` column."""
    return KeyText(_EVENT_ID_BYTES)


class JsonText(TypeDecorator[Any]):
    """A JSON value as text: key order, number notation and strings are the same on both databases.

    PostgreSQL's `jsonb` would reorder keys and turn 1e22 into an integer.
    """

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:  # noqa: ARG002
        """Return the JSON text; None is JSON `null`."""
        return encode_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        """Return the decoded value."""
        if value == "[]":
            # Most lists of a unit or a label are empty, and a report decodes a million of them.
            return []
        return None if value is None else json.loads(value)


class FiniteDouble(TypeDecorator[float]):
    """A double, bit for bit; NaN and infinities are refused."""

    impl = sa.Double
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: Dialect) -> float | None:  # noqa: ARG002
        """Return the value as a float."""
        if value is None:
            return None
        if not math.isfinite(value):
            raise StopError("a stored number must be finite")
        return float(value)


class WholeNumber(TypeDecorator[int]):
    """A whole number of 64 bits."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """Return the number as it is."""
        if value is None:
            return None
        if not isinstance(value, int) or not -(2**63) <= value < 2**63:
            raise StopError("a stored count must be a whole number of 64 bits")
        return int(value)
