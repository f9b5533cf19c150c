"""Words are compared alike in Python and in the extension module."""

from __future__ import annotations

import importlib
import os
import pickle
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.cli import extensions
from sentinel.indicators import word_sets
from sentinel.indicators.word_sets import (
    PythonWords,
    capitalised_runs_in_python,
    stem,
)
from sentinel.indicators.words import folded

MANY = settings(max_examples=500, deadline=None)

if extensions.IS_NATIVE:
    native: Any = importlib.import_module("sentinel.indicators._native_words")
    texts: Any = importlib.import_module("sentinel.indicators._native_text")
    IMPLEMENTATIONS = [PythonWords, native.Words]
else:
    native = None
    IMPLEMENTATIONS = [PythonWords]

needs_native = pytest.mark.skipif(native is None, reason="the extension module is not built here")
each = pytest.mark.parametrize("words", IMPLEMENTATIONS, ids=lambda one: one.__module__.rpartition(".")[2])

#: Also such as differ after their eighth, sixteenth or later byte alone.
WORDS = st.one_of(
    st.binary(min_size=1, max_size=9).map(lambda word: word.translate(bytes([97, 98, 115, 120] * 64))),
    st.builds(
        lambda length, end: b"abcdefghijklmnopqrstuvwx"[:length] + end,
        st.integers(5, 22),
        st.sampled_from([b"", b"s", b"ss", b"y", b"\x00", b"\xc3\xa9"]),
    ),
)
GAPS = st.sampled_from(
    [b" ", b"\n", b"  ", b" \n", b"\n\n", b"\t", b"\r", b"\x0b", b"\x0c", b"\x00", b"\x1c", b"\xff"]
)
FOLDED = st.one_of(
    st.lists(st.one_of(WORDS, GAPS), max_size=80).map(b"".join),
    st.lists(WORDS, max_size=60).map(b" ".join),
    st.text(max_size=120).map(folded),
)


def test_the_extension_is_there_where_it_can_be_built() -> None:
    if native is None:
        can_be_built = shutil.which("cc") and Path(sysconfig.get_paths()["include"], "Python.h").exists()
        if os.environ.get("CI") and can_be_built and not os.environ.get("SENTINEL_EXTENSIONS"):
            pytest.fail("there is a C compiler, and the extension module was not built")
        pytest.skip("the extension module is not built here")
    assert extensions.IS_COMPILED
    extensions.check_extensions()


@each
def test_words_are_told_apart_by_their_bytes(words: Any) -> None:
    text = words(b"refund refunds\nrefund caf\xc3\xa9 a\x00b")
    assert len(text) == 4
    assert b"refund" in text
    assert b"a\x00b" in text
    assert b"refun" not in text
    assert b"" not in text
    assert "refund" not in text
    assert text.among(words(b"refunds fees caf\xc3\xa9")) == {b"refunds", b"caf\xc3\xa9"}


@each
def test_content_words_are_compared_with_all_evidence(words: Any) -> None:
    answer = words(b"the refund takes nine days\nno fees apply to the order", keeps_order=True)
    evidence = [words(b"refunds take days"), words(b"fee order")]
    content, missing, unknown, lowest = answer.compared(evidence, words(b"the no to"), 3)
    assert content == 7
    assert missing == {b"refund", b"takes", b"nine", b"fees", b"apply"}
    assert unknown == 2  # nine and apply: of the others another ending is there
    assert lowest == pytest.approx(1 - 1 / 3)


@each
@pytest.mark.parametrize("folded_text", [b"", b" ", b"\n", b"the the\nthe", b"a b c"])
def test_texts_that_say_little_are_compared(words: Any, folded_text: bytes) -> None:
    answer = words(folded_text, keeps_order=True)
    content, missing, unknown, lowest = answer.compared([], words(b"the"), 4)
    assert (content, unknown) == (len(missing), len(missing))
    assert lowest is None


@each
def test_only_what_keeps_its_order_is_compared_and_only_with_what_does_not(words: Any) -> None:
    with pytest.raises(ValueError, match="keep their order"):
        words(b"a").compared([], words(b""), 4)
    with pytest.raises(ValueError, match="one word or more"):
        words(b"a", keeps_order=True).compared([], words(b""), 0)
    with pytest.raises(ValueError, match="keeps no order"):
        words(b"a", keeps_order=True).compared([words(b"a", keeps_order=True)], words(b""), 4)


@each
def test_words_tell_nothing_of_their_text(words: Any) -> None:
    assert repr(words(b"secret words")) == "<Words of a text, 2 distinct>"


@each
def test_a_long_text_of_one_word_and_one_of_many_are_held(words: Any) -> None:
    assert len(words(b"x" * 1_000_000, keeps_order=True)) == 1
    many = words(b" ".join(b"%d" % number for number in range(100_000)))
    assert len(many) == 100_000
    assert b"99999" in many
    assert b"100000" not in many


@needs_native
@given(FOLDED, st.lists(FOLDED, max_size=4), FOLDED, st.integers(1, 5))
@MANY
def test_both_compare_alike(answer: bytes, evidence: list[bytes], stop: bytes, fewest: int) -> None:
    seen = [
        kind(answer, keeps_order=True).compared([kind(piece) for piece in evidence], kind(stop), fewest)
        for kind in IMPLEMENTATIONS
    ]
    assert seen[0] == seen[1]


@needs_native
@given(FOLDED, FOLDED, st.one_of(WORDS, st.binary(max_size=12)))
@MANY
def test_both_hold_the_same(text: bytes, others: bytes, word: bytes) -> None:
    for keeps_order in (False, True):
        ours, theirs = (kind(text, keeps_order=keeps_order) for kind in IMPLEMENTATIONS)
        assert len(ours) == len(theirs)
        assert (word in ours) == (word in theirs)
        assert ours.among(PythonWords(others)) == theirs.among(native.Words(others))


@given(FOLDED, st.lists(FOLDED, max_size=4), FOLDED)
@MANY
def test_what_is_missing_and_unknown_is_what_the_words_say(
    answer: bytes, evidence: list[bytes], stop: bytes
) -> None:
    kind = word_sets.Words
    content, missing, unknown, _ = kind(answer, keeps_order=True).compared(
        [kind(piece) for piece in evidence], kind(stop), 4
    )
    own = set(answer.split()) - set(stop.split())
    held = {word for piece in evidence for word in piece.split()}
    stems = {stem(word) for word in held}
    assert content == len(own)
    assert missing == own - held
    assert unknown == sum(stem(word) not in stems for word in own - held)


NAMES = st.lists(
    st.sampled_from(
        [
            *" -'_1.\n\x00",
            *"    ",
            "  ",
            "Ann",
            "ann",
            "A",
            "iPhone",
            "T-shirt",
            "O'Neil",
            "AB12Cd",
            "_Ann",
            "van",
        ]
    ),
    max_size=40,
).map("".join)


@needs_native
@given(
    st.one_of(NAMES, st.text(alphabet=st.characters(max_codepoint=127), max_size=120)),
    st.sets(
        st.one_of(
            WORDS, st.sampled_from([b"", b"ann", b"a", b"phone", b"iphone", b"shirt", b"van", b"bank"])
        ),
        max_size=6,
    ),
    st.integers(1, 6),
)
@MANY
def test_both_read_ascii_texts_alike(text: str, words: set[bytes], step: int) -> None:
    words |= {word.encode() for word in text.lower().split()[::step]}
    assert texts.capitalised_runs(text, words) == capitalised_runs_in_python(text, words)


@needs_native
def test_a_word_of_one_letter_leaves_every_other_byte_of_python_as_it_is() -> None:
    letters = bytes(range(ord("A"), ord("Z") + 1))
    texts.capitalised_runs(" ".join(letters.decode()), {bytes([letter | 0x20]) for letter in letters})
    assert b"".join([letters[place : place + 1] for place in range(26)]) == letters
    assert texts.capitalised_runs("Ann  A", {b"ann", b"a"}) == [0, 3, 5, 6]


@needs_native
def test_what_is_no_words_is_refused() -> None:
    words = native.Words(b"a", keeps_order=True)
    for wrong in (
        lambda: native.Words("a"),
        lambda: words.among({b"a"}),
        lambda: words.compared([None], words, 4),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError):
        words.compared((native.Words(b"a"),), native.Words(b""), 4)
    with pytest.raises(ValueError, match="ASCII"):
        texts.capitalised_runs(b"a", set())
    with pytest.raises(TypeError):
        pickle.dumps(words)


@needs_native
def test_many_comparisons_leave_no_memory_behind() -> None:
    answer = native.Words(b"one two three four\nfive six", keeps_order=True)
    evidence, stop = [native.Words(b"two four")], native.Words(b"one")
    for _ in range(1000):
        answer.compared(evidence, stop, 2)
    before = sys.getallocatedblocks()
    for _ in range(100_000):
        answer.compared(evidence, stop, 2)
        native.Words(b"one two", keeps_order=True).among(stop)
        texts.capitalised_runs("We met Ann of the Bank, and B 12.", {b"ann", b"van"})
    assert sys.getallocatedblocks() - before < 1000
