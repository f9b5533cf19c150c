"""Which row is in force when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sentinel.sampling.schedule import BEGINNING, ScheduleRow, row_in_force

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def row(number: int, effective_at: datetime) -> ScheduleRow:
    return ScheduleRow(number, effective_at, "d", 0.1, 0.1, 0.001, (), (), "test")


ROWS = (row(0, BEGINNING), row(1, NOON), row(2, NOON), row(3, NOON + timedelta(hours=1)))


@pytest.mark.parametrize(
    ("time", "number"),
    [
        (datetime(1, 1, 1, tzinfo=UTC), 0),
        (BEGINNING, 0),
        (NOON - timedelta(microseconds=1), 0),
        (NOON, 2),
        (NOON + timedelta(minutes=59), 2),
        (NOON + timedelta(hours=1), 3),
        (datetime(9999, 1, 1, tzinfo=UTC), 3),
    ],
)
def test_the_last_row_that_has_begun_is_in_force(time: datetime, number: int) -> None:
    assert row_in_force(ROWS, time).id == number


def test_an_empty_schedule_is_an_error() -> None:
    with pytest.raises(ValueError, match="row 0"):
        row_in_force((), NOON)
