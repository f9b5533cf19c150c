"""An answer as a tree of leaves under the event's field names."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from sentinel.records import Passage, RawAnswer, Usage
from sentinel.redaction.leaves import Kind, Leaf, grow

#: Tokens, scores and distances from here on are none: they are numbers of cards or accounts.
LARGEST_MEASURE = 1e9
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    r"(?:1[5-9]|2[0-9])[0-9]{2}(?:[-/.]?(?:q[1-4]|h[12]|w[0-9]{2}|[01]?[0-9](?:[-/.]?[0-3]?[0-9])?))?"
    r"(?:[t ][0-2]?[0-9](?::?[0-5][0-9]){1,2}(?:[.,][0-9]{1,9})? ?(?:z|utc|gmt|[-+][0-1][0-9]:?[0-9]{2})?)?"
    r"|[0-3]?[0-9][-/.][0-3]?[0-9][-/.](?:[0-9]{2})?[0-9]{2}"
    rf"|(?:[0-3]?[0-9](?:st|nd|rd|th)?[- ])?{_MONTH}[- ](?:[0-3]?[0-9](?:st|nd|rd|th)?,? )?[0-9]{{4}}"
    r"|q[1-4][- /]?[0-9]{4}|1[0-9]{9}(?:[0-9]{3})?",
    re.IGNORECASE,
)


def is_date(value: str | None) -> bool:
    """Return whether the value is a date, a time, a month, a quarter or a Unix time."""
    return value is not None and _DATE.fullmatch(value.strip()) is not None


def event_tree(answer: RawAnswer, body: Leaf) -> dict[str, Any]:
    """Return the answer under the event's field names; what the event left out stays out."""
    tree: dict[str, Any] = {}
    if answer.question is not None:
        tree["question"] = Leaf(answer.question, Kind.TEXT)
    if answer.retrieved is not None:
        tree["retrieved"] = [_passage(passage) for passage in answer.retrieved]
    tree["tool_calls"] = [
        _present(
            name=Leaf(call.name, Kind.LABEL),
            input=grow(call.input),
            output=grow(call.output),
            error=grow(call.error),
        )
        for call in answer.tool_calls
    ]
    tree["answer"] = body
    tree["citations"] = [
        _present(id=Leaf(c.id, Kind.IDENTIFIER), quote=_text(c.quote), start=c.start, end=c.end)
        for c in answer.citations
    ]
    tree["answerable"] = answer.answerable
    tree["finish_reason"] = _label(answer.finish_reason)
    tree["usage"] = None if answer.usage is None else _usage(answer.usage)
    signals = msgspec.to_builtins(answer.signals)
    tree["signals"] = {**signals, "thumbs": _label(answer.signals.thumbs)}
    tree["risk_tags"] = [Leaf(tag, Kind.LABEL) for tag in answer.risk_tags]
    return tree


def _passage(passage: Passage) -> dict[str, Any]:
    return _present(
        id=Leaf(passage.id, Kind.IDENTIFIER),
        text=_text(passage.text),
        score=_bounded(passage.score),
        distance=_bounded(passage.distance),
        version=_label(passage.version),
        effective_at=_label(passage.effective_at if is_date(passage.effective_at) else None),
        superseded=passage.superseded,
        access=_label(passage.access),
        **{"class": _label(passage.document_class)},
    )


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _text(value: str | None) -> Leaf | None:
    return None if value is None else Leaf(value, Kind.TEXT)


def _label(value: str | None) -> Leaf | None:
    return None if value is None else Leaf(value, Kind.LABEL)


def _usage(usage: Usage) -> dict[str, int | None]:
    counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return {name: n if n is not None and n < LARGEST_MEASURE else None for name, n in counts.items()}


def _bounded(value: float | None) -> float | None:
    return value if value is not None and abs(value) < LARGEST_MEASURE else None
