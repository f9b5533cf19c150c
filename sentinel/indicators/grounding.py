"""How far an answer's numbers, names and words stand in the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sentinel.indicators.names import ungrounded_names
from sentinel.indicators.numerals import WrittenNumber, answer_numbers, day_in_date
from sentinel.indicators.passages import EvidenceFacts, PassageMemo, evidence_facts
from sentinel.indicators.sentences import sentences_of
from sentinel.indicators.words import content_stems, words_of
from sentinel.records import GroundingIndicators, RawAnswer

_UNKNOWN = GroundingIndicators(
    numbers=None, ungrounded_numbers=None, ungrounded_names=None, overlap=None, lowest_overlap=None
)
#: A sentence of fewer content words says too little for its share of known words to mean anything.
SENTENCE_CONTENT_WORDS = 4
_LINE_NUMBER = re.compile(r"^([ \t>*#_-]{0,12}\(?)\d{1,3}([.)\]:])(?!\d)", re.MULTILINE)
_STEP = re.compile(
    r"\b(steps?|option|part|phase|tip|reason|point|example|question|figure|table)\s(#?)\d{1,2}\b(?![.,]\d)",
    re.I,
)
_INLINE_NUMBER = re.compile(r"(?:(?<=\s)|^)\(?(\d{1,2})[.)]\s")


def evidence_of(answer: RawAnswer, memo: PassageMemo) -> list[EvidenceFacts] | None:
    """Return what is known of each piece of evidence: passages, tool outputs, the question.

    None where neither passages nor tool outputs are known: the question alone is no evidence.
    """
    retrieved = answer.retrieved
    texts = [passage.text for passage in retrieved or () if passage.text and not passage.text.isspace()]
    outputs = [text for call in answer.tool_calls if call.output is not None for text in _texts(call.output)]
    known = (retrieved is not None and (bool(texts) or not retrieved)) or any(
        call.output is not None for call in answer.tool_calls
    )
    if not known:
        return None
    facts = [memo.facts(text) for text in texts]
    if outputs:
        facts.append(evidence_facts("\n".join(outputs)))
    if answer.question:
        facts.append(evidence_facts(answer.question))
    return facts


def grounding_indicators(text: str, evidence: list[EvidenceFacts] | None) -> GroundingIndicators:
    """Compare an answer with its evidence.

    `text` is the answer without fenced code, citations and addresses. Shares are rounded to 6 decimals.
    """
    if evidence is None:
        return _UNKNOWN
    sentences = [content_stems(words_of(sentence)) for sentence in sentences_of(text)]
    unknown = set().union(*sentences) if sentences else set()
    total = len(unknown)
    for facts in evidence:
        unknown = unknown - facts.stems
    numbers = answer_numbers(_without_numbering(text), frozenset(words_of(text)))
    ungrounded = [number for number in numbers if not _is_grounded(number, text, evidence)]
    return GroundingIndicators(
        numbers=len(numbers),
        ungrounded_numbers=tuple(dict.fromkeys(number.written for number in ungrounded)),
        ungrounded_names=ungrounded_names(text, [facts.words for facts in evidence]),
        overlap=round(1 - len(unknown) / total, 6) if total else None,
        lowest_overlap=_lowest(sentences, unknown),
    )


def _lowest(sentences: list[set[str]], unknown: set[str]) -> float | None:
    shares = [
        1 - len(stems & unknown) / len(stems) for stems in sentences if len(stems) >= SENTENCE_CONTENT_WORDS
    ]
    return round(min(shares), 6) if shares else None


def _is_grounded(number: WrittenNumber, text: str, evidence: list[EvidenceFacts]) -> bool:
    if any(number.grounded(facts.readings) for facts in evidence):
        return True
    if number.parts and all(
        any(reading in facts.readings for facts in evidence for reading in part) for part in number.parts
    ):
        return True
    dates = day_in_date(text, number.start)
    return any(reading in facts.readings for facts in evidence for reading in dates)


def _without_numbering(text: str) -> str:
    """Blank the numbers of lists and steps, keeping every place."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match[0])

    text = _STEP.sub(blank, _LINE_NUMBER.sub(blank, text))
    if " 2) " not in text and " 2. " not in text and "(2) " not in text:
        return text
    expected = 1
    spans = []
    for match in _INLINE_NUMBER.finditer(text):
        if int(match[1]) == expected:
            expected += 1
            spans.append(match.span(1))
    if len(spans) < 2:
        return text
    pieces = []
    position = 0
    for start, end in spans:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join(pieces) + text[position:]


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and numbers inside a JSON value, keys left out, without recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed(list(item.values())))
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(item))
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield repr(item)
