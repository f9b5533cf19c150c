"""Words in quotation marks that stand in no evidence: a quotation that nobody made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sentinel.indicators.signs import OTHER, QUOTE
from sentinel.records import RawAnswer

#: Shorter ones are names, terms and scare quotes.
LEAST_WORDS = 4
#: Longer texts between marks are written on demand, or a mark was not closed.
_MOST_CHARACTERS = 600
_QUOTED = re.compile(
    rf"(?<!\d)\"([^\"\n]{{12,{_MOST_CHARACTERS}}})\"|“([^“”\n]{{12,{_MOST_CHARACTERS}}})”|«\s?([^«»\n]{{12,{_MOST_CHARACTERS}}})\s?»"
    rf"|»([^«»\n]{{12,{_MOST_CHARACTERS}}})«|„([^„“”\n]{{12,{_MOST_CHARACTERS}}})[“”]|「([^「」\n]{{8,{_MOST_CHARACTERS}}})」"
    rf"|『([^『』\n]{{8,{_MOST_CHARACTERS}}})』"
)  # fmt: skip
_MARKS = ('"', "“", "«", "»", "„", "「", "『")
#: What may be left out or put in: `the fee […] is due`, `[the customer] pays`.
_GAP = re.compile(r"\s*(?:\[[^\[\]\n]{0,60}\]|\(?…\)?|\(?\.{3,4}\)?)\s*")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTERS_A_WORD = 2


def ungrounded_quotes(text: str, answer: RawAnswer, signs: int, *, known: bool) -> int | None:
    """Count quotations of the answer that no passage, tool output or question holds, word by word.

    `text` is the answer without code, `signs` its signs (`signs.look_at`) and maybe others; `known` tells
    whether there is evidence at all, None otherwise.
    Case, punctuation and kinds of marks are forgiven, and what a quotation marks as left out. The app's own
    citations count with their `quote`.
    """
    if not known:
        return None
    citations = answer.citations
    if not citations and not signs & (QUOTE | OTHER):
        return 0
    quotes = [quote for citation in citations if (quote := citation.quote)]
    if any(mark in text for mark in _MARKS):
        quotes.extend(next(filter(None, match.groups())) for match in _QUOTED.finditer(text))
    pieces = [piece for quote in quotes if (piece := _pieces(quote))]
    if not pieces:
        return 0
    evidence = [_spelt(one) for one in _evidence(answer)]
    return sum(not any(_holds(one, parts) for one in evidence) for parts in pieces)


def _pieces(quote: str) -> list[str]:
    """Return the stretches of a quotation between its gaps, spelt alike; none if it is too short."""
    parts = [_spelt(part) for part in _GAP.split(quote)]
    length = sum(_length(part) for part in parts)
    return [part for part in parts if part] if length >= LEAST_WORDS else []


def _holds(evidence: str, parts: Iterable[str]) -> bool:
    place = 0
    for part in parts:
        place = evidence.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def _spelt(text: str) -> str:
    """Return words alone, in one case, with a space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} " if text and not text.isspace() else ""


def _length(spelt: str) -> int:
    return len(spelt.split()) + len(_UNSPACED.findall(spelt)) // _LETTERS_A_WORD


def _evidence(answer: RawAnswer) -> Iterator[str]:
    if answer.question:
        yield answer.question
    for passage in answer.retrieved or ():
        if passage.text:
            yield passage.text
    for call in answer.tool_calls:
        yield from _strings(call.output)


def _strings(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            stack.extend(one.values())
        elif isinstance(one, list | tuple):
            stack.extend(one)
