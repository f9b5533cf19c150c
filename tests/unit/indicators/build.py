"""Short ways to write an answer event in a table of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.records import Citation, Indicators, Passage, RawAnswer, ToolCall


def passages(*texts: str | tuple[str, str]) -> tuple[Passage, ...]:
    """Passages d1, d2, … of these texts, or of (id, text) pairs."""
    return tuple(
        Passage(id=f"d{number}", text=item) if isinstance(item, str) else Passage(id=item[0], text=item[1])
        for number, item in enumerate(texts, 1)
    )


def indicate(
    answer: str,
    evidence: Sequence[str | tuple[str, str]] | None = (),
    *,
    question: str | None = None,
    citations: Sequence[str | Citation] = (),
    outputs: Sequence[Any] = (),
    answerable: bool | None = None,
    app: str | None = None,
    params: IndicatorParams | None = None,
) -> Indicators:
    """Indicators of one answer over this evidence; None is unknown retrieval."""
    raw = RawAnswer(
        event_id="e",
        answer=answer,
        question=question,
        retrieved=None if evidence is None else passages(*evidence),
        citations=tuple(Citation(id=c) if isinstance(c, str) else c for c in citations),
        tool_calls=tuple(ToolCall(name="tool", output=output) for output in outputs),
        answerable=answerable,
        domains={} if app is None else {"app": app},
    )
    return compute_indicators(raw, params or IndicatorParams(), PassageMemo())
