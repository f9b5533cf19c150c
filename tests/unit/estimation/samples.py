"""Small samples for the estimation tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sentinel.estimation.sample import Sample

Row = tuple[float, int, int]  # inclusion probability, verifiable claims, unsupported claims


def sample_of_rows(rows: Sequence[Row], **columns: Any) -> Sample:
    """Return a labelled, answered sample; `columns` replaces or adds columns by name."""
    size = len(rows)
    filled: dict[str, Any] = {
        "inclusion_probability": [row[0] for row in rows],
        "labelled": [True] * size,
        "answered": [True] * size,
        "verifiable_claims": [row[1] for row in rows],
        "unsupported_claims": [row[2] for row in rows],
        "critical_unsupported": [0] * size,
    }
    return Sample(**(filled | columns))


#: Four units with weights 2, 2, 4, 1; every figure of them can be worked out by hand.
FOUR: tuple[Row, ...] = ((0.5, 4, 1), (0.5, 2, 0), (0.25, 3, 0), (1.0, 5, 5))
