"""Numbers of an answer: what can be a measure stays, what can only be a number of a person goes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sentinel.records import Citation, Passage, RawAnswer, ToolCall, Usage
from sentinel.redaction import PatternDetector, RedactionParams, redact_answer
from sentinel.redaction.event_tree import is_date

PARAMS = RedactionParams()
PATTERNS = PatternDetector(PARAMS)
CARD = 4111111111111111


def content_of(**fields: Any) -> dict[str, Any]:
    return redact_answer(
        RawAnswer(**{"event_id": "e", "answer": "ten chars.", **fields}), PATTERNS, PARAMS
    ).content


@pytest.mark.parametrize("number", [CARD, 10**9, 2125551234, 286356337000])
def test_tokens_beyond_any_model_are_unknown(number: int) -> None:
    usage = content_of(usage=Usage(input_tokens=number, output_tokens=999_999_999))["usage"]
    assert usage == {"input_tokens": None, "output_tokens": 999_999_999}


@pytest.mark.parametrize("number", [float(CARD), -float(CARD), 1e9, 4.111111111111111e15, CARD + 0.5])
def test_scores_beyond_any_scale_are_unknown(number: float) -> None:
    passage = content_of(retrieved=(Passage(id="p", text="x", score=number, distance=0.25),))["retrieved"][0]
    assert passage == {"id": "p", "text": "x", "distance": 0.25}


@pytest.mark.parametrize("field", ["start", "end"])
@pytest.mark.parametrize("offset", [CARD, 11, 2125551234])
def test_offsets_beyond_the_text_are_unknown(field: str, offset: int) -> None:
    assert content_of(citations=(Citation(id="p", **{field: offset}),))["citations"] == [{"id": "p"}]
    assert content_of(citations=(Citation(id="p", **{field: 10}),))["citations"] == [{"id": "p", field: 10}]


@pytest.mark.parametrize(
    "value", [4111111111111111.5, 4111111111111111.0, CARD, -CARD, 4222222222222.5, 378282246310005.25]
)
def test_card_numbers_as_numbers_of_tools(value: float) -> None:
    call = ToolCall(name="t", input={"v": value, "w": [value]}, output=json.dumps({"v": value}))
    written = content_of(tool_calls=(call,))["tool_calls"][0]
    assert written["input"] == {"v": "<CREDIT_CARD_1>", "w": ["<CREDIT_CARD_1>"]}
    assert json.loads(written["output"]) == {"v": "<CREDIT_CARD_1>"}


@pytest.mark.parametrize("value", [0.4111111111, 1234567.5, 1700000000123, 1e300, -1.5, 12345678901, 3.0])
def test_other_numbers_of_tools_stay(value: float) -> None:
    assert content_of(tool_calls=(ToolCall(name="t", input={"v": value}),))["tool_calls"][0]["input"] == {
        "v": value
    }


@pytest.mark.parametrize(
    "output",
    [
        '{"v":"4111111\\u0000111111111"}', '["4111\\u00001111\\u000011111111"]',
        '{"a":{"4111111\\u0000111111111":1}}',
        '"[\\"411111111\\\\u00001111111\\"]"', '{"v":"4111111\\u200b111111111"}',
        '{"v":"zoe\\u0000@corp.test"}',
        '{"v":"286-35\\u0000-6337"}', '{"v":"DE8937040044\\u00000532013000"}',
        '{"v":["203.0.\\u0000113.77"]}',
        '{"v":"\\uff14111111111111111"}', '{"v":"4111111\\ud800"}',
    ],
)  # fmt: skip
def test_nul_in_json_in_a_string(output: str) -> None:
    written = content_of(tool_calls=(ToolCall(name="t", input={}, output=output),))["tool_calls"][0]["output"]
    assert "\0" not in json.dumps(json.loads(written), ensure_ascii=False)
    assert "\\u0000" not in written
    assert "4111111" not in written.replace("4111111\ufffd", "")
    assert not any(v in written for v in ("corp.test", "6337", "3704", "113"))


@pytest.mark.parametrize(
    ("pair", "kind"),
    [
        ({"type": "phone", "value": 2125551234}, "PHONE"), ({"kind": "mobile", "number": "2125551234"},
        "PHONE"),
        ({"name": "cell", "value": 2125551234}, "PHONE"), ({"label": "ssn", "value": 286356337}, "SSN"),
        ({"field": "taxId", "val": "286356337"}, "SSN"), ({"key": "fax", "data": ["2125551234"]}, "PHONE"),
        ({"value": 2125551234, "type": "Phone"}, "PHONE"), ({"system": "phone", "value": "212 555 1234"},
        "PHONE"),
        ({"field": "full_name", "value": "zoe kay"}, "PERSON"),
        ({"type": "msisdn", "content": 4915123456789}, "PHONE"),
    ],
)  # fmt: skip
def test_a_key_beside_tells_what_the_value_is(pair: dict[str, Any], kind: str) -> None:
    written = content_of(tool_calls=(ToolCall(name="t", input=[pair]),))["tool_calls"][0]["input"]
    assert f"<{kind}_1>" in json.dumps(written)
    assert not any(c.isdigit() for c in json.dumps(written).replace(f"{kind}_1", ""))


@pytest.mark.parametrize(
    "value",
    [
        "2024-01-05", "2024", "2024-01", "2024/01/05", "20240105", "2024-01-05T10:00:00Z", "05.01.2024",
        "1/5/24",
        "2024-01-05 10:00:00+02:00", "March 2024", "5 March 2024", "Mar 5, 2024", "2024-Q3", "Q3 2024",
        "1700000000",
    ],
)  # fmt: skip
def test_dates(value: str) -> None:
    assert is_date(value)
    assert (
        content_of(retrieved=(Passage(id="p", effective_at=value),))["retrieved"][0]["effective_at"] == value
    )


@pytest.mark.parametrize(
    "value",
    ["Robert Vinerley", "Vinerley", "zoe@corp.test", "4111111111111111", "212-555-1234", "286-35-6337", "",
     "2024-01-05 by Zoe", "current", "May Smith 2024"],
)  # fmt: skip
def test_what_is_no_date_is_unknown(value: str) -> None:
    assert "effective_at" not in content_of(retrieved=(Passage(id="p", effective_at=value),))["retrieved"][0]
