"""One drawn answer as its page shows it: the redacted content, and nothing that could sway a reviewer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sentinel.records import VERSION_FIELDS
from sentinel.store.unit_rows import StoredUnit, UnitStatus

_PASSAGE_NOTES = (
    ("class", "class"),
    ("version", "version"),
    ("effective_at", "effective"),
    ("access", "access"),
)


@dataclass(frozen=True, slots=True)
class PassageView:
    """A retrieved passage; `position` counts from 1. `text` None is unknown."""

    position: int
    id: str
    notes: tuple[str, ...]
    text: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class ToolView:
    """One tool call; values as indented JSON, None where there is none."""

    name: str
    input: str | None = field(repr=False)
    output: str | None = field(repr=False)
    error: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class UnitView:
    """A unit without reasons, risk, π and indicators.

    `passages` None is *not known what was retrieved*, empty is *nothing was retrieved*. `has_content` is
    false for a unit whose content was lost or purged.
    """

    id: int
    event_id: str
    event_time: datetime
    status: UnitStatus
    domains: tuple[tuple[str, str], ...]
    has_content: bool
    question: str | None = field(repr=False)
    answer: str = field(repr=False)
    passages: tuple[PassageView, ...] | None = field(repr=False)
    citations: tuple[str, ...] = field(repr=False)
    tools: tuple[ToolView, ...] = field(repr=False)
    label_line: str = field(repr=False)


def unit_view(stored: StoredUnit) -> UnitView:
    """Return the view of a stored unit."""
    content = stored.content or {}
    retrieved = content.get("retrieved")
    facts = stored.unit.facts
    return UnitView(
        id=stored.id,
        event_id=facts.event_id,
        event_time=facts.event_time,
        status=stored.status,
        # The version is left out: who hopes for the new prompt would label it kindly.
        domains=tuple((name, value) for name, value in facts.domains.items() if name not in VERSION_FIELDS),
        has_content=stored.content is not None,
        question=content.get("question"),
        answer=content.get("answer") or "",
        passages=None if retrieved is None else tuple(_passage(n, p) for n, p in enumerate(retrieved, 1)),
        citations=tuple(str(citation.get("id", "")) for citation in content.get("citations") or ()),
        tools=tuple(_tool(call) for call in content.get("tool_calls") or ()),
        label_line=_label_line(facts.event_id),
    )


def _passage(position: int, passage: Mapping[str, Any]) -> PassageView:
    notes = [f"{word} {passage[key]}" for key, word in _PASSAGE_NOTES if passage.get(key) is not None]
    if passage.get("superseded"):
        notes.append("superseded")
    return PassageView(position, str(passage.get("id", "")), tuple(notes), passage.get("text"))


def _tool(call: Mapping[str, Any]) -> ToolView:
    return ToolView(
        str(call.get("name", "")), *(_shown(call.get(key)) for key in ("input", "output", "error"))
    )


def _shown(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)


def _label_line(event_id: str) -> str:
    """A line to fill in for `sentinel labels import`."""
    claim = {"text": "…", "label": "supported", "severity": None}
    line = {
        "event_id": event_id,
        "annotator": "…",
        "answered": True,
        "abstention": "none",
        "claims": [claim],
    }
    return json.dumps(line, ensure_ascii=False)
