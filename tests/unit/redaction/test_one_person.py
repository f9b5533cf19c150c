"""One value, one placeholder, no two in one: near names, parts of names, endings, overlaps, offsets."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

from sentinel.records import Citation, Passage, RawAnswer, ToolCall
from sentinel.redaction import redact_answer, redact_text
from sentinel.redaction.spans import Span, disjoint
from tests.unit.redaction.presidio_detector import PARAMS, detector


def redacted(text: str) -> str:
    return redact_text(text, detector(), PARAMS)


NEAR = [
    ("John Smith", "Jon Smith"),
    ("Anna Weber", "Anne Weber"),
    ("Maria Garcia", "Mario Garcia"),
    ("Robert Miller", "Roberta Miller"),
    ("Peter Johnson", "Peter Johnston"),
    ("Stephen Clarke", "Steven Clarke"),
    ("Daniel Thompson", "Daniel Thomson"),
    ("Erik Larsen", "Eric Larsen"),
    ("Laura Davis", "Lauren Davis"),
    ("Michael Brown", "Michelle Brown"),
    ("Catherine Jones", "Katherine Jones"),
    ("José Martinez", "Josef Martinez"),
]


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_a_name_that_is_nearly_another_stays_another(one: str, other: str) -> None:
    answer = RawAnswer(
        event_id="e",
        question=f"Who signed, {one} or another?",
        answer=f"It was signed by {other} [1].",
        retrieved=(Passage(id="1", text=f"The lease was signed by {one} in May."),),
        tool_calls=(ToolCall(name="look", output=json.dumps({"customer": one})),),
    )
    content = redact_answer(answer, detector(), PARAMS).content
    said = set(re.findall("<PERSON_[0-9]+>", content["answer"]))
    known = set(re.findall("<PERSON_[0-9]+>", content["question"] + content["retrieved"][0]["text"]))
    assert len(said) == len(known) == 1
    assert said != known
    assert known == set(re.findall("<PERSON_[0-9]+>", content["tool_calls"][0]["output"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John Smith came. John left.", "<PERSON_1> came. <PERSON_1> left."),
        ("John Smith came. Smith left.", "<PERSON_1> came. <PERSON_1> left."),
        ("Anna Weber said no. Anna's boss agreed.", "<PERSON_1> said no. <PERSON_1>'s boss agreed."),
        ("Maria Garcia drives. Later Maria paid.", "<PERSON_1> drives. Later <PERSON_1> paid."),
        ("Robert J. Miller wrote. Robert signed.", "<PERSON_1> wrote. <PERSON_1> signed."),
        ("John Smith met Mary Brown. Mary left.", "<PERSON_1> met <PERSON_2>. <PERSON_2> left."),
        ("Dr. Laura Davis called. Laura wrote.", "<PERSON_1> called. <PERSON_1> wrote."),
        ("Ask Daniel Thompson. Daniel knows; so does DANIEL.", None),
        # Two of the name: which one is meant is not known.
        ("John Smith met John Brown. John left.", "<PERSON_1> met <PERSON_2>. <PERSON_3> left."),
        ("Mary Weber met Peter Weber. Weber left.", "<PERSON_1> met <PERSON_2>. <PERSON_3> left."),
        ("Jon Smith met John Smith. Jon left.", "<PERSON_1> met <PERSON_2>. <PERSON_1> left."),
        # The part came first: who it was is more than was known.
        ("Anna said so. Later Anna Weber came.", "<PERSON_1> said so. Later <PERSON_2> came."),
    ],
)
def test_a_part_behind_the_full_name_is_the_same_person_if_only_one_can_be(
    text: str, expected: str | None
) -> None:
    assert redacted(text) == (expected or "Ask <PERSON_1>. <PERSON_1> knows; so does <PERSON_1>.")


def test_a_part_in_the_answer_is_linked_to_the_evidence_and_one_in_the_question_to_nobody() -> None:
    def content(question: str) -> dict[str, str]:
        answer = RawAnswer(
            event_id="e",
            question=question,
            answer="Peter signed on Monday [1].",
            retrieved=(Passage(id="1", text="Signed by Peter Johnson."),),
        )
        found = redact_answer(answer, detector(), PARAMS).content
        return {"answer": found["answer"], "passage": found["retrieved"][0]["text"]}

    linked = content("Who signed?")
    assert re.findall("<PERSON_.>", linked["answer"]) == re.findall("<PERSON_.>", linked["passage"])
    unlinked = content("Did Peter sign?")
    assert re.findall("<PERSON_.>", unlinked["answer"]) != re.findall("<PERSON_.>", unlinked["passage"])


@pytest.mark.parametrize(
    "written",
    [
        "{}'s car", "{}’s car", "{}\\'s car", "({})", "\"{}\"", "**{}**", "{},", "{}: yes", "<b>{}</b>",
        "of {}.", "{}!", "- {}",
    ],
)  # fmt: skip
def test_endings_and_marks_around_a_name_stay(written: str) -> None:
    name = "Mary Johnson"
    text = f"Ask Mary Johnson. Then {written.format(name)} was there."
    assert redacted(text) == text.replace(name, "<PERSON_1>")


@pytest.mark.parametrize("name", ["Weber", "Keller", "Novak", "Haddad", "Moreno", "Fischer", "Dawson"])
def test_plural_and_genitive_keep_their_ending(name: str) -> None:
    text = f"Mrs. Anna {name} called. The {name}s moved. We saw {name}s dog."
    found = redacted(text)
    assert re.fullmatch("<PERSON_1> called. The <PERSON_1>s? moved[.] We saw <PERSON_1>s? dog[.]", found)


OVERLAPS = [
    ("Paid with 4111 1111 1111 1111.shop yesterday.", "4111", "yesterday."),
    ("See https://x.test/4111111111111111/a yesterday.", "4111", "yesterday."),
    ("Mail 4111111111111111@corp.test yesterday.", "4111", "yesterday."),
    ("Call john.smith@corp.test+1 202 555 0143 yesterday.", "0143", "yesterday."),
    ("SSN 078-05-1120-4111111111111111 yesterday.", "1120", "yesterday."),
    ("IBAN DE89370400440532013000 4111111111111111 yesterday.", "3704", "yesterday."),
    ("Host 203.0.113.77:+1 202 555 0143 yesterday.", "0143", "yesterday."),
    ("John Smith <john.smith@corp.test> yesterday.", "smith", "yesterday."),
    ("Mr. John Smith-4111111111111111 yesterday.", "Smith", "yesterday."),
    ("a@corp.test,b@corp.test;c@corp.test yesterday.", "corp", "yesterday."),
    ("2001:db8::1 and 2001:db8::1 yesterday.", "db8", "yesterday."),
]


@pytest.mark.parametrize(("text", "part", "kept"), OVERLAPS)
def test_of_values_that_overlap_or_touch_no_fragment_stays(text: str, part: str, kept: str) -> None:
    found = redacted(text)
    assert part not in found
    assert found.endswith(kept)
    assert re.sub(r"<[A-Z]+(?:_[A-Z]+)*_[0-9]+>", "", found).count("<") <= 1


@pytest.mark.parametrize("first", range(0, 12, 2))
@pytest.mark.parametrize("second", range(0, 12, 3))
def test_disjoint_spans_cover_whatever_both_covered(first: int, second: int) -> None:
    text = "1234567890123456789012"
    spans = [Span(first, first + 10, "CREDIT_CARD"), Span(second, second + 8, "PHONE_NUMBER")]
    found = disjoint(text, spans)
    assert all(a.end <= b.start for a, b in pairwise(found))
    wanted = {i for span in spans for i in range(span.start, span.end)}
    left = wanted - {i for span in found for i in range(span.start, span.end)}
    assert len(left) < 4


@pytest.mark.parametrize("before", ["", "🙂", "👨‍👩‍👧 ", "𠮷 ", "é ", "\u200b", "ß", "🇩🇪 ", "नमस्ते "])
def test_citations_are_moved_by_code_points(before: str) -> None:
    """`start` and `end` still cut the same words out of the answer."""
    answer = f"{before}Ask zoe@corp.test. The fee is 12 euro. Mary Johnson agrees."
    cited = "The fee is 12 euro."
    start = answer.index(cited)
    raw = RawAnswer(
        event_id="e",
        answer=answer,
        citations=(
            Citation(id="a", start=start, end=start + len(cited)),
            Citation(id="b", start=answer.index("Mary"), end=answer.index(" agrees")),
        ),
    )
    content = redact_answer(raw, detector(), PARAMS).content
    one, other = content["citations"]
    assert content["answer"][one["start"] : one["end"]] == cited
    assert re.fullmatch("<PERSON_[0-9]>", content["answer"][other["start"] : other["end"]])
