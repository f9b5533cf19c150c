"""What befalls an answer besides its mistakes: cut off, withheld, a failed tool, a document denied or old.

Drawn apart from the rest of the simulation, by the event's own id, so that a new kind of accident leaves the
traffic as it was.
"""

from __future__ import annotations

from random import Random
from typing import Any

from sentinel.records import ClaimAnnotation

_TRUNCATED, _BLOCKED, _FAILED_TOOL, _DENIED, _SUPERSEDED = 0.012, 0.15, 0.02, 0.01, 0.015
#: Of abstentions, and of answers with a mistake.
_UPSTREAM, _QUOTED = 0.08, 0.15
_ERRORS = (
    "Error: upstream request timed out. Please try again later.",
    "503 Service Unavailable: the model is overloaded. Please try again later.",
    "Something went wrong while generating the answer. Please try again later.",
)
_QUOTES = (
    "every customer is entitled to a second opinion from the claims desk",
    "no request is closed before the customer has confirmed it in writing",
    "fees are waived for anybody who has been with us for ten years",
)


def accidents_of(event_id: str, customer: str) -> Random:
    """Return the chance that decides what befalls this one answer; the customer differs from seed to seed."""
    return Random(f"accidents of {event_id}: {customer}")  # noqa: S311 - a simulation


def invented_quotation(rng: Random) -> ClaimAnnotation | None:
    """Return, now and then, a sentence that quotes what no document says."""
    if rng.random() >= _QUOTED:
        return None
    return ClaimAnnotation(
        f'As our policy puts it, "{rng.choice(_QUOTES)}".', "not_in_evidence", "medium", "INVENTED_QUOTATION"
    )


def upstream_error(rng: Random) -> str | None:
    """Return what the provider sent in the place of an answer, now and then."""
    return rng.choice(_ERRORS) if rng.random() < _UPSTREAM else None


def befall(event: dict[str, Any], answered: bool, rng: Random) -> None:
    """Change what the event says of how its answer was made and of its documents."""
    if answered and rng.random() < _TRUNCATED:
        event["finish_reason"] = "length"
    if not answered and rng.random() < _BLOCKED:
        event["finish_reason"] = "content_filter"
    if rng.random() < _FAILED_TOOL:
        failed = {"name": "order_status", "input": {"order": "latest"}, "error": "no answer within 5 s"}
        event["tool_calls"] = [*event.get("tool_calls", []), failed]
    documents = event.get("retrieved")
    if documents and rng.random() < _DENIED:
        event["retrieved"] = [*documents, {"id": "internal-notes", "class": "internal", "access": "denied"}]
    elif documents and rng.random() < _SUPERSEDED:
        event["retrieved"] = [document | {"superseded": True} for document in documents]
