"""Which of several opinions counts, whatever order they are given in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.labelling.adjudication import derive, outcome
from sentinel.records import Annotation, ClaimAnnotation


@dataclass(frozen=True)
class Record:
    id: int
    annotation: Annotation
    replaces: int | None = None


def opinion(id_: int, annotator: str, bad: int = 0, *, replaces: int | None = None, **changes: Any) -> Record:
    claims = (ClaimAnnotation("a", "supported"),) + (ClaimAnnotation("b", "contradicted"),) * bad
    annotation = Annotation("e1", annotator, "annotator", True, "none", claims)
    return Record(id_, replace(annotation, **changes), replaces)


def test_without_an_opinion_there_is_no_label() -> None:
    assert derive([]) is None


def test_a_first_opinion_counts_provisionally() -> None:
    found = derive([opinion(7, "a", 1)])
    assert found is not None
    assert (found.final, found.opinions, found.annotation.unsupported_claims) == (False, 1, 1)


def test_two_that_agree_are_final_whatever_their_words() -> None:
    other = opinion(2, "b", 1)
    worded = replace(other.annotation.claims[1], text="in other words", label="not_in_evidence")
    other = replace(other, annotation=replace(other.annotation, claims=(other.annotation.claims[0], worded)))
    found = derive([opinion(1, "a", 1), other])
    assert found is not None
    assert (found.final, found.opinions, found.annotation.annotator) == (True, 2, "a")


def test_two_that_differ_leave_the_first_one_standing() -> None:
    for order in permutations([opinion(1, "a", 1), opinion(2, "b", 0)]):
        found = derive(order)
        assert found is not None
        assert (found.final, found.opinions, found.annotation.annotator) == (False, 2, "a")


@pytest.mark.parametrize(
    "change",
    [
        {"answered": False, "abstention": "correct"},
        {"abstention": "failed"},
        {"claims": ()},
        {"claims": (ClaimAnnotation("a", "supported"), ClaimAnnotation("b", "supported"))},
        {"claims": (ClaimAnnotation("a", "supported"), ClaimAnnotation("b", "contradicted", "critical"))},
    ],
)
def test_what_a_rate_counts_is_what_they_must_agree_on(change: dict[str, Any]) -> None:
    found = derive([opinion(1, "a", 1), opinion(2, "b", 1, **change)])
    assert found is not None
    assert not found.final


def test_abstentions_agree_whatever_claims_they_list() -> None:
    abstains = {"answered": False, "abstention": "correct"}
    assert outcome(opinion(1, "a", 0, **abstains).annotation) == outcome(
        opinion(2, "b", 2, **abstains).annotation
    )


def test_the_majority_decides_whoever_came_first() -> None:
    for order in permutations([opinion(1, "a", 0), opinion(2, "b", 1), opinion(3, "c", 1)]):
        found = derive(order)
        assert found is not None
        assert (found.final, found.annotation.annotator) == (True, "b")


def test_two_pairs_decide_nothing() -> None:
    found = derive([opinion(1, "a", 0), opinion(2, "b", 1), opinion(3, "c", 1), opinion(4, "d", 0)])
    assert found is not None
    assert (found.final, found.opinions, found.annotation.annotator) == (False, 4, "a")


@pytest.mark.parametrize("last", [0, 5])
def test_an_adjudicator_decides_before_and_after_the_others(last: int) -> None:
    decision = opinion(last, "c", 2, role="adjudicator")
    for order in permutations([opinion(1, "a", 0), opinion(2, "b", 0), decision]):
        found = derive(order)
        assert found is not None
        assert (found.final, found.opinions, found.annotation.unsupported_claims) == (True, 3, 2)


def test_of_two_adjudicators_the_last_decides() -> None:
    found = derive([opinion(4, "d", 1, role="adjudicator"), opinion(3, "c", 2, role="adjudicator")])
    assert found is not None
    assert found.annotation.annotator == "d"


def test_an_adjudicator_may_correct_the_decision() -> None:
    decided = [opinion(3, "c", 2, role="adjudicator"), opinion(4, "c", 1, role="adjudicator", replaces=3)]
    found = derive(decided)
    assert found is not None
    assert (found.opinions, found.annotation.unsupported_claims) == (1, 1)


def test_a_correction_replaces_and_keeps_its_annotators_place() -> None:
    records = [opinion(1, "a", 0), opinion(2, "b", 1), opinion(3, "a", 2, replaces=1)]
    for order in permutations(records):
        found = derive(order)
        assert found is not None
        assert (found.final, found.opinions) == (False, 2)
        assert (found.annotation.annotator, found.annotation.unsupported_claims) == ("a", 2)


def test_a_correction_can_bring_agreement_and_take_it_back() -> None:
    records = [opinion(1, "a", 0), opinion(2, "b", 1), opinion(3, "b", 0, replaces=2)]
    agreed = derive(records)
    assert agreed is not None
    assert agreed.final
    apart = derive([*records, opinion(4, "a", 2, replaces=1)])
    assert apart is not None
    assert not apart.final


def test_one_person_cannot_agree_with_themselves() -> None:
    found = derive([opinion(1, "a", 1), opinion(2, "a", 1, replaces=1)])
    assert found is not None
    assert (found.final, found.opinions) == (False, 1)


def test_opinions_of_two_events_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="more than one event"):
        derive([opinion(1, "a"), opinion(2, "b", event_id="e2")])


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 2), st.booleans()), min_size=1, max_size=7),
    st.randoms(),
)
def test_the_order_given_never_matters(said: list[tuple[str, int, bool]], random: Any) -> None:
    newest: dict[tuple[str, str], int] = {}
    records = []
    for number, (annotator, bad, decides) in enumerate(said, start=1):
        role = "adjudicator" if decides else "annotator"
        replaces = newest.get((annotator, role))
        records.append(opinion(number, annotator, bad, replaces=replaces, role=role))
        newest[annotator, role] = number
    expected = derive(records)
    shuffled = list(records)
    random.shuffle(shuffled)
    assert derive(shuffled) == expected
    assert expected is not None
    assert expected.opinions == len(newest)
