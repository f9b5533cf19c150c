"""Properties of redaction over random surroundings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.records import Passage, RawAnswer, ToolCall
from sentinel.redaction import (
    CachedDetector,
    PatternDetector,
    RedactionParams,
    Span,
    SpanCache,
    identifiers,
    redact_answer,
    redact_text,
)
from sentinel.redaction.cards import luhn
from sentinel.redaction.occurrences import WordIndex
from sentinel.redaction.phones import find_phones, find_phones_unfiltered
from sentinel.redaction.spans import disjoint
from sentinel.redaction.views import batches

PARAMS = RedactionParams()
PATTERNS = PatternDetector(PARAMS)

around = st.text(max_size=40).map(
    lambda t: "".join(c for c in t if not c.isalnum() and c not in "@＠%<>_-+.'·")
)
prose = st.lists(
    st.sampled_from(
        ["see", "Nota", "🙂", "漢字", "—", "\n", "ok,", "(x)", "“q”", "é", "\u200d", "1", "a/b", "="]
    ),
    max_size=6,
).map(" ".join)


@st.composite
def emails(draw: st.DrawFn) -> str:
    local = draw(st.from_regex(r"[a-z][a-z0-9]{0,8}([.+_-][a-z0-9]{1,6})?", fullmatch=True))
    return f"{local}@{draw(st.from_regex(r'[a-z][a-z0-9]{1,8}', fullmatch=True))}.test"


@st.composite
def cards(draw: st.DrawFn) -> str:
    body = draw(st.sampled_from(["4", "51", "55", "2221", "2720"]))
    body += "".join(
        draw(st.lists(st.sampled_from("0123456789"), min_size=15 - len(body), max_size=15 - len(body)))
    )
    number = next(body + digit for digit in "0123456789" if luhn(body + digit))
    separator = draw(st.sampled_from(["", " ", "-", "\u00a0", "."]))
    return separator.join(number[i : i + 4] for i in range(0, 16, 4))


@st.composite
def ibans(draw: st.DrawFn) -> str:
    account = "".join(draw(st.lists(st.sampled_from("0123456789"), min_size=18, max_size=18)))
    iban = f"DE{98 - int(account + '131400') % 97:02d}{account}"
    separator = draw(st.sampled_from(["", " ", "\u00a0"]))
    return separator.join(iban[i : i + 4] for i in range(0, 22, 4))


@st.composite
def ssns(draw: st.DrawFn) -> str:
    return f"{draw(st.integers(1, 665)):03d}-{draw(st.integers(1, 99)):02d}-{draw(st.integers(1, 9999)):04d}"


values = st.one_of(emails(), cards(), ibans(), ssns())


def digits(text: str) -> str:
    return "".join(c for c in text if c.isalnum()).lower()


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(prose, around, values, around), min_size=1, max_size=4))
def test_no_planted_value_survives(parts: list[tuple[str, str, str, str]]) -> None:
    text = " ".join(f"{before} {left}{value}{right}" for before, left, value, right in parts)
    out = redact_text(text, PATTERNS, PARAMS)
    for _, _, value, _ in parts:
        assert value not in out
        assert digits(value) not in digits(out)


@settings(max_examples=200, deadline=None)
@given(st.lists(values, min_size=2, max_size=5, unique_by=digits))
def test_distinct_values_have_distinct_placeholders(planted: list[str]) -> None:
    passages = tuple(Passage(id=f"p{i}", text=value) for i, value in enumerate(planted))
    content = redact_answer(RawAnswer(event_id="e", answer="x", retrieved=passages), PATTERNS, PARAMS).content
    texts = [passage["text"] for passage in content["retrieved"]]
    assert len(set(texts)) == len(planted)
    assert all(text.startswith("<") and text.endswith(">") for text in texts)


@settings(max_examples=300, deadline=None)
@given(
    st.text(
        alphabet=st.characters(exclude_categories=("Nd", "Nl", "No", "Cs"), exclude_characters="@＠%["),
        max_size=200,
    )
)
def test_text_without_digits_and_signs_is_unchanged(text: str) -> None:
    assert redact_text(text, PATTERNS, PARAMS) == text or "::" in text or "at" in text.lower()


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet="0123456789+-() ./xX,;#\u00a0–abcallphone\n€", max_size=80))
def test_the_phone_prefilter_loses_no_match(text: str) -> None:
    regions = PARAMS.phone_regions
    assert list(find_phones(text, regions)) == list(find_phones_unfiltered(text, regions))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | values,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | values, inner, max_size=3)
    ),
    max_leaves=12,
)


def shape(value: object) -> object:
    if isinstance(value, dict):
        return [shape(inner) for inner in value.values()]
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return None if value is None else bool(isinstance(value, bool))


@settings(max_examples=200, deadline=None)
@given(json_values, values)
def test_tool_calls_stay_valid_json_of_the_same_shape(value: object, planted: str) -> None:
    call = ToolCall(
        name="t", input={"value": value, "planted": [planted]}, output=json.dumps([value, planted])
    )
    answer = RawAnswer(event_id="e", answer="x", tool_calls=(call,))
    written = redact_answer(answer, PATTERNS, PARAMS).content["tool_calls"][0]
    assert shape(json.loads(json.dumps(written["input"]))) == shape({"value": value, "planted": [planted]})
    assert shape(json.loads(written["output"])) == shape([value, planted])
    assert planted not in json.dumps(written, ensure_ascii=False)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(prose, values), min_size=1, max_size=8), st.integers(1, 4))
def test_a_cache_of_any_size_changes_no_result(parts: list[tuple[str, str]], size: int) -> None:
    texts = [f"{before} {value}" for before, value in [*parts, *parts]]
    cached = CachedDetector(PATTERNS, SpanCache(size, b"k" * 32))
    for _ in range(2):
        assert cached.detect(texts) == PATTERNS.detect(texts)


@settings(max_examples=300, deadline=None)
@given(
    st.text(min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20), st.sampled_from(PARAMS.entities)), max_size=8),
)
def test_disjoint_spans_never_overlap_and_the_first_type_stays_whole(
    text: str, raw: Sequence[tuple[int, int, str]]
) -> None:
    spans = [
        Span(start, min(len(text), start + length), entity)
        for start, length, entity in raw
        if start < len(text)
    ]
    result = disjoint(text, spans)
    assert all(a.end <= b.start for a, b in pairwise(result))
    first = [s for s in spans if s.entity == PARAMS.entities[0]]
    if len(first) == 1:
        assert first[0] in result


@settings(max_examples=400, deadline=None)
@given(st.text("0123456789. -:_abcfFxXltbBCSsNn1\n", max_size=60))
def test_a_quick_look_passes_every_text_in_which_a_pattern_matches(text: str) -> None:
    numbers = (identifiers._SSN_DASHED, identifiers._SSN_LOOSE, identifiers._SSN_TOLD, identifiers._SSN_PLAIN)
    if any(pattern.search(text) for pattern in numbers):
        assert identifiers._FOUR_DIGITS.search(text)
    if identifiers._IPV4.search(text) or identifiers._IPV4_PADDED.search(text):
        assert identifiers._POINT_BETWEEN.search(text)
    assert ":" in text or identifiers._IPV6.search(text) is None


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["Ana", "ana", "Straße", "O'Neil", "Li", "x9", "İpek", "ß"]), max_size=9),
    st.lists(st.sampled_from(["Ana Straße", "Li", "O'Neil Li", "İpek", "x9 Ana"]), min_size=1, unique=True),
    st.sampled_from([" ", "-", ", "]),
)
def test_few_known_values_are_found_where_many_are(words: list[str], values: list[str], gap: str) -> None:
    """Of few values a text without their words is not taken apart."""
    few, many = WordIndex(), WordIndex()
    for number, value in enumerate(values):
        few.add(value, f"<{number}>", name=True)
        many.add(value, f"<{number}>", name=True)
    for number in range(40):
        many.add(f"qqq{number}", "<other>")
    text = gap.join(words)
    assert list(few.find(text)) == list(many.find(text))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("Ana Obi.", max_size=40), max_size=300))
def test_batches_hold_every_text_in_order_and_no_more_than_memory_allows(texts: list[str]) -> None:
    found = list(batches([text * 400 for text in texts]))
    assert [text for batch in found for text in batch] == [text * 400 for text in texts]
    assert all(len(batch) <= 64 and (len(batch) == 1 or sum(map(len, batch)) <= 32_000) for batch in found)
