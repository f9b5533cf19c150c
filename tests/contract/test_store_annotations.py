"""Annotations: append-only lines of records, one per annotator, role and event."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sentinel.errors import DeadLetterError
from sentinel.records import Annotation, ClaimAnnotation
from sentinel.store import annotations, units
from sentinel.store.database import Database
from tests.contract.store_samples import DAY, NOON, NOW, a_unit


def an_annotation(event_id: str, annotator: str = "ann", **changes: Any) -> Annotation:
    values: dict[str, Any] = {
        "role": "annotator",
        "answered": True,
        "abstention": "none",
        "claims": (
            ClaimAnnotation("refund in 30 days", "contradicted", "critical", "wrong_number"),
            ClaimAnnotation("refund is free", "supported"),
        ),
        "evidence_retrieved": "hit",
        "root_causes": ("stale_index",),
        "citations": (("doc-1", True), ("doc-2", False)),
        "complete": False,
        "comment": "see § 4 — “exact”",
        "guideline_version": "3",
    }
    return Annotation(event_id=event_id, annotator=annotator, **(values | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"claims": (), "answered": False, "abstention": "correct"},
        {"complete": None, "comment": None, "guideline_version": None},
        {"complete": True, "comment": "", "evidence_retrieved": "unknown"},
        {"root_causes": (), "citations": ()},
        {"role": "adjudicator"},
        {"abstention": "failed"},
        {"claims": tuple(ClaimAnnotation(f"claim {n}", "unverifiable", "low") for n in range(50))},
        {"comment": "日本\n\t\"'\\ 😀"},
        {"annotator": "a" * 300},
    ],
)
def test_an_annotation_comes_back_as_it_was(database: Database, changes: dict[str, Any]) -> None:
    given = an_annotation("e1", **changes)
    with database.begin() as conn:
        written = annotations.add_annotation(conn, given, NOW)
    assert written.annotation == given
    assert (written.replaces, written.probability_sample, written.created_at) == (None, False, NOW)
    with database.read() as conn:
        assert annotations.annotations_of_event(conn, "e1") == (written,)
        assert annotations.current_annotation(conn, "e1", given.annotator, given.role) == written
        assert annotations.current_annotation(conn, "e1", "nobody") is None


def test_only_labels_of_units_are_of_the_probability_sample(database: Database) -> None:
    with database.begin() as conn:
        units.insert_units(conn, [a_unit("drawn")], NOW)
        assert annotations.add_annotation(conn, an_annotation("drawn"), NOW).probability_sample
        assert not annotations.add_annotation(conn, an_annotation("never"), NOW).probability_sample
    with database.read() as conn:
        assert [a.annotation.event_id for a in annotations.iter_annotations(conn)] == ["drawn", "never"]
        one = annotations.iter_annotations(conn, probability_sample=False)
        assert [a.annotation.event_id for a in one] == ["never"]
        one = annotations.iter_annotations(conn, probability_sample=True)
        assert [a.annotation.event_id for a in one] == ["drawn"]


def test_corrections_make_a_line(database: Database) -> None:
    with database.begin() as conn:
        first = annotations.add_annotation(conn, an_annotation("e1"), NOW)
        second = annotations.add_annotation(conn, an_annotation("e1", comment="2"), NOW, first.id)
        third = annotations.add_annotation(conn, an_annotation("e1", comment="3"), NOW, second.id)
        assert (second.replaces, third.replaces) == (first.id, second.id)
        assert annotations.current_annotation(conn, "e1", "ann") == third
        assert annotations.annotations_of_event(conn, "e1") == (first, second, third)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"event_id": "e2"}, "replaces_unknown"),
        ({"annotator": "other"}, "replaces_unknown"),
        ({"role": "adjudicator"}, "replaces_unknown"),
    ],
)
def test_a_correction_must_be_of_the_same_line(
    database: Database, change: dict[str, Any], reason: str
) -> None:
    with database.begin() as conn:
        first = annotations.add_annotation(conn, an_annotation("e1"), NOW)
        given = an_annotation(**({"event_id": "e1"} | change))
        with pytest.raises(DeadLetterError) as caught:
            annotations.add_annotation(conn, given, NOW, first.id)
    assert caught.value.reason == reason
    with database.read() as conn:
        assert len(list(annotations.iter_annotations(conn))) == 1


def test_other_refusals_name_their_reason_and_leave_the_transaction_whole(database: Database) -> None:
    with database.begin() as conn:
        first = annotations.add_annotation(conn, an_annotation("e1"), NOW)
        annotations.add_annotation(conn, an_annotation("e1", comment="2"), NOW, first.id)
        for replaces, reason in [
            (None, "already_annotated"),
            (first.id, "already_replaced"),
            (404, "replaces_unknown"),
        ]:
            with pytest.raises(DeadLetterError) as caught:
                annotations.add_annotation(conn, an_annotation("e1", comment="secret"), NOW, replaces)
            assert caught.value.reason == reason
            assert "secret" not in str(caught.value)
        annotations.add_annotation(conn, an_annotation("e1", "second reviewer"), NOW)
        annotations.add_annotation(conn, an_annotation("e1", role="adjudicator"), NOW)
    with database.read() as conn:
        assert len(annotations.annotations_of_event(conn, "e1")) == 4


def test_of_two_corrections_at_once_one_stands(database: Database) -> None:
    with database.begin() as conn:
        first = annotations.add_annotation(conn, an_annotation("e1"), NOW)
    gate = threading.Barrier(3)

    def correct(comment: str) -> str:
        gate.wait(timeout=30)
        try:
            with database.begin() as conn:
                annotations.add_annotation(conn, an_annotation("e1", comment=comment), NOW, first.id)
        except DeadLetterError as error:
            return error.reason
        return "written"

    with ThreadPoolExecutor(3) as pool:
        outcomes = sorted(pool.map(correct, "abc"))
    assert outcomes == ["already_replaced", "already_replaced", "written"]


def test_a_period_is_of_the_units_event_time(database: Database) -> None:
    with database.begin() as conn:
        times = {
            "before": NOON - DAY,
            "first": NOON,
            "last": NOON + DAY - NOON.resolution,
            "after": NOON + DAY,
        }
        units.insert_units(conn, [a_unit(i, event_time=moment) for i, moment in times.items()], NOW)
        for number, event_id in enumerate([*times, "never"]):
            annotations.add_annotation(conn, an_annotation(event_id), NOW + number * DAY)
    with database.read() as conn:

        def ids(**limits: Any) -> list[str]:
            return [a.annotation.event_id for a in annotations.iter_period(conn, NOON, NOON + DAY, **limits)]

        assert ids() == ["first", "last"]
        assert ids(created_before=NOW + 2 * DAY) == ["first"]


def test_many_annotations_are_read_in_pages(database: Database) -> None:
    ids = [f"e{n:04}" for n in range(1101)]
    with database.begin() as conn:
        for event_id in ids:
            annotations.add_annotation(conn, an_annotation(event_id, claims=()), NOW)
    with database.read() as conn:
        assert [a.annotation.event_id for a in annotations.iter_annotations(conn)] == ids
