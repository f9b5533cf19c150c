"""Plain numbers are settled at a glance where reading them would find them in the evidence, and only there."""
# ruff: noqa: E501, SIM905 - lists of pieces

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.cli import extensions
from sentinel.indicators import numerals
from sentinel.indicators.numerals import NUMBER_WORDS, WrittenNumber, compared_numbers
from sentinel.indicators.readings import Reading
from sentinel.indicators.words import STOP_WORDS, folded

if not extensions.IS_NATIVE:
    pytest.skip("the extension module is not built here", allow_module_level=True)

plain_numbers: Any = importlib.import_module("sentinel.indicators._native_numbers").plain_numbers

PIECES = st.sampled_from(
    """0 1 2 3 7 12 30 007 100 1669 2024 123456789012345 1234567890123456 1,200 1.5 3/4 1-2 10:30 1'000 1_000 1&nbsp;000
    1&#160;000 1&#160;00 1&#xA0;0000 1&amp;000 percent Percent per|cent pour|cent por|ciento per|day % %% days Days mins
    minutes unitsoflength in out|of of every each and x X e s th st K k m MM am million thousand dollars euro pence cent cents half third
    euros|and|50|cents minus negative five twenty two|hundred one step Step steps option on are cost within the tables # (
    ) [ ] . : ; , - -- + $ ' ^ ^2 ** * > • _ / May January X A é ½ ² · − 日本 1)| 2)| 3.| |1.| ~1.| ~2.| ~**3:**| ~ ~~ |""".split()
).map(lambda piece: piece.replace("|", " ").replace("~", "\n"))  # fmt: skip
GAPS = st.sampled_from([" ", "\n", "\t", "\x1c", "\x00", ""])
TEXTS = st.one_of(
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(PIECES, max_size=40).map(" ".join),
    st.lists(st.one_of(PIECES, GAPS), max_size=40).map("".join),
    st.text(alphabet=st.sampled_from("0123 19.,:/'-_%&#;xX*^()[]\nasepontr$+"), max_size=60),
    st.text(alphabet=st.characters(max_codepoint=127), max_size=60),
    st.text(max_size=60),
)
VALUES = st.sampled_from(
    [0.0, 0.01, 0.3, 1.0, 2.0, 3.0, 7.0, 12.0, 30.0, 100.0, 1669.0, 2024.0, 123456789012345.0, "t10:30"]
)
EVIDENCE = st.lists(st.frozensets(VALUES, max_size=8), max_size=3)
MANY = settings(max_examples=3000, deadline=None)


def _telling(text: str) -> set[bytes]:
    return (set(folded(text).split()) - STOP_WORDS) & NUMBER_WORDS


def _missing(numbers: list[WrittenNumber], evidence: list[frozenset[Reading]]) -> list[WrittenNumber]:
    return [number for number in numbers if not number.grounded(evidence)]


@given(TEXTS, EVIDENCE)
@MANY
def test_as_many_numbers_are_there_and_the_same_are_missing(
    text: str, evidence: list[frozenset[Reading]]
) -> None:
    words = _telling(text)
    count, others = compared_numbers(text, words, evidence)
    none, expected = compared_numbers(text, words, evidence, None)
    assert none == 0
    assert count + len(others) == len(expected)
    assert _missing(others, evidence) == _missing(expected, evidence)


@given(TEXTS, EVIDENCE)
@MANY
def test_each_number_is_settled_left_to_be_read_or_none(
    text: str, evidence: list[frozenset[Reading]]
) -> None:
    if not text.isascii():
        return
    telling = numerals._TELLING_FOLDED
    for has_minus_words in (False, True):
        settled, others, ends = plain_numbers(
            text, has_minus_words, telling, numerals._MONEY_FOLDED, evidence
        )
        before = numerals._BEFORE_SIGNED_IN_WORDS if has_minus_words else numerals._BEFORE_SIGNED
        matches = {match.start(): match for match in numerals._stating_matches(text)}
        read = {start: numerals._written(text, match, before) for start, match in matches.items()}
        assert matches.keys() >= {*settled, *others}
        assert [*settled] == sorted(settled)
        assert [*others] == sorted(others)
        plain = {start: end for start, end in zip(others, ends, strict=True) if end}
        for start, number in read.items():
            if start in settled:
                assert number is not None
                assert (number.start, number.written) == (start, matches[start][1])
                assert number.end == 0
                assert not _missing([number], evidence)
            elif start in plain:
                written = text[start : plain[start]]
                assert number == WrittenNumber(start, written, (float(written),))
                assert _missing([number], evidence)
            elif start not in others:
                assert number is None


@pytest.mark.parametrize(
    ("text", "settled", "others", "ends"),
    [
        ("It takes 30 days.", [9], [], []),
        ("It takes 31 days.", [], [9], [11]),
        ("About 30%, or 30 percent.", [6, 14], [], []),
        ("About 31%, 31 percent or 31km.", [], [6, 11, 25], [0, 0, 27]),
        ("A fee of 2% applies.", [9], [], []),  # the evidence holds 0.02
        ("It is 30 million.", [], [6], [0]),
        ("It is 30 euros, or 31 Dollars. Of", [6], [19], [21]),
        ("It is 31 euros, and two cents, or 31 pounds.", [], [6, 34], [0, 36]),
        ("A 31 pound 50 pence", [], [2, 11], [0, 0]),
        ("Model X30 has -30.", [], [15], [0]),
        ("1. Wait 30 days.\n2. Pay.", [8], [], []),
        ("First 1) wait 30 days 2) pay.", [14], [], []),
        ("See step 30.", [], [9], [0]),
        ("1 in 30", [5], [0], [0]),
        ("At 30 000 or 30,000", [], [3, 13], [0, 0]),
        ("12345678901234567890", [], [0], [0]),
        ("", [], [], []),
    ],
)
def test_what_is_plain(text: str, settled: list[int], others: list[int], ends: list[int]) -> None:
    evidence = [frozenset([30.0]), frozenset([0.02, "c1"])]
    assert plain_numbers(text, False, numerals._TELLING_FOLDED, numerals._MONEY_FOLDED, evidence) == (
        settled,
        others,
        ends,
    )


def test_a_settled_number_inside_another_is_not_counted() -> None:
    evidence: list[frozenset[Reading]] = [frozenset([1.0, 5.0])]
    assert compared_numbers("It is 1 in 5 of them, or 5 people.", set(), evidence)[0] == 1


def test_what_is_no_text_or_no_set_is_refused() -> None:
    with pytest.raises(ValueError, match="ASCII"):
        plain_numbers("é 5", False, frozenset(), frozenset(), [])
    for wrong in (b"5", None):
        with pytest.raises(TypeError):
            plain_numbers(wrong, False, frozenset(), frozenset(), [])
    with pytest.raises(TypeError):
        plain_numbers("5", False, {b"x"}, frozenset(), [])
    with pytest.raises(TypeError):
        plain_numbers("5", False, frozenset(), frozenset(), [{5.0}])
    with pytest.raises(TypeError):
        plain_numbers("5", False, frozenset(), {b"x"}, [])


@pytest.mark.parametrize(
    "piece", ["1", "1 ", "1.", "1,", "\n1. ", "1) ", "1&#160;000", "1_000", " 5 percent"]
)
def test_a_long_text_of_numbers_is_sorted_out(piece: str) -> None:
    text = piece * 200_000
    settled, others, _ = plain_numbers(
        text, False, numerals._TELLING_FOLDED, numerals._MONEY_FOLDED, [frozenset([1.0, 5.0])]
    )
    assert len(settled) + len(others) <= 400_000


def test_many_answers_leave_no_memory_behind() -> None:
    text, evidence = "It takes 30 days, or 1000 of 40 percent.", [frozenset([30.0])]
    for _ in range(1000):
        plain_numbers(text, False, numerals._TELLING_FOLDED, numerals._MONEY_FOLDED, evidence)
    before = sys.getallocatedblocks()
    for _ in range(100_000):
        plain_numbers(text, False, numerals._TELLING_FOLDED, numerals._MONEY_FOLDED, evidence)
    assert sys.getallocatedblocks() - before < 1000
