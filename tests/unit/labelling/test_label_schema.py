"""The published schema of labels says what the importer accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from sentinel.errors import DeadLetterError
from sentinel.labelling.label_fields import Abstention, EvidenceRetrieved, Role
from sentinel.labelling.label_line import parse_label_line
from sentinel.labelling.limits import LabelLimits
from sentinel.records import ClaimLabel, Severity

SCHEMA = json.loads((Path(__file__).parents[3] / "config/label.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
LABEL: dict[str, Any] = {
    "event_id": "e1",
    "annotator": "r1",
    "answered": True,
    "abstention": "none",
    "claims": [{"text": "Refunds take 5 days.", "label": "supported", "severity": None}],
}


def claim(**changes: Any) -> list[dict[str, Any]]:
    return [{"text": "t", "label": "contradicted"} | changes]


def cited(**changes: Any) -> list[dict[str, Any]]:
    return [{"id": "d1", "entails": True} | changes]


#: Values of each key, accepted or refused; the importer says which.
VALUES: dict[str, list[Any]] = {
    "event_id": ["e", "x" * 256, "x" * 257, "", "  ", 7, None, []],
    "annotator": ["r1", "zoe.quartz@corp.test", "x" * 100, "x" * 101, "", "\t", 1, None],
    "answered": [True, False, None, 0, "true"],
    "abstention": ["none", "correct", "unnecessary", "failed", "NONE", "", None, 1, []],
    "claims": [
        [], claim(), claim(label="supported"), claim(label="unverifiable"), claim(label="nonfactual"),
        claim(label="not_in_evidence"), claim(label="wrong"), claim(label=None), claim(text=""),
        claim(text=None), claim(text="x" * 20_000), claim(text="x" * 20_001), claim(severity=None),
        *[claim(severity=one) for one in ("low", "medium", "high", "critical", "severe", "", 3)],
        claim(subtype="wrong number"), claim(subtype=None), claim(subtype="x" * 129), claim(subtype=4),
        claim(unheard_of=1), [{}], [{"text": "t"}], [{"label": "supported"}], ["text"], {}, None, "text",
        claim() * 1000, claim() * 1001,
    ],
    "evidence_retrieved": ["hit", "miss", "unknown", None, "yes", True, ""],
    "root_causes": [[], ["GENERATION"], ["of our own"], None, [""], [" "], [4], "GENERATION", ["x"] * 20,
                    ["x"] * 21, ["x" * 129]],
    "citations": [[], cited(), cited(entails=False), None, cited(entails=None), cited(entails="yes"),
                  cited(id=""), cited(id=4), cited(id="x" * 257), [{"id": "d"}], ["d"], {}, cited() * 1001],
    "complete": [True, False, None, "yes", 1],
    "comment": ["", "text", None, 4, "x" * 20_000, "x" * 20_001],
    "guideline_version": ["v1", "", None, 1, "x" * 129],
    "role": ["annotator", "adjudicator", None, "boss", "", 1],
    "record_id": [1],
    "unheard_of": [1, None],
}  # fmt: skip
CASES = [(key, at) for key, values in VALUES.items() for at in range(len(values))]
REQUIRED = ("event_id", "annotator", "answered", "abstention", "claims")


def accepted(label: Any) -> bool:
    try:
        # Above the limit of bytes nothing is parsed: here the counts and lengths are looked at.
        parse_label_line(json.dumps(label).encode(), LabelLimits(line_bytes=10_000_000))
    except DeadLetterError:
        return False
    return True


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert tuple(SCHEMA["required"]) == REQUIRED


@pytest.mark.parametrize(("key", "at"), CASES)
def test_valid_is_what_the_importer_accepts(key: str, at: int) -> None:
    label = LABEL | {key: VALUES[key][at]}
    assert VALIDATOR.is_valid(label) == accepted(label)


def test_every_key_has_both_kinds() -> None:
    for key in SCHEMA["properties"]:
        assert {accepted(LABEL | {key: value}) for value in VALUES[key]} == {True, False}, key


@pytest.mark.parametrize("missing", REQUIRED)
def test_required_keys_are(missing: str) -> None:
    label = {key: value for key, value in LABEL.items() if key != missing}
    assert not VALIDATOR.is_valid(label)
    assert not accepted(label)


@pytest.mark.parametrize("answered", [True, False])
@pytest.mark.parametrize("abstention", get_args(Abstention))
def test_a_failed_abstention_has_asserted_something(abstention: str, answered: bool) -> None:
    label = LABEL | {"abstention": abstention, "answered": answered}
    assert VALIDATOR.is_valid(label) == accepted(label) == (answered or abstention != "failed")


def test_the_words_are_those_of_the_importer() -> None:
    properties, claims = SCHEMA["properties"], SCHEMA["$defs"]["claim"]["properties"]
    assert properties["abstention"]["enum"] == list(get_args(Abstention))
    assert properties["evidence_retrieved"]["enum"] == [*get_args(EvidenceRetrieved), None]
    assert properties["role"]["enum"] == [*get_args(Role), None]
    assert claims["label"]["enum"] == list(get_args(ClaimLabel))
    assert claims["severity"]["enum"] == [*get_args(Severity), None]


@pytest.mark.parametrize("value", [[], "text", 4, None, True])
def test_only_objects_are_labels(value: Any) -> None:
    assert not VALIDATOR.is_valid(value)
    assert not accepted(value)
