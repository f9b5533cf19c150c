"""What indicators cost: CPU time an answer, as a multiple of decoding the same events with msgspec.

Run as `python -m tests.benchmarks.bench_indicators`. Answers of 4 KB over five passages of about 1.5 KB,
once with passages that repeat (Zipf over 500 documents), once with passages never seen before. Text is
made up from a seed; both sides are timed in this process's CPU time, so a busy machine slows both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import msgspec

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.records import Passage, RawAnswer

EVENTS = 300
ANSWER_CHARACTERS = 4096
PASSAGES = 5
SENTENCES_A_PASSAGE = 16
DOCUMENTS = 500


class _Event(msgspec.Struct):
    event_id: str
    answer: str
    question: str | None = None
    retrieved: list[Passage] | None = None


def main() -> None:
    """Print one line a case: microseconds, and the ratio to a bare decode."""
    for name, fresh in (("repeated passages", False), ("fresh passages", True)):
        _report(name, _events(fresh), fresh)


def _report(name: str, encoded: list[bytes], fresh: bool) -> None:
    decoder = msgspec.json.Decoder(_Event)
    answers = [_raw(decoder.decode(line)) for line in encoded]
    warm = PassageMemo()
    _compute(answers, warm)
    decode = _best(lambda: [decoder.decode(line) for line in encoded], repeats=60)
    compute = _best(lambda: _compute(answers, PassageMemo() if fresh else warm), repeats=8)
    size = sum(map(len, encoded)) / EVENTS
    print(
        f"{name}: {size:.0f} bytes an event, decode {decode / EVENTS * 1e6:.1f} µs,"
        f" indicators {compute / EVENTS * 1e6:.0f} µs, ratio {compute / decode:.0f}"
    )


def _compute(answers: Sequence[RawAnswer], memo: PassageMemo) -> None:
    params = IndicatorParams()
    for answer in answers:
        compute_indicators(answer, params, memo)


def _best(work: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _events(fresh: bool) -> list[bytes]:
    rng = random.Random(20261130)
    vocabulary = ["".join(rng.choices("abcdefghilmnoprstuv", k=rng.randint(3, 11))) for _ in range(4000)]
    common = [
        "the",
        "of",
        "and",
        "to",
        "in",
        "is",
        "for",
        "with",
        "on",
        "that",
        "it",
        "are",
        "be",
        "as",
        "by",
    ]

    def sentence() -> str:
        words = [
            rng.choice(common) if rng.random() < 0.45 else vocabulary[int(4000 * rng.random() ** 3)]
            for _ in range(16)
        ]
        if rng.random() < 0.25:
            words[7] = str(rng.randint(2, 2000))
        if rng.random() < 0.15:
            words[11] = words[11].capitalize()
        return " ".join(words).capitalize() + "."

    def document(number: int) -> tuple[str, list[str]]:
        return f"doc-{number}", [sentence() for _ in range(SENTENCES_A_PASSAGE)]

    documents = [document(number) for number in range(DOCUMENTS)]
    lines = []
    for number in range(EVENTS):
        if fresh:
            chosen = [document(10_000 + number * PASSAGES + k) for k in range(PASSAGES)]
        else:
            chosen = [documents[min(int(rng.paretovariate(1.0)) - 1, DOCUMENTS - 1)] for _ in range(PASSAGES)]
        pool = [item for _, sentences in chosen for item in sentences]
        answer = ""
        while len(answer) < ANSWER_CHARACTERS:
            said = rng.choice(pool) if rng.random() < 0.85 else sentence()
            answer += said[:-1] + (f" [{rng.randint(1, PASSAGES)}]. " if rng.random() < 0.4 else ". ")
        event = {
            "event_id": f"e{number}",
            "question": sentence(),
            "answer": answer[:ANSWER_CHARACTERS],
            "retrieved": [{"id": name, "text": " ".join(text), "score": 0.5} for name, text in chosen],
        }
        lines.append(msgspec.json.encode(event))
    return lines


def _raw(event: _Event) -> RawAnswer:
    return RawAnswer(
        event_id=event.event_id,
        answer=event.answer,
        question=event.question,
        retrieved=tuple(event.retrieved or ()),
    )


if __name__ == "__main__":
    main()
