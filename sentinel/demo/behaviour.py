"""How the simulated assistant behaves: the hidden probabilities behind its mistakes.

Nothing here is read by what estimates; it only decides what the traffic is like.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from random import Random
from typing import Literal

Course = Literal["answer", "abstain", "partial", "empty_answer", "empty_abstain", "unknown_evidence"]

_BASE = log(0.012 / 0.988)
_MODEL = {"atlas-2": 0.0, "atlas-2-mini": 0.6}
_PROMPT = {"v7": 0.0, "v8": 1.0}
_WORKFLOW = {
    "refunds": 0.0,
    "shipping": 0.1,
    "warranty": 0.6,
    "account": -0.3,
    "cards": 0.3,
    "transfers": -0.1,
}
#: Mistakes come in company: answers differ in how many they make, beyond all that is known of them.
_ANSWER_SPREAD = 0.8
_COURSES: dict[Course, float] = {
    "answer": 0.865,
    "abstain": 0.035,
    "partial": 0.03,
    "empty_answer": 0.01,
    "empty_abstain": 0.025,
    "unknown_evidence": 0.035,
}


@dataclass(frozen=True, slots=True)
class Situation:
    """What an answer's quality depends on."""

    app: str
    workflow: str
    tenant: str
    locale: str
    model: str
    prompt_version: str

    def domains(self) -> dict[str, str]:
        """Return the fields of the event that name slices and versions."""
        return {name: getattr(self, name) for name in self.__slots__}


def mistake_probability(situation: Situation, rng: Random) -> float:
    """Return the chance that one claim of this one answer is unsupported."""
    logit = (
        _BASE
        + _MODEL[situation.model]
        + _PROMPT[situation.prompt_version]
        + _WORKFLOW[situation.workflow]
        + rng.gauss(0.0, _ANSWER_SPREAD)
    )
    return 1.0 / (1.0 + exp(-logit))


def course_of(rng: Random) -> Course:
    """Return what becomes of a question: answered, declined, answered without evidence …"""
    return rng.choices(tuple(_COURSES), tuple(_COURSES.values()))[0]


def signals_of(is_bad: bool, rng: Random) -> dict[str, object]:
    """Return what users report of an answer; they notice some of what is wrong."""
    signals: dict[str, object] = {}
    if rng.random() < (0.05 if is_bad else 0.003):
        signals["user_correction"] = True
    if rng.random() < (0.01 if is_bad else 0.0005):
        signals["unsupported_citation_report"] = True
    if rng.random() < (0.004 if is_bad else 0.0004):
        signals["safety_incident"] = True
    if rng.random() < 0.12:
        signals["thumbs"] = "down" if rng.random() < (0.6 if is_bad else 0.2) else "up"
    return signals
