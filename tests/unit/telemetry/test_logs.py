"""Logs: structured, on the given stream, and never with what an answer said."""

import io
import json
import logging
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import structlog

from sentinel.clock import FixedClock
from sentinel.errors import ConfigurationError, DeadLetterError, RetryError, StopError
from sentinel.records import Partition, RawAnswer, RawRecord
from sentinel.telemetry.logs import (
    LogParams,
    configure_logging,
    describe_exception,
    get_logger,
    log_uncaught_exceptions,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLANTED = "zoe.quartz@corp.test"


@pytest.fixture(params=["json", "console"])
def stream(request: pytest.FixtureRequest) -> io.StringIO:
    target = io.StringIO()
    configure_logging(LogParams(format=request.param), target)
    return target


def one_json(
    clock: FixedClock | None = None, **params: Any
) -> tuple[io.StringIO, Callable[[], dict[str, Any]]]:
    target = io.StringIO()
    configure_logging(LogParams(**params), target, clock or FixedClock(NOON))
    return target, lambda: json.loads(target.getvalue().splitlines()[-1])


def test_every_event_has_level_time_and_part() -> None:
    _, last = one_json()
    get_logger("stream").warning("broker away", attempts=3)
    assert last() == {
        "event": "broker away",
        "level": "warning",
        "time": "2026-03-01T12:00:00.000+00:00",
        "part": "stream",
        "attempts": 3,
    }
    structlog.get_logger().info("no part named")
    assert last()["part"] == "process"


def test_the_level_is_a_setting() -> None:
    target, _ = one_json(level="error")
    get_logger("stream").warning("not heard")
    assert target.getvalue() == ""
    get_logger("stream").error("heard")
    assert "heard" in target.getvalue()


def test_the_default_stream_is_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    get_logger("stream").info("hello")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(captured.err)["event"] == "hello"


def _decode() -> None:
    bytes([0xFF]).decode("utf-8")


def _value_error() -> None:
    raise ValueError(f"could not parse {PLANTED}")


def _key_error() -> None:
    {}[PLANTED]  # type: ignore[index]


def _json_error() -> None:
    json.loads('{"answer": "' + PLANTED)


def _chained() -> None:
    try:
        _value_error()
    except ValueError as error:
        raise RetryError("the store is away; it will be asked again") from error


def _in_context() -> None:
    try:
        _value_error()
    except ValueError:
        raise StopError("cannot go on") from None


def _group() -> None:
    raise ExceptionGroup(PLANTED, [ValueError(PLANTED), RetryError("own words")])


def _with_note() -> None:
    error = RuntimeError(PLANTED)
    error.add_note(PLANTED)
    raise error


def _nested() -> None:
    try:
        try:
            _key_error()
        except KeyError as error:
            raise RuntimeError(PLANTED) from error
    except RuntimeError as error:
        raise OSError(5, PLANTED, PLANTED) from error


def _unicode() -> None:
    PLANTED.encode("utf-8").decode("ascii")
    (PLANTED + "é").encode("ascii")


RAISERS = [
    *(_value_error, _key_error, _json_error, _chained, _in_context),
    *(_group, _with_note, _nested, _unicode, _decode),
]


@pytest.mark.parametrize("raiser", RAISERS, ids=lambda r: r.__name__)
def test_an_exception_is_logged_as_type_and_place(stream: io.StringIO, raiser: Callable[[], None]) -> None:
    logger = get_logger("pipeline")
    try:
        raiser()
    except Exception as error:
        name = type(error).__name__
        logger.exception("failed")
        logger.error("failed", exc_info=error)
        logger.error("failed", exc_info=True, error_object=error, several=[error, {"inner": error}])
        logging.getLogger("kafka").exception("while polling %s", PLANTED)
        logging.getLogger("kafka").exception(f"while polling {PLANTED}")
    else:
        pytest.fail("nothing was raised")
    written = stream.getvalue()
    assert PLANTED not in written
    assert "quartz" not in written
    assert written.count(name) >= 5
    assert raiser.__name__ in written
    assert "while polling <str>" in written


def test_our_own_message_is_kept_and_the_cause_named() -> None:
    _, last = one_json()
    try:
        _chained()
    except RetryError:
        get_logger("store").exception("commit failed")
    error = last()["error"]
    assert error["type"] == "sentinel.errors.RetryError"
    assert error["message"] == "the store is away; it will be asked again"
    assert [cause["type"] for cause in error["caused_by"]] == ["builtins.ValueError"]
    assert "message" not in error["caused_by"][0]
    assert error["where"][-1].startswith("tests.unit.telemetry.test_logs._chained:")


@pytest.mark.parametrize(
    "error", [DeadLetterError("too_large", "answer"), ConfigurationError("store is not a URL")]
)
def test_every_error_of_ours_speaks(error: Exception) -> None:
    assert describe_exception(error)["message"] == str(error)


def test_a_circle_of_causes_ends() -> None:
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    assert [cause["type"] for cause in describe_exception(first)["caused_by"]] == ["builtins.KeyError"]


@pytest.mark.parametrize(
    "value",
    [
        RawAnswer(event_id="e", answer=PLANTED),
        RawRecord(Partition("t", 0), 1, 2, None, 9, PLANTED.encode()),
        PLANTED.encode(),
        bytearray(PLANTED.encode()),
        [PLANTED.encode()],
        {"value": PLANTED.encode()},
        io.StringIO(PLANTED),
        {"deep": {"deeper": {"still": {"more": {"end": PLANTED}}}}},
        type("Local", (), {"__repr__": lambda self: PLANTED})(),
        (x for x in [PLANTED]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_plain_values_are_written(stream: io.StringIO, value: object) -> None:
    get_logger("stream").info("seen", value=value)
    assert PLANTED not in stream.getvalue()
    assert "seen" in stream.getvalue()


def test_coordinates_and_numbers_are_written() -> None:
    _, last = one_json()
    get_logger("stream").info(
        "parked", partition=Partition("answers", 3), offset=7, share=0.5, gone=None, ok=True
    )
    event = last()
    assert (event["partition"], event["offset"], event["share"]) == ("answers/3", 7, 0.5)
    assert (event["gone"], event["ok"]) == (None, True)


def test_long_values_are_cut_and_lines_stay_lines() -> None:
    target, last = one_json()
    get_logger("stream").info("long", value="x" * 10_000, many=list(range(1000)), lines="a\nb\u2028c\ud800")
    assert len(last()["value"]) == 501
    assert len(last()["many"]) == 50
    assert target.getvalue().count("\n") == 1


def test_libraries_are_heard_from_warning_on_without_their_arguments() -> None:
    target, last = one_json(level="debug")
    logging.getLogger("presidio-analyzer").info("found %s", PLANTED)
    assert target.getvalue() == ""
    logging.getLogger("presidio-analyzer").warning("found %s", PLANTED)
    assert last()["event"] == "found <str>"
    assert last()["part"] == "presidio-analyzer"
    logging.getLogger("presidio-analyzer").warning("found " + PLANTED)
    assert last()["event"] == "message of a library withheld"
    logging.getLogger("x").warning({"text": PLANTED})
    logging.getLogger("x").warning("with %(name)s", {"name": PLANTED})
    logging.getLogger("x").warning("broken %d", PLANTED)
    logging.getLogger("x").warning("extra %s", 1, extra={"raw": PLANTED}, stack_info=True)
    assert PLANTED not in target.getvalue()
    assert len(target.getvalue().splitlines()) == 6


def test_arguments_of_a_library_are_told_by_number_and_type() -> None:
    _, last = one_json()
    cases: list[tuple[str, tuple[object, ...], str]] = [
        ("Connection failed: %s", (ConnectionError(PLANTED),), "Connection failed: ConnectionError"),
        ("%r after %d ms", (PLANTED, 250), "<str> after 250 ms"),
        ("%s of %.1f and %s", (None, 0.25, True), "<NoneType> of 0.2 and True"),
        ("broken %d", (PLANTED,), "broken %d"),
        ("too few %s %s", (PLANTED,), "too few %s %s"),
        ("named %(name)s", ({"name": PLANTED},), "named <str>"),
    ]
    for number, (template, arguments, said) in enumerate(cases):
        logging.getLogger(f"library.{number}").warning(template, *arguments)
        assert last()["event"] == said
    logging.getLogger("sentinel.stream").warning("the offsets of %s", "answers/0")
    assert last()["event"] == "the offsets of answers/0"


def test_what_a_library_repeats_is_said_once_a_minute() -> None:
    clock = FixedClock(NOON)
    target, last = one_json(clock=clock)
    for second in range(150):
        clock.set(NOON + timedelta(seconds=second))
        for _ in range(10):
            logging.getLogger("kafka.net").error("Connection failed: %s", OSError(PLANTED))
        logging.getLogger("kafka.net").error("something else %d", second)
    said = [json.loads(line) for line in target.getvalue().splitlines()]
    repeated = [one for one in said if one["event"].startswith("Connection")]
    assert [one.get("held_back", 0) for one in repeated] == [0, 599, 599]
    assert len(said) == 6
    assert last()["part"] == "kafka.net"


def test_uncaught_exceptions_are_logged_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    target, last = one_json()
    log_uncaught_exceptions()
    thread = threading.Thread(target=_value_error)
    thread.start()
    thread.join()
    assert last()["error"]["type"] == "builtins.ValueError"
    try:
        _value_error()
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert len(target.getvalue().splitlines()) == 2
    assert PLANTED not in target.getvalue() + capsys.readouterr().err
