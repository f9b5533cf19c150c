"""How an answer came about: cut off, withheld, after a failed tool, or no answer but a provider's error text."""
# ruff: noqa: E501 - a pattern on one line is easier to read than in pieces

from __future__ import annotations

import re

from sentinel.indicators.needles import NeedleGroups
from sentinel.records import DeliveryIndicators, RawAnswer

#: As providers name it, in lower case: the answer ended because it was too long …
_TRUNCATED = frozenset(
    {"length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit", "model_context_window_exceeded", "incomplete", "truncated"}
)  # fmt: skip
#: … or because something kept it back.
_BLOCKED = frozenset(
    {"content_filter", "content_filtered", "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii", "blocked", "guardrail_intervened", "error_toxic", "language", "image_safety"}
)  # fmt: skip
#: A provider's error is short, and it begins as one.
_MOST_CHARACTERS = 1_000
_BEGINNING = 300
_OPENS = re.compile(
    r"\W*(?:[\w.]{0,40}(?:error|exception)\b(?: code)?(?:\s?[:(]| [45]\d\d\b)|http(?:/[\d.]+)? ?(?:error|status)?[:\s]{1,3}[45]\d\d\b|[45]\d\d[: -]{1,3}(?:too many requests|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|bad request|unauthorized|forbidden)\b"
    r"|traceback \(most recent call last\)|\{\s*[\"'](?:error|errors|detail|fault)[\"']\s*:|(?:<!doctype html[^<>]{0,80}>\s{0,9})?<html\b[^<>]{0,80}>.{0,80}(?:[45]\d\d|error)|\{\s*\"(?:message|detail|msg)\"\s*:\s*\"[^\"]{0,60}(?:error|timed? ?out|rate limit|unavailable)|httpconnectionpool\(|(?:(?:i'm |we're )?(?:sorry|unfortunately)\W+(?:but )?)?(?:i|we) (?:(?:am|are|was|were) )?(?:could not|couldn't|unable to|failed to|cannot|can't) process your request|\[object object\]|[\w.]{0,40}timeout:.{0,60}(?:timed out|did not respond|no response)|upstream (?:connect|request|error)|(?:read|connection|gateway|request) (?:timed out|time-?out|reset|refused|aborted)\b|no healthy upstream)",
    re.IGNORECASE | re.DOTALL,
)
#: Texts that are nothing else: with more around them they may as well be about errors.
_WHOLE = re.compile(
    r"\W*(?:(?:[45]\d\d\W+)?(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|too many requests|connection (?:refused|reset)(?: by peer)?|(?:the )?request timed out)"
    r"|(?:the |llm |api )*(?:request|call|generation) failed(?: with status(?: code)? [45]\d\d)?|failed to (?:fetch|generate|load|get|retrieve)(?: (?:a |an |the |your )?(?:response|answer|completion|reply|data))?"
    r"|(?:(?:i|we) (?:am|are|was|were) )?(?:currently )?unable to (?:generate|produce|fetch|get|complete|process) (?:an? |the |your |this )?(?:response|answer|completion|request)(?: (?:at this (?:time|moment)|right now|at the moment))?"
    r"|(?:the )?(?:api )?(?:rate limit|quota|(?:maximum )?context length|token limit)(?: has been| was)? (?:exceeded|reached)|you(?:'ve| have)? (?:exceeded|reached) your (?:current |api )?(?:quota|rate limit)\b[^.]{0,60}"
    r"|insufficient_quota|context_length_exceeded|rate_limit_exceeded|invalid_api_key|server_error|internal_error|(?:(?:oops|whoops|uh[- ]oh|sorry)\W+)?something went wrong(?: (?:on|at) our (?:end|side)| while [\w ]{1,40})?"
    r"|(?:the )?(?:server|service|system|model|engine|api|assistant) is (?:currently |temporarily |currently temporarily )(?:overloaded|unavailable|down|busy|offline)"
    r"|(?:the|your) (?:request|prompt|input|messages?)(?: length)? (?:has )?exceed(?:s|ed) the (?:\w+ ){0,3}(?:context|token)\b.{0,60}|(?:this|the) model's maximum context length is .{1,40}\. however,? (?:you|your)\b.{0,160}"
    r"|(?:es ist )?ein (?:\w+ )?fehler (?:ist )?aufgetreten|(?:une|un) erreur (?:\w+ )?(?:est survenue|s'est produite)|(?:ha ocurrido|ocurrió|hubo|se produjo) un error(?: \w+)?)[\s.!]{0,3}",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\b(?:(?:because of|due to) (?:some |a |an )?(?:technical|internal|temporary|unexpected|system|server|network) (?:issue|problem|error|difficult)\w*"
    r"|(?:model|server|service|system|engine|api) is (?:currently |temporarily )?(?:overloaded|unavailable|at capacity|down|busy|not responding)"
    r"|(?:an?|the following) (?:\w+ )?(?:error|exception) (?:has )?occurred|something went wrong|(?:i(?:'m| am)|we(?:'re| are)) (?:currently )?(?:experiencing|having) (?:\w+ )?(?:technical|high (?:demand|traffic|volume)|issues|difficulties|problems)"
    r"|(?:rate limit|quota|context length|token limit)\w* (?:has been |was )?(?:reached|exceeded)|exceeded your (?:current )?quota|insufficient_quota|context_length_exceeded|rate_limit_exceeded|invalid_api_key|maximum context length is"
    r"|(?:failed|unable) to (?:generate|fetch|get|load) (?:a |the )?(?:response|answer|completion)"
    r"|es ist ein (?:\w+ )?fehler aufgetreten|technische[nrs]? (?:problem|störung|fehler|schwierigkeit)\w*|une erreur (?:\w+ ){0,2}(?:est survenue|s'est produite)|problème technique|ha ocurrido un error|ocurrió un error|hubo un error|se (?:ha )?produjo un error|problema técnico|si è verificato un errore|ocorreu um erro|er is een fout opgetreden|wystąpił błąd|произошла ошибка|エラーが発生しました|发生(?:了)?错误|出错了|오류가 발생했습니다)",
    re.IGNORECASE,
)
#: What such a text asks for; without it or an opening, a sentence about errors is an answer about errors.
_AGAIN = re.compile(
    r"\b(?:try again|retry|retrying|later|request id|contact (?:us|support|your administrator)|help center|error code|sorry|apologi[sz]e)\b|erneut|später|réessay|plus tard|más tarde|inténtelo|riprov|novamente|mais tarde|opnieuw|później|ponownie|позже|もう一度|後ほど|稍后|请重试|重试|다시 시도|나중에",
    re.IGNORECASE,
)
_CITED = re.compile(r"\[\^?\d{1,3}\]|【")
_HINTS = (
    "error", "exception", "traceback", "timed out", "timeout", "unavailable", "overloaded", "wrong", "issue", "problem", "quota", "limit",
    "capacity", "experiencing", "upstream", "generate", "context", "busy", "down", "fehler", "störung", "erreur", "fout", "błąd", "erro",
    "ошибка", "エラー", "错", "오류", "technical", "http", "50", "42", "reset", "refused", "aborted", "load", "fetch", "response",
    "gateway", "too many", "request failed", "call failed", "process your", "unable to p", "[object", "is offline",
)  # fmt: skip


_HINTED = NeedleGroups((_HINTS,))


def delivery_indicators(answer: RawAnswer, *, cites: bool = False) -> DeliveryIndicators:
    """Return what the event says of how its answer was made; None where it does not say.

    `cites`: it is known that the text holds a number in brackets.
    """
    finished = answer.finish_reason
    usual = _USUAL.get(finished)
    calls = answer.tool_calls
    upstream_error = not cites and is_upstream_error(answer.answer)
    if usual is not None and not calls and not upstream_error:
        return usual
    truncated, blocked = _ended(finished)
    tool_errors = sum([_failed(call.error) for call in calls]) if calls else None
    return DeliveryIndicators(truncated, blocked, tool_errors, upstream_error)


def _ended(finished: str | None) -> tuple[bool | None, bool | None]:
    """Return whether a finish reason means cut off, and kept back."""
    if finished is None:
        return None, None
    reason = finished.rpartition(".")[2].strip().lower().removeprefix("finish_reason_")
    return reason in _TRUNCATED, reason in _BLOCKED


#: What is said of nearly all answers, by finish reason: one object for all of them.
_USUAL = {
    finished: DeliveryIndicators(*_ended(finished))
    for finished in (
        None,
        "stop",
        "STOP",
        "end_turn",
        "stop_sequence",
        "completed",
        "eos",
        "length",
        "max_tokens",
    )
}


def is_upstream_error(text: str) -> bool:
    """Return whether a text is a provider's error message in the place of an answer.

    Errors are also what answers are about: a text counts that begins as an error or is nothing else, or that
    says that one happened and asks for patience; none that cites.
    """
    if len(text) > _MOST_CHARACTERS:
        return False
    # Most answers cite, and that is found at once.
    if ("[" in text or not text.isascii()) and _CITED.search(text):
        return False
    head = text[:_BEGINNING].replace("’", "'")
    if not (_HINTED.found_in(head) if head.isascii() else _holds_a_hint(head.lower())):
        return False
    if _WHOLE.fullmatch(head):
        return True
    if _OPENS.match(head):
        return "?" not in head and not _EXPLAINS.search(head)
    return _SAID.search(head) is not None and _AGAIN.search(text) is not None and not _EXPLAINS.search(head)


def _holds_a_hint(lowered: str) -> bool:
    return any(hint in lowered for hint in _HINTS)


#: *A 503 error means …*: about an error, not one.
_EXPLAINS = re.compile(
    r"\b(?:means|indicates|refers to|is caused by|are caused by|usually|typically|often|occurs? (?:when|if)|happens? (?:when|if)|appears (?:when|if)|can be fixed|to (?:fix|resolve|solve|avoid)|(?:if|when) (?:you|users?|someone|it|something|an?))\b",
    re.IGNORECASE,
)


def _failed(error: object) -> bool:
    return error is not None and error is not False and error not in ("", [], {})
