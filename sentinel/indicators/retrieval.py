"""What retrieval brought: counts, best score, largest distance."""

from __future__ import annotations

from sentinel.indicators.retrieved import ReadPassages
from sentinel.records import RetrievalIndicators

_UNKNOWN = RetrievalIndicators(
    known=False, count=None, empty=None, top_score=None, max_distance=None, high_distance=None
)


def retrieval_indicators(read: ReadPassages | None, distance_limit: float) -> RetrievalIndicators:
    """Describe retrieval by what was read of its passages; None is unknown.

    `high_distance` is whether the largest known distance is beyond `distance_limit`.
    """
    if read is None:
        return _UNKNOWN
    ids, _, top_score, max_distance, _ = read
    is_far = None if max_distance is None else max_distance > distance_limit
    # In the order of the fields: named ones take twice as long.
    return RetrievalIndicators(True, len(ids), not ids, top_score, max_distance, is_far)
