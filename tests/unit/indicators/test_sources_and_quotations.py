"""Passages that were denied, documents that were replaced, quotations that nobody made."""

from __future__ import annotations

from typing import Any

import pytest

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators, fired
from sentinel.records import Citation, Indicators, Passage, RawAnswer
from tests.unit.indicators.build import indicate


def over(*passages: dict[str, Any], answer: str = "So it is [1].", **params: Any) -> Indicators:
    retrieved = tuple(Passage(id=f"d{n}", text="So it is.", **one) for n, one in enumerate(passages, 1))
    raw = RawAnswer(event_id="e", answer=answer, retrieved=retrieved)
    return compute_indicators(raw, IndicatorParams(**params), PassageMemo())


@pytest.mark.parametrize(
    ("accesses", "denied"),
    [
        ([], None),
        ([None, None], None),
        (["granted"], 0),
        (["restricted", "internal"], 0),
        (["denied"], 1),
        ([" Denied ", "FORBIDDEN", None, "public"], 2),
    ],
)
def test_denied_passages(accesses: list[str | None], denied: int | None) -> None:
    got = over(*({"access": access} for access in accesses))
    assert got.sources.denied == denied
    assert ("denied_access" in fired(got)) is bool(denied)


def test_what_denied_means_can_be_set() -> None:
    assert over({"access": "restricted"}, denied_access=("restricted",)).sources.denied == 1
    assert over({"access": "denied"}, denied_access=()).sources.denied == 0


@pytest.mark.parametrize(
    ("superseded", "answer", "cited"),
    [
        ([None, None], "So it is [1].", None),
        ([False, None], "So it is [1].", 0),
        ([True, False], "So it is [1].", 1),
        ([True, False], "So it is [2].", 0),
        ([True, True], "So it is [1][2][1].", 2),
        ([True], "So it is.", 0),
        ([True], "So it is [7].", 0),
    ],
)
def test_superseded_documents_that_are_cited(
    superseded: list[bool | None], answer: str, cited: int | None
) -> None:
    got = over(*({"superseded": one} for one in superseded), answer=answer)
    assert got.sources.superseded_cited == cited
    assert ("superseded_citation" in fired(got)) is bool(cited)


EVIDENCE = ("The customer may return unopened items within thirty days of delivery.", "Fees are due in May.")


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ('It says "The customer may return unopened items within thirty days".', 0),
        ('It says "the customer may return UNOPENED items, within thirty days!"', 0),
        ("It says “may return unopened items within thirty days of delivery”.", 0),
        ("Es heißt „The customer may return unopened items“.", 0),
        ('It says "The customer may […] within thirty days of delivery".', 0),
        ('It says "The customer ... within thirty days of delivery".', 0),
        ('It says "[the buyer] may return unopened items within thirty days".', 0),
        ('It says "The customer must keep unopened items for ninety days".', 1),
        ("It says “returns are free for members of the club”.", 1),
        ("Er sagt »Rückgaben sind für Mitglieder immer kostenlos«.", 1),
        ("Il dit « les retours sont gratuits pour les membres ».", 1),
        ("規定には「会員は返品が無料になります」とあります。", 1),
        ('It says "within thirty days of delivery" and "fees are never due in June or July".', 1),
        ('It says "Fees are due in May within thirty days of delivery".', 1),
        ('Press "Start now" and then "OK".', 0),
        ('The so-called "free return" is not free.', 0),
        ("No quotation at all.", 0),
        ('`print("a text that no passage holds at all")` prints it.', 0),
        ("An inch is written 5\" and a foot 6' here, as said before.", 0),
    ],
)
def test_quotations_that_no_evidence_holds(answer: str, count: int) -> None:
    got = indicate(answer, EVIDENCE)
    assert got.grounding.ungrounded_quotes == count
    assert ("ungrounded_quote" in fired(got)) is bool(count)


def test_the_question_and_tools_are_evidence_and_unknown_evidence_is_unknown() -> None:
    said = 'You asked "how long do I have to wait for it".'
    assert (
        indicate(said, EVIDENCE, question="How long do I have to wait for it?").grounding.ungrounded_quotes
        == 0
    )
    found = indicate('It says "order is on its way".', [], outputs=[{"status": ["Order is on its way"]}])
    assert found.grounding.ungrounded_quotes == 0
    assert indicate('It says "a text that is in no passage".', None).grounding.ungrounded_quotes is None


def test_the_quote_of_a_structured_citation_counts() -> None:
    invented = Citation(id="d1", quote="Returns are free for members of the club.")
    real = Citation(id="d1", quote="Fees are due in May.")
    assert indicate("So it is.", EVIDENCE, citations=[invented, real]).grounding.ungrounded_quotes == 1


@pytest.mark.parametrize(
    ("answer", "evidence", "count"),
    [
        ('A 13" screen and a 15" screen are on sale.', "13 15", 0),
        ('Cut 6" boards of pine, then lay 4" gravel below them.', "6 4", 0),
        ('The 13" screen "can never be used out of doors" at all.', "It can always be used out of doors.", 1),
        (
            'The 13" screen "can always be used out of doors" at all.',
            "It can always be used out of doors.",
            0,
        ),
    ],
)
def test_a_mark_of_inches_opens_no_quotation(answer: str, evidence: str, count: int) -> None:
    assert indicate(answer, [evidence]).grounding.ungrounded_quotes == count
