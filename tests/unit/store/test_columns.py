"""What becomes of a value on its way into a column."""

from __future__ import annotations

import json
import string
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.characters import clean_text
from sentinel.store.columns import (
    clean_json,
    encode_json,
    shorten_key,
    stored_event_id,
    stored_key,
)

ANY_TEXT = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\x00\ud800\udfff\ud83d\ude00\\u0")))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(ANY_TEXT)
def test_clean_text_can_be_stored_and_stays_clean(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode()
    assert "\x00" not in cleaned
    assert clean_text(cleaned) == cleaned


@given(st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=("Cs",))))
def test_text_that_both_databases_hold_is_left_alone(text: str) -> None:
    assert clean_text(text) == text


@given(ANY_JSON)
def test_json_comes_back_as_its_cleaned_self(value: Any) -> None:
    text = encode_json(value)
    assert clean_text(text) == text
    assert json.loads(text) == clean_json(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": (1, 2)}, '{"b":1,"a":[1,2]}'),
        (MappingProxyType({"a": MappingProxyType({"b": 1.0})}), '{"a":{"b":1.0}}'),
        ({"a": "\\u0000"}, '{"a":"\\\\u0000"}'),
        ({"a": "\x00"}, '{"a":""}'),
        ({"a\x00": MappingProxyType({"\x00": ["\x00"]})}, '{"a":{"":[""]}}'),
        (["\\\x00", "\\\\u0000"], '["\\\\","\\\\\\\\u0000"]'),
        ("é", '"é"'),
        (1e22, "1e+22"),
        (None, "null"),
    ],
)
def test_json_text(value: Any, text: str) -> None:
    assert encode_json(value) == text


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": {"b": -float("inf")}}])
def test_a_number_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        encode_json(value)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), {"a": [b""]}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        encode_json(value)


@given(st.text(alphabet=string.ascii_letters + "é日😀", max_size=600), st.sampled_from([100, 400]))
def test_a_key_has_no_more_bytes_than_its_limit(text: str, limit: int) -> None:
    short = shorten_key(text, limit)
    assert len(short.encode()) <= limit
    assert (short == text) == (len(text.encode()) <= limit)
    assert shorten_key(short, limit) == short


def test_long_keys_that_differ_at_their_end_stay_different() -> None:
    keys = {stored_key("x" * 500 + end) for end in ("", "a", "b", "é")}
    assert len(keys) == 4
    assert all(key.startswith("x" * 300) for key in keys)


@pytest.mark.parametrize("event_id", ["e", "x" * 256, "é" * 256, "😀" * 256, "x" * 1024])
def test_every_event_id_of_the_contract_is_kept_whole(event_id: str) -> None:
    assert stored_event_id(event_id) == event_id
