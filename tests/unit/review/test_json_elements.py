"""Elements of a list one at a time are those that reading it whole would give."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.errors import DeadLetterError
from sentinel.review.api.json_elements import MOST_CHARACTERS, elements

VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_they_are_those_of_the_whole(values: list[object], indent: int | str | None, plain: bool) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=plain)
    if "\\ud" in text or any("\ud800" <= mark <= "\udfff" for mark in text):
        return
    assert list(elements(text.encode())) == values


@pytest.mark.parametrize(
    "text",
    [
        '["a',
        '["a\\',
        '["\\"',
        '"a',
        "[1",
        "[1 2]",
        "[1,]",
        "[,1]",
        "[1]]",
        "[1] x",
        "{",
        "{}{}",
        '["a]',
        "[}",
        "[{]",
        "[nul]",
        "[1}",
    ],
)
def test_what_is_no_json_is_said_where_it_is_met(text: str) -> None:
    with pytest.raises(DeadLetterError, match="JSON"):
        list(elements(text.encode()))


def test_no_element_may_be_larger_than_a_task_and_those_before_it_are_given() -> None:
    found = elements(b'[{"a": 1}, ' + b"[{}," * MOST_CHARACTERS)
    assert next(found) == {"a": 1}
    with pytest.raises(DeadLetterError) as refused:
        next(found)
    assert refused.value.reason == "too_large"


#: Standard input is read to its end, or for as long as the square of its length would take many times over.
READ = """
import sys
from sentinel.errors import DeadLetterError
from sentinel.review.api.json_elements import elements
try:
    list(elements(sys.stdin.buffer.read()))
except DeadLetterError as error:
    print(error.reason)
"""


@pytest.mark.parametrize(
    ("size", "rest", "reason"),
    [(500_000, b"", "not_json"), (500_000, b"\\", "not_json"), (3_000_000, b'"]', "too_large")],
)
def test_a_string_of_quotes_that_nothing_ends_is_read_once(size: int, rest: bytes, reason: str) -> None:
    content = b'["' + b'\\"' * size + rest
    done = subprocess.run([sys.executable, "-c", READ], input=content, capture_output=True, timeout=20)
    assert (done.stdout.decode().strip(), done.stderr) == (reason, b"")
