"""Customers, knowledge, claims: each of them is what it says it is."""

from __future__ import annotations

from random import Random

import pytest

from sentinel.demo.assertions import false_claim, invented_claim, nonfactual_claim, true_claim
from sentinel.demo.knowledge import Fact, Knowledge, build_knowledge
from sentinel.demo.people import make_person
from sentinel.records import UNSUPPORTED_LABELS


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return build_knowledge(Random(1))


def facts_of(knowledge: Knowledge) -> list[Fact]:
    return [fact for part in knowledge.passages.values() for passage in part for fact in passage.facts]


@pytest.mark.parametrize("seed", range(20))
def test_personal_numbers_check_out_and_belong_to_nobody(seed: int) -> None:
    person = make_person(Random(seed))
    digits = [int(digit) for digit in person.card if digit.isdigit()]
    doubled = [2 * d - 9 * (d > 4) if place % 2 else d for place, d in enumerate(reversed(digits))]
    assert len(digits) == 16
    assert sum(doubled) % 10 == 0
    iban = person.iban.replace(" ", "")
    moved = iban[4:] + iban[:4]
    assert int("".join(str(int(character, 36)) for character in moved)) % 97 == 1
    assert len(iban) == 22
    assert person.email.rpartition("@")[2] in {"example.com", "example.org", "example.net"}
    assert "555-01" in person.phone or person.phone.startswith("+44 7700 900")


def test_nothing_of_a_person_is_in_its_repr() -> None:
    person = make_person(Random(3))
    assert person.first not in repr(person)
    assert person.iban not in repr(person)


def test_a_few_hundred_passages_over_several_workflows(knowledge: Knowledge) -> None:
    passages = [passage for part in knowledge.passages.values() for passage in part]
    assert len(passages) >= 250
    assert len({passage.id for passage in passages}) == len(passages)
    assert len(knowledge.passages) >= 4
    assert set(knowledge.apps) == set(knowledge.passages)
    assert len(set(knowledge.apps.values())) == 2
    assert all("{" not in passage.text + "".join(passage.asks) for passage in passages)


def test_every_fact_can_be_told_and_told_wrong(knowledge: Knowledge) -> None:
    for fact in facts_of(knowledge):
        said = fact.said_with(fact.value)
        assert "{" not in said
        if fact.value is not None:
            assert fact.value in fact.states
            assert fact.value in said
            assert fact.value not in fact.others
            assert fact.others
        else:
            assert fact.twist is not None
            assert fact.twist[0] in said


def test_a_false_claim_is_never_what_the_passage_says(knowledge: Knowledge) -> None:
    rng = Random(5)
    facts = facts_of(knowledge)
    subtypes = set()
    for fact in facts * 3:
        around = [fact, *rng.sample(facts, 8)]
        claim = false_claim(fact, around, rng)
        assert claim.label in UNSUPPORTED_LABELS
        assert claim.severity is not None
        told = claim.text[:-1].lower()
        assert told not in {other.said_with(other.value).lower() for other in facts if other.states in around}
        assert told != fact.said_with(fact.value).lower()
        subtypes.add(claim.subtype)
    assert {"wrong number", "wrong relationship", "incorrect attribute", "fabricated entity"} <= subtypes


def test_a_true_claim_holds_the_value_of_the_passage(knowledge: Knowledge) -> None:
    rng = Random(6)
    worked_out = 0
    for fact in facts_of(knowledge):
        claim = true_claim(fact, rng)
        assert claim.label == "supported"
        assert claim.severity is None
        assert fact.said_with(fact.value).lower() in claim.text.lower()
        worked_out += ", that is " in claim.text
    assert worked_out > 5, "no claim that is true and looks suspicious"


def test_inventions_are_in_no_passage_and_courtesies_claim_nothing(knowledge: Knowledge) -> None:
    rng = Random(7)
    texts = " ".join(fact.states for fact in facts_of(knowledge)).lower()
    for _ in range(50):
        claim = invented_claim(rng)
        assert claim.label == "not_in_evidence"
        assert claim.text.lower()[:-1] not in texts
        assert nonfactual_claim(rng).label == "nonfactual"
