"""Label lines: what is accepted, what is refused and why; the refusal never repeats the text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.errors import DeadLetterError
from sentinel.labelling.label_document import label_document
from sentinel.labelling.label_line import EXPORT_KEYS, parse_label_line
from sentinel.labelling.limits import LabelLimits
from sentinel.records import Annotation, ClaimAnnotation

GOOD: dict[str, Any] = {
    "event_id": "e1",
    "annotator": "ann-1",
    "answered": True,
    "abstention": "none",
    "claims": [{"text": "30 days", "label": "supported", "severity": None}],
}
SECRET = "zoe@corp.test"


def parsed(document: Any) -> Annotation:
    return parse_label_line(json.dumps(document).encode()).annotation


def refusal(line: bytes, limits: LabelLimits | None = None) -> DeadLetterError:
    with pytest.raises(DeadLetterError) as caught:
        parse_label_line(line, limits)
    return caught.value


def test_the_least_line_there_is() -> None:
    label = parsed(GOOD)
    assert label == Annotation(
        "e1", "ann-1", "annotator", True, "none", (ClaimAnnotation("30 days", "supported"),)
    )
    assert (label.evidence_retrieved, label.complete, label.comment) == ("unknown", None, None)


def test_every_key_of_the_contract() -> None:
    label = parsed(
        GOOD
        | {
            "claims": [
                {"text": "x", "label": "not_in_evidence", "severity": "critical", "subtype": "wrong number"}
            ],
            "evidence_retrieved": "miss",
            "root_causes": ["RETRIEVAL", "PARSING"],
            "citations": [{"id": "doc-1", "entails": False}],
            "complete": False,
            "comment": "see page 3",
            "guideline_version": "rubric-3",
            "role": "adjudicator",
        }
    )
    assert label.claims == (ClaimAnnotation("x", "not_in_evidence", "critical", "wrong number"),)
    assert (label.role, label.evidence_retrieved, label.root_causes) == (
        "adjudicator",
        "miss",
        ("RETRIEVAL", "PARSING"),
    )
    assert (label.citations, label.complete) == ((("doc-1", False),), False)
    assert (label.comment, label.guideline_version) == ("see page 3", "rubric-3")


@pytest.mark.parametrize("key", ["event_id", "annotator", "answered", "abstention", "claims"])
def test_a_required_key_that_is_missing_is_named(key: str) -> None:
    error = refusal(json.dumps({k: v for k, v in GOOD.items() if k != key}).encode())
    assert (error.reason, error.detail.split()[0]) == ("missing_key", key)


@pytest.mark.parametrize(
    ("change", "reason", "key"),
    [
        ({"answered": 1}, "wrong_type", "answered"),
        ({"answered": "true"}, "wrong_type", "answered"),
        ({"answered": None}, "wrong_type", "answered"),
        ({"abstention": "maybe"}, "unknown_value", "abstention"),
        ({"abstention": None}, "wrong_type", "abstention"),
        ({"abstention": ["none"]}, "wrong_type", "abstention"),
        ({"claims": None}, "wrong_type", "claims"),
        ({"claims": {}}, "wrong_type", "claims"),
        ({"claims": ["supported"]}, "wrong_type", "claims[0]"),
        ({"claims": [{"label": "supported"}]}, "missing_key", "claims[0].text"),
        ({"claims": [{"text": "a"}]}, "missing_key", "claims[0].label"),
        ({"claims": [{"text": "a", "label": "Supported"}]}, "unknown_value", "claims[0].label"),
        ({"claims": [{"text": 3, "label": "supported"}]}, "wrong_type", "claims[0].text"),
        (
            {"claims": [{"text": "a", "label": "supported", "severity": "huge"}]},
            "unknown_value",
            "claims[0].severity",
        ),
        ({"claims": [{"text": "a", "label": "supported", "subtype": 3}]}, "wrong_type", "claims[0].subtype"),
        ({"event_id": ""}, "empty", "event_id"),
        ({"event_id": "\x00"}, "empty", "event_id"),
        ({"event_id": 5}, "wrong_type", "event_id"),
        ({"event_id": "e" * 257}, "too_long", "event_id"),
        ({"annotator": "  "}, "empty", "annotator"),
        ({"annotator": "a" * 101}, "too_long", "annotator"),
        ({"evidence_retrieved": "yes"}, "unknown_value", "evidence_retrieved"),
        ({"root_causes": "RETRIEVAL"}, "wrong_type", "root_causes"),
        ({"root_causes": [None]}, "wrong_type", "root_causes[0]"),
        ({"root_causes": ["A"] * 21}, "too_many", "root_causes"),
        ({"citations": 0}, "wrong_type", "citations"),
        ({"citations": [{"id": "d"}]}, "missing_key", "citations[0].entails"),
        ({"citations": [{"id": "d", "entails": "yes"}]}, "wrong_type", "citations[0].entails"),
        ({"complete": "no"}, "wrong_type", "complete"),
        ({"comment": 7}, "wrong_type", "comment"),
        ({"comment": "c" * 20_001}, "too_long", "comment"),
        ({"role": "judge"}, "unknown_value", "role"),
    ],
)
def test_a_wrong_value_is_refused_by_key_and_rule(change: dict[str, Any], reason: str, key: str) -> None:
    error = refusal(json.dumps(GOOD | change).encode())
    assert (error.reason, error.detail.split()[0]) == (reason, key)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"[]", "not_an_object"),
        (b'"label"', "not_an_object"),
        (b"null", "not_an_object"),
        (b"\xff\xfe7b22", "not_utf8"),
        (json.dumps(GOOD).replace("true", "NaN").encode(), "not_json"),
        (json.dumps(GOOD).replace("true", "Infinity").encode(), "not_json"),
        (json.dumps(GOOD).replace("true", "1" * 5000).encode(), "not_json"),
        (b"[" * 100_000, "not_json"),
        (json.dumps(GOOD).replace("{", '{"answered": false, ', 1).encode(), "repeated_key"),
        (json.dumps(GOOD | {"pad": "x" * 1_048_576}).encode(), "too_large"),
    ],
)
def test_a_line_that_is_no_label_is_refused(line: bytes, reason: str) -> None:
    assert refusal(line).reason == reason


@pytest.mark.parametrize(
    "change",
    [
        {"annotator": SECRET * 20},
        {"abstention": SECRET},
        {"claims": [{"text": SECRET, "label": SECRET}]},
        {"claims": [{"text": "a", "label": "supported", "severity": SECRET}]},
        {"role": SECRET},
        {"complete": SECRET},
        {"answered": False, "abstention": "failed", "comment": SECRET},
    ],
)
def test_a_refusal_never_repeats_what_stood_in_the_line(change: dict[str, Any]) -> None:
    error = refusal(json.dumps(GOOD | change).encode())
    assert SECRET not in f"{error} {error!r} {error.detail} {error.reason}"


def test_a_parsed_line_hides_its_texts() -> None:
    line = parse_label_line(json.dumps(GOOD | {"comment": SECRET}).encode())
    assert SECRET not in repr(line)


def test_a_failed_abstention_needs_an_answer() -> None:
    assert refusal(json.dumps(GOOD | {"answered": False, "abstention": "failed"}).encode()).reason == (
        "failed_abstention_not_answered"
    )
    assert parsed(GOOD | {"abstention": "failed"}).abstention == "failed"


@pytest.mark.parametrize("abstention", ["none", "correct", "unnecessary"])
@pytest.mark.parametrize("answered", [True, False])
def test_other_pairs_of_answered_and_abstention_are_accepted(answered: bool, abstention: str) -> None:
    label = parsed(GOOD | {"answered": answered, "abstention": abstention})
    assert (label.answered, label.abstention) == (answered, abstention)


def test_nul_and_lone_surrogates_are_cleaned() -> None:
    text = '{"text": "al\\u0000pha\\ud800", "label": "supported"}'
    line = json.dumps(GOOD | {"claims": [], "comment": "be\x00ta"}).replace(
        '"claims": []', f'"claims": [{text}]'
    )
    label = parse_label_line(line.encode()).annotation
    assert (label.claims[0].text, label.comment) == ("alpha\ufffd", "beta")


def test_unknown_keys_are_counted_and_those_of_an_export_are_not() -> None:
    document = (
        GOOD | dict.fromkeys(EXPORT_KEYS, 1) | {"severty": "low", "claims": [{**GOOD["claims"][0], "x": 1}]}
    )
    assert parse_label_line(json.dumps(document).encode()).unknown_keys == 2


def test_null_stands_for_an_optional_key_that_was_left_out() -> None:
    optional = (
        "evidence_retrieved",
        "root_causes",
        "citations",
        "complete",
        "comment",
        "guideline_version",
        "role",
    )
    assert parsed(GOOD | dict.fromkeys(optional)) == parsed(GOOD)


_texts = st.text(max_size=30)
_names = st.text(min_size=1, max_size=20).filter(lambda name: name.replace("\x00", "").strip() != "")
_claims = st.fixed_dictionaries(
    {
        "text": _texts,
        "label": st.sampled_from(
            ["supported", "contradicted", "not_in_evidence", "unverifiable", "nonfactual"]
        ),
        "severity": st.sampled_from([None, "low", "medium", "high", "critical"]),
    },
    optional={"subtype": st.none() | _texts},
)
_labels = st.fixed_dictionaries(
    {
        "event_id": _names,
        "annotator": _names,
        "answered": st.just(True),
        "abstention": st.sampled_from(["none", "correct", "unnecessary", "failed"]),
        "claims": st.lists(_claims, max_size=4),
    },
    optional={
        "comment": st.none() | _texts,
        "complete": st.none() | st.booleans(),
        "root_causes": st.lists(_names, max_size=3),
        "citations": st.lists(st.fixed_dictionaries({"id": _names, "entails": st.booleans()}), max_size=3),
        "evidence_retrieved": st.sampled_from(["hit", "miss", "unknown"]),
    },
)


@given(_labels)
def test_a_label_survives_export_and_import(document: dict[str, Any]) -> None:
    label = parsed(document)
    assert parsed(label_document(label)) == label
    assert "\x00" not in json.dumps(label_document(label)).replace("\\u0000", "\x00")


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*GOOD, "text", "id"]), inner)
    ),
    max_leaves=12,
)


@given(_json)
def test_any_json_is_accepted_or_refused_with_a_reason(document: Any) -> None:
    _accepted_or_refused(json.dumps(document).encode())


@given(st.dictionaries(st.sampled_from([*GOOD, "role", "citations", "comment", "complete"]), _json))
def test_a_label_with_any_values_is_accepted_or_refused(changes: dict[str, Any]) -> None:
    _accepted_or_refused(json.dumps(GOOD | changes).encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted_or_refused_with_a_reason(line: bytes) -> None:
    _accepted_or_refused(line)


def _accepted_or_refused(line: bytes) -> None:
    try:
        label = parse_label_line(line).annotation
    except DeadLetterError as error:
        reason = error.reason
    else:
        assert label.event_id.strip()
        assert label.annotator.strip()
        return
    assert reason.replace("_", "").isalnum()
