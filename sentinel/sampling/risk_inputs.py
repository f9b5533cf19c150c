"""What the risk model looks at: a few bounded numbers of an answer's indicators.

They are worked out alike from the indicators in memory and from the numbers stored with a drawn unit,
so that a model can be fitted to what was drawn and later predict what comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log, log1p
from typing import Any

import msgspec

from sentinel.records import Indicators

#: The features of the model, in the order of summation.
FEATURES = (
    "evidence_missing",
    "log_words",
    "lowest_overlap_gap",
    "overlap_gap",
    "unknown_words",
    "ungrounded_numbers",
    "ungrounded_names",
    "missing_citation",
    "invalid_citations",
    "empty_retrieval",
    "abstained",
    "partial_abstention",
)
_FEWEST_WORDS = 5
_MOST_WORDS = 1000
_MOST_COUNTED = 5
_MOST_UNKNOWN = 30
_LOGS = tuple(log1p(count) for count in range(_MOST_COUNTED + 1))
#: Evidence of fewer words than these, and than the answer has content words, cannot be all that the
#: answer rests on: a title or a placeholder stands where the text was.
_THIN_EVIDENCE = 20


class RiskInputs(msgspec.Struct, frozen=True, gc=False):
    """The numbers and flags behind the features; None is unknown. See `records.GroundingIndicators`."""

    words: int
    evidence_known: bool
    evidence_words: int
    content_words: int
    overlap: float | None
    lowest_overlap: float | None
    ungrounded_numbers: int
    ungrounded_names: int
    missing_citation: bool
    invalid_citations: int
    empty_retrieval: bool
    abstention: str


def inputs_of(indicators: Indicators) -> RiskInputs:
    """Return the inputs of an answer in memory."""
    grounding = indicators.grounding
    return RiskInputs(
        words=indicators.length.words,
        evidence_known=grounding.numbers is not None,
        evidence_words=grounding.evidence_words or 0,
        content_words=grounding.content_words or 0,
        overlap=grounding.overlap,
        lowest_overlap=grounding.lowest_overlap,
        ungrounded_numbers=len(grounding.ungrounded_numbers or ()),
        ungrounded_names=len(grounding.ungrounded_names or ()),
        missing_citation=indicators.citations.missing,
        invalid_citations=len(indicators.citations.invalid),
        empty_retrieval=indicators.retrieval.empty is True,
        abstention=indicators.abstention.kind,
    )


def inputs_of_stored(numbers: Mapping[str, Any]) -> RiskInputs:
    """Return the inputs from the numbers and flags stored with a drawn unit.

    Raises KeyError where one is missing: the unit was drawn with other indicators than these.
    """
    return RiskInputs(
        words=numbers["words"],
        evidence_known=numbers["numbers"] is not None,
        evidence_words=numbers["evidence_words"] or 0,
        content_words=numbers["content_words"] or 0,
        overlap=numbers["overlap"],
        lowest_overlap=numbers["lowest_overlap"],
        ungrounded_numbers=numbers["ungrounded_numbers"] or 0,
        ungrounded_names=numbers["ungrounded_names"] or 0,
        missing_citation=numbers["missing_citation"] is True,
        invalid_citations=numbers["invalid_citations"],
        empty_retrieval=numbers["empty_retrieval"] is True,
        abstention=numbers["abstention"],
    )


def features(inputs: RiskInputs) -> tuple[float, ...]:
    """Return the features in the order of `FEATURES`, all bounded.

    Where nothing was retrieved, only that counts: nothing of the answer can be found, and to decline is
    right. Where evidence is unknown or too thin to hold the answer, overlap says nothing and length
    speaks in its place.
    """
    invalid_citations = min(inputs.invalid_citations, 3) / 3 if inputs.invalid_citations else 0.0
    missing_citation = 1.0 if inputs.missing_citation else 0.0
    if inputs.empty_retrieval and inputs.evidence_words == 0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, missing_citation, invalid_citations, 1.0, 0.0, 0.0)
    abstained = 1.0 if inputs.abstention == "full" else 0.0
    partly = 1.0 if inputs.abstention == "partial" else 0.0
    rest = (missing_citation, invalid_citations, 0.0, abstained, partly)
    if not inputs.evidence_known or _is_thin(inputs):
        words = min(max(inputs.words, _FEWEST_WORDS), _MOST_WORDS)
        return (1.0, log1p(words) - log(101), 0.0, 0.0, 0.0, 0.0, 0.0, *rest)
    gap = _gap(inputs.overlap)
    return (
        0.0,
        0.0,
        gap if inputs.lowest_overlap is None else _gap(inputs.lowest_overlap),
        gap,
        log1p(min(gap * inputs.content_words, _MOST_UNKNOWN)),
        _LOGS[min(inputs.ungrounded_numbers, _MOST_COUNTED)],
        _LOGS[min(inputs.ungrounded_names, _MOST_COUNTED)],
        *rest,
    )


def _is_thin(inputs: RiskInputs) -> bool:
    return inputs.evidence_words < min(_THIN_EVIDENCE, inputs.content_words)


def _gap(share: float | None) -> float:
    if share is None or share >= 1.0:
        return 0.0
    return 1.0 - share if share > 0.0 else 1.0
