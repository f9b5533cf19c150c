"""What is read of every retrieved passage but its text, in one pass.

In C where the extension module was built (`_native_retrieved.c`); the Python here does the same.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentinel.records import Passage

#: Ids; whether one of them is a number; the best score and the largest distance, None where no passage tells
#: a finite one; whether any passage says something of access or of being superseded.
ReadPassages = tuple[tuple[str, ...], bool, float | None, float | None, bool]


def read_passages_in_python(retrieved: tuple[Passage, ...]) -> ReadPassages:
    """Read the passages of one answer."""
    ids = tuple([passage.id for passage in retrieved])
    scores = [p.score for p in retrieved if p.score is not None and isfinite(p.score)]
    distances = [p.distance for p in retrieved if p.distance is not None and isfinite(p.distance)]
    return (
        ids,
        any(map(str.isdigit, ids)),
        max(scores, default=None),
        max(distances, default=None),
        any(passage.access is not None or passage.superseded is not None for passage in retrieved),
    )


if TYPE_CHECKING:
    from sentinel.indicators._native_retrieved import read_passages as read_passages
else:
    try:
        from sentinel.indicators._native_retrieved import read_passages
    except ImportError:  # built without a compiler
        read_passages = read_passages_in_python
