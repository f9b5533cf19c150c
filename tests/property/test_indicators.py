"""What holds for every answer: determinism, a memo that changes nothing, linear work, no failure."""

# ruff: noqa: E501 - one list of pieces

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.indicators import (
    IndicatorParams,
    PassageMemo,
    compute_indicators,
    fired,
    numbers_and_flags,
    to_contract,
)
from sentinel.indicators.word_sets import Words, vocabulary
from sentinel.records import Citation, Indicators, Passage, RawAnswer, ToolCall
from sentinel.sampling.risk import predicted_risk, risk_reasons

PIECES = st.sampled_from(
    [
        "[1]", "[[2]]", "[1, 3]", "[9]", "[x]", "[", "]", "【4:0†source】", "【", "(d1)", "passage 2", "`", "```", "~~~", "\n",
        "\n1. ", "30", "thirty", "$1,200.50", "1.200,50", "20%", "2024-03-05", "March 5, 2024", "5 pm", "1.2 million",
        "I don't know.", "However, ", "Sorry, ", "“quoted”", '"', "Marie Curie", "Paris", "receipt", "refunds", "🙂", "\u200f",
        "٣٠", "½", "¹", "\u00a0", "\u2009", "https://x.test/a(b)", "[a](https://x.test)", ". ", " ", "日本", "é", "\ud7ff", "II",
        "[1]-[3]", "［1］", "[id: d1]", "<cite>d1</cite>", "Source: d1", "文档1", "<code>", "</code>", "    ", "-5", "'26",
        "1 1/2", "1.2×10^3", "10⁶", "1 in 5", "three quarters", "fifty cents", "2019-21", "5‰", "45&nbsp;000", "N/A", "'",
        "Leider kann ich das nicht", "je ne sais pas", "わかりません", "Could you clarify", "if we cannot find", "\u200b", "{", "}",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=40).map(" ".join),
    st.lists(PIECES, max_size=40).map("".join),
)
PASSAGES = st.builds(
    Passage,
    id=st.sampled_from(["d1", "d2", "doc-3", "7", "passage 2", "https://x.test/a(b)", ""]),
    text=st.none() | TEXTS,
    score=st.none() | st.floats(),
    distance=st.none() | st.floats(),
)
ANSWERS = st.builds(
    RawAnswer,
    event_id=st.just("e"),
    answer=TEXTS,
    question=st.none() | TEXTS,
    retrieved=st.none() | st.lists(PASSAGES, max_size=4).map(tuple),
    citations=st.lists(st.builds(Citation, id=st.sampled_from(["d1", "zz", ""])), max_size=3).map(tuple),
    tool_calls=st.lists(
        st.builds(ToolCall, name=st.just("t"), output=st.none() | TEXTS | st.lists(st.floats())), max_size=2
    ).map(tuple),
    answerable=st.none() | st.booleans(),
)
PARAMS = IndicatorParams()


@given(ANSWERS)
@settings(max_examples=300, deadline=None)
def test_every_answer_gets_indicators_that_are_well_formed(raw: RawAnswer) -> None:
    got = compute_indicators(raw, PARAMS, PassageMemo())
    json.dumps(to_contract("e", got, predicted_risk(got), risk_reasons(got)), allow_nan=False)
    json.dumps(numbers_and_flags(got), allow_nan=False)
    fired(got)
    assert 0 < predicted_risk(got) < 1
    assert not (got.citations.missing and (got.citations.invalid or got.citations.valid))
    assert not (got.citations.missing and got.abstention.abstained)
    for share in (got.grounding.overlap, got.grounding.lowest_overlap):
        assert share is None or 0 <= share <= 1


@given(st.lists(ANSWERS, min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_the_memo_changes_nothing(answers: list[RawAnswer]) -> None:
    shared, tiny = PassageMemo(), PassageMemo(max_bytes=2500)
    for raw in answers + answers[::-1]:
        alone = compute_indicators(raw, PARAMS, PassageMemo())
        assert compute_indicators(raw, PARAMS, shared) == alone
        assert compute_indicators(raw, PARAMS, tiny) == alone


def test_the_memo_is_bounded() -> None:
    memo = PassageMemo(max_bytes=50_000)
    for number in range(100):
        memo.facts(f"passage number {number}")
    assert 10 < len(memo) < 50
    assert 40_000 < memo.size_bytes <= 50_000
    small = PassageMemo(max_bytes=10_000)
    small.facts("a short one")
    small.facts(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(500)))
    assert len(small) == 1  # one that is too large alone drives out no other


def test_the_memo_says_truly_what_it_takes() -> None:
    """Within a fifth, for texts of random words and numbers; else its bound would bound nothing."""
    rng = random.Random(4)
    texts = [
        " ".join(
            str(rng.randrange(10**6)) if rng.random() < 0.1 else "".join(rng.choices("abcdefgh", k=7))
            for _ in range(rng.randrange(5, 200))
        )
        for _ in range(600)
    ]
    memo, answer = PassageMemo(), Words(b"none", keeps_order=True)
    tracemalloc.start()
    for text in texts:
        facts = memo.facts(text[:1] + text[1:])
        answer.compared([facts.words], vocabulary(()), 1)  # as by every answer: stems are kept from then on
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken == pytest.approx(memo.size_bytes, rel=0.2)


_IN_ANOTHER_PROCESS = """
import json, sys
from tests.property.test_indicators import corpus, line
order = list(enumerate(corpus()))
if sys.argv[1] == "reversed":
    order.reverse()
from sentinel.indicators import PassageMemo
memo = PassageMemo()
lines = dict((number, line(raw, memo)) for number, raw in order)
print(json.dumps([lines[number] for number in sorted(lines)]))
"""


def corpus() -> list[RawAnswer]:
    """A few hundred answers that touch every indicator, the same in every process."""
    words = [
        "refund",
        "receipt",
        "Curie",
        "Paris",
        "thirty",
        "30",
        "1,200.50",
        "days",
        "45",
        "Friday",
        "opening",
    ]
    words += ["[1]", "[9]", "passage 2", "sorry", "However"]
    answers = []
    for number in range(300):
        chosen = [
            words[(number * 7 + step * (3 + number % 5)) % len(words)] for step in range(5 + number % 23)
        ]
        text = " ".join(chosen) + (". I don't know." if number % 11 == 0 else ".")
        evidence = tuple(
            Passage(
                id=f"d{k}",
                text=" ".join(words[(number + k * 5 + j) % len(words)] for j in range(9)),
                score=k / 7,
            )
            for k in range(number % 4)
        )
        answers.append(
            RawAnswer(event_id=str(number), answer=text, question=words[number % 15], retrieved=evidence)
        )
    return answers


def line(raw: RawAnswer, memo: PassageMemo) -> str:
    got = compute_indicators(raw, PARAMS, memo)
    return json.dumps(to_contract(raw.event_id, got, predicted_risk(got), risk_reasons(got)))


@pytest.mark.parametrize(("seed", "order"), [("0", "forward"), ("1", "reversed"), ("4242", "forward")])
def test_results_are_the_same_bit_for_bit_in_every_process(seed: str, order: str) -> None:
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run(
        [sys.executable, "-c", _IN_ANOTHER_PROCESS, order],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == [line(raw, PassageMemo()) for raw in corpus()]


HOSTILE = {
    "one word": "a",
    "open brackets": "[",
    "nested brackets": "[[1]",
    "open link": "[a](b",
    "open link with brackets": "[a](((",
    "open marks": "【",
    "backticks of growing length": "` `` ",
    "fences": "```\n",
    "digits": "1",
    "grouped digits": "1,1",
    "digits with spaces": "1 111 ",
    "dots": "1.1.",
    "dates": "1-1-",
    "number words": "one hundred and ",
    "hyphened number words": "twenty-",
    "ordinals": "twenty first ",
    "capitals": "Aa ",
    "capitals with links": "Aa of the ",
    "quotes": '"',
    "curly quotes": "“a",
    "declines": "the context does not ",
    "half a decline": "the documents it they information ",
    "sorry": "sorry but ",
    "passage mentions": "passage 1, 2, 3, ",
    "addresses": "http://",
    "addresses with brackets": "http://a(b ",
    "months": "march ",
    "dates with months": "march 1, 1 march ",
    "spaces": " ",
    "line ends": "\n",
    "odd spaces": "\u2009\u00a0",
    "emoji": "🙂",
    "right to left": "\u202eא ",
    "carets": "^1",
    "raised": "¹",
    "raised after letters": "aaaa¹",
    "tags": "<sup>",
    "odd digits": "٣",
    "odd digits with marks": "٣,",
    "Han": "漢",
    "sentence ends": ".!?",
    "roman": "IVX",
    "hashes": "# ",
    "round brackets": "(d1",
    "greeting": "hello hi ",
    "ranges of markers": "[1]-",
    "full-width brackets": "［1］",
    "tags of citations": "<cite>1",
    "tags with attributes": "<cite id=",
    "tags of code": "<code>a</",
    "source lines": "Source: a. b ",
    "Source after source": "Source:",
    "indented lines": "    a[1]\n",
    "single quotes": " 'a",
    "declines abroad": "ich kann das dokumente ne mentionne nicht ",
    "declines in other scripts": "文档中的信息我",
    "questions back": "could you which model ",
    "signs": " -1",
    "powers": "1.2×10^",
    "mixed fractions": "1 1/",
    "shares": "1 in ",
    "shares in words": "one out of every ",
    "money in words": "two dollars and ",
    "years in words": "nineteen oh ",
    "entities": "1&nbsp;",
    "apostrophes before digits": "'1",
    "data": '"a": [1, ',
    "mentions abroad": "Quelle 1, 文档1 ",
    "emphasis": "*a ",
    "latex": "\\cite{a",
}


def _seconds(text: str) -> float:
    """The best of a few runs, in this process's own CPU time."""
    best = float("inf")
    raw = RawAnswer(event_id="e", answer=text, question=text[:1000], retrieved=(Passage(id="d1", text=text),))
    # The collector's work depends on what other tests left behind, not on this text.
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            start = time.process_time()
            compute_indicators(raw, PARAMS, PassageMemo())
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_with_the_length_and_not_faster(piece: str) -> None:
    """Eight times the text takes about eight times as long; quadratic work would take 64 times."""
    size = 20_000
    short = _seconds((piece * size)[:size])
    long = _seconds((piece * size * 8)[: size * 8])
    assert long < 24 * short + 0.05


def test_a_megabyte_in_one_line_is_done_in_seconds() -> None:
    text = (
        "The [1] refund 【4:0†a】 takes 30 days, I can't say; `x` Marie Curie (d1) passage 2 http://x.test "
        * 10_000
    )
    start = time.process_time()
    got: Indicators = compute_indicators(
        RawAnswer(event_id="e", answer=text, retrieved=()), PARAMS, PassageMemo()
    )
    assert got.length.characters == len(text) > 900_000
    assert time.process_time() - start < 60
