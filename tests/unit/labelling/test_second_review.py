"""The draw of the second review: uniform, its own, told by nothing but its key; states in any order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from sentinel.labelling.second_review import review_state, second_review, second_review_number
from sentinel.records import Annotation, ClaimAnnotation

SEVERE = ClaimAnnotation("x", "contradicted", "critical")


def opinion(
    annotator: str, *labels: str, role: str = "annotator", severity: str | None = "low"
) -> Annotation:
    claims = tuple(ClaimAnnotation(f"c{n}", label, severity) for n, label in enumerate(labels))
    return Annotation("e1", annotator, role, True, "none", claims)


@dataclass(frozen=True)
class Record:
    id: int
    annotation: Annotation
    replaces: int | None = None


def test_numbers_are_uniform_and_depend_on_the_key() -> None:
    ids = [f"event-{n}" for n in range(4000)]
    numbers = np.array([second_review_number(one, b"key one") for one in ids])
    others = np.array([second_review_number(one, b"key two") for one in ids])
    assert stats.kstest(numbers, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(numbers, others)[0, 1]) < 0.06
    assert second_review_number("event-1", b"key one") == numbers[1]
    with pytest.raises(ValueError, match="key"):
        second_review_number("event-1", b"")


@pytest.mark.parametrize("share", [0.0, 0.15, 0.5, 1.0])
def test_the_recorded_probability_is_the_delivered_one(share: float) -> None:
    decisions = [
        second_review(Annotation(f"e{n}", "a", "annotator", True, "none", ()), b"k", share)
        for n in range(4000)
    ]
    assert {one.probability for one in decisions} == {share}
    drawn = sum(one.wanted for one in decisions)
    low, high = stats.binom.interval(1 - 1e-6, 4000, share)
    assert low <= drawn <= high
    assert all(one.wanted == (one.random_number < share) for one in decisions)


def test_a_critical_case_always_goes_to_a_second_reviewer() -> None:
    found = second_review(Annotation("e", "a", "annotator", True, "none", (SEVERE,)), b"k", 0.0)
    assert (found.wanted, found.reason, found.probability) == (True, "critical", 1.0)
    mild = ClaimAnnotation("x", "supported", "critical")
    assert not second_review(Annotation("e", "a", "annotator", True, "none", (mild,)), b"k", 0.0).wanted


YES, NO = ("supported",), ("contradicted",)


@pytest.mark.parametrize(
    ("said", "wanted", "escalated", "state"),
    [
        ([("a", YES)], False, False, "single"),
        ([("a", YES)], True, False, "waiting"),
        ([("a", YES), ("b", YES)], True, False, "settled"),
        ([("a", YES), ("b", NO)], True, False, "disagreed"),
        ([("a", YES), ("b", NO), ("c", NO)], True, False, "settled"),
        ([("a", YES), ("b", NO), ("c", YES)], False, False, "settled"),
        ([], False, True, "escalated"),
        ([("a", YES)], False, True, "escalated"),
        ([("a", YES), ("b", NO)], True, True, "escalated"),
    ],
)
def test_the_state_does_not_depend_on_who_came_first(
    said: list[tuple[str, tuple[str, ...]]], wanted: bool, escalated: bool, state: str
) -> None:
    for order in permutations(said):
        records = [Record(n, opinion(who, *labels)) for n, (who, labels) in enumerate(order)]
        assert review_state(records, second_wanted=wanted, escalated=escalated) == state
        decided = [*records, Record(9, opinion("z", *NO, role="adjudicator"))]
        assert review_state(decided, second_wanted=wanted, escalated=escalated) == "settled"
