"""Patterns searched for together behave as their union; what tells texts apart is in every match."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.indicators import phrases, phrases_abroad
from sentinel.indicators.alternatives import Alternatives, needles
from tests.unit.indicators import test_ways_to_decline as ways

PATTERNS = [
    *phrases._ENGLISH,
    *phrases_abroad.FILLERS_ABROAD,
    *phrases_abroad._GERMAN,
    *phrases_abroad._POLISH,
]
#: Sentences that decline in many languages, and pieces that only look like it.
SENTENCES = [*ways.ENGLISH, *ways.ABROAD]
PIECES = st.sampled_from(
    [
        *(word for sentence in SENTENCES for word in sentence.split()),
        "I",
        "can't",
        "NOT",
        "ſorry",
        "K",
        "İ",
        "ı",
        "µ",
        "ς",
        "find",
        "the",
        "context",
        "does not",
        "mention",
        "No information",
        "is available",
        ".",
        ",",
        "?",
        "\n",
        "  ",
        "’",
        "keine",
        "Angaben",
        "nie wiem",
    ]
)


def union(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{text})" for text in patterns), re.IGNORECASE)


_UNION, _ALTERNATIVES = union(PATTERNS), Alternatives(PATTERNS)


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_is_found_where_the_union_finds_it(text: str) -> None:
    for written in (text, text.upper(), text.replace("s", "ſ"), "x" * 50 + " " + text):
        match = _UNION.search(written)
        assert _ALTERNATIVES.first(written) == (match and match.start())


@given(st.lists(PIECES, max_size=14))
@settings(max_examples=200, deadline=None)
def test_any_text_is_judged_as_by_the_union(pieces: list[str]) -> None:
    text = " ".join(pieces)
    match = _UNION.search(text)
    assert _ALTERNATIVES.first(text) == (match and match.start())


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\bunable to (?:answer|find)\b", ("unable to answer", "unable to find")),
        (r"(?:a|b)?c\w+ never", (" never",)),
        (r"(?:one|two)|three", ("one", "three", "two")),
        (r"(?:one)?", ()),
        (r"x", ()),
        (r"(?:no )?\w+", ()),
        (r"(?:yes|\d)", ()),
        (r"(?:never ){2}mind", ("never ",)),
        (r"(?=soon)now", ("now",)),
        (r"NOT here", ("not here",)),
    ],
)
def test_needles_are_read_off_a_pattern(pattern: str, expected: tuple[str, ...]) -> None:
    assert needles(pattern) == expected
