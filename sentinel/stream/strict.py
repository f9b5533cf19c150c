"""The quick way through a clean event: typed parsing that gives up at the first doubt.

It knows no rule of its own: what it returns is what `tolerant` would return with nothing cleaned, and
for anything else it returns None. A property test holds the two together.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any

import msgspec

from sentinel.records import (
    DOMAIN_FIELDS,
    NO_SIGNALS,
    VERSION_FIELDS,
    Citation,
    Passage,
    RawAnswer,
    Signals,
    ToolCall,
    Usage,
)
from sentinel.redaction import personal_data_in_id
from sentinel.stream.cleaning import MAX_INTEGER
from sentinel.stream.event_time import parse_rfc3339
from sentinel.stream.limits import MAX_EVENT_ID_CHARACTERS, DecodeLimits
from sentinel.stream.tolerant import THUMBS


class _WireEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    event_id: str
    answer: str
    question: str | None = None
    occurred_at: str | None = None
    app: str | None = None
    workflow: str | None = None
    task: str | None = None
    tenant: str | None = None
    locale: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    index_version: str | None = None
    app_version: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    retrieved: tuple[Passage, ...] | None = None
    citations: tuple[str | Citation, ...] | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    answerable: bool | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    signals: Signals | None = None
    risk_tags: tuple[str, ...] | None = None
    attributes: dict[str, str | int | float | bool | None] | None = None


_DOMAINS = attrgetter(*DOMAIN_FIELDS)
_VERSIONS = attrgetter(*VERSION_FIELDS)
_DECODER = msgspec.json.Decoder(_WireEvent)


class _DoubtError(Exception):
    """The event needs the decoder that owns the rules."""


def decode_clean(value: bytes, limits: DecodeLimits) -> RawAnswer | None:
    """Return the answer of an event in which nothing has to be cleaned, else None."""
    # No text can be too long in a value that is shorter; an escaped NUL would pass the parser.
    # One byte is found several times as fast as six.
    if len(value) > limits.max_text_characters or (b"\\" in value and b"\\u0000" in value):
        return None
    try:
        return _answer(_DECODER.decode(value), limits)
    except (msgspec.MsgspecError, _DoubtError, RecursionError, UnicodeError):
        return None


def _answer(event: _WireEvent, limits: DecodeLimits) -> RawAnswer:
    event_id = event.event_id
    if not 0 < len(event_id) <= MAX_EVENT_ID_CHARACTERS or personal_data_in_id(event_id):
        raise _DoubtError
    occurred_at = None
    if event.occurred_at is not None:
        occurred_at = parse_rfc3339(event.occurred_at)
        if occurred_at is None:
            raise _DoubtError
    longest = limits.max_label_characters
    return RawAnswer(
        event_id=event_id,
        answer=event.answer,
        question=event.question,
        occurred_at=occurred_at,
        domains=_labels(DOMAIN_FIELDS, _DOMAINS(event), longest),
        versions=_labels(VERSION_FIELDS, _VERSIONS(event), longest),
        attributes=_attributes(event.attributes, limits) if event.attributes else {},
        session_id=_label(event.session_id, longest),
        user_id=_label(event.user_id, longest),
        retrieved=_passages(event.retrieved, limits) if event.retrieved else event.retrieved,
        citations=_citations(event.citations, limits) if event.citations else (),
        tool_calls=_tool_calls(event.tool_calls, limits) if event.tool_calls else (),
        answerable=event.answerable,
        finish_reason=_label(event.finish_reason, longest),
        usage=_usage(event.usage),
        signals=_signals(event.signals),
        risk_tags=_risk_tags(event.risk_tags, limits) if event.risk_tags else (),
    )


def _label(text: str | None, longest: int) -> str | None:
    if text is not None and len(text) > longest:
        raise _DoubtError
    return text


@lru_cache(maxsize=4096)
def _labels(fields: tuple[str, ...], given: tuple[str | None, ...], longest: int) -> dict[str, str]:
    """Return the labels that are given: one dict for all answers of a kind, not to be changed."""
    labels = {}
    for name, label in zip(fields, given, strict=True):
        if label is not None:
            if len(label) > longest:
                raise _DoubtError
            labels[name] = label
    return labels


def _check_count(items: tuple[Any, ...] | dict[str, Any], limits: DecodeLimits) -> None:
    if len(items) > limits.max_items:
        raise _DoubtError


def _passages(passages: tuple[Passage, ...], limits: DecodeLimits) -> tuple[Passage, ...]:
    _check_count(passages, limits)
    longest = limits.max_label_characters
    for passage in passages:
        if (
            len(passage.id) > longest
            or (passage.document_class is not None and len(passage.document_class) > longest)
            or (passage.version is not None and len(passage.version) > longest)
            or (passage.effective_at is not None and len(passage.effective_at) > longest)
            or (passage.access is not None and len(passage.access) > longest)
        ):
            raise _DoubtError
    return passages


def _citations(citations: tuple[str | Citation, ...], limits: DecodeLimits) -> tuple[Citation, ...]:
    _check_count(citations, limits)
    cleaned = tuple(Citation(id=item) if isinstance(item, str) else item for item in citations)
    for citation in cleaned:
        if len(citation.id) > limits.max_label_characters:
            raise _DoubtError
        _check_whole(citation.start)
        _check_whole(citation.end)
    return cleaned


def _tool_calls(calls: tuple[ToolCall, ...], limits: DecodeLimits) -> tuple[ToolCall, ...]:
    _check_count(calls, limits)
    for call in calls:
        if len(call.name) > limits.max_label_characters:
            raise _DoubtError
        for value in (call.input, call.output, call.error):
            _check_integers(value)
    return calls


def _check_integers(value: Any) -> None:
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise _DoubtError
    elif isinstance(value, list):
        for item in value:
            _check_integers(item)
    elif isinstance(value, dict):
        for item in value.values():
            _check_integers(item)


def _check_whole(number: int | None) -> None:
    if number is not None and not 0 <= number <= MAX_INTEGER:
        raise _DoubtError


def _usage(usage: Usage | None) -> Usage | None:
    if usage is not None:
        _check_whole(usage.input_tokens)
        _check_whole(usage.output_tokens)
    return usage


def _signals(signals: Signals | None) -> Signals:
    if signals is None:
        return NO_SIGNALS
    if signals.thumbs is not None and signals.thumbs not in THUMBS:
        raise _DoubtError
    return signals


def _risk_tags(tags: tuple[str, ...], limits: DecodeLimits) -> tuple[str, ...]:
    _check_count(tags, limits)
    if any(len(tag) > limits.max_label_characters for tag in tags):
        raise _DoubtError
    return tags


def _attributes(
    attributes: dict[str, str | int | float | bool | None], limits: DecodeLimits
) -> dict[str, str | int | float | bool]:
    _check_count(attributes, limits)
    longest = limits.max_label_characters
    known = {}
    for key, value in attributes.items():
        if len(key) > longest or (isinstance(value, str) and len(value) > longest):
            raise _DoubtError
        if value is not None:
            _check_integers(value)
            known[key] = value
    return known
