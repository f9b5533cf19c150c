"""The decoder over all inputs: it never fails in another way, and its two paths are one."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.errors import DeadLetterError
from sentinel.stream.cleaning import Cleaner
from sentinel.stream.decode import REASONS, Decoded, decode_value
from sentinel.stream.limits import DecodeLimits, is_deeper_than
from sentinel.stream.strict import decode_clean
from sentinel.stream.tolerant import EVENT_FIELDS, clean_event

LIMITS = DecodeLimits(
    max_bytes=5000, max_depth=8, max_items=3, max_text_characters=400, max_label_characters=12
)

texts = st.text(max_size=15) | st.sampled_from(["", "a\0b", "\ud800", "zoe@corp.test", "12", "up", "NaN"])
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | texts
    | st.sampled_from([2**63, -(2**64), 10**320, 1e308, "2026-11-23T10:11:12Z", "2016-12-31T23:59:60Z"])
)  # fmt: skip
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


def objects(*fields: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys((*fields, "other"), scalars)).map(
        lambda entry: {"id": "d", "name": "t", **entry} if len(entry) % 2 else entry
    )


passages = objects(
    "id", "text", "score", "distance", "class", "version", "effective_at", "superseded", "access"
)
shaped: dict[str, st.SearchStrategy[Any]] = {
    "event_id": texts | scalars,
    "answer": texts | scalars,
    "retrieved": st.lists(passages, max_size=4) | anything,
    "citations": st.lists(texts | objects("id", "quote", "start", "end"), max_size=4) | anything,
    "tool_calls": st.lists(objects("name", "input", "output") | anything, max_size=3),
    "usage": objects("input_tokens", "output_tokens") | anything,
    "signals": objects("user_correction", "safety_incident", "thumbs") | anything,
    "risk_tags": st.lists(texts, max_size=4) | anything,
    "attributes": st.dictionaries(texts, scalars, max_size=4) | anything,
}
events = st.fixed_dictionaries(
    {}, optional={**{name: shaped.get(name, scalars) for name in EVENT_FIELDS}, "other": anything}
)
good = st.fixed_dictionaries({"event_id": st.text(min_size=1, max_size=9), "answer": st.text(max_size=9)})


def outcome(value: bytes) -> Decoded | str:
    try:
        return decode_value(value, LIMITS)
    except DeadLetterError as error:
        reason = error.reason
    assert reason in REASONS
    return reason


@given(st.binary(max_size=200))
def test_any_bytes_give_an_answer_or_a_reason(value: bytes) -> None:
    assert outcome(value) == outcome(value)


@given(anything)
def test_any_json_gives_an_answer_or_a_reason(value: Any) -> None:
    outcome(json.dumps(value).encode())


@given(events, good, st.booleans())
@settings(max_examples=600)
def test_any_event_gives_what_can_be_stored(event: dict[str, Any], base: dict[str, Any], whole: bool) -> None:
    result = outcome(json.dumps({**event, **base} if whole else event).encode())
    if isinstance(result, Decoded):
        answer = result.answer
        stored = json.dumps(
            [
                answer.event_id,
                answer.answer,
                answer.question,
                answer.domains,
                answer.versions,
                answer.attributes,
            ]
            + [[p.id, p.text, p.score, p.distance] for p in answer.retrieved or ()]
            + [[call.name, call.input, call.output] for call in answer.tool_calls],
            allow_nan=False,
            ensure_ascii=False,
        )
        assert "\\u0000" not in stored
        stored.encode()
        assert 1 <= len(answer.event_id) <= 256


@given(events, good, st.booleans())
@settings(max_examples=600)
def test_the_quick_path_is_the_tolerant_one_with_nothing_cleaned(
    event: dict[str, Any], base: dict[str, Any], escaped: bool
) -> None:
    text = json.dumps({**event, **base}, ensure_ascii=escaped)
    value = text.encode("utf-8", "surrogatepass")
    quick = decode_clean(value, LIMITS)
    if quick is None:
        return
    cleaner = Cleaner(LIMITS)
    assert clean_event(json.loads(text), cleaner) == quick
    assert not cleaner.counts


@given(good, st.integers(0, 400), st.integers(0, 255))
def test_a_flipped_byte_never_breaks_out(event: dict[str, Any], at: int, byte: int) -> None:
    value = bytearray(json.dumps({**event, "retrieved": [{"id": "d", "score": 1.5}]}).encode())
    value[at % len(value)] = byte
    outcome(bytes(value))


@given(anything, st.integers(0, 10))
def test_the_depth_of_bytes_is_the_depth_of_the_value(value: Any, limit: int) -> None:
    assert is_deeper_than(json.dumps(value).encode(), limit) == (_depth(value) > limit)


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0
