"""All leading indicators of one answer."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from sentinel.indicators.abstention import abstention_indicators
from sentinel.indicators.citations import (
    citation_indicators,
    ids_named,
    plain_indicators,
    text_references,
)
from sentinel.indicators.delivery import delivery_indicators
from sentinel.indicators.formulas import without_formulas
from sentinel.indicators.grounding import evidence_of, grounding_indicators, source_words
from sentinel.indicators.markers import Reference, mentions
from sentinel.indicators.params import CitationResolution, IndicatorParams
from sentinel.indicators.passages import PassageMemo
from sentinel.indicators.plain_citations import plain_citations
from sentinel.indicators.quotations import ungrounded_quotes
from sentinel.indicators.resolver import Resolver
from sentinel.indicators.retrieval import retrieval_indicators
from sentinel.indicators.retrieved import read_passages
from sentinel.indicators.sentences import without_code, without_fences
from sentinel.indicators.signs import (
    BACKSLASH,
    BACKTICK,
    BRACKET,
    CARET,
    COLON,
    DOLLAR,
    INDENTED,
    LESS,
    OTHER,
    TILDE,
    look_at,
)
from sentinel.indicators.sources import NOT_TOLD, source_indicators
from sentinel.indicators.wording import Wording
from sentinel.records import Indicators, LengthIndicators, RawAnswer

#: Part of the design id: raised whenever the value of any indicator may change.
INDICATOR_VERSION = "5"

#: Without one of these signs a text holds no fenced code, no code at all, and nothing but plain citations.
_FENCES: Final = BACKTICK | TILDE
_CODE: Final = BACKTICK | TILDE | LESS | INDENTED
_NOT_PLAIN: Final = BACKTICK | TILDE | LESS | INDENTED | CARET | BACKSLASH | OTHER

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
    text, retrieved, cited = answer.answer, answer.retrieved, answer.citations
    citations_expected, resolution, distance_limit = _settings(params, answer)
    signs, words = look_at(text)
    wording = Wording(text)
    abstention = abstention_indicators(wording, answer.answerable, has_words=words > 0)
    read = None if retrieved is None else read_passages(retrieved)
    resolver = Resolver(retrieved, cited, resolution, read)
    plain = plain_citations_of(text, signs, resolver, wording.telling)
    delivery = delivery_indicators(answer, cites=plain is not None and plain[1] > 0)
    needs_citation = (
        citations_expected
        and abstention.kind != "full"
        and not delivery.upstream_error
        and words >= params.substantive_words
        and not _says_nothing(text)
    )
    readable = text
    if plain is not None:
        numbers, markers, prose = plain
        citations = plain_indicators(numbers, markers, resolver, cited, needs_citation)
    else:
        readable = without_code(text) if signs & _CODE else text
        references = text_references(readable, resolver, wording.telling, signs)
        citations = citation_indicators(references, resolver, cited, needs_citation)
        fenceless = without_fences(text) if signs & _FENCES else text
        if fenceless is not readable:
            references = text_references(fenceless, resolver, wording.telling, signs)
        prose = _without_references(fenceless, references)
        if prose is not text and not (fenceless is text and _hold_no_word(text, references)):
            wording = Wording(prose)
    evidence = evidence_of(answer, memo)
    quotes = ungrounded_quotes(readable, answer, signs, known=evidence is not None)
    grounding = grounding_indicators(prose, wording, evidence, source_words(evidence, answer), quotes)
    return Indicators(
        citations,
        retrieval_indicators(read, distance_limit),
        abstention,
        LengthIndicators(len(text), words),
        grounding,
        delivery,
        NOT_TOLD
        if retrieved is None or (read is not None and not read[4])
        else source_indicators(retrieved, citations, params.denied_access),
    )


def _settings(params: IndicatorParams, answer: RawAnswer) -> tuple[bool, CitationResolution, float]:
    """Return what `expects_citations`, `resolution` and `distance_limit` do, in one look."""
    apps = params.apps
    app = answer.domains.get("app") if apps else None
    own = None if app is None else apps.get(app)
    if app is None or own is None:
        return params.citations_expected, params.citation_resolution, params.high_distance
    return params.expects_citations(app), params.resolution(app), params.distance_limit(app)


def plain_citations_of(
    text: str, signs: int, resolver: Resolver, telling: Set[bytes]
) -> tuple[list[str], int, str] | None:
    """Return `plain_citations` of an answer that holds neither code nor another reference; None of others.

    They leave words and sentences as they are where they are taken out.
    """
    if signs & _NOT_PLAIN or (signs & COLON and "://" in text):
        return None
    plain = plain_citations(text) if signs & BRACKET else ([], 0, text)
    if (
        plain is None
        or mentions(text, telling, signs)
        or ids_named(text, resolver, telling, signs)
        or (signs & DOLLAR and plain[1] and without_formulas(text) != text)
    ):
        return None
    return plain


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
