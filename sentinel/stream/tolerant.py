"""The decoder that owns every rule: any JSON object in, an answer or a reason out.

What identifies or carries the answer rejects the event when it is wrong (`event_id`, `answer`, ids of
passages and citations, the lists whose absence would claim that there was nothing); every other value
that is wrong becomes unknown and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from sentinel.errors import DeadLetterError
from sentinel.records import (
    DOMAIN_FIELDS,
    VERSION_FIELDS,
    Citation,
    Passage,
    RawAnswer,
    Signals,
    ToolCall,
    Usage,
)
from sentinel.redaction import personal_data_in_id
from sentinel.stream.cleaning import MAX_INTEGER, Cleaner
from sentinel.stream.event_time import parse_rfc3339
from sentinel.stream.limits import MAX_EVENT_ID_CHARACTERS

THUMBS = ("up", "down")
EVENT_FIELDS = frozenset(
    {"event_id", "answer", "question", "occurred_at", "session_id", "user_id", "retrieved", "citations"}
    | {"tool_calls", "answerable", "finish_reason", "usage", "signals", "risk_tags", "attributes"}
    | {*DOMAIN_FIELDS, *VERSION_FIELDS}
)
_PASSAGE_FIELDS = frozenset(Passage.__struct_encode_fields__)
_CITATION_FIELDS = frozenset(Citation.__struct_encode_fields__)
_TOOL_CALL_FIELDS = frozenset(ToolCall.__struct_encode_fields__)
_SIGNALS_FIELDS = frozenset(Signals.__struct_encode_fields__)
_USAGE_FIELDS = frozenset(Usage.__struct_encode_fields__)

_T = TypeVar("_T")


class MissingAnswerError(DeadLetterError):
    """An event without its answer. With a signal it may speak of an answer that came before.

    The id is the event's identity and is kept out of the message.
    """

    def __init__(self, event_id: str, signals: Signals) -> None:
        super().__init__("missing_field", "answer is required; it may be empty")
        self.event_id = event_id
        self.signals = signals


def clean_event(event: Mapping[str, Any], cleaner: Cleaner) -> RawAnswer:
    """Return the answer in one JSON object; raise `DeadLetterError` where there is none."""
    cleaner.count("unknown_field", len(event.keys() - EVENT_FIELDS))
    return RawAnswer(
        event_id=_event_id(event.get("event_id"), cleaner),
        answer=_answer(event, cleaner),
        question=cleaner.text(event.get("question"), "question"),
        occurred_at=_time(event.get("occurred_at"), cleaner),
        domains=_labels(event, DOMAIN_FIELDS, cleaner),
        versions=_labels(event, VERSION_FIELDS, cleaner),
        attributes=_attributes(event.get("attributes"), cleaner),
        session_id=cleaner.label(event.get("session_id")),
        user_id=cleaner.label(event.get("user_id")),
        retrieved=_retrieved(event.get("retrieved"), cleaner),
        citations=_items(event.get("citations"), "citations", _citation, cleaner),
        tool_calls=_items(event.get("tool_calls"), "tool_calls", _tool_call, cleaner),
        answerable=cleaner.flag(event.get("answerable")),
        finish_reason=cleaner.label(event.get("finish_reason")),
        usage=_usage(event.get("usage"), cleaner),
        signals=_signals(event.get("signals"), cleaner),
        risk_tags=_risk_tags(event.get("risk_tags"), cleaner),
    )


def _event_id(value: Any, cleaner: Cleaner) -> str:
    event_id = cleaner.identifier(value, "event_id", MAX_EVENT_ID_CHARACTERS)
    if not event_id:
        raise DeadLetterError("missing_field", "event_id is empty")
    personal = personal_data_in_id(event_id)  # ids are stored as they are
    if personal is not None:
        raise DeadLetterError("personal_data_in_id", f"event_id holds {personal}")
    return event_id


def _answer(event: Mapping[str, Any], cleaner: Cleaner) -> str:
    value = event.get("answer")
    if value is None:
        event_id = _event_id(event.get("event_id"), cleaner)
        raise MissingAnswerError(event_id, _signals(event.get("signals"), cleaner))
    if not isinstance(value, str):
        raise DeadLetterError("wrong_type", "answer must be a string")
    return cleaner.text(value, "answer") or ""


def _time(value: Any, cleaner: Cleaner) -> datetime | None:
    if value is None:
        return None
    moment = parse_rfc3339(value) if isinstance(value, str) else None
    if moment is None:
        cleaner.count("bad_time")
    return moment


def _labels(event: Mapping[str, Any], fields: tuple[str, ...], cleaner: Cleaner) -> dict[str, str]:
    labels = {name: cleaner.label(event[name]) for name in fields if name in event}
    return {name: label for name, label in labels.items() if label is not None}


def _object(value: Any, fields: frozenset[str], cleaner: Cleaner) -> Mapping[str, Any]:
    """Return an optional object, empty where it is unknown."""
    if isinstance(value, dict):
        cleaner.count("unknown_field", len(value.keys() - fields))
        return value
    if value is not None:
        cleaner.count("wrong_type")
    return {}


def _entry(value: Any, field: str, fields: frozenset[str], cleaner: Cleaner) -> Mapping[str, Any]:
    """Return an entry of a list whose length is a fact, so that none may be left out."""
    if not isinstance(value, dict):
        raise DeadLetterError("wrong_type", f"every entry of {field} must be an object")
    cleaner.count("unknown_field", len(value.keys() - fields))
    return value


def _check_length(value: list[Any] | dict[str, Any], field: str, cleaner: Cleaner) -> None:
    if len(value) > cleaner.limits.max_items:
        raise DeadLetterError("too_many_items", f"{field} has more entries than {cleaner.limits.max_items}")


def _items(value: Any, field: str, clean: Callable[[Any, Cleaner], _T], cleaner: Cleaner) -> tuple[_T, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise DeadLetterError("wrong_type", f"{field} must be a list")
    _check_length(value, field, cleaner)
    return tuple(clean(item, cleaner) for item in value)


def _retrieved(value: Any, cleaner: Cleaner) -> tuple[Passage, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        cleaner.count("wrong_type")
        return None
    return _items(value, "retrieved", _passage, cleaner)


def _passage(value: Any, cleaner: Cleaner) -> Passage:
    entry = _entry(value, "retrieved", _PASSAGE_FIELDS, cleaner)
    return Passage(
        id=cleaner.identifier(entry.get("id"), "retrieved.id", cleaner.limits.max_label_characters),
        text=cleaner.text(entry.get("text"), "retrieved.text"),
        score=cleaner.number(entry.get("score")),
        distance=cleaner.number(entry.get("distance")),
        document_class=cleaner.label(entry.get("class")),
        version=cleaner.label(entry.get("version")),
        effective_at=cleaner.label(entry.get("effective_at")),
        superseded=cleaner.flag(entry.get("superseded")),
        access=cleaner.label(entry.get("access")),
    )


def _citation(value: Any, cleaner: Cleaner) -> Citation:
    limit = cleaner.limits.max_label_characters
    if isinstance(value, str | int) and not isinstance(value, bool):
        return Citation(id=cleaner.identifier(value, "citations", limit))
    entry = _entry(value, "citations", _CITATION_FIELDS, cleaner)
    return Citation(
        id=cleaner.identifier(entry.get("id"), "citations.id", limit),
        quote=cleaner.text(entry.get("quote"), "citations.quote"),
        start=cleaner.whole_number(entry.get("start")),
        end=cleaner.whole_number(entry.get("end")),
    )


def _tool_call(value: Any, cleaner: Cleaner) -> ToolCall:
    entry = _entry(value, "tool_calls", _TOOL_CALL_FIELDS, cleaner)
    return ToolCall(
        name=cleaner.identifier(entry.get("name"), "tool_calls.name", cleaner.limits.max_label_characters),
        input=cleaner.json(entry.get("input")),
        output=cleaner.json(entry.get("output")),
        error=cleaner.json(entry.get("error")),
    )


def _usage(value: Any, cleaner: Cleaner) -> Usage | None:
    if not isinstance(value, dict):
        if value is not None:
            cleaner.count("wrong_type")
        return None
    entry = _object(value, _USAGE_FIELDS, cleaner)
    return Usage(
        input_tokens=cleaner.whole_number(entry.get("input_tokens")),
        output_tokens=cleaner.whole_number(entry.get("output_tokens")),
    )


def _signals(value: Any, cleaner: Cleaner) -> Signals:
    entry = _object(value, _SIGNALS_FIELDS, cleaner)
    return Signals(
        user_correction=cleaner.flag(entry.get("user_correction")),
        safety_incident=cleaner.flag(entry.get("safety_incident")),
        unsupported_citation_report=cleaner.flag(entry.get("unsupported_citation_report")),
        thumbs=_thumbs(entry.get("thumbs"), cleaner),
    )


def _thumbs(value: Any, cleaner: Cleaner) -> str | None:
    if value is None or value in THUMBS:
        return None if value is None else str(value)
    cleaner.count("bad_choice" if isinstance(value, str) else "wrong_type")
    return None


def _risk_tags(value: Any, cleaner: Cleaner) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        cleaner.count("wrong_type")
        return ()
    _check_length(value, "risk_tags", cleaner)
    labels = (cleaner.label(item) for item in value)
    return tuple(label for label in labels if label is not None)


def _attributes(value: Any, cleaner: Cleaner) -> dict[str, str | int | float | bool]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        cleaner.count("wrong_type")
        return {}
    _check_length(value, "attributes", cleaner)
    attributes: dict[str, str | int | float | bool] = {}
    for key, item in value.items():
        name = cleaner.label(key)
        scalar = _scalar(item, cleaner)
        if name is not None and scalar is not None:
            attributes[name] = scalar
    return attributes


def _scalar(value: Any, cleaner: Cleaner) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) <= MAX_INTEGER:
            return value
        cleaner.count("out_of_range")
        return None
    return cleaner.number(value) if isinstance(value, float) else cleaner.label(value)
