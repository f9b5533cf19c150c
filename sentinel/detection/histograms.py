"""The buckets of answer length and retrieval distance in the minute counts, and what each stands for."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left

#: Upper edges in words, each some 26 % above the one before: a change of a quarter moves answers across
#: an edge even where all are of one length. The last bucket is open.
WORD_EDGES: tuple[int, ...] = (0, 1, 2, 3, *(round(4 * 2 ** (step / 3)) for step in range(31)))
#: Upper edges of the largest distance: cosine distances in steps of 0.05, then whatever unit an index has.
DISTANCE_EDGES: tuple[float, ...] = (
    *(round(0.05 * step, 2) for step in range(25)),
    *(float(f"{1.2 * 1.25**step:.3g}") for step in range(1, 31)),
)


def word_bucket(words: int) -> int:
    """Return the bucket of a length."""
    return bisect_left(WORD_EDGES, words)


def distance_bucket(distance: float) -> int:
    """Return the bucket of a distance."""
    return bisect_left(DISTANCE_EDGES, distance)


def word_scores() -> tuple[float, ...]:
    """Return the logarithm of 1 + the length each bucket stands for: a shift is a factor."""
    middles = [0.0, *((low + 1 + high) / 2 for low, high in itertools.pairwise(WORD_EDGES))]
    return tuple(math.log1p(middle) for middle in (*middles, WORD_EDGES[-1] * 1.13))


def distance_scores() -> tuple[float, ...]:
    """Return the distance each bucket stands for, on a logarithmic scale from 1 on."""
    middles = [
        0.0,
        *((low + high) / 2 for low, high in itertools.pairwise(DISTANCE_EDGES)),
    ]
    middles.append(DISTANCE_EDGES[-1] * 1.12)
    return tuple(middle if middle <= 1.0 else 1.0 + math.log(middle) for middle in middles)
