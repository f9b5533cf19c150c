"""What libraries log: their message without what it quotes, and each message once a minute at most."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import structlog

from sentinel.clock import Clock

#: What our own modules log in this way holds no raw text.
_OURS = "sentinel."
_QUIET_SECONDS = 60.0
_MOST_MESSAGES = 500


class LibraryHandler(logging.Handler):
    """Pass on what a library logs: its message template, with plain numbers and types for its arguments.

    Other arguments, and a text without any (it may be filled in already), can quote what an answer said.
    A message that comes again within a minute is counted, and its number said with the next one: a client
    whose server is away says so many times a second.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._said: dict[tuple[str, str, int, str], tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Log the record as an event of ours, unless it was logged a moment ago."""
        held_back = self._held_back(record)
        if held_back is None:
            return
        # structlog knows the standard levels only; a library's own lies between two of them.
        level = max(logging.DEBUG, min(logging.CRITICAL, record.levelno // 10 * 10))
        counted = {"held_back": held_back} if held_back else {}
        structlog.get_logger(part=record.name).log(
            level,
            _message(record),
            where=f"{record.module}.{record.funcName}:{record.lineno}",
            exc_info=record.exc_info,
            **counted,
        )

    def _held_back(self, record: logging.LogRecord) -> int | None:
        """Return how often the message came unsaid since it was said last; None: not now either."""
        failure = record.exc_info[0].__qualname__ if record.exc_info and record.exc_info[0] else ""
        key = (record.name, record.pathname, record.lineno, failure)
        now = self._clock.monotonic_seconds()
        said, unsaid = self._said.get(key, (None, 0))
        if said is not None and now - said < _QUIET_SECONDS:
            self._said[key] = (said, unsaid + 1)
            return None
        if len(self._said) >= _MOST_MESSAGES:
            self._said.clear()
        self._said[key] = (now, 0)
        return unsaid


def _message(record: logging.LogRecord) -> str:
    if record.name.startswith(_OURS):
        return record.getMessage()
    if not isinstance(record.msg, str) or not record.args:
        return "message of a library withheld"
    try:
        return str(record.msg % _without_texts(record.args))
    except (TypeError, ValueError, KeyError, OverflowError):
        return record.msg


def _without_texts(arguments: Any) -> Any:
    if isinstance(arguments, Mapping):
        return {key: _plain(value) for key, value in arguments.items()}
    return tuple(_plain(value) for value in arguments)


class _TypeName:
    """Stands for a value of which only the type may be told."""

    def __init__(self, value: object) -> None:
        self._name = type(value).__name__ if isinstance(value, BaseException) else f"<{type(value).__name__}>"

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__


def _plain(value: object) -> object:
    """Return a number as it is, of an error its type, of anything else that there was something."""
    return value if isinstance(value, bool | int | float) else _TypeName(value)
