"""Sampled units: written once, met, raised, read back bit for bit, purged."""

from __future__ import annotations

import random
import struct
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from sentinel.records import Signals
from sentinel.store import units
from sentinel.store.database import Database
from sentinel.store.unit_queries import UnitFilter, find_unit, iter_units
from sentinel.store.units import InsertOutcome
from tests.contract.store_samples import DAY, NOON, NOW, a_unit


def _found(database: Database, event_id: str = "e1"):
    with database.read() as conn:
        found = find_unit(conn, event_id)
    assert found is not None
    return found


def test_a_unit_comes_back_as_it_was(database: Database) -> None:
    content = {"z": 1, "a": [1.0, 1e22, -0.5, None, True, {"é": "日本 😀"}], "answer": ""}
    unit = a_unit("e1", content=content, signals=Signals(thumbs="down", safety_incident=False))
    with database.begin() as conn:
        assert units.insert_units(conn, [unit], NOW) == InsertOutcome(("e1",), ())
    found = _found(database)
    assert found.unit == unit
    assert list(found.content or {}) == ["z", "a", "answer"]
    assert (found.status, found.arrivals, found.raised_under_row, found.created_at) == (
        "pending",
        1,
        None,
        NOW,
    )
    assert "refund" not in repr(found)
    with database.read() as conn:
        assert find_unit(conn, "e2") is None


def test_numbers_are_kept_bit_for_bit(database: Database) -> None:
    draw = random.Random(7)
    numbers = [5e-324, 2.2250738585072014e-308, 0.1, 1 / 3, 1 - 2**-53, 2**-64, 1.0, 0.1 + 0.2]
    numbers += [struct.unpack("<d", struct.pack("<Q", draw.getrandbits(62)))[0] for _ in range(300)]
    numbers = [number for number in numbers if 0 < number <= 1]
    assert len(numbers) > 200
    drawn = [
        a_unit(f"e{n}", x, random_number=x, size_measure=x, predicted_risk=x) for n, x in enumerate(numbers)
    ]
    with database.begin() as conn:
        units.insert_units(conn, drawn, NOW)
    with database.read() as conn:
        by_id = {found.unit.facts.event_id: found.unit.decision for found in iter_units(conn)}
    for n, number in enumerate(numbers):
        decision = by_id[f"e{n}"]
        stored = (
            decision.inclusion_probability,
            decision.random_number,
            decision.size_measure,
            decision.predicted_risk,
        )
        assert struct.pack("<4d", *stored) == struct.pack("<d", number) * 4


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        datetime(1582, 10, 10, 3, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(2026, 3, 29, 1, 30, 0, 1, tzinfo=UTC),
        datetime(2026, 10, 25, 2, 30, tzinfo=timezone(timedelta(hours=2))),
        datetime(2026, 11, 24, 12, 3, 4, 567891, tzinfo=timezone(-timedelta(hours=9, minutes=30))),
        datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
        datetime(2262, 4, 12, 1, 2, 3, 333333, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
)
def test_times_are_kept_to_the_microsecond_in_utc(database: Database, moment: datetime) -> None:
    with database.begin() as conn:
        units.insert_units(conn, [a_unit("e1", event_time=moment, record_timestamp=moment)], moment)
    found = _found(database)
    for stored in (found.unit.facts.event_time, found.unit.facts.record_timestamp, found.created_at):
        assert stored == moment
        assert stored.tzinfo is UTC


def test_meeting_a_unit_counts_an_arrival_and_keeps_the_larger_probability(database: Database) -> None:
    first = a_unit("e1", 0.25, reasons=("uniform",))
    larger = a_unit(
        "e1", 0.5, reasons=("rule",), content={"answer": "other"}, schedule_row=4, random_number=0.1
    )
    smaller = a_unit("e1", 0.125, reasons=("floor",), content={"answer": "third"})
    with database.begin() as conn:
        units.insert_units(conn, [first], NOW)
    for met, expected in [
        (smaller, (0.25, ("uniform", "floor"), None, 2)),
        (larger, (0.5, ("uniform", "floor", "rule"), 4, 3)),
        (first, (0.5, ("uniform", "floor", "rule"), 4, 4)),
    ]:
        with database.begin() as conn:
            assert units.insert_units(conn, [met], NOW + DAY) == InsertOutcome((), ("e1",))
        found = _found(database)
        decision = found.unit.decision
        assert (
            decision.inclusion_probability,
            decision.reasons,
            found.raised_under_row,
            found.arrivals,
        ) == expected
        assert found.first_inclusion_probability == 0.25
        assert found.content == first.answer.content
        assert (found.created_at, decision.schedule_row) == (NOW, 0)


def test_an_id_twice_in_one_call_is_inserted_once_and_met_once(database: Database) -> None:
    drawn = [
        a_unit("b", 0.2),
        a_unit("a", 0.3, reasons=("x",)),
        a_unit("b", 0.4, reasons=("y",)),
        a_unit("b", 0.1),
    ]
    with database.begin() as conn:
        assert units.insert_units(conn, drawn, NOW) == InsertOutcome(("b", "a"), ("b", "b"))
    found = _found(database, "b")
    assert (found.arrivals, found.unit.decision.inclusion_probability) == (3, 0.4)
    assert found.unit.decision.reasons == ("uniform", "y")


def test_a_late_signal_raises_without_an_arrival(database: Database) -> None:
    with database.begin() as conn:
        units.insert_units(conn, [a_unit("e1", 0.25)], NOW)
        outcome = units.raise_units(
            conn, [a_unit("e1", 1.0, reasons=("user_correction",), schedule_row=2), a_unit("e2", 1.0)], NOW
        )
    assert outcome == InsertOutcome(("e2",), ("e1",))
    raised, late = _found(database), _found(database, "e2")
    assert (raised.unit.decision.inclusion_probability, raised.arrivals, raised.raised_under_row) == (
        1.0,
        1,
        2,
    )
    assert raised.unit.decision.reasons == ("uniform", "user_correction")
    assert (late.unit.decision.inclusion_probability, late.arrivals) == (1.0, 1)
    assert (raised.first_inclusion_probability, late.first_inclusion_probability) == (0.25, 1.0)


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        (Signals(), Signals(), Signals()),
        (Signals(), Signals(user_correction=True), Signals(user_correction=True)),
        (Signals(user_correction=True), Signals(), Signals(user_correction=True)),
        (Signals(user_correction=True), Signals(user_correction=False), Signals(user_correction=True)),
        (Signals(user_correction=False), Signals(user_correction=True), Signals(user_correction=True)),
        (Signals(safety_incident=False), Signals(), Signals(safety_incident=False)),
        (Signals(), Signals(safety_incident=False), Signals(safety_incident=False)),
        (
            Signals(safety_incident=True),
            Signals(user_correction=True, unsupported_citation_report=False),
            Signals(safety_incident=True, user_correction=True, unsupported_citation_report=False),
        ),
        (Signals(thumbs="up"), Signals(thumbs="down"), Signals(thumbs="down")),
        (Signals(thumbs="down"), Signals(thumbs="up"), Signals(thumbs="down")),
        (Signals(thumbs="up"), Signals(), Signals(thumbs="up")),
        (Signals(), Signals(thumbs="up", safety_incident=True), Signals(thumbs="up", safety_incident=True)),
    ],
)
@pytest.mark.parametrize("write", [units.insert_units, units.raise_units])
def test_a_later_arrival_adds_its_signals(
    database: Database, write: Callable[..., InsertOutcome], first: Signals, second: Signals, merged: Signals
) -> None:
    with database.begin() as conn:
        units.insert_units(conn, [a_unit("e1", 0.5, signals=first)], NOW)
    with database.begin() as conn:
        write(conn, [a_unit("e1", 0.125, signals=second)], NOW + DAY)
    found = _found(database)
    assert found.unit.facts.signals == merged
    assert (found.unit.decision.inclusion_probability, found.raised_under_row) == (0.5, None)


def test_reasons_of_a_later_arrival_come_after_the_stored_ones(database: Database) -> None:
    with database.begin() as conn:
        units.insert_units(conn, [a_unit("e1", 0.5, reasons=("b", "a"))], NOW)
        units.raise_units(conn, [a_unit("e1", 0.9, reasons=("c\x00", "a", "d"), schedule_row=7)], NOW)
        units.raise_units(conn, [a_unit("e1", 0.7, reasons=("d", "b", "c"), schedule_row=8)], NOW)
    found = _found(database)
    assert found.unit.decision.reasons == ("b", "a", "c", "d")
    assert (found.unit.decision.inclusion_probability, found.raised_under_row) == (0.9, 7)


def test_four_threads_that_raise_the_same_units_lose_no_signal(database: Database) -> None:
    gate = threading.Barrier(4)
    names = ("user_correction", "safety_incident", "unsupported_citation_report")
    ids = [f"é{n}" if n % 3 else f"Z{n}" for n in range(120)]
    with database.begin() as conn:
        units.insert_units(conn, [a_unit(i, 0.1, signals=Signals(), reasons=()) for i in ids], NOW)

    def write(worker: int) -> None:
        signals = Signals(**{names[worker]: True}) if worker < 3 else Signals(thumbs="down")
        mine = list(ids)
        random.Random(worker).shuffle(mine)
        gate.wait(timeout=30)
        with database.begin() as conn:
            raised = [
                a_unit(i, (worker + 1) / 7, signals=signals, reasons=(f"r{worker}",), schedule_row=worker)
                for i in mine
            ]
            units.raise_units(conn, raised, NOW)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    with database.read() as conn:
        stored = list(iter_units(conn))
    assert len(stored) == len(ids)
    for found in stored:
        assert found.unit.facts.signals == Signals(**dict.fromkeys(names, True), thumbs="down")
        assert set(found.unit.decision.reasons) == {"r0", "r1", "r2", "r3"}
        assert (found.unit.decision.inclusion_probability, found.raised_under_row) == (4 / 7, 3)
        assert (found.arrivals, found.first_inclusion_probability) == (1, 0.1)


def test_nothing_drawn_is_nothing_written(database: Database) -> None:
    with database.begin() as conn:
        assert units.insert_units(conn, [], NOW) == units.raise_units(conn, [], NOW) == InsertOutcome((), ())
        assert list(iter_units(conn)) == []


def test_four_threads_that_draw_the_same_ids_make_one_unit_each(database: Database) -> None:
    gate = threading.Barrier(4)
    ids = [f"e{n}" for n in range(400)]

    def write(worker: int) -> InsertOutcome:
        mine = list(ids)
        random.Random(worker).shuffle(mine)
        gate.wait(timeout=30)
        with database.begin() as conn:
            return units.insert_units(conn, [a_unit(i, (worker + 1) / 8) for i in mine], NOW)

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(write, range(4)))
    assert sorted(i for outcome in outcomes for i in outcome.inserted) == sorted(ids)
    assert sum(len(outcome.met) for outcome in outcomes) == 1200
    with database.read() as conn:
        stored = list(iter_units(conn))
    assert {found.arrivals for found in stored} == {4}
    assert {found.unit.decision.inclusion_probability for found in stored} == {0.5}


def test_units_are_read_in_pages_in_order_of_event_time(database: Database) -> None:
    moments = [NOON + timedelta(seconds=n // 7) for n in range(1203)]
    drawn = [a_unit(f"e{n:04}", event_time=moment) for n, moment in enumerate(moments)]
    random.Random(3).shuffle(drawn)
    with database.begin() as conn:
        units.insert_units(conn, drawn, NOW)
    with database.read() as conn:
        found = list(iter_units(conn))
        assert len({f.unit.facts.event_id for f in found}) == len(found) == 1203
        assert [f.unit.facts.event_time for f in found] == moments
        start, end = NOON + timedelta(seconds=10), NOON + timedelta(seconds=20)
        part = list(iter_units(conn, UnitFilter(start=start, end=end), with_content=False))
        assert [f.unit.facts.event_time for f in part] == [m for m in moments if start <= m < end]
        assert {f.content for f in part} == {None}


def test_units_are_filtered_by_status_and_design(database: Database) -> None:
    drawn = [a_unit("e1"), a_unit("e2", design_id="design-2"), a_unit("e3")]
    with database.begin() as conn:
        units.insert_units(conn, drawn, NOW)
        assert units.set_status(conn, ["e1", "e1", "unknown"], "labelled") == 1
        assert units.set_status(conn, [], "lost") == 0
    with database.read() as conn:

        def ids(wanted: UnitFilter) -> list[str]:
            return sorted(found.unit.facts.event_id for found in iter_units(conn, wanted))

        assert ids(UnitFilter(statuses=("pending",))) == ["e2", "e3"]
        assert ids(UnitFilter(statuses=("labelled", "lost"))) == ["e1"]
        assert ids(UnitFilter(statuses=())) == []
        assert ids(UnitFilter(design_id="design-2")) == ["e2"]
        assert units.backlog(conn) == units.Backlog(2, NOW)


def test_an_empty_backlog_has_no_age(database: Database) -> None:
    with database.read() as conn:
        assert units.backlog(conn) == units.Backlog(0, None)


def test_retention_takes_the_content_and_leaves_what_is_counted(database: Database) -> None:
    old = [a_unit(f"old{n}", event_time=NOON - DAY) for n in range(5)]
    with database.begin() as conn:
        units.insert_units(conn, [*old, a_unit("new")], NOW)
        units.set_status(conn, ["old0"], "labelled")
    with database.begin() as conn:
        assert units.purge_contents(conn, NOON, limit=3) == (3, 2)
        assert units.purge_contents(conn, NOON, limit=3) == (2, 2)
        assert units.purge_contents(conn, NOON, limit=3) == (0, 0)
    labelled, purged, kept = _found(database, "old0"), _found(database, "old1"), _found(database, "new")
    assert (labelled.status, labelled.content) == ("labelled", None)
    assert (purged.status, purged.content, purged.unit.answer.content) == ("purged", None, {})
    assert (kept.status, kept.content) == ("pending", {"answer": "refund in 30 days"})
    assert replace(purged.unit, answer=old[1].answer) == old[1]
    with database.begin() as conn:  # a purged unit met again stays purged
        assert units.insert_units(conn, [old[1]], NOW).met == ("old1",)
    assert _found(database, "old1").content is None
