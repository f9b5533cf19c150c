"""Numbers, names and words of an answer against its evidence."""

from __future__ import annotations

import pytest

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.records import Passage, RawAnswer, ToolCall
from tests.unit.indicators.build import indicate


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("It cost $1,200.50 and took thirty days [1].", "The cost was 1200.50 USD. It took 30 days."),
        ("It took 30 days.", "It took thirty days."),
        ("It took twenty-five days.", "It took 25 days."),
        ("It took 25 days.", "It took twenty five days."),
        ("About two hundred and ten seats.", "There are 210 seats."),
        ("It has 1,500 seats.", "It has fifteen hundred seats."),
        ("A share of 20 %.", "A share of 20 percent."),
        ("A share of 20%.", "The share is 0.2 of all."),
        ("A share of 50%.", "Half of all."),
        ("A quarter: 25%.", "A quarter of all."),
        ("It cost €1.200,50.", "It cost 1,200.50 euros."),
        ("It cost 1 200,50 €.", "It cost 1200.50."),
        ("It cost 1\u202f200 €.", "It cost 1,200."),
        ("It cost CHF 1'200.50.", "It cost 1200.5 francs."),
        ("It weighs 3,5 kg.", "It weighs 3.5 kg."),
        ("It cost ₹1,00,000.", "It cost 100000 rupees."),
        ("It cost ₹1,00,000.", "It cost one lakh: 1 lakh rupees."),
        ("It made $1.2 million.", "It made 1,200,000 dollars."),
        ("It made 1,200,000 dollars.", "It made $1.2M."),
        ("It made $2.5bn.", "It made 2.5 billion dollars."),
        ("It has 5k users.", "It has 5,000 users."),
        ("It has 5000 users.", "It has five thousand users."),
        ("On the 3rd floor.", "On the third floor."),
        ("The 21st day.", "The twenty-first day."),
        ("The 4th of them.", "The fourth of them."),
        ("Type 2 it is.", "Type II it is."),
        ("From March 5, 2024 on.", "Effective 2024-03-05."),
        ("From 2024-03-05 on.", "Effective March 5, 2024."),
        ("From 5 March 2024 on.", "Effective 05/03/2024."),
        ("From 03/05/2024 on.", "Effective 5th March 2024."),
        ("From 5.3.2024 on.", "Effective on March 5th, 2024."),
        ("Open until 17:00.", "Open until 5 pm."),
        ("Open until 5 p.m.", "Open until 17:00."),
        ("Open from 9:30 am.", "Open from 09:30."),
        ("Between 10-20 days.", "From 10 to 20 days."),
        ("Version 6.16.0 is out.", "Released: 6.16.0."),
        ("Call 555-0123 now.", "Phone: 555-0123."),
        ("It takes ½ hour, 0.5 in all.", "It takes half an hour."),
        ("It takes 1.5 hours.", "It takes one and a half hours."),
        ("It takes 3/4 cup.", "It takes 0.75 cup."),
        ("It holds 24 eggs.", "It holds two dozen eggs."),
        ("ثلاثون: ٣٠ يوما.", "It takes 30 days."),
        ("It took ３０ days.", "It took 30 days."),
        ("1. Pay the fee.\n2. Wait.\n3) Collect it.", "Pay, wait, collect."),
        ("**1.** Pay the fee.\n**2.** Wait.", "Pay, wait, collect."),
        ("Do this: 1) measure it 2) cut it 3) sand it.", "Measure, cut, sand."),
        ("Step 1: pay. Step 2: wait, then go back to step 1.", "Pay, wait."),
        ("1[1]. Pay the fee.\n2[2]. Wait[1].", "Pay, wait."),
        ("There are three main reasons and two ways.", "Reasons and ways."),
        ("One of them is first, another second.", "Them."),
        ("```\nx = 42\n```\nRun it.", "Run it."),
        ("See https://x.test/2031/45 for it.", "See it."),
        ("Call (555) 123-4567.", "Phone: 555-123-4567."),
        ("Call 555-123-4567.", "Phone: (555) 123-4567."),
        ("It takes 45mins.", "It takes 45 minutes."),
        ("A 30-day trial.", "A trial of thirty days."),
        ("In the 1990s it was 12.00 all day, 24/7.", "From 1990 it was 12, 24/7."),
        ("The X200 is fine.", "The X200 is fine."),
        ("Passage 1 says so (passage 1).", "It says so."),
    ],
)
def test_the_same_value_in_another_notation_is_grounded(answer: str, evidence: str) -> None:
    assert indicate(answer, [evidence]).grounding.ungrounded_numbers == ()


@pytest.mark.parametrize(
    ("answer", "evidence", "ungrounded"),
    [
        ("Return it within 45 days of delivery [1].", "Returned within 30 days of delivery.", ["45"]),
        ("Return it within forty-five days.", "Within 30 days.", ["forty-five"]),
        ("Return it within two weeks.", "Within three weeks.", ["two"]),
        ("It cost $1,300.50.", "It cost 1200.50.", ["1,300.50"]),
        ("It cost €1.300,50.", "It cost 1200.50.", ["1.300,50"]),
        ("It made 1.2 billion.", "It made 1.2 million.", ["1.2 billion"]),
        ("It has 6k users.", "It has 5,000 users.", ["6k"]),
        ("A share of 21%.", "A share of 20%.", ["21"]),
        ("On the 4th floor.", "On the third floor.", ["4th"]),
        ("From 2024-03-06 on.", "Effective March 5, 2024.", ["2024-03-06"]),
        ("From March 6, 2024 on.", "Effective 2024-03-05.", ["6"]),
        ("Open until 18:00.", "Open until 5 pm.", ["18:00"]),
        ("Version 6.17.0 is out.", "Released: 6.16.0.", ["6.17.0"]),
        ("Call 555-0124-99 now.", "Phone: 555-0123-99.", ["555-0124-99"]),
        ("Between 10-25 days.", "From 10 to 20 days.", ["25"]),
        ("First 7, then 8, then 7 again.", "None.", ["7", "8"]),
        ("1. Pay 99 now.\n2. Wait 5 days.", "Pay, wait 5 days.", ["99"]),
        ("The port is `8080`.", "The port is 443.", ["8080"]),
        ("It takes 50mins.", "It takes 45 minutes.", ["50"]),
        ("It lasts ten years.", "It lasts five years.", ["ten"]),
    ],
)
def test_a_value_no_evidence_holds_is_listed_as_written(
    answer: str, evidence: str, ungrounded: list[str]
) -> None:
    assert list(indicate(answer, [evidence]).grounding.ungrounded_numbers or ()) == ungrounded


def test_numbers_are_counted_with_repeats() -> None:
    assert indicate("From 10 to 20, that is 10 more, in ten days.", ["10 20"]).grounding.numbers == 4


def test_the_question_and_tool_outputs_are_evidence() -> None:
    assert indicate("You paid 80.", ["Fees."], question="I paid 80, why?").grounding.ungrounded_numbers == ()
    got = indicate(
        "Your balance is 12.5 with Ms Orlova.",
        None,
        outputs=[{"rows": [{"balance": 12.5, "owner": "Orlova"}]}],
    )
    assert got.grounding.ungrounded_numbers == ()
    assert got.grounding.ungrounded_names == ()


@pytest.mark.parametrize("evidence", [None, [("d1", "")], [("d1", "  ")]])
def test_without_passage_texts_and_tool_outputs_grounding_is_unknown(
    evidence: list[tuple[str, str]] | None,
) -> None:
    got = indicate("It took 30 days.", evidence, question="How many days? 30?").grounding
    assert (got.numbers, got.ungrounded_numbers, got.ungrounded_names) == (None, None, None)
    assert (got.overlap, got.lowest_overlap) == (None, None)


def test_an_empty_retrieval_is_known_evidence() -> None:
    got = indicate("The warranty lasts ten years.", (), question="How long is the warranty?").grounding
    assert got.ungrounded_numbers == ("ten",)


def test_a_tool_that_failed_gives_no_evidence() -> None:
    raw = RawAnswer(event_id="e", answer="It is 5.", tool_calls=(ToolCall(name="t", error="timeout"),))
    assert compute_indicators(raw, IndicatorParams(), PassageMemo()).grounding.numbers is None


@pytest.mark.parametrize(
    ("answer", "evidence", "names"),
    [
        ("It was found by Marie Curie in Paris.", "It was found in Paris.", ["Marie Curie"]),
        ("It was found by Marie Curie.", "Found by marie curie.", []),
        ("It was found by Marie Curie.", "Found by Marie Skłodowska.", ["Marie Curie"]),
        ("Ask Anderson about it.", "Ask Andersen about it.", ["Anderson"]),
        ("However, it works on Fridays in March.", "It works.", []),
        ("Ask the Bank of Iceland for it.", "Ask the bank of England.", ["Bank of Iceland"]),
        ("Zürich is near. The train to Zürich is fast.", "The train is fast and near.", ["Zürich"]),
        ("The doctor is Dr. Okafor.", "The doctor is here.", ["Okafor"]),
        ("It is Einstein's idea, so Einstein's.", "It is his idea.", ["Einstein"]),
        ("- Adding salt helps.\n- Boiling it helps.", "It helps.", []),
        ("Use the form `Total` in code.", "Use the form.", []),
        ("Спросите у Ивана завтра.", "Спросите у Петра завтра.", ["Ивана"]),
    ],
)
def test_names_no_evidence_holds(answer: str, evidence: str, names: list[str]) -> None:
    got = indicate(answer, [evidence]).grounding.ungrounded_names or ()
    assert [name for name in got if name not in ("Total",)] == names


def test_overlap_is_the_share_of_content_words_found() -> None:
    got = indicate(
        "Unopened items can be returned. Dragons breathe purple flames nightly.",
        ["Returning an unopened item."],
    )
    assert got.grounding.overlap == pytest.approx(3 / 8, abs=1e-6)
    assert got.grounding.lowest_overlap == 0.0


def test_an_answer_without_content_words_has_no_overlap() -> None:
    got = indicate("Yes.", ["Some evidence."]).grounding
    assert (got.overlap, got.lowest_overlap, got.numbers) == (None, None, 0) or got.overlap == 0.0


def test_scripts_without_spaces_overlap_by_character() -> None:
    assert indicate("営業時間は九時からです", ["営業時間は九時から五時までです"]).grounding.overlap == 1.0


def test_the_words_of_evidence_are_those_of_passages_and_tools_and_not_the_questions() -> None:
    question = "How long may an unopened item be returned after it was bought in a shop?"
    for asked in (None, question):
        assert (
            indicate(
                "Thirty days.", ["Unopened items: thirty days."], question=asked
            ).grounding.evidence_words
            == 4
        )
        assert indicate("Thirty days.", (), question=asked).grounding.evidence_words == 0
        told = indicate("Thirty days.", (), question=asked, outputs=["thirty days", {"x": "days"}]).grounding
        assert told.evidence_words == 2
        assert indicate("Thirty days.", None, question=asked).grounding.evidence_words is None


def test_content_words_are_distinct_and_carry_content() -> None:
    got = indicate("The returns and returns of the unopened items.", ["Unopened items."]).grounding
    assert got.content_words == 3
    assert indicate("It is what it is.", ["Some evidence."]).grounding.content_words == 0


@pytest.mark.parametrize(
    ("answer", "evidence", "names"),
    [
        ("The owner is María López.", "The owner is Maria Lopez.", []),
        ("Ask Zoë Müller.", "Ask Zoe Muller.", []),
        ("Ask José Pérez.", "Ask Josef Perez.", ["José Pérez"]),
        ("## Key Points\n\nbring it", "bring it", []),
        ("**Key Takeaways**\n\n- bring it", "bring it", []),
        ("Ask at the **Munich Office** today.", "ask at the office", ["Munich Office"]),
        ("# About Maria Lopez\n\nThe owner is Maria Lopez.", "owner", ["Maria Lopez"]),
    ],
)
def test_accents_are_forgiven_in_names_and_headings_name_nobody(
    answer: str, evidence: str, names: list[str]
) -> None:
    assert list(indicate(answer, [evidence]).grounding.ungrounded_names or ()) == names


def test_keycaps_number_lines() -> None:
    got = indicate("1️⃣ Wait.\n2️⃣ It takes 45 days.", ["Wait thirty days."]).grounding
    assert got.ungrounded_numbers == ("45",)


@pytest.mark.parametrize("written", ["ΟΔΟΣ", "οδος", "Οδος"])
def test_a_greek_word_is_the_same_in_capitals(written: str) -> None:
    """The last letter of a word in capitals has another small form; a compiler may not know of it."""
    grounding = indicate(f"Εδώ λεω {written}, και 5 δις", ["Εδώ λεω ΟΔΟΣ, και 5 δις. οδος"]).grounding
    assert grounding.overlap == 1.0
    alone = indicate(f"Εδώ λεω {written}.", ["Εδώ λεω οδος."]).grounding
    assert (alone.overlap, alone.ungrounded_names) == (1.0, ())


def test_a_greek_name_in_capitals_is_looked_for() -> None:
    assert indicate("Εδώ λεω ΟΔΟΣ και", ["Εδώ λεω και"]).grounding.ungrounded_names == ("ΟΔΟΣ",)


def test_a_greek_host_is_the_same_in_capitals() -> None:
    found = indicate("See https://ΟΔΟΣ/a#part.", [("https://οδος/a", "text")]).citations
    assert found.valid == ("https://οδος/a",)


def test_access_denied_in_greek_capitals_is_denied() -> None:
    params = IndicatorParams(denied_access=("άγνωστος",))
    answer = RawAnswer(event_id="e", answer="It is so.", retrieved=(Passage(id="d1", access="ΆΓΝΩΣΤΟΣ"),))
    assert compute_indicators(answer, params, PassageMemo()).sources.denied == 1
