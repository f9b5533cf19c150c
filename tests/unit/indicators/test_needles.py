"""Needles are found alike in Python and in C."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.cli import extensions
from sentinel.indicators.needles import PythonNeedleGroups

MANY = settings(max_examples=600, deadline=None)
NEEDLES = st.one_of(
    st.sampled_from(
        [
            "no",
            "not ",
            "n't",
            "50",
            "'s",
            "g s",
            "  ",
            "[object",
            "ça",
            "错",
            "aa",
            "aaa",
            "\x00\x00",
            "@@",
            "``",
        ]
    ),
    st.text(alphabet="abn't ", min_size=2, max_size=4),
)
GROUPS = st.lists(st.lists(NEEDLES, max_size=4).map(tuple), max_size=8).map(tuple)
TEXTS = st.one_of(
    st.lists(NEEDLES.filter(str.isascii), max_size=12).map("".join),
    st.text(alphabet="abnNT' T", max_size=40),
    st.text(alphabet=st.characters(max_codepoint=127), max_size=40),
)
native: Any = importlib.import_module("sentinel.indicators._native_needles") if extensions.IS_NATIVE else None
needs_native = pytest.mark.skipif(native is None, reason="the extension modules are not built here")
each = pytest.mark.parametrize("made", [PythonNeedleGroups, *([native.NeedleGroups] if native else [])])


@needs_native
@given(GROUPS, TEXTS)
@MANY
def test_both_find_the_same_groups(groups: tuple[tuple[str, ...], ...], text: str) -> None:
    assert native.NeedleGroups(groups).found_in(text) == PythonNeedleGroups(groups).found_in(text)


@each
def test_a_group_is_found_by_any_of_its_needles_in_any_case(made: Any) -> None:
    groups = made((("not ", "n't"), (), ("é!",), ("gateway",)))
    assert groups.found_in("It is NOT so") == [0, 1]
    assert groups.found_in("It isn't: Gateway") == [0, 1, 3]
    assert groups.found_in("no") == [1]
    assert groups.found_in("") == [1]
    assert made(()).found_in("a text") == []


@each
def test_more_groups_than_most_are_told_apart(made: Any) -> None:
    groups = made(tuple((f"<{number}>",) for number in range(1000)))
    assert groups.found_in("<7><999>") == [7, 999]


@each
def test_what_cannot_be_looked_for_is_refused(made: Any) -> None:
    with pytest.raises(ValueError, match="two letters"):
        made((("a",),))
    with pytest.raises(ValueError, match="ASCII"):
        made((("ab",),)).found_in("é")


@needs_native
def test_what_is_no_needle_is_refused() -> None:
    for wrong in (None, ["ab"], (None,), ("ab",), ((b"ab",),)):
        with pytest.raises(TypeError):
            native.NeedleGroups(wrong)
    with pytest.raises(ValueError, match="many"):
        native.NeedleGroups((("ab",) * 5000,))
    with pytest.raises(ValueError, match="ASCII"):
        native.NeedleGroups(()).found_in(b"ab")


@each
def test_a_text_of_megabytes_takes_one_pass(made: Any) -> None:
    groups = made((("aaab",), ("aaac", "aab"), ("aaaaaaaa",)))
    assert groups.found_in("a" * 3_000_000) == [2]
