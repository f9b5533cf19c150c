"""What is kept of each field, and what becomes unknown and is counted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sentinel.records import Citation, Passage, RawAnswer, Signals, ToolCall, Usage
from sentinel.stream.decode import Decoded, decode_value
from sentinel.stream.strict import decode_clean
from tests.unit.stream.events import LIMITS, encoded


def decoded(**fields: Any) -> Decoded:
    return decode_value(encoded(**fields), LIMITS)


def raw(inside: str) -> Decoded:
    return decode_value(f'{{"event_id":"e1","answer":"b",{inside}}}'.encode(), LIMITS)


def test_a_full_event_keeps_everything() -> None:
    event = {
        "question": "How long?",
        "occurred_at": "2026-11-23T10:11:12.5+01:00",
        "app": "shop", "workflow": "w", "task": "t", "tenant": "blue", "locale": "de-DE",
        "model": "m-1", "prompt_version": "p7", "index_version": "i3", "app_version": "1.2",
        "session_id": "s-1", "user_id": "u-9",
        "retrieved": [
            {"id": "d1", "text": "Bring it.", "score": 1, "distance": 0.25, "class": "policy", "version": "3",
             "effective_at": "2026-01-01", "superseded": False, "access": "public"}
        ],
        "citations": ["d1", {"id": "d1", "quote": "Bring", "start": 0, "end": 5}],
        "tool_calls": [{"name": "search", "input": {"q": [1, None]}, "output": "x", "error": None}],
        "answerable": True,
        "finish_reason": "stop",
        "usage": {"input_tokens": 900, "output_tokens": 0},
        "signals": {"user_correction": True, "thumbs": "down"},
        "risk_tags": ["medical"],
        "attributes": {"channel": "web", "n": 3, "share": 0.5, "beta": True, "unknown": None},
    }  # fmt: skip
    result = decoded(**event)
    assert decode_clean(encoded(**event), LIMITS) == result.answer
    assert result.cleaned == {}
    assert result.answer == RawAnswer(
        event_id="e1",
        answer="Thirty days [1].",
        question="How long?",
        occurred_at=datetime(2026, 11, 23, 9, 11, 12, 500_000, UTC),
        domains={"app": "shop", "workflow": "w", "task": "t", "tenant": "blue", "locale": "de-DE"},
        versions={"model": "m-1", "prompt_version": "p7", "index_version": "i3", "app_version": "1.2"},
        attributes={"channel": "web", "n": 3, "share": 0.5, "beta": True},
        session_id="s-1",
        user_id="u-9",
        retrieved=(
            Passage(
                id="d1",
                text="Bring it.",
                score=1.0,
                distance=0.25,
                document_class="policy",
                version="3",
                effective_at="2026-01-01",
                superseded=False,
                access="public",
            ),
        ),
        citations=(Citation(id="d1"), Citation(id="d1", quote="Bring", start=0, end=5)),
        tool_calls=(ToolCall(name="search", input={"q": [1, None]}, output="x"),),
        answerable=True,
        finish_reason="stop",
        usage=Usage(input_tokens=900, output_tokens=0),
        signals=Signals(user_correction=True, thumbs="down"),
        risk_tags=("medical",),
    )


@pytest.mark.parametrize(
    ("fields", "retrieved"), [({}, None), ({"retrieved": None}, None), ({"retrieved": []}, ())]
)
def test_absent_is_unknown_and_empty_is_empty(fields: dict[str, Any], retrieved: object) -> None:
    result = decoded(**fields)
    assert result.answer.retrieved == retrieved
    assert result.cleaned == {}


UNKNOWN_FIELDS: dict[str, tuple[dict[str, Any], int]] = {
    "gen_ai attribute": ({"gen_ai.usage.foo": "x"}, 1),
    "scalar": ({"x": 1}, 1),
    "null": ({"x": None}, 1),
    "nested": ({"x": {"y": {"z": []}}}, 1),
    "three": ({"x": 1, "y": 2, "z": 3}, 3),
    "empty key": ({"": 1}, 1),
    "other spelling": ({"eventId": "x"}, 1),
    "in a passage": ({"retrieved": [{"id": "d", "metadata": {}}, {"id": "e", "rank": 1}]}, 2),
    "in usage": ({"usage": {"input_tokens": 1, "foo": "x"}}, 1),
    "in signals": ({"signals": {"stars": 5}}, 1),
    "in a citation": ({"citations": [{"id": "d", "url": "x"}]}, 1),
    "in a tool call": ({"tool_calls": [{"name": "t", "id": "x"}]}, 1),
    "with odd characters": ({"a\0\ud800": 1}, 1),
}


@pytest.mark.parametrize(("fields", "count"), UNKNOWN_FIELDS.values(), ids=UNKNOWN_FIELDS.keys())
def test_unknown_fields_cost_nothing_but_a_count(fields: dict[str, Any], count: int) -> None:
    result = decoded(**fields)
    assert result.answer.event_id == "e1"
    assert result.cleaned == {"unknown_field": count}


NON_FINITE = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "-1e999",
    "1E+400",
    "9" * 400,
    '"NaN"',
    '"1e999"',
    '"-inf"',
]


@pytest.mark.parametrize("number", NON_FINITE)
def test_a_number_that_is_not_finite_is_unknown(number: str) -> None:
    result = raw(f'"retrieved":[{{"id":"d","score":{number},"distance":0.5}}]')
    assert result.answer.retrieved == (Passage(id="d", distance=0.5),)
    assert result.cleaned == {"non_finite": 1}


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 400])
def test_numbers_that_are_not_finite_enter_nowhere(number: str) -> None:
    result = raw(
        f'"usage":{{"input_tokens":{number}}},"attributes":{{"a":{number},"b":1}},'
        f'"tool_calls":[{{"name":"t","output":[{number}]}}],"tenant":{number}'
    )
    assert result.answer.usage == Usage()
    assert result.answer.attributes == {"b": 1}
    assert result.answer.tool_calls == (ToolCall(name="t", output=[None]),)
    assert result.answer.domains == {}
    assert sum(result.cleaned.values()) == 4


@pytest.mark.parametrize(
    ("written", "number"),
    [('"0"', 0), ('"12"', 12), ("3.0", 3), ('"3.0"', 3), ("1e2", 100), (str(2**63 - 1), 2**63 - 1), ("0", 0)],
)
def test_whole_numbers_may_be_written_as_strings(written: str, number: int) -> None:
    result = raw(f'"usage":{{"input_tokens":{written}}}')
    assert result.answer.usage == Usage(input_tokens=number)
    assert type(result.answer.usage.input_tokens) is int  # type: ignore[union-attr]
    assert result.cleaned == {}


@pytest.mark.parametrize(
    ("written", "reason"),
    [("-1", "out_of_range"), (str(2**63), "out_of_range"), ('"-1"', "out_of_range"), ("1.5", "wrong_type"),
     ("true", "wrong_type"), ('"many"', "wrong_type"), ('""', "wrong_type"), ("[]", "wrong_type"),
     ('"١٢"', "wrong_type"), ('"1_000"', "wrong_type"), ('" 1"', "wrong_type")],
)  # fmt: skip
def test_what_is_no_count_is_unknown(written: str, reason: str) -> None:
    result = raw(f'"usage":{{"input_tokens":{written}}}')
    assert result.answer.usage == Usage()
    assert result.cleaned == {reason: 1}


@pytest.mark.parametrize("written", ["0.83", '"0.83"', '"8.3e-1"', "83e-2"])
def test_scores_may_be_written_as_strings(written: str) -> None:
    assert raw(f'"retrieved":[{{"id":"d","score":{written}}}]').answer.retrieved == (
        Passage(id="d", score=0.83),
    )


SURROGATES = [
    ('"a\\ud800b"', "a\ufffdb"), ('"\\udc00"', "\ufffd"), ('"\\ud83d\\ud83d\\ude42"', "\ufffd🙂"),
    ('"\\ude42\\ud83d"', "\ufffd\ufffd"), ('"🙂\\ud83d"', "🙂\ufffd"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "text"), SURROGATES)
def test_lone_surrogates_become_the_replacement_character(written: str, text: str) -> None:
    result = raw(f'"question":{written}')
    assert result.answer.question == text
    assert result.cleaned == {"surrogate": 1}
    text.encode()


def test_a_pair_of_surrogates_is_a_character() -> None:
    result = raw('"question":"\\ud83d\\ude42"')
    assert (result.answer.question, result.cleaned) == ("🙂", {})


NUL_PLACES: dict[str, Any] = {
    "question": "a\0b",
    "tenant": "a\0b",
    "model": "a\0b",
    "session_id": "a\0b",
    "finish_reason": "a\0b",
    "risk_tags": ["a\0b"],
    "attributes": {"k": "a\0b"},
    "citations": ["a\0b"],
    "retrieved": [{"id": "a\0b"}],
    "tool_calls": [{"name": "t", "output": {"x": ["a\0b"]}}],
    "answer": "a\0b",
    "event_id": "a\0b",
}


@pytest.mark.parametrize(("field", "value"), NUL_PLACES.items(), ids=NUL_PLACES.keys())
def test_nul_is_dropped_wherever_it_stands(field: str, value: Any) -> None:
    assert decoded(**{field: value}).cleaned == {"nul": 1}
    clean = decoded(**{field: _without_nul(value)})
    assert decoded(**{field: value}).answer == clean.answer


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, list):
        return [_without_nul(item) for item in value]
    return {key: _without_nul(item) for key, item in value.items()}


def test_an_escaped_backslash_before_u0000_is_text() -> None:
    result = raw('"question":"\\\\u0000"')
    assert (result.answer.question, result.cleaned) == ("\\u0000", {})


def test_control_characters_that_json_forbids_are_tolerated() -> None:
    assert raw('"question":"a\nb\x00"').answer.question == "a\nb"


DUPLICATES = [
    ('"app":"x","app":"y"', "y"), ('"app":null,"app":"y"', "y"), ('"app":1,"app":"y"', "y"),
    ('"x":1,"app":"x","app":"y"', "y"), ('"\\u0061pp":"x","app":"y"', "y"), ('"app":"y","app":null', None),
]  # fmt: skip


@pytest.mark.parametrize(("inside", "app"), DUPLICATES)
def test_of_a_key_given_twice_the_last_counts(inside: str, app: str | None) -> None:
    assert raw(inside).answer.domains.get("app") == app


def test_a_byte_order_mark_is_skipped() -> None:
    result = decode_value(b"\xef\xbb\xbf" + encoded(), LIMITS)
    assert result == decode_value(encoded(), LIMITS)


TIMES = [
    ("2026-11-23T10:11:12Z", datetime(2026, 11, 23, 10, 11, 12, tzinfo=UTC)),
    ("2026-11-23t10:11:12z", datetime(2026, 11, 23, 10, 11, 12, tzinfo=UTC)),
    ("2026-11-23 10:11:12+00:00", datetime(2026, 11, 23, 10, 11, 12, tzinfo=UTC)),
    ("2026-11-23T10:11:12.123456789-05:30", datetime(2026, 11, 23, 15, 41, 12, 123456, UTC)),
    ("2026-11-23T10:11:12.1+14:00", datetime(2026, 11, 22, 20, 11, 12, 100_000, UTC)),
    ("2026-11-23T10:11:12-00:00", datetime(2026, 11, 23, 10, 11, 12, tzinfo=UTC)),
    ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=UTC)),
    ("2017-01-01T00:59:60.9+01:00", datetime(2017, 1, 1, tzinfo=UTC)),
    ("2024-02-29T00:00:00Z", datetime(2024, 2, 29, tzinfo=UTC)),
    ("1970-01-01T00:00:00+23:59", datetime(1969, 12, 31, 0, 1, tzinfo=UTC)),
    ("2199-12-31T23:59:59-23:59", datetime(2200, 1, 1, 23, 58, 59, tzinfo=UTC)),
]
NO_TIMES = [
    "2026-11-23T10:11:12", "2026-11-23", "", "now", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z",
    "2026-11-23T24:00:00Z", "2026-11-23T10:11:61Z", "2026-11-23T10:11:60Z", "2026-13-01T00:00:00Z",
    "2026-11-23T10:11:12+24:00", "2026-11-23T10:11:12+01", "2026-11-23T10:11:12+0100", "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00", "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "2026-11-23T10:11:12.Z",
    "２０２６-11-23T10:11:12Z", " 2026-11-23T10:11:12Z", "2026-11-23T10:11:12Z\n", "20261123T101112Z",
    "2026-11-23T10:11:12,5Z", "2026-W48-1T10:11:12Z", 1_800_000_000, True, [], "+12026-01-01T00:00:00Z",
]  # fmt: skip


@pytest.mark.parametrize(("written", "moment"), TIMES)
def test_times(written: str, moment: datetime) -> None:
    result = decoded(occurred_at=written)
    assert result.answer.occurred_at == moment
    assert result.cleaned == {}


@pytest.mark.parametrize("written", NO_TIMES, ids=str)
def test_a_bad_time_is_unknown(written: Any) -> None:
    result = decoded(occurred_at=written)
    assert result.answer.occurred_at is None
    assert result.cleaned == {"bad_time": 1}


ODD_OPTIONALS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "question list": ({"question": ["x"]}, {"wrong_type": 1}),
    "tenant object": ({"tenant": {}}, {"wrong_type": 1}),
    "tenant bool": ({"tenant": True}, {"wrong_type": 1}),
    "model too long": ({"model": "m" * 65}, {"too_long": 1}),
    "prompt_version fraction": ({"prompt_version": 1.1}, {"wrong_type": 1}),
    "session_id list": ({"session_id": []}, {"wrong_type": 1}),
    "retrieved string": ({"retrieved": "none"}, {"wrong_type": 1}),
    "retrieved object": ({"retrieved": {"id": "d"}}, {"wrong_type": 1}),
    "answerable string": ({"answerable": "false"}, {"wrong_type": 1}),
    "answerable number": ({"answerable": 0}, {"wrong_type": 1}),
    "usage list": ({"usage": [1, 2]}, {"wrong_type": 1}),
    "signals string": ({"signals": "down"}, {"wrong_type": 1}),
    "signal number": ({"signals": {"safety_incident": 1}}, {"wrong_type": 1}),
    "thumbs other": ({"signals": {"thumbs": "call me"}}, {"bad_choice": 1}),
    "thumbs number": ({"signals": {"thumbs": 1}}, {"wrong_type": 1}),
    "risk_tags string": ({"risk_tags": "medical"}, {"wrong_type": 1}),
    "risk tag object": ({"risk_tags": [{}]}, {"wrong_type": 1}),
    "attributes list": ({"attributes": []}, {"wrong_type": 1}),
    "attribute list": ({"attributes": {"a": []}}, {"wrong_type": 1}),
    "attribute huge": ({"attributes": {"a": 2**70}}, {"out_of_range": 1}),
    "attribute key too long": ({"attributes": {"a" * 65: 1}}, {"too_long": 1}),
}


@pytest.mark.parametrize(("fields", "cleaned"), ODD_OPTIONALS.values(), ids=ODD_OPTIONALS.keys())
def test_an_odd_optional_value_is_as_good_as_absent(fields: dict[str, Any], cleaned: dict[str, int]) -> None:
    result = decoded(**fields)
    assert result.cleaned == cleaned
    usage = Usage() if isinstance(fields.get("usage"), dict) else None
    assert result.answer == decoded().answer
    assert result.answer.usage == usage


@pytest.mark.parametrize("number", [0, 7, -3, 2**63, 10**60])
def test_numeric_ids_are_their_digits(number: int) -> None:
    answer = decoded(event_id=number, citations=[number], retrieved=[{"id": number}], tenant=number).answer
    assert answer.event_id == str(number)
    assert answer.citations == (Citation(id=str(number)),)
    assert answer.retrieved == (Passage(id=str(number)),)
    assert answer.domains == {"tenant": str(number)}


def test_a_huge_integer_in_a_tool_output_keeps_its_digits() -> None:
    result = decoded(tool_calls=[{"name": "t", "output": {"n": [2**64]}}])
    assert result.answer.tool_calls == (ToolCall(name="t", output={"n": [str(2**64)]}),)
    assert result.cleaned == {"out_of_range": 1}


def test_an_empty_answer_is_an_answer() -> None:
    assert decoded(answer="").answer.answer == ""


def test_the_limits_themselves_are_allowed() -> None:
    result = decoded(
        event_id="x" * 256,
        answer="ü" * 2000,
        tenant="t" * 64,
        retrieved=[{"id": "d" * 64, "text": "x" * 100}] * 10,
        risk_tags=["t"] * 10,
    )
    assert result.cleaned == {}


def test_the_deepest_allowed_nesting_is_decoded() -> None:
    inner = "[" * 61 + "]" * 61
    result = raw(f'"tool_calls":[{{"name":"[[[[[[","output":{inner}}}]')
    assert result.cleaned == {}
    assert result.answer.tool_calls[0].output is not None
