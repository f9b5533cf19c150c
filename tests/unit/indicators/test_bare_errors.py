"""A provider's error that is the whole text, and answers about the same errors."""

from __future__ import annotations

import pytest

from sentinel.indicators.delivery import is_upstream_error


@pytest.mark.parametrize(
    "answer",
    [
        "Internal Server Error",
        "Oops! Something went wrong on our end.",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        "The service is temporarily unavailable.",
        "Failed to generate a response.",
        "Timeout: the upstream server did not respond.",
        "HTTPConnectionPool(host='api.test', port=443): Read timed out.",
        "You exceeded your current quota, please check your plan and billing details.",
        "[object Object]",
        "Bad Gateway",
        "Service Unavailable",
        "Too Many Requests",
        "Whoops, something went wrong.",
        "Something went wrong on our side.",
        "The server is currently unavailable.",
        "Unable to generate a response at this time.",
        "I was unable to process your request due to a server error.",
        "We could not process your request. Please try again.",
        "Failed to fetch.",
        "Request failed with status code 500",
        "insufficient_quota",
        "You have exceeded your quota.",
        "Rate limit exceeded.",
        "ReadTimeout: the read operation timed out",
        "Maximum context length exceeded.",
        "The request exceeded the maximum context length of 8192 tokens.",
        '{"message":"Internal server error"}',
        "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body></body></html>",
        "Ein interner Fehler ist aufgetreten.",
        "Ocurrió un error. Inténtelo de nuevo más tarde.",
    ],
)
def test_a_text_that_is_nothing_but_an_error(answer: str) -> None:
    assert is_upstream_error(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Bad Gateway means the proxy got no answer; restart it [1].",
        "Service unavailability is credited at ten percent [1].",
        "Too many requests from one key are slowed down [1].",
        "Connection refused usually means that the port is closed [1].",
        "Internal server errors are logged to syslog [1].",
        "The server is unavailable on Sundays for backups.",
        "The quota is 60 requests a minute and can be raised by support.",
        "You exceeded your holiday quota by two days, so ask your manager.",
        "Something went wrong in the 1986 launch: a seal failed.",
        "If the model fails to generate a response, raise the limit.",
        "KeyError is raised when the key is missing from the dict.",
        "The timeout is thirty seconds by default.",
        "Failed payments are tried again after a day.",
        "Exception lists are kept under Settings.",
        "The request failed on Monday and was sent again on Tuesday.",
        "Rate limits are exceeded by about one client in ten.",
        "The service is unavailable.",
        "Your quota was exceeded in March, as the invoice says.",
        'Can you tell me the error? It may be "We are unable to process your request: Transaction Rejected".',
        "A fetch that failed is tried again.",
        "Ein Fehler ist in Zeile 3: dort fehlt ein Komma.",
    ],
)
def test_an_answer_about_such_an_error(answer: str) -> None:
    assert not is_upstream_error(answer)
