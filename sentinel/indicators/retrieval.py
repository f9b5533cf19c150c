"""What retrieval brought: counts, best score, largest distance."""

from __future__ import annotations

from math import isfinite

from sentinel.records import Passage, RetrievalIndicators

_UNKNOWN = RetrievalIndicators(
    known=False, count=None, empty=None, top_score=None, max_distance=None, high_distance=None
)


def retrieval_indicators(retrieved: tuple[Passage, ...] | None, distance_limit: float) -> RetrievalIndicators:
    """Describe retrieval; None is unknown, an empty tuple is *nothing was retrieved*.

    `high_distance` is whether the largest known distance is beyond `distance_limit`. Values that are
    not finite are unknown.
    """
    if retrieved is None:
        return _UNKNOWN
    scores = [p.score for p in retrieved if p.score is not None and isfinite(p.score)]
    distances = [p.distance for p in retrieved if p.distance is not None and isfinite(p.distance)]
    max_distance = max(distances, default=None)
    return RetrievalIndicators(
        known=True,
        count=len(retrieved),
        empty=not retrieved,
        top_score=max(scores, default=None),
        max_distance=max_distance,
        high_distance=None if max_distance is None else max_distance > distance_limit,
    )
