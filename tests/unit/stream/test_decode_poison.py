"""A bad input costs one event: a reason from a closed set, and nothing of its content anywhere."""

from __future__ import annotations

import json
import traceback

import pytest

from sentinel.errors import DeadLetterError
from sentinel.records import Partition, RawRecord
from sentinel.stream.decode import REASONS, Decoded, Tombstone, decode, decode_value
from sentinel.stream.limits import DecodeLimits
from tests.unit.stream.events import LIMITS, encoded

SECRET = "zoe@corp.test"

POISON: dict[str, tuple[bytes, str]] = {
    # Bytes that are no UTF-8 (fault 7).
    "utf-16 with byte order mark": (b"\xff\xfe\x7b\x22", "not_utf8"),
    "utf-16 big endian": ('\ufeff{"event_id":"a"}'.encode("utf-16-be"), "not_utf8"),
    "latin-1 umlaut": (b'{"event_id":"a","answer":"\xfc"}', "not_utf8"),
    "cut multi-byte character": (b'{"event_id":"a","answer":"\xe2\x82"}', "not_utf8"),
    "overlong NUL": (b'{"event_id":"a","answer":"\xc0\x80"}', "not_utf8"),
    "surrogate as bytes": (b'{"event_id":"a","answer":"\xed\xa0\x80"}', "not_utf8"),
    "beyond the last code point": (b'{"event_id":"a","answer":"\xf4\x90\x80\x80"}', "not_utf8"),
    "bad bytes in an unknown field": (b'{"event_id":"a","answer":"b","x":"\xff"}', "not_utf8"),
    "bad bytes in a key": (b'{"event_id":"a","answer":"b","\xff":1}', "not_utf8"),
    "gzip": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56", "not_utf8"),
    "bad bytes inside deep nesting": (b"[" * 5000 + b"\xff", "not_utf8"),
    # Text that is no JSON.
    "empty": (b"", "not_json"),
    "blank": (b" \t\r\n", "not_json"),
    "only a byte order mark": (b"\xef\xbb\xbf", "not_json"),
    "two byte order marks": (b"\xef\xbb\xbf\xef\xbb\xbf" + encoded(), "not_json"),
    "cut short": (encoded()[:-1], "not_json"),
    "unterminated string": (b'{"event_id":"' + SECRET.encode(), "not_json"),
    "single quotes": (b"{'event_id':'a','answer':'b'}", "not_json"),
    "trailing comma": (b'{"event_id":"a","answer":"b",}', "not_json"),
    "two objects": (encoded() + encoded(), "not_json"),
    "leading zero": (b'{"event_id":"a","answer":"b","attributes":{"n":01}}', "not_json"),
    "binary zeroes": (b"\0" * 100, "not_json"),
    "protobuf": (b"\x0a\x05hello\x12\x03abc", "not_json"),
    "comment": (b'/* x */ {"event_id":"a","answer":"b"}', "not_json"),
    # JSON that is no object.
    "list": (b"[" + encoded() + b"]", "not_an_object"),
    "string": (b'"event"', "not_an_object"),
    "number": (b"42", "not_an_object"),
    "null": (b"null", "not_an_object"),
    "bare NaN": (b"NaN", "not_an_object"),
    "true": (b"true", "not_an_object"),
    # Depth.
    "deep lists": (b"[" * 19_000, "too_deep"),
    "deep objects": (b'{"a":' * 3000, "too_deep"),
    "deep and closed": (encoded(tool_calls=[]).replace(b"[]", b"[" * 70 + b"]" * 70), "too_deep"),
    "deep after strings with brackets": (b'{"a":"]]]]","b":' + b"[" * 65 + b"]" * 65 + b"}", "too_deep"),
    "deep with escaped quotes": (b'{"a":"\\"]\\\\","b":' + b"[" * 65 + b"]" * 65 + b"}", "too_deep"),
    "deep unknown field": (encoded()[:-1] + b',"x":' + b"[" * 65 + b"]" * 65 + b"}", "too_deep"),
    # Fields that are required.
    "no event_id": (b'{"answer":"b"}', "missing_field"),
    "null event_id": (encoded(event_id=None), "missing_field"),
    "empty event_id": (encoded(event_id=""), "missing_field"),
    "event_id of NUL only": (encoded(event_id="\0\0"), "missing_field"),
    "no answer": (b'{"event_id":"a"}', "missing_field"),
    "null answer": (encoded(answer=None), "missing_field"),
    "passage without id": (encoded(retrieved=[{"text": SECRET}]), "missing_field"),
    "citation without id": (encoded(citations=[{"quote": SECRET}]), "missing_field"),
    "tool call without name": (encoded(tool_calls=[{"output": SECRET}]), "missing_field"),
    "empty object": (b"{}", "missing_field"),
    # Types of what identifies or carries the answer.
    "event_id list": (encoded(event_id=[SECRET]), "wrong_type"),
    "event_id bool": (encoded(event_id=True), "wrong_type"),
    "event_id float": (encoded(event_id=1.5), "wrong_type"),
    "event_id NaN": (b'{"event_id":NaN,"answer":"b"}', "wrong_type"),
    "answer number": (encoded(answer=42), "wrong_type"),
    "answer object": (encoded(answer={"text": SECRET}), "wrong_type"),
    "passage string": (encoded(retrieved=[SECRET]), "wrong_type"),
    "passage id object": (encoded(retrieved=[{"id": {}}]), "wrong_type"),
    "citations string": (encoded(citations=SECRET), "wrong_type"),
    "citation list": (encoded(citations=[[SECRET]]), "wrong_type"),
    "citation bool": (encoded(citations=[True]), "wrong_type"),
    "citation null": (encoded(citations=[None]), "wrong_type"),
    "tool_calls object": (encoded(tool_calls={"name": SECRET}), "wrong_type"),
    "second key wins and is wrong": (b'{"event_id":"a","answer":"b","answer":1}', "wrong_type"),
    # Lengths.
    "event_id of 257": (encoded(event_id="x" * 257), "too_long"),
    "numeric event_id of 257": (b'{"event_id":' + b"9" * 257 + b',"answer":"b"}', "too_long"),
    "answer": (encoded(answer="x" * 2001), "too_long"),
    "question": (encoded(question="x" * 2001), "too_long"),
    "passage text": (encoded(retrieved=[{"id": "d", "text": "x" * 2001}]), "too_long"),
    "passage id": (encoded(retrieved=[{"id": "d" * 65}]), "too_long"),
    "citation id": (encoded(citations=["d" * 65]), "too_long"),
    "quote": (encoded(citations=[{"id": "d", "quote": "x" * 2001}]), "too_long"),
    "tool output": (encoded(tool_calls=[{"name": "t", "output": {"deep": ["x" * 2001]}}]), "too_long"),
    "passages": (encoded(retrieved=[{"id": "d"}] * 11), "too_many_items"),
    "citations": (encoded(citations=["d"] * 11), "too_many_items"),
    "tool calls": (encoded(tool_calls=[{"name": "t"}] * 11), "too_many_items"),
    "risk tags": (encoded(risk_tags=["t"] * 11), "too_many_items"),
    "attributes": (encoded(attributes={f"k{n}": 1 for n in range(11)}), "too_many_items"),
    "bytes": (encoded(answer="x" * 20_000), "oversized"),
    "spaces": (b" " * 20_001, "oversized"),
    # Ids are stored as they are.
    "address as id": (encoded(event_id=SECRET), "personal_data_in_id"),
    "address in id": (encoded(event_id=f"trace/{SECRET}/7"), "personal_data_in_id"),
    "address with name": (encoded(event_id=f"Zoe <{SECRET}>"), "personal_data_in_id"),
    "address with tag": (encoded(event_id="zoe+news@mail.corp.test"), "personal_data_in_id"),
    "address in capitals": (encoded(event_id="ZOE@CORP.TEST"), "personal_data_in_id"),
    "percent-encoded address": (encoded(event_id="zoe%40corp.test"), "personal_data_in_id"),
    "full-width at": (encoded(event_id="zoe＠corp.test"), "personal_data_in_id"),
    "international domain": (encoded(event_id="zoe@bücher.test"), "personal_data_in_id"),
    "address split by NUL": (encoded(event_id="zoe@co\0rp.test"), "personal_data_in_id"),
    "address, unknown field": (encoded(event_id=SECRET, extra=1), "personal_data_in_id"),
}


@pytest.mark.parametrize(("value", "reason"), POISON.values(), ids=POISON.keys())
def test_poison_is_refused_for_its_reason_and_stays_hidden(value: bytes, reason: str) -> None:
    with pytest.raises(DeadLetterError) as caught:
        decode_value(value, LIMITS)
    assert caught.value.reason == reason
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_the_reasons_are_closed_and_each_has_an_example() -> None:
    assert {reason for _, reason in POISON.values()} == REASONS


def _record(value: bytes | None, size_bytes: int | None = None) -> RawRecord:
    size = len(value or b"") if size_bytes is None else size_bytes
    return RawRecord(Partition("answers", 0), 4, 5, None, size, value)


def test_null_is_a_tombstone_and_no_dead_letter() -> None:
    assert decode(_record(None), LIMITS) == Tombstone()


def test_null_over_the_limit_is_an_oversized_record() -> None:
    with pytest.raises(DeadLetterError) as caught:
        decode(_record(None, LIMITS.max_bytes + 1), LIMITS)
    assert caught.value.reason == "oversized"


@pytest.mark.parametrize("size", [1, 100, 20_000])
def test_an_empty_record_that_is_not_null_is_no_tombstone(size: int) -> None:
    with pytest.raises(DeadLetterError) as caught:
        decode(_record(b" " * size), LIMITS)
    assert caught.value.reason == "not_json"


NULLS_BETWEEN = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2], [], [2, 1], [1, 1]]


@pytest.mark.parametrize("nulls", NULLS_BETWEEN, ids=str)
def test_good_events_around_tombstones_are_all_decoded(nulls: list[int]) -> None:
    values: list[bytes | None] = [encoded(event_id=f"e{n}") for n in range(3)]
    for at in nulls:
        values.insert(at, None)
    outcomes = [decode(_record(value), LIMITS) for value in values]
    assert sum(isinstance(outcome, Tombstone) for outcome in outcomes) == len(nulls)
    ids = [outcome.answer.event_id for outcome in outcomes if isinstance(outcome, Decoded)]
    assert ids == ["e0", "e1", "e2"]


@pytest.mark.parametrize("name", list(POISON)[:11])
def test_undecodable_bytes_between_good_events_cost_themselves(name: str) -> None:
    poison, reason = POISON[name]
    seen: list[str] = []
    for value in (encoded(event_id="before"), poison, encoded(event_id="after")):
        try:
            outcome = decode(_record(value), LIMITS)
        except DeadLetterError as error:
            seen.append(error.reason)
        else:
            assert isinstance(outcome, Decoded)
            seen.append(outcome.answer.event_id)
    assert seen == ["before", reason, "after"]


@pytest.mark.parametrize(
    "event_id",
    ["trace@v1.2", "a@b", "@", "zoe at corp.test", "100%40", "user@host", "e@1.2.3.4", "a.b.test", "x" * 256],
)
def test_ids_that_merely_look_odd_are_kept(event_id: str) -> None:
    assert decode_value(encoded(event_id=event_id), LIMITS).answer.event_id == event_id


def test_content_stays_out_of_representations() -> None:
    value = json.dumps(
        {"event_id": "e", "answer": SECRET, "retrieved": [{"id": "d", "text": SECRET}]}
    ).encode()
    decoded = decode_value(value, DecodeLimits())
    assert SECRET not in repr(decoded)
    assert SECRET not in repr(_record(value))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_clean_event_is_held_to_the_depth_that_is_set(depth: int) -> None:
    nested = {1: encoded(), 2: encoded(citations=["d"]), 3: encoded(retrieved=[{"id": "d"}])}
    for needed, value in nested.items():
        if needed <= depth:
            decode_value(value, DecodeLimits(max_depth=depth))
        else:
            with pytest.raises(DeadLetterError, match="too_deep"):
                decode_value(value, DecodeLimits(max_depth=depth))


def test_what_a_tool_says_is_held_to_the_depth_that_is_set() -> None:
    value = encoded(tool_calls=[{"name": "t", "output": [[[["deep"]]]]}])
    decode_value(value, DecodeLimits(max_depth=7))
    with pytest.raises(DeadLetterError, match="too_deep"):
        decode_value(value, DecodeLimits(max_depth=6))
