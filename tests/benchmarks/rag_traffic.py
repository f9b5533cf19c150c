"""Answer events of about 4 KB as a retrieval app emits them: five passages, an answer built from them.

Passages are drawn by Zipf's law from 500 documents; every answer is new. Words are plain English ones, with
numbers, names of places, citations, and now and then a customer's name and mail address in the question.
All of it comes from a seed.
"""
# ruff: noqa: SIM905 - word lists read as text

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from itertools import accumulate

import msgspec

DOCUMENTS = 500
PASSAGES = 5
_PASSAGE_CHARACTERS = 430
_ANSWER_CHARACTERS = 680

_NOUNS = """account address agent amount answer appliance area article balance bank battery benefit bill board
booking branch button cable card carrier case cause charge check claim clause clinic coach code colour
company contract cost counter course cover credit customer damage date day deadline dealer delivery deposit
desk detail device discount display document door driver duty engine entry equipment error estimate event
exchange expert fault fee field filter fine form freight fuel gas guarantee guest guide handbook heater
holder hotel hour household imprint index inspection instalment interest invoice item journey keyboard label
lamp law lease letter level limit line list loan lock luggage machine mail manager manual market material
measure meeting member message meter method model month motor network notice number offer office officer
operator option order owner package panel parcel part partner passport payment penalty pension period permit
plan plate point policy portal post premium pressure price printer procedure product profile programme proof
property provider pump purchase quality quarter question quota rate reader reason receipt record refund
region register rent repair report request reserve result return review risk road room route rule salary
sample schedule school screen sector seller sensor service setting share shelf shipment shop signal site
software source staff stage standard state station statement step stock store street student subject
supplier supply surface survey switch system table tariff tax team tenant term test ticket title tool total
traffic train transfer treatment trial truck tube unit update user valve value vehicle version visit voucher
wage warehouse warranty water week weight window wire worker workshop year zone""".split()
_VERBS = """accepts adds allows applies approves arranges asks books calculates cancels changes charges checks
closes collects compares completes confirms connects contains covers creates cuts delays delivers describes
displays divides enters exceeds excludes expires explains extends follows grants handles includes increases
informs inspects installs issues keeps limits lists loads measures mentions moves names notes offers opens
orders pays permits prints processes provides reads receives records reduces refunds registers rejects
releases removes renews repairs replaces reports requires reserves resets returns reviews schedules sends
sets shows signs starts stores supports tests tracks transfers updates uses verifies waives""".split()
_ADJECTIVES = """annual available basic central clear common complete correct current daily digital direct
early electric electronic empty exact extra final first fixed flexible formal former free full general gross
heavy high individual initial internal joint large late legal light local long lower main manual maximum
minimum mobile monthly national net new normal official old online open original partial personal postal
previous private public quick regional regular remote safe second separate short simple single small
special spare standard technical temporary total upper urgent usual valid variable weekly written""".split()
_PLACES = """Berlin Bristol Cologne Dublin Geneva Glasgow Hamburg Leeds Lisbon Lyon Madrid Milan Munich Oslo
Porto Prague Turin Vienna Warsaw Zurich""".split()
_FIRST = "Laura Daniel Priya Thomas Hannah Omar Sofia James Emily Carlos Julia Kevin".split()
_LAST = "Bennett Keller Sharma Novak Haddad Moreno Lindqvist Fischer Okafor Dawson".split()
_UNITS = "days euros hours percent kilograms working days litres months".split()
_MODELS = ("model-a", "model-b")
_WORKFLOWS = ("refunds", "shipping", "billing", "returns")


class RagTraffic:
    """A source of encoded answer events; the same seed and start give the same events."""

    def __init__(self, seed: int = 20261130, *, fresh_words: bool = False) -> None:
        rng = random.Random(seed)
        self._seed = seed
        self._fresh_words = fresh_words
        self._documents = [_passage(rng) for _ in range(DOCUMENTS)]
        self._cumulative = list(accumulate(1.0 / rank for rank in range(1, DOCUMENTS + 1)))

    def events(self, count: int, start: int = 0) -> Iterator[bytes]:
        """Yield events number `start` to `start + count - 1`."""
        for number in range(start, start + count):
            yield self.event(number)

    def event(self, number: int) -> bytes:
        """Return one event; with `fresh_words` passages and answer are of words never seen before."""
        rng = random.Random(self._seed * 1_000_003 + number)
        if self._fresh_words:
            chosen = [(10_000 + i, _random_passage(rng)) for i in range(PASSAGES)]
        else:
            ranks = rng.choices(range(DOCUMENTS), cum_weights=self._cumulative, k=PASSAGES)
            chosen = [(rank, self._documents[rank]) for rank in ranks]
        event = {
            "event_id": str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            "app": "assistant",
            "workflow": rng.choice(_WORKFLOWS),
            "model": rng.choice(_MODELS),
            "prompt_version": "v7",
            "index_version": "2026-11",
            "locale": "en",
            "session_id": f"s-{number // 4}",
            "question": _question(rng),
            "answer": _answer(rng, [sentences for _, sentences in chosen]),
            "retrieved": [
                {
                    "id": f"kb-{identity:05d}",
                    "text": " ".join(sentences),
                    "score": round(rng.random(), 6),
                    "distance": round(rng.random(), 6),
                    "class": "policy",
                    "version": "2026.4",
                }
                for identity, sentences in chosen
            ],
            "finish_reason": "stop",
            "usage": {"input_tokens": rng.randrange(900, 1400), "output_tokens": rng.randrange(120, 260)},
        }
        return msgspec.json.encode(event)


def _sentence(rng: random.Random) -> str:
    noun, verb, adjective = rng.choice, rng.choice, rng.choice
    words = [
        rng.choice(("The", "A", "Each", "This")), adjective(_ADJECTIVES), noun(_NOUNS), verb(_VERBS),
        "the", noun(_NOUNS), rng.choice(("of", "for", "with", "after", "before")), "the",
        adjective(_ADJECTIVES), noun(_NOUNS),
    ]  # fmt: skip
    tail = rng.random()
    if tail < 0.35:
        words += ["within", str(rng.randrange(2, 400)), rng.choice(_UNITS)]
    elif tail < 0.5:
        words += ["in", rng.choice(_PLACES)]
    elif tail < 0.7:
        words += ["and", verb(_VERBS), "its", noun(_NOUNS)]
    return " ".join(words) + "."


def _passage(rng: random.Random) -> list[str]:
    sentences: list[str] = []
    while sum(map(len, sentences)) < _PASSAGE_CHARACTERS:
        sentences.append(_sentence(rng))
    return sentences


def _random_passage(rng: random.Random) -> list[str]:
    """Return sentences of made-up words: no memory of words, passages or answers helps."""
    sentences: list[str] = []
    while sum(map(len, sentences)) < _PASSAGE_CHARACTERS:
        words = ["".join(rng.choices("abcdefghilmnoprstuvw", k=rng.randint(3, 10))) for _ in range(11)]
        sentences.append(" ".join(words).capitalize() + f" {rng.randrange(1, 10**6)}.")
    return sentences


def _question(rng: random.Random) -> str:
    asked = f"How does the {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)} affect my {rng.choice(_NOUNS)}?"
    if rng.random() < 0.2:
        first, last = rng.choice(_FIRST), rng.choice(_LAST)
        asked += f" I am {first} {last}, {first.lower()}.{last.lower()}{rng.randrange(99)}@example.com."
    return asked


def _answer(rng: random.Random, passages: list[list[str]]) -> str:
    """Retell the passages: a third word for word, most mixed anew from their words, some made up."""
    parts: list[str] = []
    length = 0
    while length < _ANSWER_CHARACTERS:
        place = rng.randrange(len(passages))
        said = rng.choice(passages[place])
        kind = rng.random()
        if kind < 0.6:
            other = rng.choice(passages[rng.randrange(len(passages))]).split()
            words = said.split()
            cut = rng.randrange(2, len(words) - 1)
            said = " ".join((*words[:cut], *other[min(cut, len(other) - 2) :]))
        elif kind < 0.72:
            said = _sentence(rng)
        parts.append(said[:-1] + (f" [{place + 1}]." if rng.random() < 0.5 else "."))
        length += len(parts[-1]) + 1
    return " ".join(parts)
