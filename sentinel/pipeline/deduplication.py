"""The window in which a repeated event id is recognised, kept in memory as sorted arrays of hashes.

Eight bytes an event and a bounded number of them. The store keeps the same hashes; a worker loads them
when it starts, and what is remembered here is remembered only after the commit that wrote it there.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
#: Hashes collected as a set before they are sorted into an array: a set is quick to add to but takes
#: about eight times the memory.
_FRESH_LIMIT = 50_000
#: A segment of this share of the limit is closed.
_LARGE_SHARE = 16


@dataclass(frozen=True, slots=True)
class DeduplicationParams:
    """How long, and how many hashes at most, a worker remembers."""

    window_hours: float = 24.0
    most_hashes: int = 20_000_000

    def __post_init__(self) -> None:
        if self.window_hours <= 0 or self.most_hashes < _FRESH_LIMIT:
            raise ValueError(f"window_hours must be positive and most_hashes at least {_FRESH_LIMIT}")

    @property
    def window(self) -> timedelta:
        """Return the length of the window."""
        return timedelta(hours=self.window_hours)


class DeduplicationWindow:
    """Which identity hashes have been counted lately."""

    def __init__(self, params: DeduplicationParams) -> None:
        self._params = params
        self._segments: deque[tuple[datetime, Hashes]] = deque()
        self._fresh: set[int] = set()
        self._size = 0

    def __len__(self) -> int:
        return self._size + len(self._fresh)

    def begins_at(self, now: datetime) -> datetime:
        """Return the arrival time before which hashes are forgotten."""
        return now - self._params.window

    def known(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Return for each hash, shape (n,), whether it was counted before."""
        found = np.fromiter((int(h) in self._fresh for h in hashes), dtype=np.bool_, count=len(hashes))
        for _, segment in self._segments:
            places = np.minimum(np.searchsorted(segment, hashes), len(segment) - 1)
            found |= segment[places] == hashes
        return found

    @property
    def most_hashes(self) -> int:
        """Return how many hashes are kept at most."""
        return self._params.most_hashes

    def load(self, until: datetime, hashes: Hashes) -> None:
        """Take over hashes from the store that arrived up to `until`; those known already take no room."""
        new = np.unique(hashes)
        new = new[~self.known(new)]
        if len(new):
            self._append(until, new)
            self._forget(until)

    def remember(self, arrived_at: datetime, hashes: Hashes) -> None:
        """Add the hashes of a committed batch and forget what has left the window."""
        self._fresh.update(int(h) for h in hashes)
        if len(self._fresh) >= _FRESH_LIMIT:
            fresh = np.fromiter(self._fresh, dtype=np.uint64, count=len(self._fresh))
            self._fresh.clear()
            self._append(arrived_at, np.sort(fresh))
        self._forget(arrived_at)

    def _forget(self, now: datetime) -> None:
        oldest = self.begins_at(now)
        while self._segments and (self._segments[0][0] < oldest or len(self) > self._params.most_hashes):
            self._size -= len(self._segments.popleft()[1])

    def _append(self, until: datetime, segment: Hashes) -> None:
        """Keep about one segment an hour: a look-up costs one binary search for each.

        A large one is not added to: what is dropped over the limit is a whole segment.
        """
        large = self._params.most_hashes // _LARGE_SHARE
        last_is_open = bool(self._segments) and len(self._segments[-1][1]) < large
        if last_is_open and until - self._segments[-1][0] < timedelta(hours=1):
            last = self._segments[-1]
            merged = np.union1d(last[1], segment)
            # A segment keeps the time of its first part while it grows, so it cannot grow for ever.
            self._size += len(merged) - len(last[1])
            self._segments[-1] = (last[0], merged)
            return
        self._segments.append((until, segment))
        self._size += len(segment)
