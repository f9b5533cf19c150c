"""How an answer came about: finish reason, failed tools, a provider's error text in place of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators, fired
from sentinel.records import Indicators, Passage, RawAnswer, ToolCall
from tests.unit.indicators.build import indicate


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, I cannot answer because of some technical issue. The model is overloaded. You can retry.",
        "Something went wrong. Please try again later.",
        "We're experiencing high demand right now. Please try again in a few minutes.",
        "I'm currently experiencing technical difficulties. Please contact support.",
        "An unexpected error occurred while processing your request (request id 4711).",
        "Error: 503 Service Unavailable",
        "503 Service Temporarily Unavailable",
        "HTTP 502: Bad Gateway",
        "RateLimitError: Rate limit reached for gpt-4o in organization org-1 on tokens per min.",
        "openai.APITimeoutError: Request timed out.",
        '{"error": {"message": "The server had an error", "type": "server_error"}}',
        "{'error': 'context_length_exceeded'}",
        'Traceback (most recent call last):\n  File "app.py", line 3, in run\nValueError: bad',
        "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
        "Request timed out.",
        "You exceeded your current quota, please check your plan. Retry later.",
        "Es ist ein Fehler aufgetreten. Bitte versuchen Sie es später erneut.",
        "Une erreur est survenue, veuillez réessayer plus tard.",
        "Se produjo un error. Inténtelo más tarde.",
        "Si è verificato un errore, riprova.",
        "Er is een fout opgetreden. Probeer het later opnieuw.",
        "エラーが発生しました。後ほどもう一度お試しください。",
        "发生错误，请稍后重试。",
        "오류가 발생했습니다. 나중에 다시 시도해 주세요.",
    ],
)
def test_a_providers_error_is_an_indicator_of_its_own(text: str) -> None:
    got = indicate(text, ["Refunds take 30 days."])
    assert "upstream_error" in fired(got)
    assert not got.citations.missing


@pytest.mark.parametrize(
    "text",
    [
        "A 503 error means that the service is unavailable; wait and try again later.",
        "Error 404 usually appears when a page was moved.",
        "Error E-17: the door is open. To fix it, close the door.",
        "If you see 'Something went wrong', try again later or contact support.",
        "Please try again later if the line is busy; the office opens at nine.",
        "Sorry to hear that. Your parcel arrives on Friday [2].",
        "I'm sorry, I could not find that in the documents.",
        "The server is down for maintenance on Sundays, as the plan says [1].",
        "An error occurred in 1912: the map showed the wrong island.",
        "The quota of 30 days was reached in May.",
        "When an error occurs, the light flashes twice and you should try again.",
        "Our rate limit is 100 requests a minute; it was raised last year.",
        "",
        "Retry policies limit how often a request is sent again.",
        "Unable to start the engine? Check the battery first.",
        "Connection problems often have three causes: cable, router, provider.",
        "The exception proves the rule.",
        "Error bars show the standard error of the mean in this chart.",
    ],
)
def test_an_answer_about_errors_is_an_answer(text: str) -> None:
    assert not indicate(text, ["Refunds take 30 days."]).delivery.upstream_error


def event(**fields: Any) -> Indicators:
    raw = RawAnswer(
        event_id="e", answer="Refunds take 30 days [1].", retrieved=(Passage(id="a", text="x"),), **fields
    )
    return compute_indicators(raw, IndicatorParams(), PassageMemo())


@pytest.mark.parametrize(
    ("reason", "truncated", "blocked"),
    [
        (None, None, None),
        ("stop", False, False),
        ("end_turn", False, False),
        ("tool_calls", False, False),
        ("length", True, False),
        ("MAX_TOKENS", True, False),
        ("FinishReason.MAX_TOKENS", True, False),
        ("max_output_tokens", True, False),
        ("content_filter", False, True),
        ("SAFETY", False, True),
        ("refusal", False, True),
        ("RECITATION", False, True),
        ("FINISH_REASON_MAX_TOKENS", True, False),
        ("FINISH_REASON_SAFETY", False, True),
        ("something new", False, False),
    ],
)
def test_finish_reasons(reason: str | None, truncated: bool | None, blocked: bool | None) -> None:
    got = event(finish_reason=reason)
    assert (got.delivery.truncated, got.delivery.blocked) == (truncated, blocked)
    assert ("truncated_answer" in fired(got)) is bool(truncated)
    assert ("blocked_answer" in fired(got)) is bool(blocked)


@pytest.mark.parametrize(
    ("errors", "count"),
    [
        ([], None),
        ([None], 0),
        ([""], 0),
        ([False], 0),
        ([{}], 0),
        (["timeout"], 1),
        ([{"code": 500}], 1),
        ([True], 1),
        ([None, "a", None, "b"], 2),
        ([0], 1),
    ],
)
def test_failed_tools_are_counted_and_no_tool_is_unknown(errors: list[Any], count: int | None) -> None:
    got = event(tool_calls=tuple(ToolCall(name="t", output="x", error=error) for error in errors))
    assert got.delivery.tool_errors == count
    assert ("tool_error" in fired(got)) is bool(count)
