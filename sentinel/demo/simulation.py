"""The simulated traffic as a stream of JSONL lines, with everything that goes wrong on the way."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from sentinel.demo.answers import simulate_answer
from sentinel.demo.knowledge import build_knowledge
from sentinel.demo.plan import Plan
from sentinel.demo.traffic import situation_at, times
from sentinel.demo.truth import Truth

_DUPLICATE = 0.008
_LATE = 0.6
_LATE_WITH_CONTENT = 0.7
_STRANGE_VALUE = 0.002
_POISON = 0.001
_OVERSIZED_BYTES = 2_200_000
_LATE_SIGNALS = ("user_correction", "safety_incident", "unsupported_citation_report")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the stream; `truth` is set where it is the first arrival of an answer."""

    text: bytes = field(repr=False)
    truth: Truth | None


def simulate(plan: Plan) -> Iterator[Line]:
    """Yield the lines in the order of arrival: the same ones for the same plan.

    Besides answers: the same answer twice, signals that come later with or without the content, values
    that cannot be stored as sent, and a few records that cannot be used at all.
    """
    rng = Random(plan.seed)  # noqa: S311 - a simulation, not a secret
    knowledge = build_knowledge(rng)
    apps = dict(knowledge.apps)
    later: list[tuple[datetime, int, bytes]] = []
    poison_at = {plan.events // 3: 0, plan.events // 2: 1, 2 * plan.events // 3: 2}
    for number, moment in enumerate(times(plan, rng)):
        yield from _arrived(later, moment)
        situation = situation_at(moment, plan, apps, rng)
        event_id = f"ans-{rng.getrandbits(64):016x}"
        simulated = simulate_answer(event_id, moment, situation, knowledge, rng)
        if number in poison_at or rng.random() < _POISON:
            yield Line(_poison(poison_at.get(number, rng.randrange(1, 5)), simulated.event), None)
        first, again = _with_late_signals(simulated.event, rng)
        line = _encoded(_strange(first, rng))
        yield Line(line, simulated.truth)
        if again is not None:
            _put(later, moment + timedelta(minutes=rng.randrange(10, 2880)), number, _encoded(again))
        if rng.random() < _DUPLICATE:
            _put(later, moment + timedelta(seconds=rng.randrange(1, 600)), number, line)
    yield from _arrived(later, plan.ends)


def _put(later: list[tuple[datetime, int, bytes]], at: datetime, number: int, line: bytes) -> None:
    heapq.heappush(later, (at, number, line))


def _arrived(later: list[tuple[datetime, int, bytes]], now: datetime) -> Iterator[Line]:
    while later and later[0][0] < now:
        yield Line(heapq.heappop(later)[2], None)


def _with_late_signals(event: dict[str, Any], rng: Random) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the event as it is first sent, and the record that brings its signals later, if they do."""
    signals = event.get("signals", {})
    late = {name: signals[name] for name in _LATE_SIGNALS if name in signals}
    if not late or rng.random() >= _LATE:
        return event, None
    at_once = {name: value for name, value in signals.items() if name not in late}
    again = event | {"signals": signals}
    if rng.random() >= _LATE_WITH_CONTENT:
        again = {
            "event_id": event["event_id"],
            "occurred_at": event["occurred_at"],
            "answer": "",
            "signals": late,
        }
    return event | {"signals": at_once}, again


def _strange(event: dict[str, Any], rng: Random) -> dict[str, Any]:
    """Now and then put in what cannot be stored as sent: no number, half a character, a NUL."""
    if rng.random() >= _STRANGE_VALUE:
        return event
    kind = rng.randrange(3)
    if kind == 0 and event.get("retrieved"):
        first, *rest = event["retrieved"]
        return event | {"retrieved": [first | {"score": float("nan")}, *rest]}
    return event | {"question": event["question"] + ("\ud83d" if kind == 1 else "\x00")}


def _poison(kind: int, event: dict[str, Any]) -> bytes:
    """Return a record that cannot be used: too large, cut short, no object, without id, a wrong type."""
    whole = _encoded(event)
    if kind == 0:
        return _encoded(event | {"event_id": "ans-oversized", "answer": "x" * _OVERSIZED_BYTES})
    if kind == 1:
        return whole[: len(whole) // 2]
    if kind == 2:
        return b"[" + whole + b"]"
    if kind == 3:
        return _encoded({name: value for name, value in event.items() if name != "event_id"})
    return _encoded(event | {"answer": {"text": event["answer"]}})


def _encoded(event: dict[str, Any]) -> bytes:
    # ASCII escapes carry even half a character, which UTF-8 could not.
    return json.dumps(event, ensure_ascii=True).encode("ascii")
