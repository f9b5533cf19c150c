"""Structured logs on standard error that cannot carry what an answer said.

Messages are written by us; values are kept to plain, short ones. Of an exception only its type and
place are logged, and its message only if it is a `SentinelError`, whose messages never hold raw text:
a third party's message may quote what it failed on.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath
from types import TracebackType
from typing import Any, Literal, TextIO

import structlog
from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

from sentinel.clock import Clock, SystemClock
from sentinel.errors import SentinelError
from sentinel.records import Partition

LogFormat = Literal["json", "console"]
LogLevel = Literal["debug", "info", "warning", "error"]

_MAXIMUM_CHARACTERS = 500
_MAXIMUM_ITEMS = 50
_MAXIMUM_DEPTH = 4
_MAXIMUM_CAUSES = 5
_MAXIMUM_PLACES = 10


@dataclass(frozen=True, slots=True)
class LogParams:
    """`level` is that of our own events; libraries are heard from `warning` on."""

    format: LogFormat = "json"
    level: LogLevel = "info"


def configure_logging(
    params: LogParams | None = None, stream: TextIO | None = None, clock: Clock | None = None
) -> None:
    """Send every log event of the process, also those of libraries, to `stream` (standard error)."""
    chosen = params or LogParams()
    target = stream if stream is not None else sys.stderr
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=True)
        if chosen.format == "json"
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            _name_part,
            _TimeStamp(clock or SystemClock()),
            describe_exceptions,
            keep_plain_values,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, chosen.level.upper())),
        logger_factory=structlog.WriteLoggerFactory(file=target),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [_LibraryHandler()]
    root.setLevel(logging.WARNING)


def get_logger(part: str) -> FilteringBoundLogger:
    """Return the logger of one part of the product, named in each of its events."""
    logger: FilteringBoundLogger = structlog.get_logger(part=part)
    return logger


def log_uncaught_exceptions() -> None:
    """Log what nobody caught, in any thread, instead of printing a traceback with its message."""
    logger = get_logger("process")

    def in_main(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        logger.critical("uncaught exception", exc_info=(kind, error, trace))

    def in_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            logger.critical("uncaught exception in a thread", exc_info=args.exc_value)

    def in_finalizer(args: sys.UnraisableHookArgs) -> None:
        if not isinstance(args.exc_value, KeyboardInterrupt):
            logger.error("exception in a finalizer", exc_info=args.exc_value)

    sys.excepthook = in_main
    threading.excepthook = in_thread
    sys.unraisablehook = in_finalizer


def describe_exception(error: BaseException) -> dict[str, Any]:
    """Return type, places and, for our own errors, message of `error` and of what led to it.

    `where` lists `module.function:line`, innermost last.
    """
    described = _describe_one(error)
    causes: list[dict[str, Any]] = []
    seen = {id(error)}
    current = error.__cause__ or error.__context__
    while current is not None and id(current) not in seen and len(causes) < _MAXIMUM_CAUSES:
        seen.add(id(current))
        causes.append(_describe_one(current))
        current = current.__cause__ or current.__context__
    if causes:
        described["caused_by"] = causes
    if isinstance(error, BaseExceptionGroup):
        described["members"] = [_describe_one(member) for member in error.exceptions[:_MAXIMUM_CAUSES]]
    return described


def describe_exceptions(_logger: WrappedLogger, _method: str, event_dict: EventDict) -> EventDict:
    """Processor: put a description under `error` in place of `exc_info`; drop ready-made tracebacks."""
    for ready_made in ("exception", "stack", "stack_info"):
        event_dict.pop(ready_made, None)
    info = event_dict.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    error = info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event_dict["error"] = describe_exception(error)
    return event_dict


def keep_plain_values(_logger: WrappedLogger, _method: str, event_dict: EventDict) -> EventDict:
    """Processor: keep numbers, short text and small collections; of anything else only its type."""
    return {key: _plain(value, _MAXIMUM_DEPTH) for key, value in event_dict.items()}


def _describe_one(error: BaseException) -> dict[str, Any]:
    described: dict[str, Any] = {"type": f"{type(error).__module__}.{type(error).__qualname__}"}
    if isinstance(error, SentinelError):
        described["message"] = str(error)[:_MAXIMUM_CHARACTERS]
    places = _places(error)
    if places:
        described["where"] = places[-_MAXIMUM_PLACES:]
    return described


def _places(error: BaseException) -> list[str]:
    places: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        module = frame.f_globals.get("__name__", "?")
        places.append(f"{module}.{frame.f_code.co_name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return places


def _plain(value: object, depth: int) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value if len(value) <= _MAXIMUM_CHARACTERS else value[:_MAXIMUM_CHARACTERS] + "…"
    if isinstance(value, BaseException):
        return describe_exception(value)
    if isinstance(value, date | PurePath | Partition):
        return str(value)
    if depth > 0 and isinstance(value, Mapping):
        items = list(value.items())[:_MAXIMUM_ITEMS]
        return {str(_plain(key, 0)): _plain(item, depth - 1) for key, item in items}
    if depth > 0 and isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, depth - 1) for item in list(value)[:_MAXIMUM_ITEMS]]
    return f"<{type(value).__name__}>"


class _TimeStamp:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __call__(self, _logger: WrappedLogger, _method: str, event_dict: EventDict) -> EventDict:
        event_dict["time"] = self._clock.now().isoformat(timespec="milliseconds")
        return event_dict


def _name_part(_logger: WrappedLogger, _method: str, event_dict: EventDict) -> EventDict:
    event_dict.setdefault("part", "process")
    return event_dict


class _LibraryHandler(logging.Handler):
    """Pass on what a library logs: its message template, never its arguments.

    The arguments, and a text without any (it may be filled in already), can quote what an answer said.
    """

    def emit(self, record: logging.LogRecord) -> None:
        has_template = isinstance(record.msg, str) and bool(record.args)
        # structlog knows the standard levels only; a library's own lies between two of them.
        level = max(logging.DEBUG, min(logging.CRITICAL, record.levelno // 10 * 10))
        get_logger(record.name).log(
            level,
            record.msg if has_template else "message of a library withheld",
            where=f"{record.module}.{record.funcName}:{record.lineno}",
            exc_info=record.exc_info,
        )
