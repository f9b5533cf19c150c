"""Redaction of whole answers: nothing planted survives anywhere, and the reasoning does."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from sentinel.errors import DeadLetterError
from sentinel.records import Citation, Passage, RawAnswer, Signals, ToolCall, Usage
from sentinel.redaction import RedactionParams, Span, redact_answer, redact_answers
from sentinel.redaction.answer import _Draft
from sentinel.redaction.leaves import collect, grow
from sentinel.redaction.mentions import split_words
from sentinel.redaction.surrogates import Surrogates
from tests.unit.redaction.presidio_detector import PARAMS, detector


def content(**fields: Any) -> dict[str, Any]:
    fields = {"event_id": "e", "answer": "", **fields}
    return dict(redact_answer(RawAnswer(**fields), detector(), PARAMS).content)


PLANTED = [
    "kurt.vile@mail-4.test",
    "4539578763621486",
    "DE89370400440532013000",
    "(212) 555-0147",
    "123-45-6789",
    "203.0.113.77",
]
SENTENCE = (
    "write to kurt.vile@mail-4.test or call (212) 555-0147; card number 4539578763621486, "
    "IBAN DE89370400440532013000, SSN 123-45-6789, host 203.0.113.77."
)


def test_nothing_planted_survives_in_any_field() -> None:
    answer = RawAnswer(
        event_id=SENTENCE,
        answer=SENTENCE,
        question=SENTENCE,
        occurred_at=datetime(2026, 1, 2, tzinfo=UTC),
        domains={"app": SENTENCE},
        versions={"model": SENTENCE},
        attributes={"note": SENTENCE},
        session_id=SENTENCE,
        user_id=SENTENCE,
        retrieved=(
            Passage(
                id="kurt.vile@mail-4.test/4539578763621486/123-45-6789",
                text=SENTENCE,
                document_class=SENTENCE,
                version=SENTENCE,
                effective_at=SENTENCE,
                access=SENTENCE,
            ),
        ),
        citations=(Citation(id="kurt.vile@mail-4.test/4539578763621486/123-45-6789", quote=SENTENCE),),
        tool_calls=(
            ToolCall(
                name=SENTENCE,
                input={SENTENCE: SENTENCE, "card": 4539578763621486, "deep": [[{"x": SENTENCE}]]},
                output=json.dumps(
                    {"x": None, "to": [SENTENCE], "n": 4539578763621486, "s": json.dumps([SENTENCE])}
                ),
                error={"message": SENTENCE},
            ),
        ),
        finish_reason=SENTENCE,
        signals=Signals(thumbs=SENTENCE),
        risk_tags=(SENTENCE,),
    )
    redacted = redact_answer(answer, detector(), PARAMS)
    written = json.dumps(redacted.content, ensure_ascii=False)
    assert not [value for value in PLANTED if value in written]
    assert not {"session_id", "user_id"} & set(redacted.content)
    assert redacted.entities == {
        "EMAIL_ADDRESS": 1, "CREDIT_CARD": 1, "IBAN_CODE": 1, "PHONE_NUMBER": 1, "US_SSN": 1, "IP_ADDRESS": 1,
    }  # fmt: skip
    assert "en_core_web_sm" in redacted.redactor
    assert "PERSON" in redacted.redactor


def test_one_value_has_one_placeholder_everywhere() -> None:
    out = content(
        question="Is john smith's card still open?",
        answer="JOHN SMITH's card is open [doc-1]; mail J.S@Corp.test.",
        retrieved=(Passage(id="doc-1", text="John Smith (j.s@corp.test) holds a card."),),
        citations=(Citation(id="doc-1", quote="John  Smith"),),
        tool_calls=(ToolCall(name="find", input={"who": "John Smith"}, output='["j.s@corp.test"]'),),
    )
    assert out["question"] == "Is <PERSON_1>'s card still open?"
    assert out["answer"] == "<PERSON_1>'s card is open [doc-1]; mail <EMAIL_1>."
    assert out["retrieved"] == [{"id": "doc-1", "text": "<PERSON_1> (<EMAIL_1>) holds a card."}]
    assert out["citations"][0]["quote"] == "<PERSON_1>"
    assert out["tool_calls"] == [{"name": "find", "input": {"who": "<PERSON_1>"}, "output": '["<EMAIL_1>"]'}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jon Smith", "John Smith"),
        ("Anna Schmidt", "Anna Schmitt"),
        ("ann.a@x.test", "anna@x.test"),
        ("4111111111111111", "4012888888881881"),
        ("(212) 555-1234", "(212) 555-1235"),
        ("123-45-6789", "123-45-6788"),
        ("10.0.0.11", "10.0.0.111"),
        ("DE89370400440532013000", "GB82WEST12345698765432"),
    ],
)
def test_two_values_never_share_a_placeholder(one: str, other: str) -> None:
    out = content(answer=f"It was {other}.", retrieved=(Passage(id="d1", text=f"It was {one}."),))
    first, second = out["retrieved"][0]["text"], out["answer"]
    assert "<" in first
    assert "<" in second
    assert first != second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(212) 555-1234", "+1 212-555-1234"),
        ("4111 1111 1111 1111", "4111111111111111"),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("Zoe@Corp.test", "zoe@corp.test"),
        ("123-45-6789", "SSN 123 45 6789"),
    ],
)
def test_notations_of_one_value_share_a_placeholder(one: str, other: str) -> None:
    out = content(answer=f"Use {other}", retrieved=(Passage(id="d1", text=f"Use {one}"),))
    assert out["answer"].split()[-1] == out["retrieved"][0]["text"].split()[-1]


def test_what_detection_missed_is_replaced_where_the_value_is_known() -> None:
    out = content(
        question="Who is Maria Lopez?",
        answer="MARIA LOPEZ, maria lopez’s file, maria_lopez and number 2125551234.",
        tool_calls=(ToolCall(name="t", input={"tel": "(212) 555-1234"}, output={"n": 2125551234}),),
    )
    assert "opez" not in json.dumps(out).lower()
    assert "2125551234" not in json.dumps(out)


def test_json_keeps_keys_types_and_validity() -> None:
    raw = {
        "ok": True,
        "none": None,
        "n": 3,
        "f": 2.5,
        "list": [],
        "empty": "",
        "text": "mail a.b@c.test",
        "id": 1234567,
    }
    out = content(tool_calls=(ToolCall(name="t", input=raw, output=json.dumps(raw)),))["tool_calls"][0]
    assert out["input"] == {**raw, "text": "mail <EMAIL_1>"}
    assert json.loads(out["output"]) == out["input"]
    assert isinstance(out["output"], str)


def test_keys_say_what_a_value_is() -> None:
    out = content(
        tool_calls=(
            ToolCall(
                name="crm",
                input={
                    "ssn": "123456789",
                    "customerName": "Kovalev",
                    "phone": "785 8949",
                    "last_name": "Rosing",
                    "sku": "785 8949",
                },
                output={"ssn": 123456789, "a@b.test": 1, "A@b.test": 2},
            ),
        )
    )["tool_calls"][0]
    assert out["input"] == {
        "ssn": "<SSN_1>",
        "customerName": "<PERSON_1>",
        "phone": "<PHONE_1>",
        "last_name": "<PERSON_2>",
        "sku": "<PHONE_1>",
    }
    assert out["output"] == {"ssn": "<SSN_1>", "<EMAIL_1>": 1, "<EMAIL_1> (2)": 2}


@pytest.mark.parametrize(
    "identifier",
    ["D3", "kb-1", "7", "smith-2020.pdf", "550e8400-e29b-41d4-a716-446655440000", "2125551234", "Smith"],
)
def test_document_ids_and_their_markers_survive(identifier: str) -> None:
    out = content(
        answer=f"John Smith was paid [{identifier}].",
        retrieved=(Passage(id=identifier, text="John Smith was paid."),),
        citations=(Citation(id=identifier),),
    )
    assert out["answer"] == f"<PERSON_1> was paid [{identifier}]."
    assert out["retrieved"][0]["id"] == out["citations"][0]["id"] == identifier


@pytest.mark.parametrize(
    ("identifier", "text", "expected"),
    [
        ("p0", "mail a@p0.test now", "mail <EMAIL_1> now"),
        ("p0", "mail p0@corp.test, see p0", "mail <EMAIL_1>, see p0"),
        ("k-9", "mail a.k-9@corp.test [k-9]", "mail <EMAIL_1> [k-9]"),
        ("212", "call (212) 555-0147 [212]", "call <PHONE_1> [212]"),
        ("GB82", "to GB82 WEST 1234 5698 7654 32", "to <IBAN_1>"),
        ("1111", "card 4111 1111 1111 1111 [1111]", "card <CREDIT_CARD_1> [1111]"),
    ],
)
def test_an_id_inside_a_value_does_not_shield_it(identifier: str, text: str, expected: str) -> None:
    assert content(answer=text, retrieved=(Passage(id=identifier),))["answer"] == expected


def test_an_email_in_an_id_is_replaced_the_same_way_in_its_marker() -> None:
    identifier = "mail/a.b@c.test/7"
    out = content(
        answer=f"Paid [{identifier}].",
        retrieved=(Passage(id=identifier),),
        citations=(Citation(id=identifier),),
    )
    assert out["answer"] == "Paid [mail/<EMAIL_1>/7]."
    assert out["retrieved"][0]["id"] == out["citations"][0]["id"] == "mail/<EMAIL_1>/7"


def test_offsets_of_citations_follow_the_redacted_answer() -> None:
    text = "🙂 a.b@c.test said it is open, John Smith too."
    start = text.index("it is open")
    out = content(
        answer=text,
        citations=(Citation(id="1", start=start, end=start + 10), Citation(id="2", start=3, end=5)),
    )
    first, second = out["citations"]
    assert out["answer"][first["start"] : first["end"]] == "it is open"
    assert out["answer"][second["start"] : second["end"]] == "<EMAIL_1>"


def test_unknown_and_empty_retrieval_stay_apart() -> None:
    assert "retrieved" not in content()
    assert content(retrieved=())["retrieved"] == []
    assert content(usage=Usage(input_tokens=3))["usage"] == {"input_tokens": 3, "output_tokens": None}


def test_placeholders_of_the_app_are_never_given_to_another_value() -> None:
    out = content(question="<EMAIL_1> wrote", answer="a.b@c.test wrote")
    assert out == {**out, "question": "<EMAIL_1> wrote", "answer": "<EMAIL_2> wrote"}


class FailsOn:
    """A detector that fails on texts with a word, and says so with the text itself."""

    name = "fails"

    def __init__(self, word: str) -> None:
        self._word = word

    def detect(self, texts: Sequence[str]) -> list[list[Span]]:
        for text in texts:
            if self._word in text:
                raise ValueError(text)
        return [[] for _ in texts]


def test_a_failing_detector_costs_one_answer_and_shows_nothing() -> None:
    answers = [
        RawAnswer(event_id=str(i), answer=text)
        for i, text in enumerate(("fine", "poison SECRET", "fine too"))
    ]
    results = redact_answers(answers, FailsOn("poison"), PARAMS)
    assert [isinstance(result, DeadLetterError) for result in results] == [False, True, False]
    with pytest.raises(DeadLetterError) as caught:
        redact_answer(answers[1], FailsOn("poison"), PARAMS)
    assert caught.value.reason == "redaction_failed"
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_drafts_hide_their_text() -> None:
    tree = grow({"SECRET key": ["SECRET", '{"SECRET": "SECRET"}', 4111111111111111, {"deep": "SECRET"}]})
    draft = _Draft(RawAnswer(event_id="SECRET", answer="SECRET", question="SECRET"))
    words = split_words("SECRET words")
    table = Surrogates(("US",), ["SECRET"])
    table.add("PERSON", "SECRET")
    leaves = list(collect(tree))
    assert [leaf.text for leaf in leaves].count("SECRET") == 4
    shown = repr([tree, draft, vars(draft)["leaves"], draft.tree, words, table, leaves])
    assert "SECRET" not in shown
    assert "4111" not in shown


def test_types_that_are_off_stay() -> None:
    params = RedactionParams(entities=("EMAIL_ADDRESS",))
    answer = RawAnswer(event_id="1", answer="John Smith, a.b@c.test, 4111111111111111")
    assert (
        redact_answer(answer, detector_for(params), params).content["answer"]
        == "John Smith, <EMAIL_1>, 4111111111111111"
    )


def detector_for(params: RedactionParams) -> Any:
    from sentinel.redaction.presidio import PresidioDetector

    return PresidioDetector(params)
