"""Full names in labels and ids, without a model."""

from __future__ import annotations

import re

import pytest

from sentinel.records import Citation, Passage, RawAnswer
from sentinel.redaction import PatternDetector, RedactionParams, redact_answer, redact_value
from sentinel.redaction.labels import find_in_identifier

PARAMS = RedactionParams()
PATTERNS = PatternDetector(PARAMS)


@pytest.mark.parametrize(
    "label",
    [
        "Robert Vinerley", "Maria Lindqvist", "Mark Smith", "John Brown", "Vinerley, Robert",
        "Robert_Vinerley",
        "ROBERT VINERLEY", "John F. Kennedy", "Anne-Marie Dupont", "Mary Jane Smith", "Patrick O'Brien",
        "Sean McDonald", "José García", "Robert-Vinerley", "Robert.Vinerley", "Ro\u200bbert Vinerley",
        "Robert%20Vinerley", "Ｒｏｂｅｒｔ Ｖｉｎｅｒｌｅｙ", "Paris Hilton", "Robert\u00a0Vinerley",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "tenant of {}", "{} (2)", "eu/{}"])
def test_full_names_in_labels(label: str, around: str) -> None:
    assert redact_value(around.format(label)) == around.format("<PERSON>")


@pytest.mark.parametrize(
    "label",
    [
        "atlas-2-mini", "Claude Opus 4", "Claude Sonnet 4.5", "gpt-4o", "New York", "Grand Canyon",
        "Gemini Pro",
        "Victoria Station", "Wells Fargo", "Jordan River", "Acme Corp", "Llama Guard 3", "San Francisco",
        "George Washington University", "Rose Gold", "en-US", "Mercedes Benz", "Customer Support",
        "Costa Rica",
        "Sierra Leone", "Medical Advice", "Jenkins Build", "text-embedding-ada-002", "Virginia Beach",
        "Austin Texas", "Prompt_V2", "RAG Default", "Billing_EU", "Policy Handbook", "North America",
        "content_filter", "Maria", "internal", "Helpdesk Tier Two", "Mistral Large", "Open Source",
    ],
)  # fmt: skip
def test_labels_that_stay(label: str) -> None:
    assert redact_value(label) == label


@pytest.mark.parametrize(
    "identifier",
    [
        "212-555-1234", "(212) 555-1234", "+1 212 555 1234", "+49 30 901820", "Maria Lindqvist",
        "Robert_Vinerley", "zoe@corp.test", "286-35-6337", "4111-1111-1111-1111", "203.0.113.77",
        "DE89 3704 0044 0532 0130 00", "Lindqvist, Maria",
    ],
)  # fmt: skip
@pytest.mark.parametrize("marker", ["[{}]", "({})", "【{}】", "see [a, {}]"])
def test_an_id_that_is_personal_data_goes_everywhere_alike(identifier: str, marker: str) -> None:
    answer = RawAnswer(
        event_id="e",
        answer=f"as it says {marker.format(identifier)}.",
        retrieved=(Passage(id=identifier, text="x"), Passage(id="a", text="y")),
        citations=(Citation(id=identifier),),
    )
    content = redact_answer(answer, PATTERNS, PARAMS).content
    placeholder = content["retrieved"][0]["id"]
    assert re.fullmatch("<[A-Z_]+_1>", placeholder)
    assert content["citations"][0]["id"] == placeholder
    assert content["answer"] == f"as it says {marker.format(placeholder)}."


@pytest.mark.parametrize(
    "identifier",
    [
        "doc-12", "kb/2024-01-05", "Handbook 7", "policy_2125551234", "10.1000/182", "ISBN 978-3-16-148410-0",
        "sec 4.1.2.3", "https://x.test/a?id=42", "Grand Canyon", "7f3a9c", "New York",
    ],
)  # fmt: skip
def test_ids_and_their_markers_survive(identifier: str) -> None:
    answer = RawAnswer(
        event_id="e",
        answer=f"as it says [{identifier}].",
        retrieved=(Passage(id=identifier, text="x"),),
        citations=(Citation(id=identifier),),
    )
    content = redact_answer(answer, PATTERNS, PARAMS).content
    assert content["retrieved"][0]["id"] == content["citations"][0]["id"] == identifier
    assert content["answer"] == f"as it says [{identifier}]."


def test_names_in_every_label_of_an_answer() -> None:
    name = "Robert Vinerley"
    passage = Passage(id="p", text="x", document_class=name, version=name, effective_at=name, access=name)
    answer = RawAnswer(event_id="e", answer="x", retrieved=(passage,), finish_reason=name, risk_tags=(name,))
    content = redact_answer(answer, PATTERNS, PARAMS).content
    assert content["retrieved"][0] == {
        "id": "p", "text": "x", "class": "<PERSON_1>", "version": "<PERSON_1>", "access": "<PERSON_1>",
    }  # fmt: skip
    assert content["finish_reason"] == "<PERSON_1>"
    assert content["risk_tags"] == ["<PERSON_1>"]


@pytest.mark.parametrize(
    "label",
    [
        "kb-Mary Johnson", "crm-Mary_Johnson", "doc/Mary-Johnson/2", "kb-James Atsrtn Rodriguez",
        "faq-Robert Miller", "ticket.Linda Davis", "kb-v2-Susan Martinez", "James Odalys Garcia",
    ],
)  # fmt: skip
def test_a_full_name_behind_a_prefix_or_with_a_rare_middle_name_is_found(label: str) -> None:
    assert find_in_identifier(label, RedactionParams())


@pytest.mark.parametrize(
    "label",
    [
        "atlas-2-mini",
        "claude-Sonnet-4",
        "kb-Wells Fargo",
        "policy-Madison-Avenue",
        "gpt-4o-Mini-High",
        "kb-New York",
    ],
)
def test_names_of_things_behind_a_prefix_stay(label: str) -> None:
    assert not find_in_identifier(label, RedactionParams())
