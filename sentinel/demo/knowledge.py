"""The assistant's knowledge base: passages made from `topics.yaml`, one per topic and subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from random import Random
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing a passage states. `says` still has its {n} or {name}; `value` is what belongs there.

    `others` are the values that other passages have there, `twist` a phrase of `says` with its opposite.
    """

    states: str
    says: str
    value: str | None
    unit: str | None
    is_number: bool
    others: tuple[str, ...]
    twist: tuple[str, str] | None

    def said_with(self, value: str | None) -> str:
        """Return the fact as an answer puts it, with `value` in its place."""
        return self.says if value is None else self.says.format(n=value, name=value)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of the knowledge base with the facts it is made of and what is asked about it."""

    id: str
    workflow: str
    subject: str
    document_class: str
    version: str
    facts: tuple[Fact, ...] = field(repr=False)
    asks: tuple[str, ...] = field(repr=False)

    @property
    def text(self) -> str:
        """Return the passage as the index holds it."""
        return " ".join(fact.states for fact in self.facts)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All passages by workflow, and the app each workflow belongs to."""

    passages: Mapping[str, tuple[Passage, ...]]
    apps: Mapping[str, str]


def build_knowledge(rng: Random) -> Knowledge:
    """Return the knowledge base of one simulation: the same facts, with values of its own."""
    source = yaml.safe_load(files("sentinel.demo").joinpath("topics.yaml").read_text(encoding="utf-8"))
    passages: defaultdict[str, list[Passage]] = defaultdict(list)
    for workflow, part in source["workflows"].items():
        for topic in part["topics"]:
            for number, subject in enumerate(source["subjects"][part["subjects"]]):
                passages[workflow].append(_passage(workflow, topic, number, subject, rng))
    apps = {workflow: part["app"] for workflow, part in source["workflows"].items()}
    return Knowledge({workflow: tuple(found) for workflow, found in passages.items()}, apps)


def _passage(workflow: str, topic: Mapping[str, Any], number: int, subject: str, rng: Random) -> Passage:
    return Passage(
        id=f"{workflow}-{topic['slug']}-{number + 1:02d}",
        workflow=workflow,
        subject=subject,
        document_class=topic["class"],
        version=f"2025.{rng.randrange(1, 5)}",
        facts=tuple(_fact(fact, subject, rng) for fact in topic["facts"]),
        asks=tuple(ask.format(subject=subject) for ask in topic["asks"]),
    )


def _fact(source: Mapping[str, Any], subject: str, rng: Random) -> Fact:
    values: Sequence[object] = source.get("numbers") or source.get("names") or ()
    value = str(rng.choice(values)) if values else None
    twist = source.get("twist")
    says = source["says"].replace("{subject}", subject)
    return Fact(
        states=source["states"].format(subject=subject, n=value, name=value),
        says=says,
        value=value,
        unit=source.get("unit"),
        is_number="numbers" in source,
        others=tuple(str(other) for other in values if str(other) != value),
        twist=(twist[0], twist[1]) if twist else None,
    )
