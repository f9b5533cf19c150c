"""The duplicate window knows what it was told, and no more than it may keep."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.pipeline.deduplication import DeduplicationParams, DeduplicationWindow, _merged
from sentinel.store.deduplication import SeenHashes

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
HASHES = st.lists(st.integers(0, 2**64 - 1), max_size=50)


def array(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


def seen(values: list[int] | np.ndarray, place: int = 0) -> SeenHashes:
    hashes = np.array(values, dtype=np.uint64)
    return SeenHashes(hashes, np.full(len(hashes), place, dtype=np.uint16))


@given(st.lists(HASHES, max_size=6), HASHES)
def test_it_knows_exactly_what_was_remembered(batches: list[list[int]], asked: list[int]) -> None:
    window = DeduplicationWindow(DeduplicationParams())
    for number, batch in enumerate(batches):
        window.remember(NOON + timedelta(minutes=number), seen(batch))
    told = {value for batch in batches for value in batch}
    question = [*asked, *(next(iter(told)) for _ in range(bool(told)))]
    assert window.known(array(question)).tolist() == [value in told for value in question]


@given(HASHES, HASHES)
def test_what_was_loaded_and_what_came_later_are_both_known(before: list[int], later: list[int]) -> None:
    window = DeduplicationWindow(DeduplicationParams())
    window.load(NOON, seen(before))
    window.remember(NOON, seen(later))
    assert window.known(array(before + later)).all()


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 2**32))
def test_memory_is_bounded_and_the_oldest_goes_first(seed: int) -> None:
    generator = np.random.default_rng(seed)
    params = DeduplicationParams(window_hours=240.0, most_hashes=200_000)
    window = DeduplicationWindow(params)
    batches = [generator.integers(0, 2**63, 60_000, dtype=np.uint64) for _ in range(8)]
    for number, batch in enumerate(batches):
        window.remember(NOON + timedelta(hours=2 * number), seen(batch))
        assert len(window) <= params.most_hashes
    assert window.known(batches[-1]).all()
    assert not window.known(batches[0]).any()


def test_what_has_left_the_window_is_forgotten_however_little_it_is() -> None:
    window = DeduplicationWindow(DeduplicationParams(window_hours=24.0))
    window.load(NOON, seen([7]))
    window.remember(NOON + timedelta(hours=1), seen([8]))
    window.remember(NOON + timedelta(hours=23), seen([9]))
    assert window.known(array([7, 8, 9])).all()
    # An hour goes as a whole, once its last minute has left the window.
    window.remember(NOON + timedelta(hours=25), seen([10]))
    assert window.known(array([7, 8, 9, 10])).tolist() == [False, True, True, True]
    window.remember(NOON + timedelta(hours=26), seen([11]))
    assert window.known(array([8, 9, 10, 11])).tolist() == [False, True, True, True]
    assert len(window) == 3


def test_hashes_loaded_later_keep_their_own_age() -> None:
    window = DeduplicationWindow(DeduplicationParams(window_hours=24.0))
    window.remember(NOON + timedelta(hours=20), seen([1]))
    window.load(NOON, seen([2]))
    window.remember(NOON + timedelta(hours=26), seen([3]))
    assert window.known(array([1, 2, 3])).tolist() == [True, False, True]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2**16 - 1), HASHES), max_size=6))
def test_the_place_is_that_of_the_first_arrival(batches: list[tuple[int, int, list[int]]]) -> None:
    window = DeduplicationWindow(DeduplicationParams(window_hours=100.0))
    first: dict[int, int] = {}
    for hours, place, batch in sorted(batches, key=lambda batch: batch[0]):
        for value in batch:
            first.setdefault(value, place)
        window.remember(NOON + timedelta(hours=hours), seen(batch, place))
    assert {value: window.place_of(value) for value in first} == first
    assert window.place_of(next(n for n in range(1000) if n not in first)) is None


def test_a_loaded_day_is_forgotten_piece_by_piece() -> None:
    """After a restart near the limit, one more batch must not cost all that was loaded."""
    params = DeduplicationParams(most_hashes=800_000)
    window = DeduplicationWindow(params)
    hours = [np.arange(number * 100_000, (number + 1) * 100_000, dtype=np.uint64) for number in range(8)]
    for number, hashes in enumerate(hours):
        window.load(NOON + timedelta(hours=number), seen(hashes))
    assert len(window) == 800_000
    window.remember(NOON + timedelta(hours=8), seen(np.arange(10**9, 10**9 + 60_000, dtype=np.uint64)))
    assert len(window) <= params.most_hashes
    kept = [bool(window.known(hashes).all()) for hashes in hours]
    assert kept == [False] + [True] * 7


def test_one_busy_hour_over_the_limit_keeps_its_newest_part() -> None:
    window = DeduplicationWindow(DeduplicationParams(most_hashes=800_000))
    batches = [np.arange(n * 60_000, (n + 1) * 60_000, dtype=np.uint64) for n in range(20)]
    for number, batch in enumerate(batches):
        window.remember(NOON + timedelta(minutes=number), seen(batch))
        assert len(window) <= 800_000
    assert all(window.known(batch).all() for batch in batches[-10:])


def test_what_is_loaded_again_takes_no_room() -> None:
    """A partition that comes back is loaded anew: most of it is known."""
    window = DeduplicationWindow(DeduplicationParams())
    window.load(NOON, seen([1, 2, 3]))
    window.load(NOON + timedelta(hours=5), seen([3, 4]))
    window.load(NOON, seen([1, 2, 3, 4]))
    assert len(window) == 4


SORTED = st.dictionaries(st.integers(0, 60), st.integers(0, 9), min_size=1, max_size=30).map(
    lambda places: dict(sorted(places.items()))
)


def as_seen(places: dict[int, int]) -> SeenHashes:
    return SeenHashes(np.array(list(places), np.uint64), np.array(list(places.values()), np.uint16))


@given(SORTED, SORTED)
def test_a_hash_in_both_of_two_segments_keeps_its_first_place(
    first: dict[int, int], more: dict[int, int]
) -> None:
    merged = _merged(as_seen(first), as_seen(more))
    assert dict(zip(merged.hashes.tolist(), merged.places.tolist(), strict=True)) == more | first
    assert merged.hashes.tolist() == sorted(more | first)


def test_a_million_hashes_take_little_more_while_they_are_sorted_in() -> None:
    """Ten megabytes are kept; sorting all of them anew took sixty for a moment, at each 50,000th."""
    window = DeduplicationWindow(DeduplicationParams())
    hashes = np.random.default_rng(20261130).permutation(np.arange(1_000_000, dtype=np.uint64))
    tracemalloc.start()
    for part in np.split(hashes, 1000):
        window.remember(NOON, seen(part))
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(window) == 1_000_000
    assert peak - kept < 20_000_000
