"""The published schema says what the decoder takes as it is."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sentinel.errors import ConfigurationError, DeadLetterError
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import MAX_EVENT_ID_CHARACTERS, DecodeLimits
from sentinel.stream.tolerant import EVENT_FIELDS

SCHEMA = json.loads((Path(__file__).parents[3] / "config/answer_event.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
LIMITS = DecodeLimits()

#: Values for each field: taken as they are, made unknown, or refused; the decoder says which.
VALUES: dict[str, list[Any]] = {
    "event_id": ["e", "x" * 256, 7, "trace@v1.2", "", "x" * 257, None, True, [], "zoe@corp.test",
                 "a/zoe%40corp.test"],
    "answer": ["", "text", "ü" * 500_000, "x" * 500_001, None, 1, [], {}],
    "question": ["q", None, 1, [], "x" * 500_001],
    "occurred_at": [
        "2026-11-23T10:11:12Z", "2026-11-23T10:11:12.25+01:00", "2026-11-23 10:11:12-00:00", None,
        "2026-11-23T10:11:12", "2026-11-23", "", 5, "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-11-23T24:00:00Z", "2026-11-23T10:11:12+24:00", "0000-01-01T00:00:00Z",
    ],
    "tenant": ["blue", "", 7, None, 1.5, True, [], {}, "x" * 1024, "x" * 1025],
    "model": ["m", 3, None, False, "x" * 1025],
    "session_id": ["s", 3, None, ["s"], "x" * 1025],
    "retrieved": [
        None, [], [{"id": "d"}], [{"id": 4, "score": "0.5"}], [{"id": "d", "score": 1, "distance": None}],
        [{"id": "d", "class": "policy", "superseded": True, "metadata": 1}], "none", {}, ["d"], [{}],
        [{"id": None}], [{"id": "d", "text": 4}], [{"id": "d", "score": "high"}],
        [{"id": "d", "score": True}],
        [{"id": "d", "superseded": "yes"}], [{"id": "d" * 1025}], [{"id": "d"}] * 1000, [{"id": "d"}] * 1001,
        [{"id": "d", "version": "v" * 1025}], [{"id": "d", "access": ["a"]}],
    ],
    "citations": [
        None, [], ["d"], [4], [{"id": "d", "quote": "q", "start": 0, "end": "3"}], "d", [None], [True], [[]],
        [{}],
        [{"id": "d", "start": -1}], [{"id": "d", "start": 1.5}], [{"id": "d", "quote": 4}], ["d"] * 1001,
        [{"id": "d", "start": 2**63}], [{"id": "d", "start": 3.0}],
    ],
    "tool_calls": [
        None, [], [{"name": "t", "input": [1, {"a": None}], "output": "x", "error": 4}], {}, ["t"], [{}],
        [{"name": None}], [{"name": ["t"]}], [{"name": "t"}] * 1001,
    ],
    "answerable": [True, False, None, "false", 0],
    "finish_reason": ["stop", None, 1, True, "x" * 1025],
    "usage": [None, {}, {"input_tokens": 0, "output_tokens": "12"}, [], {"input_tokens": -1},
              {"input_tokens": "x"}],
    "signals": [None, {}, {"thumbs": "up", "user_correction": True}, "down", {"thumbs": "yes"}, {"thumbs": 1},
                {"safety_incident": "no"}],
    "risk_tags": [None, [], ["medical", 4], "medical", [[]], ["x" * 1025], ["t"] * 1001],
    "attributes": [None, {}, {"a": 1, "b": "x", "c": None, "d": 0.5, "e": True}, [], {"a": []}, {"a": {}},
                   {"a": 2**63}, {"a": "x" * 1025}, {"x" * 1025: 1}],
    "unheard_of": [1, None, {"deep": []}],
}  # fmt: skip

CASES = [(field, at) for field, values in VALUES.items() for at in range(len(values))]


def _taken_as_it_is(event: dict[str, Any]) -> bool:
    try:
        cleaned = decode_value(json.dumps(event, ensure_ascii=False).encode(), LIMITS).cleaned
    except DeadLetterError:
        return False
    return not cleaned.keys() - {"unknown_field"}


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == EVENT_FIELDS


@pytest.mark.parametrize(("field", "at"), CASES)
def test_valid_is_what_the_decoder_takes_as_it_is(field: str, at: int) -> None:
    event = {"event_id": "e1", "answer": "text", field: VALUES[field][at]}
    assert VALIDATOR.is_valid(event) == _taken_as_it_is(event)


def test_every_field_has_both_kinds() -> None:
    for field in EVENT_FIELDS & VALUES.keys():
        outcomes = {
            _taken_as_it_is({"event_id": "e1", "answer": "t", field: value}) for value in VALUES[field]
        }
        assert outcomes == {True, False}, field


@pytest.mark.parametrize("missing", ["event_id", "answer"])
def test_required_fields_are(missing: str) -> None:
    event = {"event_id": "e1", "answer": "text"}
    del event[missing]
    assert not VALIDATOR.is_valid(event)
    assert not _taken_as_it_is(event)


@pytest.mark.parametrize("value", [[], "text", 4, None, True])
def test_only_objects_are_events(value: Any) -> None:
    assert not VALIDATOR.is_valid(value)


def test_the_schema_states_the_default_limits() -> None:
    properties, definitions = SCHEMA["properties"], SCHEMA["$defs"]
    assert properties["event_id"]["maxLength"] == MAX_EVENT_ID_CHARACTERS
    assert {properties["answer"]["maxLength"], definitions["text"]["maxLength"]} == {
        LIMITS.max_text_characters
    }
    assert {definitions[name]["maxLength"] for name in ("label", "identifier")} == {
        LIMITS.max_label_characters
    }
    lists = ("retrieved", "citations", "tool_calls", "risk_tags")
    assert {properties[name]["maxItems"] for name in lists} == {LIMITS.max_items}
    assert properties["attributes"]["maxProperties"] == LIMITS.max_items


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(DecodeLimits)])
def test_a_limit_below_one_is_a_configuration_error(field: str) -> None:
    with pytest.raises(ConfigurationError, match=field):
        DecodeLimits(**{field: 0})
