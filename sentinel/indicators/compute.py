"""All leading indicators of one answer."""

from __future__ import annotations

import re

from msgspec import structs

from sentinel.indicators.abstention import abstention_indicators
from sentinel.indicators.citations import Resolver, citation_indicators, text_references
from sentinel.indicators.delivery import delivery_indicators
from sentinel.indicators.grounding import evidence_of, grounding_indicators, source_words
from sentinel.indicators.length import length_indicators
from sentinel.indicators.markers import Reference
from sentinel.indicators.params import IndicatorParams
from sentinel.indicators.passages import PassageMemo
from sentinel.indicators.quotations import ungrounded_quotes
from sentinel.indicators.retrieval import retrieval_indicators
from sentinel.indicators.sentences import without_code, without_fences
from sentinel.indicators.sources import source_indicators
from sentinel.indicators.wording import Wording
from sentinel.records import Indicators, RawAnswer

#: Part of the design id: raised whenever the value of any indicator may change.
INDICATOR_VERSION = "5"

_DIGIT = re.compile(r"\d")
_PLEASANTRY = re.compile(
    r"\W*(?:(?:you're|you are) (?:very )?welcome|hello|hi|hey|thanks?(?: you)?"
    r"|good (?:morning|afternoon|evening|day)|bye|goodbye|glad (?:i|to)"
    r"|happy to help|have a (?:nice|great|good)|sure|no problem)\b"
    r"[^.!?\n]{0,60}[.!?]?(?:\s+[^.!?\n]{0,100}[.!?]?)?\W*",
    re.IGNORECASE,
)


def compute_indicators(answer: RawAnswer, params: IndicatorParams, memo: PassageMemo) -> Indicators:
    """Compute every indicator; a pure function of answer and parameters (`memo` only saves time)."""
    app = answer.domains.get("app")
    text = answer.answer
    wording = Wording(text)
    length = length_indicators(text)
    abstention = abstention_indicators(wording, answer.answerable)
    resolver = Resolver(answer.retrieved, answer.citations, params.resolution(app))
    readable = without_code(text)
    references = text_references(readable, resolver, wording.telling)
    delivery = delivery_indicators(answer)
    needs_citation = (
        params.expects_citations(app)
        and not abstention.abstained
        and not delivery.upstream_error
        and length.words >= params.substantive_words
        and not _says_nothing(text)
    )
    fenceless = without_fences(text)
    if fenceless is not readable:
        references_in_prose = text_references(fenceless, resolver, wording.telling)
    else:
        references_in_prose = references
    prose = _without_references(fenceless, references_in_prose)
    if prose is not text and not (fenceless is text and _hold_no_word(text, references_in_prose)):
        wording = Wording(prose)
    evidence = evidence_of(answer, memo)
    citations = citation_indicators(references, resolver, answer.citations, needs_citation)
    grounding = grounding_indicators(prose, wording, evidence, source_words(evidence, answer))
    quotes = ungrounded_quotes(readable, answer, known=evidence is not None)
    return Indicators(
        citations=citations,
        retrieval=retrieval_indicators(answer.retrieved, params.distance_limit(app)),
        abstention=abstention,
        length=length,
        grounding=structs.replace(grounding, ungrounded_quotes=quotes),
        delivery=delivery,
        sources=source_indicators(answer.retrieved, citations, params.denied_access),
    )


def _says_nothing(text: str) -> bool:
    """Return whether a short answer is a greeting or only asks back: nothing in it needs a source."""
    if len(text) > 300:
        return False
    stripped = text.strip()
    one_question = stripped.endswith("?") and not any(mark in stripped[:-1] for mark in ".!\n")
    return one_question or _PLEASANTRY.fullmatch(stripped) is not None


def _hold_no_word(text: str, references: list[Reference]) -> bool:
    """Return whether a text without these has the same words in the same sentences.

    So it is where all are numbers in brackets that stand after a gap: most answers are cited like that.
    """
    position = 0
    for reference in references:
        start = reference.start
        if start < position:
            continue
        if text[start : reference.end].strip("[]0123456789, "):
            return False
        # After another one the gap is before that one.
        if start > position or not start:
            before = text[start - 1 : start]
            if not before.isascii() or before.isalpha():
                return False
        position = reference.end
    return True


def _without_references(text: str, references: list[Reference]) -> str:
    """Take citations and addresses out; the text of a Markdown link stays."""
    if not references:
        return text
    kept = []
    position = 0
    for reference in references:
        if reference.start < position:
            continue
        kept.append(text[position : reference.start])
        if reference.kind == "link":
            kept.append(reference.label if not reference.label.isdigit() else "")
        elif (
            reference.kind == "bracket"
            and reference.label != "range"
            and not (reference.content.isdigit() or _DIGIT.search(reference.content))
        ):
            kept.append(reference.content)
        position = reference.end
    kept.append(text[position:])
    return "".join(kept)
