"""How questions and answers are put: openings, refusals, and the ways in which sources are cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from sentinel.demo.knowledge import Passage
from sentinel.demo.people import Person
from sentinel.demo.retrieval import Found
from sentinel.records import ClaimAnnotation

#: `position` [1], `id` [refunds-term-03], `structured` in the event's own list, `none` not at all.
Style = Literal["position", "id", "structured", "none"]

_DECLINES = (
    "I'm sorry, the documents do not say anything about this.",
    "I could not find any information about that in the knowledge base.",
    "Unfortunately I cannot answer this question from the passages I have.",
    "The provided passages do not mention this.",
)
_OPENINGS = ("Thank you for your message. ", "Happy to help. ", "Good question. ")
_WRONG_MARK = 0.02
_STRUCTURED = 0.1


@dataclass(frozen=True, slots=True)
class Cited:
    """A claim, and the id of the document it cites; None where it needs none."""

    claim: ClaimAnnotation
    source: str | None


def question(target: Passage, person: Person, rng: Random) -> str:
    """Return a question about a passage; many customers say who they are."""
    asked = rng.choice(target.asks)
    kind = rng.random()
    if kind < 0.25:
        return f"Hi, this is {person.name}. {asked} You can reach me at {person.email}."
    if kind < 0.33:
        return f"{asked} My number is {person.phone}, please call."
    if kind < 0.38:
        return f"{asked} I paid with {person.card}."
    if kind < 0.42:
        return f"{asked} Please use my account {person.iban}. Regards, {person.name}"
    return asked


def opening(person: Person, rng: Random) -> str:
    """Return how an answer begins: often with nothing at all."""
    kind = rng.random()
    if kind < 0.2:
        return f"Hello {person.first}. "
    return rng.choice(_OPENINGS) if kind < 0.35 else ""


def declining(rng: Random) -> str:
    """Return a sentence that declines."""
    return rng.choice(_DECLINES)


def style_of(app: str, prompt_version: str, rng: Random) -> Style:
    """Return how an answer cites; the newer prompt forgets it more often."""
    if rng.random() < (0.04 if prompt_version == "v7" else 0.07):
        return "none"
    if rng.random() < _STRUCTURED:
        return "structured"
    return "position" if app == "shop-assistant" else "id"


def written(
    cited: Sequence[Cited], found: Found, style: Style, rng: Random
) -> tuple[str, list[dict[str, str]]]:
    """Return the claims as running text with their citations, and the structured citations."""
    sentences = []
    structured: dict[str, dict[str, str]] = {}
    for one in cited:
        text = one.claim.text
        if one.source is not None and style != "none":
            if style == "structured":
                structured[one.source] = {"id": one.source}
            else:
                text = f"{text[:-1]} [{_mark(one.source, found, style, rng)}]."
        sentences.append(text)
    return " ".join(sentences), list(structured.values())


def _mark(source: str, found: Found, style: Style, rng: Random) -> str:
    if rng.random() < _WRONG_MARK:
        return str(len(found.documents) + 3) if style == "position" else f"{source}-b"
    return str(found.place(source)) if style == "position" else source
