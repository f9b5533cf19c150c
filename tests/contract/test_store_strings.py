"""Every string that arrives is stored, the same on both databases."""

from __future__ import annotations

import pytest

from sentinel.errors import DeadLetterError
from sentinel.records import ClaimAnnotation, Partition, SampledUnit, Signals
from sentinel.store import (
    annotations,
    checkpoints,
    dead_letters,
    frame,
    known_values,
    minute_counts,
    reports,
    schedule,
    units,
)
from sentinel.store.database import Database
from sentinel.store.unit_queries import find_unit
from tests.contract.store_samples import DAY, NOON, NOW, a_row, a_unit
from tests.contract.test_store_annotations import an_annotation

STRINGS = {
    "nul": ("alpha\x00beta", "alphabeta"),
    "nul alone": ("\x00", ""),
    "nuls at both ends": ("\x00\x00a\x00", "a"),
    "nul as an escape": ("\\u0000 and \\\\u0000", "\\u0000 and \\\\u0000"),
    "nul and its escape": ("\\u0000\x00", "\\u0000"),
    "lone high surrogate": ("a\ud83d b", "a\ufffd b"),
    "lone low surrogate": ("\ude00", "\ufffd"),
    "surrogate pair": ("\ud83d\ude00", "😀"),
    "swapped pair": ("\ude00\ud83d", "\ufffd\ufffd"),
    "surrogate and nul": ("\ud800\x00", "\ufffd"),
    "surrogates that a nul keeps apart": ("\ud83d\x00\ude00", "\ufffd\ufffd"),
    "controls": ("\x01\x07\x1b[31m\x7f\x85", "\x01\x07\x1b[31m\x7f\x85"),
    "line ends": ("a\r\nb\rc\n\u2028\u2029", "a\r\nb\rc\n\u2028\u2029"),
    "quotes": ("'; DROP TABLE units; -- \" \\ %s :x {} $1 ?", "'; DROP TABLE units; -- \" \\ %s :x {} $1 ?"),
    "empty": ("", ""),
    "blanks": ("  a \t", "  a \t"),
    "not normalised": ("e\u0301 é ﬁ", "e\u0301 é ﬁ"),
    "noncharacters": ("\uffff\ufffe\ufeff", "\uffff\ufffe\ufeff"),
    "right to left": ("\u202eabc", "\u202eabc"),
    "number": ("007", "007"),
    "json": ('{"a": null}', '{"a": null}'),
    "null": ("null", "null"),
    "last plane": ("\U0010ffff", "\U0010ffff"),
}


def unit_full_of(text: str) -> SampledUnit:
    return a_unit(
        text,
        reasons=(text,),
        domains={text: text},
        document_classes=(text,),
        risk_tags=(text,),
        signals=Signals(thumbs=text),
        indicators={text: text},
        content={text: [{text: text}]},
        entities={text: 1},
        redactor=text,
        session_hash=text,
        user_hash=text,
        design_id=text,
        partition=Partition(text, 0),
    )


@pytest.mark.parametrize("name", STRINGS)
def test_a_string_is_stored_everywhere(database: Database, name: str) -> None:
    given, stored = STRINGS[name]
    unit, expected = unit_full_of(given), unit_full_of(stored)
    units.check_storable(unit)
    with database.begin() as conn:
        units.insert_units(conn, [unit], NOW)
        assert units.insert_units(conn, [unit], NOW).met == (given,)
        assert units.set_status(conn, [given], "labelled") == 1
    with database.read() as conn:
        for key in (given, stored):
            found = find_unit(conn, key)
            assert found is not None
            assert found.unit == expected
            assert found.arrivals == 2


@pytest.mark.parametrize("name", STRINGS)
def test_a_string_is_stored_in_labels_reports_and_schedule(database: Database, name: str) -> None:
    given, stored = STRINGS[name]

    def label(text: str):
        claims = (ClaimAnnotation(text, "supported", None, text),)
        parts = {"root_causes": (text,), "citations": ((text, True),), "guideline_version": text}
        return an_annotation(text, text, claims=claims, comment=text, **parts)

    with database.begin() as conn:
        assert annotations.add_annotation(conn, label(given), NOW).annotation == label(stored)
        assert annotations.current_annotation(conn, given, given) is not None
        period = reports.Period(NOON, NOON + DAY, given)
        first = reports.save_report(conn, period, {given: given}, NOW, 0)
        assert first is not None
        assert first.document == {stored: stored, "revision": 1}
        second = reports.save_report(conn, period, {given: given}, NOW, 1)
        assert second is not None
        assert second.revision == 2
        for _ in range(2):
            schedule.save_design(conn, given, {given: given}, NOW)
        row = schedule.create_first_row(
            conn, a_row(design_id=given, reason=given, take_all=((given, 1.0),)), NOW
        )
        assert (row.design_id, row.reason, row.take_all) == (stored, stored, ((stored, 1.0),))


@pytest.mark.parametrize("name", STRINGS)
def test_a_string_is_stored_in_counts_and_coordinates(database: Database, name: str) -> None:
    given, stored = STRINGS[name]
    partition = Partition(given, 1)
    with database.begin() as conn:
        checkpoints.advance(conn, partition, None, 3, NOW)
        checkpoints.advance(conn, partition, 3, 4, NOW)
        assert checkpoints.next_offset(conn, partition) == 4
        assert checkpoints.next_offsets(conn) == {Partition(stored, 1): 4}
        for _ in range(2):
            frame.add_cells(conn, {frame.CellKey(NOON, partition, given, given, given): frame.CellCounts(1)})
            frame.add_not_covered(conn, {(NOON, partition, given): 1})
            minute_counts.add_minutes(conn, {minute_counts.MinuteKey(NOON, partition, given): {given: 1}})
        totals = {frame.FrameSlice(stored, stored, stored): frame.CellCounts(2)}
        assert frame.totals(conn, NOON, NOON + DAY, given) == totals
        assert frame.not_covered_totals(conn, NOON, NOON + DAY) == {stored: 2}
        minutes = list(minute_counts.iter_minutes(conn, NOON, NOON + DAY, given))
        assert minutes == [minute_counts.Minute(NOON, stored, {stored: 2})]
        letter = dead_letters.DeadLetter(partition, 1, given, given, None, 1)
        assert dead_letters.add_dead_letters(conn, [letter, letter], 9, NOW) == 1
        found = dead_letters.DeadLetter(Partition(stored, 1), 1, stored, stored, None, 1)
        assert list(dead_letters.iter_dead_letters(conn)) == [found]
        assert known_values.note_values(conn, {(given, given): NOW}) == {(given, given)}
        assert known_values.note_values(conn, {(given, given): NOW}) == set()


@pytest.mark.parametrize("text", ["v" * 5000, "😀" * 3000, "é" * 201, "a" * 400 + "é"])
def test_keys_of_any_length_are_told_apart(database: Database, text: str) -> None:
    first, second = text + "1", text + "2"
    with database.begin() as conn:
        for value in (first, second, first):
            key = frame.CellKey(NOON, Partition(value, 0), value, value, value)
            frame.add_cells(conn, {key: frame.CellCounts(1)})
            minute_counts.add_minutes(
                conn, {minute_counts.MinuteKey(NOON, Partition(value, 0), value): {"n": 1}}
            )
        assert sorted(c.events for c in frame.totals(conn, NOON, NOON + DAY).values()) == [1, 2]
        assert sorted(m.counts["n"] for m in minute_counts.iter_minutes(conn, NOON, NOON + DAY)) == [1, 2]
        assert known_values.note_values(conn, {("f", first): NOW, ("f", second): NOW}) == {
            ("f", first),
            ("f", second),
        }
        assert known_values.note_values(conn, {("f", first): NOW}) == set()
        units.insert_units(conn, [a_unit(first * 3), a_unit(second * 3)], NOW)
        assert units.insert_units(conn, [a_unit(first * 3)], NOW).met == (first * 3,)
        assert find_unit(conn, second * 3) is not None


def test_the_longest_event_id_is_kept_whole(database: Database) -> None:
    longest = "😀" * 256
    with database.begin() as conn:
        units.insert_units(conn, [a_unit(longest)], NOW)
        found = find_unit(conn, longest)
    assert found is not None
    assert found.unit.facts.event_id == longest


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"probability": 1.5}, "inclusion_probability"),
        ({"probability": 0.0}, "inclusion_probability"),
        ({"probability": float("nan")}, "inclusion_probability"),
        ({"size_measure": float("inf")}, "size_measure"),
        ({"predicted_risk": float("nan")}, "predicted_risk"),
        ({"content": {"score": float("nan")}}, "content"),
        ({"content": {"answer": {"Jane"}}}, "content"),
        ({"indicators": {"overlap": -float("inf")}}, "indicators"),
        ({"offset": 2**63}, "offset"),
        ({"offset": "Jane"}, "offset"),
        ({"session_hash": 1.5}, "session_hash"),
        ({"redactor": None}, "redactor"),
        ({"event_time": NOW.replace(tzinfo=None)}, "event_time"),
    ],
)
def test_a_unit_that_would_fail_a_commit_is_known_before(change: dict[str, object], field: str) -> None:
    units.check_storable(a_unit("e1"))
    with pytest.raises(DeadLetterError, match=field) as caught:
        units.check_storable(a_unit("e1", **change))  # type: ignore[arg-type]
    assert caught.value.reason == "unstorable"
    assert "Jane" not in str(caught.value)
