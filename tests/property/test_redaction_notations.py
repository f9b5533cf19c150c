"""Properties of the plain copy, of the search for known values and of ids that are merely numbers."""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.errors import DeadLetterError
from sentinel.records import Passage, RawAnswer
from sentinel.redaction import (
    PatternDetector,
    RedactionParams,
    Span,
    personal_data_in_id,
    redact_answer,
    redact_text,
)
from sentinel.redaction.folding import fold
from sentinel.redaction.lexicon import lexicon
from sentinel.redaction.surrogates import Surrogates
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits

PARAMS = RedactionParams()
PATTERNS = PatternDetector(PARAMS)
PLAIN = ("zoe.k@corp.test", "4111111111111111", "DE89370400440532013000", "286-35-6337", "+1-415-555-2351")

pieces = st.sampled_from(
    [
        "a", "7", "@", ".", " ", "-", "**", "`", "~~", "[.]", "(at)", " dot ", "&#64;", "&amp;", "&amp;#49;",
        "%40", "%41", "%2540", "%C3%A9", "%F0%9F%99%82", "%FF", "\\u0040", "\\ud83d\\ude42", "\\ud83d",
        "\\x41",
        "\u200b", "\u0301", "é", "e\u0301", "ﬁ", "４", "²", "①", "\u3000", "\ufe0f", "🙂", "漢", "\x00",
        "&fjlig;",
    ]
)  # fmt: skip
texts = st.one_of(st.lists(pieces, max_size=25).map("".join), st.text(max_size=60))


@settings(max_examples=800, deadline=None)
@given(texts)
def test_the_way_back_is_in_order_and_within_the_original(text: str) -> None:
    copy = fold(text)
    places = [copy.original(i, i + 1) for i in range(len(copy.text))]
    assert all(0 <= low < high <= len(text) for low, high in places)
    for one, other in pairwise(places):
        assert other == one or other[0] >= one[1]
    if places:
        assert copy.original(0, len(copy.text)) == (places[0][0], places[-1][1])


@settings(max_examples=500, deadline=None)
@given(texts, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=6))
def test_places_of_the_copy_are_disjoint_places_of_the_original(
    text: str, raw: Sequence[tuple[int, int]]
) -> None:
    copy = fold(text)
    places: list[tuple[int, int, str]] = []
    for start, length in sorted(raw):
        end = min(len(copy.text), start + length)
        if start < end and (not places or start >= places[-1][1]):
            places.append((start, end, "x"))
    back = copy.originals(places)
    assert all(one[1] <= other[0] for one, other in pairwise(back))
    covered = {i for low, high, _ in back for i in range(low, high)}
    for start, end, _ in places:
        low, high = copy.original(start, end)
        assert covered.issuperset(range(low, high))


@settings(max_examples=500, deadline=None)
@given(texts)
def test_a_copy_of_a_copy_is_the_copy_but_for_deeper_escapes(text: str) -> None:
    copy = fold(text).text
    if not re.search(r"[&%\\\[({*~`]", copy):
        assert fold(fold(copy).text).text == fold(copy).text


def _entities(value: str) -> str:
    return "".join(f"&#{ord(c)};" for c in value)


NOTATIONS = (
    lambda v: v,
    lambda v: "\u200b".join(v),
    lambda v: "".join(chr(ord(c) + 0xFEE0) for c in v),
    _entities,
    lambda v: "".join(f"%{ord(c):02x}" for c in v),
    lambda v: "".join(f"\\u{ord(c):04x}" for c in v),
    lambda v: f"{v[:6]}**{v[6:9]}**{v[9:]}",
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(PLAIN), st.sampled_from(range(len(NOTATIONS)))), min_size=1, max_size=6
    )
)
def test_a_value_has_one_placeholder_in_all_notations(chosen: Sequence[tuple[str, int]]) -> None:
    passages = tuple(Passage(id=f"p{i}", text=NOTATIONS[n](v)) for i, (v, n) in enumerate(chosen))
    content = redact_answer(RawAnswer(event_id="e", answer="x", retrieved=passages), PATTERNS, PARAMS).content
    written = [passage["text"] for passage in content["retrieved"]]
    assert all(re.fullmatch(r"<[A-Z_]+_[0-9]+>", text) for text in written)
    by_value: dict[str, set[str]] = {}
    for (value, _), text in zip(chosen, written, strict=True):
        by_value.setdefault(value, set()).add(text)
    assert all(len(placeholders) == 1 for placeholders in by_value.values())
    assert len({p for placeholders in by_value.values() for p in placeholders}) == len(by_value)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(pieces.filter(lambda p: p not in {"7", "\\x41"}), max_size=8).map("".join),
    st.sampled_from(PLAIN[1:4]),
)
def test_nothing_around_a_value_leaves_a_part_of_it(around: str, value: str) -> None:
    out = redact_text(f"{around} {value} {around}", PATTERNS, PARAMS)
    assert not re.search(r"[0-9]{4}", re.sub(r"<[A-Z_]+_[0-9]+>|&#?\w+;|%2540|%\w\w|\\u[0-9a-f]{4}", "", out))


@settings(max_examples=1000, deadline=None)
@given(
    st.one_of(
        st.integers(10**17, 2**63 - 1).map(str),  # snowflakes
        st.integers(1_300_000_000_000, 1_999_999_999_999).map(str),  # milliseconds
        st.integers(1_300_000_000_000_000, 1_999_999_999_999_999).map(str),  # microseconds
        st.integers(1_300_000_000, 1_999_999_999).map(str),
        st.uuids().map(str),
        st.uuids().map(lambda u: u.hex),
        st.uuids().map(lambda u: f"evt_{u}"),
        st.from_regex(r"[a-z]{2,8}-[0-9]{1,8}", fullmatch=True),
    )
)
def test_ids_that_are_numbers_pass(event_id: str) -> None:
    assert personal_data_in_id(event_id) is None
    event = json.dumps({"event_id": event_id, "answer": "x"}).encode()
    assert decode_value(event, DecodeLimits()).answer.event_id == event_id


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["4106161576868454", "DE70897112369905809230", "427-12-1001", "zoe@corp.test"]),
    st.sampled_from(["", "id-", "x/", "trace:"]),
    st.booleans(),
)
def test_an_event_with_a_personal_id_is_refused_by_both_decoders(
    value: str, before: str, tolerant: bool
) -> None:
    event = {"event_id": before + value, "answer": "x", **({"unheard_of": 1} if tolerant else {})}
    with pytest.raises(DeadLetterError) as caught:
        decode_value(json.dumps(event).encode(), DecodeLimits())
    assert caught.value.reason == "personal_data_in_id"
    assert value not in f"{caught.value} {caught.value.detail}"


def _names(count: int) -> list[str]:
    given_names, surnames = sorted(lexicon().given)[:50], sorted(lexicon().surnames)[:4000]
    return [f"{given_names[i % 50].title()} {surnames[i % 4000].title()}" for i in range(count)]


class NamesAsTold:
    """Finds exactly the names it was told, so that only the search for known values is timed."""

    name = "told"

    def __init__(self, names: Sequence[str]) -> None:
        self._pattern = re.compile(r"[A-Z]\w+ [A-Z]\w+")
        self._names = frozenset(names)

    def detect(self, texts: Sequence[str]) -> list[list[Span]]:
        return [
            [Span(*m.span(), "PERSON") for m in self._pattern.finditer(text) if m.group() in self._names]
            for text in texts
        ]


def _seconds(count: int) -> float:
    names = _names(count)
    text = " ".join(f"{name} signed it, and so on." for name in names)
    detector = NamesAsTold(names)
    start = time.process_time()
    content = redact_answer(RawAnswer(event_id="e", answer=text), detector, PARAMS).content
    seconds = time.process_time() - start
    assert content["answer"].count("<PERSON_") == len(names)
    return seconds


def test_time_grows_with_the_number_of_distinct_names_and_not_with_its_square() -> None:
    _seconds(100)
    few, many = min(_seconds(500) for _ in range(3)), min(_seconds(4000) for _ in range(3))
    assert many < few * 8 * 2.5


def test_ids_at_random_pass_as_often_as_they_should() -> None:
    rng = random.Random(5)
    hexadecimal = [uuid.UUID(int=rng.getrandbits(128)).hex[:24] for _ in range(5000)]
    assert sum(personal_data_in_id(value) is not None for value in hexadecimal) == 0


known = st.lists(
    st.sampled_from(
        [("PERSON", "Ana Quill"), ("PERSON", "Ana"), ("PERSON", "O'Neil Bran-Ly"), ("EMAIL_ADDRESS",
        "a.b@c.test"),
         ("CREDIT_CARD", "4111 1111 1111 1111"), ("IBAN_CODE", "DE89 3704 0044 0532 0130 00"),
         ("IP_ADDRESS", "203.0.113.77"), ("US_SSN", "286-35-6337")]
    ),
    min_size=1, unique=True,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    known, st.lists(st.sampled_from(["x", " ", ",", "7", "_", "(", "ana ", "4111"]), max_size=6).map("".join)
)
def test_known_values_are_found_whole_and_never_inside_a_word(
    values: Sequence[tuple[str, str]], around: str
) -> None:
    table = Surrogates(PARAMS.phone_regions)
    placeholders = {value: table.add(entity, value) for entity, value in values}
    assert len(set(placeholders.values())) == len(values)
    for value, placeholder in placeholders.items():
        text = f"{around} {value} {around}"
        start = len(around) + 1
        assert (start, start + len(value), placeholder) in table.occurrences(text, names=True)
    glued = "".join(f"y{value}y " for entity, value in values if entity in {"PERSON", "EMAIL_ADDRESS"})
    assert table.occurrences(glued, names=True) == [] or "IBAN_CODE" in {e for e, _ in values}
