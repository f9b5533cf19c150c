"""Made-up traffic of any length, the same whenever it is made: answers of fresh words, poison, repeats."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from kafka import KafkaProducer

from tests.fault.streams import poison
from tests.harness import WEEK
from tests.soak.progress import Progress

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_EVERY = timedelta(milliseconds=100)
_FLUSH_EVERY = 50_000


@dataclass(frozen=True, slots=True)
class Expected:
    """What a stream holds: answers that count once, records that cannot be used, and what is neither."""

    answers: int
    poison: int
    tombstones: int
    repeats: int

    @property
    def records(self) -> int:
        return self.answers + self.poison + self.tombstones + self.repeats


def expected(answers: int) -> Expected:
    kinds = [kind for number in range(answers) for kind in _after(number)]
    return Expected(answers, kinds.count("poison"), kinds.count("tombstone"), kinds.count("repeat"))


def _after(number: int) -> Iterator[str]:
    """What follows an answer in its partition: one in a hundred is poison."""
    if number % 100 == 50:
        yield "poison"
    if number % 500 == 170:
        yield "tombstone"
    if number % 200 == 90:
        yield "repeat"


def answer(number: int) -> bytes:
    """An answer event of about 700 bytes whose words nobody has seen before."""
    chosen = random.Random(number)
    words = ["".join(chosen.choices(_LETTERS, k=chosen.randint(3, 9))) for _ in range(60)]
    passage = " ".join(words[:30])
    said = " ".join(words[15:45])
    document = {
        "event_id": f"soak-{number:08d}",
        "occurred_at": (WEEK + number * _EVERY).isoformat(),
        "app": ("shop", "help")[number % 2],
        "model": ("m1", "m2")[number % 3 == 0],
        "prompt_version": "v1",
        "question": f"What about {words[50]} and {words[51]}?",
        "answer": f"{said} {number % 97} [{1 + number % 3}].",
        "retrieved": [{"id": "one", "text": passage}, {"id": "two", "text": f"{words[52]} {number % 89}"}],
    }
    if number % 400 == 7:
        document["signals"] = {"user_correction": True}
    return json.dumps(document).encode()


def records(first: int, last: int, partitions: int) -> Iterator[tuple[int, int, bytes | None]]:
    """Yield partition, time in milliseconds and value of the answers [first, last) and what follows."""
    for number in range(first, last):
        place = number % partitions
        at = int((WEEK + number * _EVERY).timestamp() * 1000)
        value = answer(number)
        yield place, at, value
        for kind in _after(number):
            yield place, at, {"poison": poison(number // 100)[1], "tombstone": None, "repeat": value}[kind]


def produce(bootstrap: str, topic: str, first: int, last: int, partitions: int, progress: Progress) -> None:
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=20, batch_size=256 * 1024)
    for sent, (place, at, value) in enumerate(records(first, last, partitions), 1):
        producer.send(topic, value, key=b"k", partition=place, timestamp_ms=at)
        if sent % _FLUSH_EVERY == 0:
            producer.flush(timeout=120)
            progress.show(f"{sent:,} records written")
    producer.flush(timeout=120)
    producer.close()
