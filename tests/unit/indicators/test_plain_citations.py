"""Plain citations, signs and passages are read alike in Python and in C, and lead where the general way does."""
# ruff: noqa: E501 - lists of pieces

from __future__ import annotations

import importlib
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.cli import extensions
from sentinel.indicators import IndicatorParams, PassageMemo, compute, compute_indicators
from sentinel.indicators.citations import citation_indicators, text_references
from sentinel.indicators.params import AppIndicatorParams, CitationResolution
from sentinel.indicators.plain_citations import plain_citations_in_python
from sentinel.indicators.resolver import Resolver
from sentinel.indicators.retrieved import read_passages_in_python
from sentinel.indicators.sentences import without_code, without_fences
from sentinel.indicators.signs import look_at_in_python
from sentinel.indicators.wording import Wording
from sentinel.records import Citation, Passage, RawAnswer

MANY = settings(max_examples=600, deadline=None)
PIECES = st.sampled_from(
    [
        " [1]", " [2]", "[3]", " [12]", " [01]", " [999]", " [1000]", " []", " [", "]", "[1", " [1]]", " [1](a)", " [1]: x",
        ".[4]", ",[5]", ";[6]", "![7]", "?[8]", ":[9]", " [1] to [3]", " [1] through [3]", " [1]-[3]", " [1] - [3]", " [1]..[2]",
        " [1]...[2]", " [1]. [2]", " [1], [2]", " [1] and [2]", " [1]~[2]", " [1] bis [2]", "key [1]", "Index [2]", "press the [3]",
        "monkey [4]", "x_key [4]", "ids: [1]", "a = [2]", "items [0]", "items[1]", "the", "on", "subscript either [2]", " word", "A",
        "Passage 2", "documents 1-3", "$5", "$x$", "$x_{[1]}$", "(d1)", "(see 2)", "Source: d2", "Sources:\n- d1", "https://a.org/x",
        "`", "```", "\n```\n", "~~~", "<code>", "</code>", "<ref id=\"d1\"/>", "^1^", "\\cite{d1}", "\\(", "\\)", "\n", "\n    x = 1",
        "\t", "    ", " ", "  ", "\x1c", "\x0b", "\r", '"a quotation of so many words here"', "'", ":", "é", "\u00a0", "\u0085", "½",
        "’", "日", "本", "ก", "【1:0†source】", "［1］", "\u3164", "\u2028", "\U0001f600", "\U00010400", "²", "ﬁ", "İ",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(PIECES, max_size=25).map("".join),
    st.lists(PIECES, max_size=25).map(" ".join),
    st.text(alphabet=" [123]:=.,-to\n", max_size=40),
    st.text(alphabet=st.characters(max_codepoint=127), max_size=300),
    st.text(alphabet=st.characters(max_codepoint=255), max_size=60),
    st.text(max_size=60),
)
NUMBERS = st.one_of(st.none(), st.floats(), st.integers(-5, 5))
PASSAGES = st.lists(
    st.builds(
        Passage,
        id=st.one_of(st.sampled_from(["d1", "d2", "2", "12", "²", "٣", ""]), st.text(max_size=4)),
        score=NUMBERS,
        distance=NUMBERS,
        access=st.sampled_from([None, None, "", "denied"]),
        superseded=st.sampled_from([None, None, False, True]),
    ),
    max_size=6,
).map(tuple)
needs_native = pytest.mark.skipif(not extensions.IS_NATIVE, reason="the extension modules are not built here")


def native(name: str) -> Any:
    return importlib.import_module(f"sentinel.indicators._native_{name}")


@needs_native
@given(TEXTS)
@MANY
def test_both_look_alike_at_a_text(text: str) -> None:
    assert native("signs").look_at(text) == look_at_in_python(text)


@needs_native
@given(TEXTS)
@MANY
def test_both_find_the_same_plain_citations(text: str) -> None:
    assert native("citations").plain_citations(text) == plain_citations_in_python(text)


@needs_native
@given(PASSAGES)
@MANY
def test_both_read_passages_alike(passages: tuple[Passage, ...]) -> None:
    read, expected = native("retrieved").read_passages(passages), read_passages_in_python(passages)
    assert read == expected
    assert [str(one) for one in read] == [str(one) for one in expected]  # 1 is not 1.0, nor -0.0 0.0


@needs_native
def test_what_is_no_text_and_no_passages_is_refused() -> None:
    for wrong in (b"a", None, 1):
        with pytest.raises(TypeError):
            native("signs").look_at(wrong)
        with pytest.raises(TypeError):
            native("citations").plain_citations(wrong)
        with pytest.raises(TypeError):
            native("retrieved").read_passages(wrong)
    with pytest.raises(AttributeError):
        native("retrieved").read_passages((Passage(id="a"), None))
    with pytest.raises(TypeError):
        native("retrieved").read_passages((Passage(id="a", score="x"),))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        native("retrieved").read_passages((Passage(id=7),))  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        native("retrieved").read_passages((Passage(id="a", score=10**400),))


@needs_native
@pytest.mark.parametrize(
    "piece", ["a [1] b ", " [1]", "[", "[12", " [1] to", "\n   ", "é [1]", "日 \n ", "😀\t"]
)
def test_a_text_of_megabytes_is_read_alike(piece: str) -> None:
    text = piece * 300_000
    assert native("signs").look_at(text) == look_at_in_python(text)
    assert native("citations").plain_citations(text) == plain_citations_in_python(text)


@given(
    TEXTS,
    st.sampled_from([("d1", "d2", "d3"), ("1", "2", "d3"), (), ("2", "2"), None]),
    st.sampled_from(["auto", "id", "position"]),
    st.sampled_from([(), ("d2",), ("7", "1")]),
)
@MANY
def test_plain_citations_lead_where_the_general_way_does(
    text: str, ids: tuple[str, ...] | None, resolution: CitationResolution, cited: tuple[str, ...]
) -> None:
    passages = None if ids is None else tuple(Passage(id=one, text="A word of it.") for one in ids)
    answer = RawAnswer(
        event_id="e",
        answer=text,
        retrieved=passages,
        citations=tuple(Citation(id=one) for one in cited),
        domains={"app": "chat"},
    )
    params = IndicatorParams(apps={"chat": AppIndicatorParams(citation_resolution=resolution)})
    indicators = compute_indicators(answer, params, PassageMemo())
    resolver = Resolver(passages, answer.citations, resolution)
    readable, telling = without_code(text), Wording(text).telling
    references = text_references(readable, resolver, telling, -1)
    expected = citation_indicators(references, resolver, answer.citations, indicators.citations.missing)
    assert indicators.citations == expected
    plain = compute.plain_citations_of(text, look_at_in_python(text)[0], resolver, telling)
    if plain is not None:
        assert readable == without_fences(text) == text
        assert plain[2] == compute._without_references(text, references)
        assert compute._hold_no_word(text, references)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is due [2], or not [2][3].", (["2", "3"], 3, "It is due , or not .")),
        ("Nothing is cited.", ([], 0, "Nothing is cited.")),
        ("As said.[1] It is.[12]", (["1", "12"], 2, "As said. It is.")),
        ("It is [1] - [3].", None),
        ("Press the [2] key.", None),
        ("items[2] is due [1].", None),
        ("It is due [1] [sic].", None),
        ("It is due [1](https://example.com).", None),
    ],
)
def test_only_what_nobody_can_take_for_another_thing_is_plain(text: str, expected: object) -> None:
    assert plain_citations_in_python(text) == expected


def test_the_largest_finite_number_is_the_one_that_is_read() -> None:
    passages = (
        Passage(id="a", score=math.nan, distance=math.inf),
        Passage(id="b", score=0.5, access="denied"),
        Passage(id="7", score=0.75, distance=-1.0),
    )
    assert read_passages_in_python(passages) == (("a", "b", "7"), True, 0.75, -1.0, True)
    assert read_passages_in_python(()) == ((), False, None, None, False)
