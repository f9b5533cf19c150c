"""Frame cells, events not covered, and minute counts."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta, timezone

import pytest

from sentinel.records import Partition
from sentinel.store import frame, minute_counts
from sentinel.store.database import Database
from sentinel.store.frame import CellCounts, CellKey, FrameSlice
from sentinel.store.minute_counts import Minute, MinuteKey
from tests.contract.store_samples import DAY, NOON, PARTITION

WINDOW = frame.WINDOW
OTHER = Partition("answers", 4)


@pytest.mark.parametrize(
    ("offset", "start"),
    [
        (timedelta(0), NOON),
        (timedelta(microseconds=1), NOON),
        (WINDOW - timedelta(microseconds=1), NOON),
        (WINDOW, NOON + WINDOW),
        (-timedelta(microseconds=1), NOON - WINDOW),
        (timedelta(days=-400_000, hours=1), NOON - timedelta(days=400_000) + timedelta(hours=1)),
    ],
)
def test_a_moment_lies_in_its_quarter_of_an_hour(offset: timedelta, start: datetime) -> None:
    assert frame.window_of(NOON + offset) == start
    in_nepal = (NOON + offset).astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert frame.window_of(in_nepal) == start
    odd = (NOON + offset).astimezone(timezone(timedelta(hours=1, minutes=7)))
    assert frame.window_of(odd).utcoffset() == timedelta(0)
    assert frame.window_of(odd) == start


def test_cells_add_up_over_windows_and_partitions(database: Database) -> None:
    one = CellCounts(1, 1, 0, 250_000, 3, 4)
    keys = [
        CellKey(window, partition, design, domain, value)
        for window, partition, design, (domain, value) in itertools.product(
            (NOON - WINDOW, NOON, NOON + WINDOW, NOON + 2 * WINDOW),
            (PARTITION, OTHER),
            ("design-1", "design-2"),
            (("", ""), ("app", "billing"), ("app", "other"), ("indicator", "invalid_citation")),
        )
    ]
    for _ in range(3):
        with database.begin() as conn:
            frame.add_cells(conn, dict.fromkeys(reversed(keys), one))
    with database.read() as conn:
        totals = frame.totals(conn, NOON, NOON + 2 * WINDOW)
        assert set(totals.values()) == {CellCounts(12, 12, 0, 3_000_000, 36, 48)}
        assert len(totals) == 8
        app = frame.totals(conn, NOON, NOON + 2 * WINDOW, "app")
        assert set(app) == {
            FrameSlice("app", value, design)
            for value in ("billing", "other")
            for design in ("design-1", "design-2")
        }
        everything = frame.totals(conn, NOON, NOON + WINDOW, "")
        assert everything[FrameSlice("", "", "design-1")].events == 6
        assert frame.totals(conn, NOON + DAY, NOON + 2 * DAY) == {}
        assert frame.totals(conn, NOON, NOON) == {}


def test_counts_are_whole_numbers_whatever_their_size(database: Database) -> None:
    big = CellCounts(2**40, 2**40, 0, 2**61, 0, 2**53 + 1)
    with database.begin() as conn:
        frame.add_cells(
            conn, {CellKey(NOON, PARTITION, "d"): big, CellKey(NOON, OTHER, "d"): CellCounts(events=1)}
        )
        totals = frame.totals(conn, NOON, NOON + WINDOW)
    assert totals == {FrameSlice("", "", "d"): big + CellCounts(events=1)}
    assert {type(number) for number in (totals[FrameSlice("", "", "d")].risk_micros,)} == {int}


def test_cells_of_one_window_in_two_zones_are_one(database: Database) -> None:
    berlin = NOON.astimezone(timezone(timedelta(hours=1)))
    for window in (NOON, berlin):
        with database.begin() as conn:
            frame.add_cells(conn, {CellKey(window, PARTITION, "d"): CellCounts(events=1)})
    with database.read() as conn:
        assert frame.totals(conn, berlin, berlin + WINDOW) == {FrameSlice("", "", "d"): CellCounts(events=2)}


@pytest.mark.parametrize("shift", [timedelta(minutes=1), timedelta(microseconds=1), timedelta(minutes=14)])
def test_a_window_that_is_none_is_refused(database: Database, shift: timedelta) -> None:
    crooked = NOON + shift
    with database.begin() as conn:
        with pytest.raises(ValueError, match="quarter"):
            frame.add_cells(conn, {CellKey(crooked, PARTITION, "d"): CellCounts(events=1)})
        with pytest.raises(ValueError, match="quarter"):
            frame.add_not_covered(conn, {(crooked, PARTITION, "r"): 1})
        for start, end in [(crooked, NOON + DAY), (NOON - DAY, crooked)]:
            with pytest.raises(ValueError, match="quarter"):
                frame.totals(conn, start, end)
            with pytest.raises(ValueError, match="quarter"):
                frame.not_covered_totals(conn, start, end)
        assert frame.totals(conn, NOON - DAY, NOON + DAY) == {}


def test_events_not_covered_are_counted_by_reason(database: Database) -> None:
    for _ in range(2):
        with database.begin() as conn:
            frame.add_not_covered(
                conn,
                {
                    (NOON, PARTITION, "malformed"): 3,
                    (NOON, OTHER, "malformed"): 4,
                    (NOON + WINDOW, PARTITION, "oversized"): 1,
                    (NOON - WINDOW, PARTITION, "oversized"): 90,
                },
            )
            frame.add_not_covered(conn, {})
            frame.add_cells(conn, {})
    with database.read() as conn:
        assert frame.not_covered_totals(conn, NOON, NOON + DAY) == {"malformed": 14, "oversized": 2}
        assert frame.not_covered_totals(conn, NOON + DAY, NOON + 2 * DAY) == {}


def test_minutes_merge_names_and_sum_over_partitions(database: Database) -> None:
    later = NOON + timedelta(minutes=1)
    batches = [
        {
            MinuteKey(NOON, PARTITION, "a"): {"events": 2, "abstained": 1},
            MinuteKey(later, PARTITION, "b"): {"events": 1},
        },
        {
            MinuteKey(NOON, PARTITION, "a"): {"events": 3, "words_le_50": 2},
            MinuteKey(NOON, OTHER, "a"): {"events": 5},
        },
        {MinuteKey(NOON, OTHER, "b"): {}, MinuteKey(later, OTHER, "b"): {"events": 2**40}},
        {},
    ]
    for batch in batches:
        with database.begin() as conn:
            minute_counts.add_minutes(conn, batch)
    with database.read() as conn:
        assert list(minute_counts.iter_minutes(conn, NOON, NOON + DAY)) == [
            Minute(NOON, "a", {"abstained": 1, "events": 10, "words_le_50": 2}),
            Minute(NOON, "b", {}),
            Minute(later, "b", {"events": 2**40 + 1}),
        ]
        assert list(minute_counts.iter_minutes(conn, later, NOON + DAY, "b")) == [
            Minute(later, "b", {"events": 2**40 + 1})
        ]
        assert list(minute_counts.iter_minutes(conn, NOON, later, "c")) == []
    with database.begin() as conn:
        assert minute_counts.purge_minutes(conn, later) == 3
        assert [m.minute for m in minute_counts.iter_minutes(conn, NOON, NOON + DAY)] == [later]


def test_more_minutes_than_one_statement_takes(database: Database) -> None:
    keys = [MinuteKey(NOON + timedelta(minutes=n), PARTITION, "a") for n in range(1100)]
    for _ in range(2):
        with database.begin() as conn:
            minute_counts.add_minutes(conn, {key: {"events": n + 1} for n, key in enumerate(keys)})
    with database.read() as conn:
        found = list(minute_counts.iter_minutes(conn, NOON, NOON + DAY))
    assert [(m.minute, m.counts["events"]) for m in found] == [
        (k.minute, 2 * n + 2) for n, k in enumerate(keys)
    ]


@pytest.mark.parametrize("shift", [timedelta(seconds=1), timedelta(microseconds=1)])
def test_a_minute_that_is_none_is_refused(database: Database, shift: timedelta) -> None:
    with database.begin() as conn, pytest.raises(ValueError, match="second 0"):
        minute_counts.add_minutes(conn, {MinuteKey(NOON + shift, PARTITION): {"events": 1}})
