"""Indicators for the outside: the published JSON shape, what may be stored, what counts as fired."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from typing import Any

from sentinel.records import Indicators

#: Every indicator that can fire, in a fixed order; metric labels and minute-count series.
INDICATOR_NAMES = (
    "missing_citation",
    "invalid_citation",
    "empty_retrieval",
    "unknown_retrieval",
    "high_distance",
    "abstained",
    "partial_abstention",
    "ungrounded_number",
    "ungrounded_name",
    "low_overlap",
    "empty_answer",
    "ungrounded_quote",
    "upstream_error",
    "truncated_answer",
    "blocked_answer",
    "tool_error",
    "denied_access",
    "superseded_citation",
)
#: Below this share of its content words in the evidence an answer has low overlap.
LOW_OVERLAP = 0.5
_NEEDED_TO_FIRE = frozenset(
    {
        "missing_citation",
        "invalid_citations",
        "empty_retrieval",
        "retrieval_known",
        "high_distance",
        "abstention",
        "ungrounded_numbers",
        "ungrounded_names",
        "overlap",
        "words",
        "ungrounded_quotes",
        "upstream_error",
        "truncated_answer",
        "blocked_answer",
        "tool_errors",
        "denied_passages",
        "superseded_cited",
    }
)


def fired(indicators: Indicators) -> tuple[str, ...]:
    """Return the names of the indicators that fire, in the order of `INDICATOR_NAMES`."""
    citations, retrieval, grounding = indicators.citations, indicators.retrieval, indicators.grounding
    delivery, sources = indicators.delivery, indicators.sources
    states = (
        citations.missing,
        bool(citations.invalid),
        retrieval.empty is True,
        not retrieval.known,
        retrieval.high_distance is True,
        indicators.abstention.kind == "full",
        indicators.abstention.kind == "partial",
        bool(grounding.ungrounded_numbers),
        bool(grounding.ungrounded_names),
        grounding.overlap is not None and grounding.overlap < LOW_OVERLAP,
        indicators.length.words == 0,
        bool(grounding.ungrounded_quotes),
        delivery.upstream_error,
        delivery.truncated is True,
        delivery.blocked is True,
        bool(delivery.tool_errors),
        bool(sources.denied),
        bool(sources.superseded_cited),
    )
    return tuple(compress(INDICATOR_NAMES, states))


def fired_by(stored: Mapping[str, int | float | bool | str | None]) -> tuple[str, ...] | None:
    """Return the indicators that fired on an answer, from what `numbers_and_flags` kept of it.

    None where something was not kept, as by an earlier version: unknown is not *did not fire*.
    """
    if not stored.keys() >= _NEEDED_TO_FIRE:
        return None
    overlap = stored["overlap"]
    states = (
        stored["missing_citation"] is True,
        bool(stored["invalid_citations"]),
        stored["empty_retrieval"] is True,
        stored["retrieval_known"] is False,
        stored["high_distance"] is True,
        stored["abstention"] == "full",
        stored["abstention"] == "partial",
        bool(stored["ungrounded_numbers"]),
        bool(stored["ungrounded_names"]),
        isinstance(overlap, int | float) and overlap < LOW_OVERLAP,
        stored["words"] == 0,
        bool(stored["ungrounded_quotes"]),
        stored["upstream_error"] is True,
        stored["truncated_answer"] is True,
        stored["blocked_answer"] is True,
        bool(stored["tool_errors"]),
        bool(stored["denied_passages"]),
        bool(stored["superseded_cited"]),
    )
    return tuple(name for name, state in zip(INDICATOR_NAMES, states, strict=True) if state)


def to_contract(
    event_id: str, indicators: Indicators, risk: float | None, reasons: tuple[str, ...]
) -> dict[str, Any]:
    """Return the JSON object of `sentinel indicators`; unknown values are None.

    Holds pieces of the answer: it goes to standard output and nowhere else.
    """
    citations, retrieval = indicators.citations, indicators.retrieval
    abstention, grounding = indicators.abstention, indicators.grounding
    delivery, sources = indicators.delivery, indicators.sources
    return {
        "event_id": event_id,
        "citations": {
            "markers": citations.markers,
            "valid": list(citations.valid),
            "invalid": list(citations.invalid),
            "missing": citations.missing,
        },
        "retrieval": {
            "known": retrieval.known,
            "count": retrieval.count,
            "empty": retrieval.empty,
            "top_score": retrieval.top_score,
            "max_distance": retrieval.max_distance,
            "high_distance": retrieval.high_distance,
        },
        "abstention": {
            "abstained": abstention.abstained,
            "kind": abstention.kind,
            "source": abstention.source,
        },
        "answer": {"characters": indicators.length.characters, "words": indicators.length.words},
        "grounding": {
            "numbers": grounding.numbers,
            "ungrounded_numbers": _listed(grounding.ungrounded_numbers),
            "ungrounded_names": _listed(grounding.ungrounded_names),
            "overlap": grounding.overlap,
            "lowest_overlap": grounding.lowest_overlap,
            "content_words": grounding.content_words,
            "evidence_words": grounding.evidence_words,
            "ungrounded_quotes": grounding.ungrounded_quotes,
        },
        "delivery": {
            "upstream_error": delivery.upstream_error,
            "truncated": delivery.truncated,
            "blocked": delivery.blocked,
            "tool_errors": delivery.tool_errors,
        },
        "sources": {"denied": sources.denied, "superseded_cited": sources.superseded_cited},
        "risk": risk,
        "reasons": list(reasons),
    }


def numbers_and_flags(indicators: Indicators) -> dict[str, int | float | bool | str | None]:
    """Return what may be stored with a unit: counts, shares, flags and fixed words, no text of the answer."""
    citations, retrieval = indicators.citations, indicators.retrieval
    grounding = indicators.grounding
    return {
        "citation_markers": citations.markers,
        "valid_citations": len(citations.valid),
        "invalid_citations": len(citations.invalid),
        "missing_citation": citations.missing,
        "retrieval_known": retrieval.known,
        "retrieved": retrieval.count,
        "empty_retrieval": retrieval.empty,
        "top_score": retrieval.top_score,
        "max_distance": retrieval.max_distance,
        "high_distance": retrieval.high_distance,
        "abstention": indicators.abstention.kind,
        "abstention_source": indicators.abstention.source,
        "characters": indicators.length.characters,
        "words": indicators.length.words,
        "numbers": grounding.numbers,
        "ungrounded_numbers": _counted(grounding.ungrounded_numbers),
        "ungrounded_names": _counted(grounding.ungrounded_names),
        "overlap": grounding.overlap,
        "lowest_overlap": grounding.lowest_overlap,
        "content_words": grounding.content_words,
        "evidence_words": grounding.evidence_words,
        "ungrounded_quotes": grounding.ungrounded_quotes,
        "upstream_error": indicators.delivery.upstream_error,
        "truncated_answer": indicators.delivery.truncated,
        "blocked_answer": indicators.delivery.blocked,
        "tool_errors": indicators.delivery.tool_errors,
        "denied_passages": indicators.sources.denied,
        "superseded_cited": indicators.sources.superseded_cited,
    }


def _listed(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else list(values)


def _counted(values: tuple[str, ...] | None) -> int | None:
    return None if values is None else len(values)
