"""What shift detection keeps: progress, states, alarms; and the counts by slice and version."""

from datetime import timedelta

import pytest

from sentinel.errors import StopError
from sentinel.records import Partition
from sentinel.store import minute_counts, shifts, slice_counts
from sentinel.store.database import Database
from sentinel.store.minute_counts import Minute, MinuteKey
from sentinel.store.shifts import AlarmFindings
from sentinel.store.slice_counts import SliceKey
from tests.contract.store_samples import DAY, NOON, PARTITION

FINDINGS = AlarmFindings({"observed": 0.1, "answers": 7}, {"domain": "app", "value": "ä"}, ("one", "two"))
LATER = NOON + timedelta(minutes=15)
OTHER = Partition("answers", 4)


def begun(database: Database, series: str = "abstained", app: str = "billing", version: str = "") -> int:
    with database.begin() as conn:
        return shifts.begin_alarm(conn, app, version, series, "up", NOON, LATER, FINDINGS)


def test_progress_moves_only_from_where_it_is(database: Database) -> None:
    with database.begin() as conn:
        assert shifts.evaluated_to(conn) is None
        assert not shifts.move_progress(conn, NOON, LATER)
        assert shifts.move_progress(conn, None, NOON)
        assert not shifts.move_progress(conn, None, LATER)
        assert not shifts.move_progress(conn, LATER, NOON + DAY)
        assert shifts.move_progress(conn, NOON, LATER)
        assert shifts.evaluated_to(conn) == LATER


def test_states_keep_every_number_and_a_profile_that_is_not_given(database: Database) -> None:
    numbers = {"cells": [[0.1, 1 / 3, 1e-300], [1e22, -0.0, 5.0]]}
    with database.begin() as conn:
        shifts.write_state(conn, "billing", numbers, {"hour": 1})
        shifts.write_state(conn, "", {"cells": []}, {"hour": 2})
        shifts.write_state(conn, "billing", None, {"hour": 3})
    with database.read() as conn:
        assert shifts.read_states(conn) == {
            "billing": (numbers, {"hour": 3}),
            "": ({"cells": []}, {"hour": 2}),
        }


def test_an_alarm_is_begun_updated_and_ended(database: Database) -> None:
    alarm_id = begun(database)
    with database.begin() as conn:
        (alarm,) = shifts.active_alarms(conn)
        assert (alarm.id, alarm.app, alarm.series, alarm.direction) == (
            alarm_id,
            "billing",
            "abstained",
            "up",
        )
        assert (alarm.onset_at, alarm.begun_at, alarm.ended_at) == (NOON, LATER, None)
        assert alarm.findings == FINDINGS
        shifts.update_alarm(conn, alarm_id, AlarmFindings({"observed": 0.2}, None, ()))
        shifts.end_alarm(conn, alarm_id, LATER + DAY, "back")
        shifts.end_alarm(conn, alarm_id, LATER + 2 * DAY, "accepted")
        assert shifts.active_alarms(conn) == []
        (alarm,) = shifts.iter_alarms(conn)
        assert alarm.findings == AlarmFindings({"observed": 0.2}, None, ())
        assert (alarm.ended_at, alarm.end_reason) == (LATER + DAY, "back")


def test_one_alarm_at_a_time_for_a_series(database: Database) -> None:
    first = begun(database)
    begun(database, version="v2")
    begun(database, app="other")
    with pytest.raises(StopError):
        begun(database)
    with database.begin() as conn:
        shifts.end_alarm(conn, first, LATER, "back")
    begun(database)
    with database.read() as conn:
        assert len(list(shifts.iter_alarms(conn))) == 4
        assert [alarm.version for alarm in shifts.active_alarms(conn)] == ["", "v2", ""]


def test_alarms_of_a_time_are_those_active_in_it(database: Database) -> None:
    first, second = begun(database, "abstained"), begun(database, "answer_words")
    with database.begin() as conn:
        shifts.end_alarm(conn, first, LATER + timedelta(hours=1), "back")
    with database.read() as conn:
        assert [a.id for a in shifts.iter_alarms(conn, NOON, NOON + DAY)] == [first, second]
        assert [a.id for a in shifts.iter_alarms(conn, NOON + DAY, NOON + 2 * DAY)] == [second]
        assert list(shifts.iter_alarms(conn, NOON - DAY, NOON)) == []
        assert list(shifts.iter_alarms(conn, app="nobody")) == []


def test_begin_and_end_are_told_once_each(database: Database) -> None:
    alarm_id = begun(database)
    with database.begin() as conn:
        assert [a.id for a in shifts.unsent_alarms(conn)] == [alarm_id]
        shifts.mark_sent(conn, alarm_id, LATER, begin=True)
        assert shifts.unsent_alarms(conn) == []
        shifts.end_alarm(conn, alarm_id, LATER, "back")
        assert [a.id for a in shifts.unsent_alarms(conn)] == [alarm_id]
        shifts.mark_sent(conn, alarm_id, LATER, begin=False)
        assert shifts.unsent_alarms(conn) == []


def test_slices_add_up_over_partitions_and_windows(database: Database) -> None:
    def key(window: object, partition: Partition, value: str, app: str = "billing") -> SliceKey:
        return SliceKey(window, partition, app, "workflow", value)  # type: ignore[arg-type]

    with database.begin() as conn:
        slice_counts.add_slices(conn, {})
        slice_counts.add_slices(
            conn,
            {
                key(NOON, PARTITION, "refunds"): {"events": 2, "abstained": 1},
                key(NOON, OTHER, "refunds"): {"events": 3},
                key(LATER, PARTITION, "refunds"): {"events": 5, "word_score": 2**40},
                key(LATER, PARTITION, "\ud800x"): {"events": 1},
                key(NOON, PARTITION, "refunds", "another"): {"events": 100},
            },
        )
        slice_counts.add_slices(conn, {key(NOON, PARTITION, "refunds"): {"events": 1}})
    with database.begin() as conn:
        assert slice_counts.slice_totals(conn, "billing", NOON, NOON + DAY) == {
            ("workflow", "refunds"): {"events": 11, "abstained": 1, "word_score": 2**40},
            ("workflow", "\ufffdx"): {"events": 1},
        }
        assert slice_counts.slice_totals(conn, "billing", NOON, LATER) == {
            ("workflow", "refunds"): {"events": 6, "abstained": 1}
        }
        assert slice_counts.purge_slices(conn, LATER) == 3
        assert slice_counts.purge_slices(conn, LATER) == 0


def test_minutes_are_kept_by_version(database: Database) -> None:
    with database.begin() as conn:
        minute_counts.add_minutes(
            conn,
            {
                MinuteKey(NOON, PARTITION, "a", "model=x"): {"events": 2},
                MinuteKey(NOON, OTHER, "a", "model=x"): {"events": 1},
                MinuteKey(NOON, PARTITION, "a", "model=y"): {"events": 4},
                MinuteKey(NOON, PARTITION, "a"): {"events": 8},
            },
        )
    with database.read() as conn:
        assert list(minute_counts.iter_minutes(conn, NOON, NOON + DAY)) == [
            Minute(NOON, "a", {"events": 8}),
            Minute(NOON, "a", {"events": 3}, "model=x"),
            Minute(NOON, "a", {"events": 4}, "model=y"),
        ]
        assert minute_counts.first_and_last_minute(conn) == (NOON, NOON)
