"""The published shape, what may be stored, what fires; and the cases handed over with the contract."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from sentinel.indicators import (
    INDICATOR_NAMES,
    IndicatorParams,
    PassageMemo,
    compute_indicators,
    fired,
    fired_by,
    numbers_and_flags,
    to_contract,
)
from sentinel.records import Citation, Passage, RawAnswer, ToolCall
from tests.unit.indicators.build import indicate

SHARED = Path(os.environ.get("SENTINEL_SHARED", Path(__file__).resolve().parents[3].parent / "shared"))
CASES = SHARED / "cases" / "indicators.jsonl"


def test_the_shape_of_one_line() -> None:
    got = indicate("It takes 45 days [1][9].", ["It takes 30 days."])
    row = to_contract("e1", got, 0.37, ("invalid_citation",))
    assert row == {
        "event_id": "e1",
        "citations": {"markers": 2, "valid": ["d1"], "invalid": ["9"], "missing": False},
        "retrieval": {
            "known": True,
            "count": 1,
            "empty": False,
            "top_score": None,
            "max_distance": None,
            "high_distance": None,
        },
        "abstention": {"abstained": False, "kind": "none", "source": "none"},
        "answer": {"characters": 24, "words": 5},
        "grounding": {
            "numbers": 1,
            "ungrounded_numbers": ["45"],
            "ungrounded_names": [],
            "overlap": 1.0,
            "lowest_overlap": None,
            "content_words": 1,
            "evidence_words": 3,
            "ungrounded_quotes": 0,
        },
        "delivery": {"upstream_error": False, "truncated": None, "blocked": None, "tool_errors": None},
        "sources": {"denied": None, "superseded_cited": None},
        "risk": 0.37,
        "reasons": ["invalid_citation"],
    }
    assert json.loads(json.dumps(row, allow_nan=False)) == row


def test_unknown_is_null_and_never_zero() -> None:
    row = to_contract("e", indicate("It takes 45 days.", None), None, ())
    assert row["retrieval"] == {
        "known": False,
        "count": None,
        "empty": None,
        "top_score": None,
        "max_distance": None,
        "high_distance": None,
    }
    assert set(row["grounding"].values()) == {None}


def test_what_may_be_stored_holds_no_text_of_the_answer() -> None:
    got = indicate("Ask Secretname at 4711 [secret-9][1].", [("secret-1", "It takes 30 days.")])
    stored = numbers_and_flags(got)
    assert "ecret" not in json.dumps(stored)
    assert "4711" not in json.dumps(stored)
    words = {value for value in stored.values() if isinstance(value, str)}
    assert words <= {"none", "full", "partial", "flag", "phrase"}


@pytest.mark.parametrize(
    ("answer", "evidence", "expected"),
    [
        (
            "The warranty lasts ten years for every item.",
            (),
            {"missing_citation", "empty_retrieval", "ungrounded_number", "low_overlap"},
        ),
        ("The warranty lasts long.", None, {"missing_citation", "unknown_retrieval"}),
        ("IDK", ["Codes."], {"abstained"}),
        ("", ["Codes."], {"abstained", "empty_answer"}),
        ("Bring the receipt [1].", ["Bring a receipt."], set()),
        ("Bring the receipt [2].", ["Bring a receipt."], {"invalid_citation"}),
        ("We met Quentin Marsh [1].", ["We met."], {"ungrounded_name", "low_overlap"}),
    ],
)
def test_what_fires(answer: str, evidence: Any, expected: set[str]) -> None:
    got = fired(indicate(answer, evidence))
    assert set(got) - ({"low_overlap"} if "low_overlap" not in expected else set()) == expected
    assert list(got) == [name for name in INDICATOR_NAMES if name in got]
    stored = numbers_and_flags(indicate(answer, evidence))
    assert fired_by(stored) == got
    for name in ("overlap", "words", "abstention", "retrieval_known"):
        assert fired_by({key: value for key, value in stored.items() if key != name}) is None


@pytest.mark.parametrize(
    ("values", "expected", "high"),
    [
        ([0.2, math.inf], 0.2, False),
        ([0.2, math.nan], 0.2, False),
        ([0.2, None], 0.2, False),
        ([None], None, None),
        ([], None, None),
        ([0.2, 1.3], 1.3, True),
        ([-1.0], -1.0, False),
    ],
)
def test_distances_that_are_not_finite_are_unknown(
    values: list[float | None], expected: float | None, high: bool | None
) -> None:
    retrieved = tuple(Passage(id=str(i), text="t", distance=v, score=v) for i, v in enumerate(values))
    raw = RawAnswer(event_id="e", answer="It is open.", retrieved=retrieved)
    got = compute_indicators(raw, IndicatorParams(), PassageMemo()).retrieval
    assert (got.max_distance, got.high_distance, got.top_score) == (expected, high, expected)
    assert (got.count, got.empty) == (len(values), not values)


def test_nothing_of_the_answer_shows_in_a_repr() -> None:
    got = indicate("Ask Secretname at 4711 [secret-9].", [("secret-1", "Secretpassage 30.")])
    memo = PassageMemo()
    memo.facts("Secretpassage")
    for shown in (repr(got), repr(memo), repr(memo.facts("Secretpassage"))):
        assert "ecret" not in shown
        assert "4711" not in shown


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here (SENTINEL_SHARED)")
def test_the_shared_cases() -> None:
    misses = []
    for line in CASES.read_text().splitlines():
        case = json.loads(line)
        row = to_contract(
            "e", compute_indicators(_decoded(case["event"]), IndicatorParams(), PassageMemo()), None, ()
        )
        for path, value in case["expect"].items():
            got: Any = row
            for key in path.split("."):
                got = got[key]
            if got != value:
                misses.append(f"{case['name']}: {path} is {got!r}, should be {value!r}")
    assert misses == []


def _decoded(event: dict[str, Any]) -> RawAnswer:
    """A decoded event, as far as these cases need it; `1e999` arrives as an infinity."""
    retrieved = event.get("retrieved")
    return RawAnswer(
        event_id=event["event_id"],
        answer=event["answer"],
        question=event.get("question"),
        answerable=event.get("answerable"),
        retrieved=None
        if retrieved is None
        else tuple(Passage(id=p["id"], text=p.get("text"), distance=p.get("distance")) for p in retrieved),
        citations=tuple(
            Citation(id=c if isinstance(c, str) else c["id"]) for c in event.get("citations", ())
        ),
        tool_calls=tuple(
            ToolCall(name=c["name"], output=c.get("output")) for c in event.get("tool_calls", ())
        ),
    )
