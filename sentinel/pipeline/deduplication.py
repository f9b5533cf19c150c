"""The window in which a repeated event id is recognised, kept in memory as sorted arrays of hashes.

Ten bytes an event and a bounded number of them. The store keeps the same; a worker loads it when it
starts and when a partition is assigned, and what is remembered here is remembered only after the commit
that wrote it there.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from sentinel.store.deduplication import Hashes, SeenHashes

#: Hashes collected as a map before they are sorted into arrays: a map is quick to add to but takes
#: about ten times the memory.
_FRESH_LIMIT = 50_000
#: A segment of this share of the limit is closed: what is dropped over the limit is a whole segment.
_LARGE_SHARE = 16
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
        self._segments: list[tuple[datetime, SeenHashes]] = []
        self._fresh: dict[int, int] = {}
        self._fresh_hour = _EPOCH
        self._size = 0

    def __len__(self) -> int:
        return self._size + len(self._fresh)

    @property
    def most_hashes(self) -> int:
        """Return how many hashes are kept at most."""
        return self._params.most_hashes

    def begins_at(self, now: datetime) -> datetime:
        """Return the arrival time before which hashes are forgotten."""
        return now - self._params.window

    def known(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Return for each hash, shape (n,), whether it was counted before."""
        fresh = self._fresh
        found = np.array([identity in fresh for identity in hashes.tolist()], dtype=np.bool_)
        for _, seen in self._segments:
            at = np.minimum(np.searchsorted(seen.hashes, hashes), len(seen.hashes) - 1)
            found |= seen.hashes[at] == hashes
        return found

    def place_of(self, identity: int) -> int | None:
        """Return the place of the answer in the frame as of its first arrival; None if it is not known."""
        wanted = np.uint64(identity)
        for _, seen in self._segments:
            at = int(np.searchsorted(seen.hashes, wanted))
            if at < len(seen.hashes) and seen.hashes[at] == wanted:
                return int(seen.places[at])
        return self._fresh.get(identity)

    def load(self, arrived_at: datetime, seen: SeenHashes) -> None:
        """Take over from the store what arrived in the hour of `arrived_at`; what is known takes no room."""
        new = ~self.known(seen.hashes)
        self._add(_hour_of(arrived_at), SeenHashes(seen.hashes[new], seen.places[new]))
        self._forget(self._newest())

    def remember(self, arrived_at: datetime, seen: SeenHashes) -> None:
        """Add the hashes of a committed batch and forget what has left the window."""
        hour = _hour_of(arrived_at)
        if hour != self._fresh_hour:
            self._sort_fresh()
            self._fresh_hour = hour
        # Of equal hashes the first is kept: the later ones are written first, and then overwritten.
        places = dict(zip(seen.hashes[::-1].tolist(), seen.places[::-1].tolist(), strict=True))
        for identity in places.keys() & self._fresh.keys():
            del places[identity]
        self._fresh.update(places)
        if len(self._fresh) >= _FRESH_LIMIT:
            self._sort_fresh()
        self._forget(arrived_at)

    def _newest(self) -> datetime:
        return max(self._fresh_hour, self._segments[-1][0] if self._segments else _EPOCH)

    def _forget(self, now: datetime) -> None:
        oldest = self.begins_at(now)
        while self._segments:
            hour, seen = self._segments[0]
            if hour + _HOUR > oldest and len(self) <= self._params.most_hashes:
                return
            self._size -= len(seen.hashes)
            del self._segments[0]

    def _sort_fresh(self) -> None:
        hashes = np.fromiter(self._fresh.keys(), dtype=np.uint64, count=len(self._fresh))
        places = np.fromiter(self._fresh.values(), dtype=np.uint16, count=len(self._fresh))
        self._fresh.clear()
        self._add(self._fresh_hour, SeenHashes(hashes, places))

    def _add(self, hour: datetime, seen: SeenHashes) -> None:
        """Keep about one segment an hour: a look-up costs one binary search for each."""
        if not len(seen.hashes):
            return
        # Of equal hashes the first is kept: the place is that of the first arrival.
        unique, first = np.unique(seen.hashes, return_index=True)
        seen = SeenHashes(unique, seen.places[first])
        at = bisect_right(self._segments, hour, key=lambda segment: segment[0])
        before = self._segments[at - 1] if at else None
        is_open = before is not None and len(before[1].hashes) < self._params.most_hashes // _LARGE_SHARE
        if before is not None and before[0] == hour and is_open:
            at -= 1
            del self._segments[at]
            self._size -= len(before[1].hashes)
            seen = _merged(before[1], seen)
        self._segments.insert(at, (hour, seen))
        self._size += len(seen.hashes)


def _merged(first: SeenHashes, more: SeenHashes) -> SeenHashes:
    """Return both, each sorted and without repeats; a hash that is in both keeps its place in `first`.

    Takes the room of the result and little more, where sorting them together takes four times as much.
    """
    at = np.searchsorted(first.hashes, more.hashes)
    is_new = first.hashes[np.minimum(at, len(first.hashes) - 1)] != more.hashes
    at = at[is_new]
    return SeenHashes(
        np.insert(first.hashes, at, more.hashes[is_new]), np.insert(first.places, at, more.places[is_new])
    )


def _hour_of(moment: datetime) -> datetime:
    return moment - (moment - _EPOCH) % _HOUR
