"""Memory of a redacting process over many events of words never seen before.

Usage: python -m tests.benchmarks.bench_redaction_memory [--events N] [--every M] [--words W]
    [--without-model]

Each event has a question, an answer and a passage of W fresh words in all, with a name and an address that
are new too. Resident memory is printed every M events, and at the end by how much it grew in the second half.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from sentinel.records import Passage, RawAnswer
from sentinel.redaction import (
    CachedDetector,
    Detector,
    PatternDetector,
    RedactionParams,
    SpanCache,
    redact_answers,
)
from sentinel.redaction.presidio import PresidioDetector

BATCH = 64
_LETTERS = "abcdefghijklmnopqrstuvw"


def fresh(rng: random.Random, count: int) -> str:
    return " ".join("".join(rng.choices(_LETTERS, k=rng.randint(4, 11))) for _ in range(count))


def events(count: int, words: int) -> Iterator[list[RawAnswer]]:
    rng = random.Random(20261130)
    for start in range(0, count, BATCH):
        yield [
            RawAnswer(
                event_id=f"e{number}",
                question=f"I am {fresh(rng, 2).title()}, {fresh(rng, 1)}@{fresh(rng, 1)}.test. Why?",
                answer=fresh(rng, words // 2).capitalize() + ".",
                retrieved=(Passage(id="1", text=fresh(rng, words // 2).capitalize() + "."),),
            )
            for number in range(start, min(start + BATCH, count))
        ]


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=300_000)
    parser.add_argument("--every", type=int, default=25_000)
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--without-model", action="store_true")
    given = parser.parse_args()
    params = RedactionParams()
    inner: Detector = PatternDetector(params) if given.without_model else PresidioDetector(params)
    detector = CachedDetector(inner, SpanCache(params.cache_entries, os.urandom(32)))
    seen: list[tuple[int, float]] = []
    began, done, due = time.monotonic(), 0, 0
    for batch in events(given.events, given.words):
        redact_answers(batch, detector, params)
        done += len(batch)
        if done >= due or done == given.events:
            seen.append((done, resident_megabytes()))
            due += given.every
            rate = done / (time.monotonic() - began)
            print(f"{done:>8} events {seen[-1][1]:8.1f} MB {rate:6.0f}/s", flush=True)
    half = next(memory for count, memory in seen if count >= given.events // 2)
    print(f"growth in the second half: {seen[-1][1] - half:.1f} MB")


if __name__ == "__main__":
    main()
