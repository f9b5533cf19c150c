"""How far an answer's numbers, names and words stand in the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from unicodedata import combining, normalize

from msgspec import structs

from sentinel.indicators.names import ungrounded_names
from sentinel.indicators.numerals import WrittenNumber, compared_numbers, stands_in
from sentinel.indicators.passages import Evidence, PassageMemo, passing_evidence
from sentinel.indicators.readings import Reading, day_in_date, names_a_month
from sentinel.indicators.word_sets import vocabulary
from sentinel.indicators.wording import Wording
from sentinel.indicators.words import STOP_WORDS
from sentinel.records import GroundingIndicators, RawAnswer

_UNKNOWN = GroundingIndicators(
    numbers=None, ungrounded_numbers=None, ungrounded_names=None, overlap=None, lowest_overlap=None
)
#: A sentence of fewer content words says too little for its share of known words to mean anything.
SENTENCE_CONTENT_WORDS = 4
_STOP_WORDS = vocabulary(STOP_WORDS)


@lru_cache(maxsize=4096)
def _rounded(share: float) -> float:
    """Return a share with 6 decimals: few differ, and rounding writes the number out and reads it."""
    return round(share, 6)


def evidence_of(answer: RawAnswer, memo: PassageMemo) -> list[Evidence] | None:
    """Return what is known of each piece of evidence: passages, tool outputs, the question.

    None where neither passages nor tool outputs are known: the question alone is no evidence.
    """
    retrieved = answer.retrieved
    texts = [text for passage in retrieved or () if (text := passage.text) and not text.isspace()]
    outputs = [text for call in answer.tool_calls if call.output is not None for text in _texts(call.output)]
    known = (retrieved is not None and (bool(texts) or not retrieved)) or any(
        call.output is not None for call in answer.tool_calls
    )
    if not known:
        return None
    facts: list[Evidence] = [memo.facts(text) for text in texts]
    if outputs:
        facts.append(passing_evidence("\n".join(outputs)))
    if answer.question:
        facts.append(passing_evidence(answer.question))
    return facts


def source_words(evidence: list[Evidence] | None, answer: RawAnswer) -> int | None:
    """Return the distinct words of each passage and of the tool outputs, added up; the question's are none.

    Of a passage that stands for a withheld text only a few are there: such evidence tells nothing.
    """
    if evidence is None:
        return None
    own = evidence[:-1] if answer.question else evidence
    return sum(len(facts.words) for facts in own)


def grounding_indicators(
    text: str,
    wording: Wording,
    evidence: list[Evidence] | None,
    evidence_words: int | None,
    ungrounded_quotes: int | None = None,
) -> GroundingIndicators:
    """Compare an answer with its evidence, of which `evidence_words` are not the question's.

    `text` is the answer without fenced code, citations and addresses, `wording` its words. Shares are
    rounded to 6 decimals.
    """
    if evidence is None:
        return (
            _UNKNOWN
            if ungrounded_quotes is None
            else structs.replace(_UNKNOWN, ungrounded_quotes=ungrounded_quotes)
        )
    content_words, missing, unknown, lowest = wording.words.compared(
        [facts.words for facts in evidence], _STOP_WORDS, SENTENCE_CONTENT_WORDS
    )
    if missing and not text.isascii():
        missing = _but_for_accents(missing, evidence)
    telling = wording.telling_content()
    known: list[frozenset[Reading]] = []
    unread: list[Evidence] = []
    for facts in evidence:
        if facts.is_read:
            known.append(facts.readings)
        else:
            unread.append(facts)
    settled, numbers = compared_numbers(text, telling, known)
    ungrounded = _not_in(numbers, text, known, telling)
    if ungrounded and unread:  # what has to be worked out is, where all that is known is not enough
        known.extend([facts.readings for facts in unread])
        ungrounded = _not_in(ungrounded, text, known, telling)
    return GroundingIndicators(
        numbers=settled + len(numbers),
        ungrounded_numbers=tuple(dict.fromkeys([number.lacking(known) for number in ungrounded])),
        ungrounded_names=ungrounded_names(text, missing),
        overlap=_rounded(1 - unknown / content_words) if content_words else None,
        lowest_overlap=None if lowest is None else _rounded(lowest),
        content_words=content_words,
        evidence_words=evidence_words,
        ungrounded_quotes=ungrounded_quotes,
    )


def _not_in(
    numbers: list[WrittenNumber],
    text: str,
    evidence: list[frozenset[Reading]],
    telling: set[bytes],
) -> list[WrittenNumber]:
    """Return the numbers that do not stand in the evidence."""
    if not numbers:
        return numbers
    missing = [number for number in numbers if not number.grounded(evidence)]
    if missing and names_a_month(telling):
        missing = [number for number in missing if not _is_day(number, text, evidence)]
    return missing


def _but_for_accents(missing: set[bytes], evidence: list[Evidence]) -> set[bytes]:
    """Leave out the words that the evidence writes without their accents (`María`, `Maria`)."""
    return {
        word
        for word in missing
        if word.isascii() or not any(_bare(word) in facts.words for facts in evidence)
    }


def _bare(word: bytes) -> bytes:
    parts = normalize("NFD", word.decode("utf-8", "surrogatepass"))
    return "".join([part for part in parts if not combining(part)]).encode("utf-8", "surrogatepass")


def _is_day(number: WrittenNumber, text: str, evidence: list[frozenset[Reading]]) -> bool:
    """Return whether the evidence holds the written date in which the number is the day."""
    return stands_in(day_in_date(text, number.start), evidence)


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
