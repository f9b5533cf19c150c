"""The window in which a repeated event id is recognised, kept in memory as sorted arrays of hashes.

Ten bytes an event and a bounded number of them. The store keeps the same; a worker loads it when it
starts and when a partition is assigned, and what is remembered here is remembered only after the commit
that wrote it there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from sentinel.store.deduplication import Hashes, SeenHashes

#: Hashes collected as a map before they are sorted into arrays: a map is quick to add to but takes
#: about ten times the memory.
_FRESH_LIMIT = 50_000
_HOUR = timedelta(hours=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
    """Which answers have been counted lately, by the hour of their arrival, and their place in the frame."""

    def __init__(self, params: DeduplicationParams) -> None:
        self._params = params
        self._hours: dict[datetime, SeenHashes] = {}
        self._fresh: dict[int, int] = {}
        self._fresh_hour = _EPOCH
        self._size = 0

    def __len__(self) -> int:
        return self._size + len(self._fresh)

    def begins_at(self, now: datetime) -> datetime:
        """Return the arrival time before which hashes are forgotten."""
        return now - self._params.window

    def known(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Return for each hash, shape (n,), whether it was counted before."""
        found = np.fromiter((int(h) in self._fresh for h in hashes), dtype=np.bool_, count=len(hashes))
        for seen in self._hours.values():
            at = np.minimum(np.searchsorted(seen.hashes, hashes), len(seen.hashes) - 1)
            found |= seen.hashes[at] == hashes
        return found

    def place_of(self, identity: int) -> int | None:
        """Return the place of the answer in the frame as of its first arrival; None if it is not known."""
        wanted = np.uint64(identity)
        for hour in sorted(self._hours):
            seen = self._hours[hour]
            at = int(np.searchsorted(seen.hashes, wanted))
            if at < len(seen.hashes) and seen.hashes[at] == wanted:
                return int(seen.places[at])
        return self._fresh.get(identity)

    def load(self, arrived_at: datetime, seen: SeenHashes) -> None:
        """Take over from the store what arrived in the hour of `arrived_at`."""
        self._add(_hour_of(arrived_at), seen)

    def remember(self, arrived_at: datetime, seen: SeenHashes) -> None:
        """Add the hashes of a committed batch and forget what has left the window."""
        hour = _hour_of(arrived_at)
        if hour != self._fresh_hour:
            self._sort_fresh()
            self._fresh_hour = hour
        for identity, place in zip(seen.hashes.tolist(), seen.places.tolist(), strict=True):
            self._fresh.setdefault(identity, place)
        if len(self._fresh) >= _FRESH_LIMIT:
            self._sort_fresh()
        oldest = self.begins_at(arrived_at)
        while self._hours:
            first = min(self._hours)
            if first + _HOUR > oldest and len(self) <= self._params.most_hashes:
                return
            self._size -= len(self._hours.pop(first).hashes)

    def _sort_fresh(self) -> None:
        hashes = np.fromiter(self._fresh.keys(), dtype=np.uint64, count=len(self._fresh))
        places = np.fromiter(self._fresh.values(), dtype=np.uint16, count=len(self._fresh))
        self._fresh.clear()
        self._add(self._fresh_hour, SeenHashes(hashes, places))

    def _add(self, hour: datetime, seen: SeenHashes) -> None:
        """Merge into the arrays of an hour: a look-up costs one binary search for each hour."""
        if not len(seen.hashes):
            return
        before = self._hours.get(hour)
        hashes, places = seen.hashes, seen.places
        if before is not None:
            hashes = np.concatenate([before.hashes, hashes])
            places = np.concatenate([before.places, places])
            self._size -= len(before.hashes)
        # Of equal hashes the first is kept: the place is that of the first arrival.
        unique, first = np.unique(hashes, return_index=True)
        self._hours[hour] = SeenHashes(unique, places[first])
        self._size += len(unique)


def _hour_of(moment: datetime) -> datetime:
    return moment - (moment - _EPOCH) % _HOUR
