"""What the configuration adds and takes away: own patterns, denied values, allowed values, more models."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import spacy

from sentinel.config import load_settings
from sentinel.errors import ConfigurationError, DeadLetterError
from sentinel.records import Citation, Passage, RawAnswer, ToolCall
from sentinel.redaction import (
    PatternDetector,
    Recognizer,
    RedactionParams,
    redact_answer,
    redact_answers,
    redact_text,
    redact_value,
)
from sentinel.redaction.presidio import PresidioDetector
from tests.unit.redaction.presidio_detector import detector

BADGE = Recognizer("BADGE", r"\bB-[0-9]{4}\b")


def redacted(text: str, **settings: object) -> str:
    params = RedactionParams(**settings)  # type: ignore[arg-type]
    return redact_text(text, PatternDetector(params), params)


@pytest.mark.parametrize(
    ("recognizer", "text", "expected"),
    [
        (BADGE, "Badge B-1234 met B-9999, then B-1234.", "Badge <BADGE_1> met <BADGE_2>, then <BADGE_1>."),
        (BADGE, "AB-1234 and B-12345 and b-1234 stay.", "AB-1234 and B-12345 and b-1234 stay."),
        (Recognizer("BADGE", "b-[0-9]{4}", ignore_case=True), "B-1234, b-4321", "<BADGE_1>, <BADGE_2>"),
        (Recognizer("MRN", r"(?<=MRN )[0-9]{6}"), "MRN 123456 of 654321", "MRN <MRN_1> of 654321"),
        (Recognizer("PLATE", r"[A-Z]{1,3} [A-Z]{2} [0-9]{1,4}"), "car M AB 123 left", "car <PLATE_1> left"),
        (Recognizer("CUSTOMER_NO", r"KD[0-9]{5}"), "KD12345KD54321", "<CUSTOMER_NO_1><CUSTOMER_NO_2>"),
        (Recognizer("NHS", r"\b[0-9]{3} [0-9]{3} [0-9]{4}\b"), "no 943 476 5919.", "no <NHS_1>."),
        (Recognizer("HANDLE", r"(?<!\w)@[a-z_]{3,}"), "ask @zoe_k or @bo", "ask <HANDLE_1> or @bo"),
        (Recognizer("CODE", "ä{2}[0-9]+"), "🙂 ää12 ä1", "🙂 <CODE_1> ä1"),
        (Recognizer("PERSON", r"Quxle\w+"), "Quxley wrote Quxleton", "<PERSON_1> wrote <PERSON_2>"),
    ],
)
def test_a_configured_pattern_is_replaced(recognizer: Recognizer, text: str, expected: str) -> None:
    assert redacted(text, recognizers=(recognizer,)) == expected


def test_it_holds_in_every_field_of_an_answer_and_the_citation_still_resolves() -> None:
    params = RedactionParams(recognizers=(BADGE,))
    answer = RawAnswer(
        event_id="e",
        answer="Badge B-1234 is valid [B-7777].",
        question="Is B\u200b-1234 valid?",
        retrieved=(Passage(id="B-7777", text="B-1234 since May", document_class="B-1234"),),
        citations=(Citation(id="B-7777", quote="B-1234"),),
        tool_calls=(ToolCall(name="look", input={"badge": "B-1234", "B-5555": 1}, output='["B-1234"]'),),
        risk_tags=("B-1234",),
    )
    content = redact_answer(answer, PatternDetector(params), params).content
    written = json.dumps(content)
    assert not any(number in written for number in ("1234", "7777", "5555"))
    assert content["retrieved"][0]["id"] == content["citations"][0]["id"]
    assert f"[{content['retrieved'][0]['id']}]" in content["answer"]
    assert redact_value("tenant B-1234", b"k" * 16, params).startswith("tenant <BADGE_")


CATASTROPHIC = [
    r"(a+)+b",
    r"(a|aa)+b",
    r"(a*)*b",
    r"(?:a|a?)+b",
    r"([a-z]+)*[0-9]",
    r"(.*a){25}b",
    r"(a+a+)+b",
]


@pytest.mark.parametrize("pattern", CATASTROPHIC)
def test_a_pattern_without_end_costs_its_answer_and_no_other(pattern: str) -> None:
    params = RedactionParams(recognizers=(Recognizer("SLOW", pattern),), recognizer_seconds=0.1)
    hostile = RawAnswer(event_id="h", answer="a" * 5_000)
    good = RawAnswer(event_id="g", answer="Mail zoe@corp.test.")
    began = time.process_time()
    results = redact_answers([hostile, good], PatternDetector(params), params)
    assert time.process_time() - began < 5
    if pattern != r"(a|aa)+b" or isinstance(results[0], DeadLetterError):  # some are solved, not timed out
        assert not isinstance(results[1], DeadLetterError)
        assert results[1].content["answer"] == "Mail <EMAIL_1>."
    if isinstance(results[0], DeadLetterError):
        assert results[0].reason == "redaction_failed"
        assert "aaa" not in str(results[0])


def test_some_pattern_does_run_into_its_time_limit() -> None:
    params = RedactionParams(recognizers=(Recognizer("SLOW", r"(.*a){25}b"),), recognizer_seconds=0.1)
    (result,) = redact_answers([RawAnswer(event_id="h", answer="a" * 500)], PatternDetector(params), params)
    assert isinstance(result, DeadLetterError)


@pytest.mark.parametrize(
    ("deny", "text", "expected"),
    [
        ("Project Nightjar", "project  nightjar and Project Nightjar.", "<DENIED_1> and <DENIED_2>."),
        ("Nightjar", "NIGHTJAR, nightjars, Nightjar's", "<DENIED_1>, nightjars, <DENIED_2>'s"),
        ("a.b", "a.b axb", "<DENIED_1> axb"),
        ("C++", "C++ and C+", "<DENIED_1> and C+"),
        ("Zürich", "zürich", "<DENIED_1>"),
        ("山田", "山田 です", "<DENIED_1> です"),
        ("4711", "4711, 47110", "<DENIED_1>, 47110"),
        ("Acme", "Mail acme@acme.test", "Mail <EMAIL_1>"),
        ("x", "x, y", "<DENIED_1>, y"),
        ("B-1234 (old)", "was B-1234 (old) here", "was <DENIED_1> here"),
    ],
)
def test_a_denied_value_is_always_replaced(deny: str, text: str, expected: str) -> None:
    assert redacted(text, deny=(deny,)) == expected


@pytest.mark.parametrize(
    ("allow", "text", "expected"),
    [
        ("support@corp.test", "support@corp.test, SUPPORT@corp.test, me@corp.test", None),
        ("+1 800 555 0199", "Call +1 800 555 0199.", "Call +1 800 555 0199."),
        ("4111 1111 1111 1111", "test card 4111 1111 1111 1111", "test card 4111 1111 1111 1111"),
        ("192.0.2.1", "ping 192.0.2.1 not 192.0.2.2", "ping 192.0.2.1 not <IP_1>"),
        ("078-05-1120", "SSN 078-05-1120", "SSN 078-05-1120"),
    ],
)
def test_an_allowed_value_stays(allow: str, text: str, expected: str | None) -> None:
    wanted = expected or "support@corp.test, SUPPORT@corp.test, <EMAIL_1>"
    assert redacted(text, allow=(allow,)) == wanted


def test_an_allowed_name_stays_also_as_a_part_of_another() -> None:
    params = RedactionParams(allow=("Jordan", "John  SMITH"))
    text = "John Smith met Michael Jordan. Jordan left. Mary Johnson stayed."
    assert redact_text(text, detector(), params) == (
        "John Smith met <PERSON_1>. Jordan left. <PERSON_2> stayed."
    )


def test_a_model_of_another_language_is_asked_as_well(tmp_path: Path) -> None:
    french = spacy.blank("fr")
    ruler = french.add_pipe("entity_ruler", name="ner")
    ruler.add_patterns([{"label": "PER", "pattern": "Maëlys Quéméneur"}])  # type: ignore[attr-defined]
    french.to_disk(tmp_path / "fr")
    params = RedactionParams(more_models=(str(tmp_path / "fr"),))
    both = PresidioDetector(params)
    text = "Le dossier de Maëlys Quéméneur est clos; John Smith l'a signé."
    assert redact_text(text, both, params) == "Le dossier de <PERSON_1> est clos; <PERSON_2> l'a signé."
    assert "+fr_" in both.name


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("recognizers: [{entity: badge, pattern: x}]", "capitals and single underscores"),
        ("recognizers: [{entity: BADGE, pattern: '(x'}]", "no regular expression"),
        ("recognizers: [{entity: BADGE, pattern: 'x*'}]", "matches nothing at all"),
        ("recognizers: [{entity: BADGE, patern: x}]", "nearest known one is redaction.recognizers.0.pattern"),
        ("recognizers: [{entity: BADGE}]", "redaction.recognizers.0.pattern"),
        ("recognizer_seconds: 0", "above 0"),
        ("deny: ['']", "must have a character"),
        ("allow: [' ']", "must have a character"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(section: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"redaction:\n  {section}\n")
    with pytest.raises(ConfigurationError) as refused:
        load_settings(path, {})
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_settings_come_from_the_environment_too() -> None:
    settings = load_settings(
        None,
        {
            "SENTINEL_REDACTION__RECOGNIZERS": "[{entity: BADGE, pattern: 'B-[0-9]+'}]",
            "SENTINEL_REDACTION__ALLOW": "Jordan, Paris Hotel",
        },
    )
    assert settings.redaction.recognizers == (Recognizer("BADGE", "B-[0-9]+"),)
    assert settings.redaction.allow == ("Jordan", "Paris Hotel")
