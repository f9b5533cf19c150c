"""One drawn answer as its page shows it: the redacted content, and nothing that could sway a reviewer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sentinel.indicators.cited import cited_sources
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
    """A retrieved passage; `position` counts from 1. `text` None is unknown. `cited`: the answer names it."""

    position: int
    id: str
    notes: tuple[str, ...]
    cited: bool
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

    `passages` None is *not known what was retrieved*, empty is *nothing was retrieved*; those that the
    answer cites come first. `citations` are what it cites: passages, and references that lead to none
    (`unresolved`). `has_content` is false for a unit whose content was lost or purged.
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
    unresolved: tuple[str, ...] = field(repr=False)
    tools: tuple[ToolView, ...] = field(repr=False)


def unit_view(stored: StoredUnit) -> UnitView:
    """Return the view of a stored unit."""
    content = stored.content or {}
    retrieved = content.get("retrieved")
    facts = stored.unit.facts
    answer = content.get("answer") or ""
    cited = cited_sources(
        answer,
        None if retrieved is None else [str(passage.get("id", "")) for passage in retrieved],
        [str(citation.get("id", "")) for citation in content.get("citations") or ()],
        facts.domains.get("app"),
    )
    return UnitView(
        id=stored.id,
        event_id=facts.event_id,
        event_time=facts.event_time,
        status=stored.status,
        # The version is left out: who hopes for the new prompt would label it kindly.
        domains=tuple((name, value) for name, value in facts.domains.items() if name not in VERSION_FIELDS),
        has_content=stored.content is not None,
        question=content.get("question"),
        answer=answer,
        passages=None if retrieved is None else _passages(retrieved, cited.valid),
        citations=cited.valid,
        unresolved=cited.invalid,
        tools=tuple(_tool(call) for call in content.get("tool_calls") or ()),
    )


def _passages(retrieved: Sequence[Mapping[str, Any]], cited: Sequence[str]) -> tuple[PassageView, ...]:
    """Return the passages, cited ones first in the order in which the answer names them."""
    order = {name: place for place, name in enumerate(cited)}
    views = [_passage(n, passage, order) for n, passage in enumerate(retrieved, 1)]
    return tuple(sorted(views, key=lambda view: (order.get(view.id, len(order)), view.position)))


def _passage(position: int, passage: Mapping[str, Any], cited: Mapping[str, int]) -> PassageView:
    notes = [f"{word} {passage[key]}" for key, word in _PASSAGE_NOTES if passage.get(key) is not None]
    if passage.get("superseded"):
        notes.append("superseded")
    name = str(passage.get("id", ""))
    return PassageView(position, name, tuple(notes), name in cited, passage.get("text"))


def _tool(call: Mapping[str, Any]) -> ToolView:
    return ToolView(
        str(call.get("name", "")), *(_shown(call.get(key)) for key in ("input", "output", "error"))
    )


def _shown(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)
