"""How likely an answer is bad, judged by its indicators: a logistic model with fixed coefficients.

The prediction enters the size measure, so a draw goes more often to answers that look bad; estimates
stay unbiased whatever it says, a better model only makes them sharper.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log1p

from sentinel.records import Indicators

#: Predictions stay within these, so that no answer is all but certain to be good or bad.
LOWEST_RISK = 0.02
HIGHEST_RISK = 0.9
_DECIMALS = 6
_MOST_COUNTED = 5
_FEWEST_WORDS = 5
_MOST_WORDS = 1000
_LOW_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class RiskModel:
    """Coefficients on the logit scale; their names and version enter the design id.

    `intercept`: an answer of 100 words wholly made of its evidence's words. `log_words`: per unit of
    log((words + 1) / 101). `evidence_unknown`: neither passages nor tool outputs are known.
    `lowest_overlap_gap`, `overlap_gap`: per 1 − share of content words found in the evidence, of the
    worst sentence and of the whole. `ungrounded_numbers`, `ungrounded_names`: per log(1 + count), count
    up to 5. `invalid_citations`: per third of up to three. The rest are flags.
    """

    version: str
    intercept: float
    log_words: float
    evidence_unknown: float
    lowest_overlap_gap: float
    overlap_gap: float
    ungrounded_numbers: float
    ungrounded_names: float
    missing_citation: float
    invalid_citations: float
    empty_retrieval: float
    abstained: float
    partial_abstention: float


#: Fitted on 5,627 answers with human labels: RAGTruth QA (497), ExpertQA (288), DelucionQA (1,852),
#: MTRAG human evaluation (285), HaluEval general (2,705; closed book, so its retrieval is unknown).
#: Ridge-penalised logistic regression, every source given the same total weight, one intercept a source
#: while the slopes are fitted, slopes not negative and drawn to a small prior; then one intercept and
#: `evidence_unknown` over all. See docs/indicators.md for figures and limits.
DEFAULT_RISK_MODEL = RiskModel(
    version="1",
    intercept=-1.774,
    log_words=0.316,
    evidence_unknown=0.919,
    lowest_overlap_gap=0.843,
    overlap_gap=0.799,
    ungrounded_numbers=0.6,
    ungrounded_names=0.462,
    missing_citation=0.138,
    invalid_citations=0.073,
    empty_retrieval=0.716,
    abstained=0.571,
    partial_abstention=0.56,
)

#: Quantiles 0, 1/40, … 1 of this model's predictions over the answers it was fitted on, every source with
#: the same total weight: the distribution a design assumes before it has seen traffic of its own.
REFERENCE_RISKS: tuple[float, ...] = (
    0.0732, 0.1203, 0.1397, 0.1539, 0.1659, 0.1762, 0.1841, 0.1926, 0.1998, 0.2082,
    0.2171, 0.2234, 0.2292, 0.2350, 0.2397, 0.2458, 0.2504, 0.2552, 0.2604, 0.2645,
    0.2698, 0.2739, 0.2782, 0.2825, 0.2863, 0.2906, 0.2950, 0.2990, 0.3029, 0.3082,
    0.3132, 0.3184, 0.3231, 0.3301, 0.3429, 0.3590, 0.3883, 0.4191, 0.4596, 0.5841,
    0.9000,
)  # fmt: skip


def predicted_risk(indicators: Indicators, model: RiskModel = DEFAULT_RISK_MODEL) -> float:
    """Return the probability that the answer is bad, within [0.02, 0.9], rounded to 6 decimals.

    Rounded so that the last bits of a platform's `exp` cannot change an inclusion probability.
    """
    logit = model.intercept
    for coefficient, value in _terms(indicators, model):
        logit += coefficient * value
    risk = 1 / (1 + exp(-min(max(logit, -30.0), 30.0)))
    return round(min(max(risk, LOWEST_RISK), HIGHEST_RISK), _DECIMALS)


def risk_reasons(indicators: Indicators) -> tuple[str, ...]:
    """Return the fixed words for what speaks against an answer, in a fixed order."""
    citations, retrieval, grounding = indicators.citations, indicators.retrieval, indicators.grounding
    states = (
        ("invalid_citation", bool(citations.invalid)),
        ("missing_citation", citations.missing),
        ("empty_retrieval", retrieval.empty is True),
        ("high_distance", retrieval.high_distance is True),
        ("ungrounded_number", bool(grounding.ungrounded_numbers)),
        ("ungrounded_name", bool(grounding.ungrounded_names)),
        ("low_overlap", grounding.overlap is not None and grounding.overlap < _LOW_OVERLAP),
        ("abstained", indicators.abstention.kind == "full"),
        ("partial_abstention", indicators.abstention.kind == "partial"),
    )
    return tuple(word for word, state in states if state)


def _terms(indicators: Indicators, model: RiskModel) -> tuple[tuple[float, float], ...]:
    """Return pairs of coefficient and bounded feature, in a fixed order of summation."""
    grounding, kind = indicators.grounding, indicators.abstention.kind
    words = min(max(indicators.length.words, _FEWEST_WORDS), _MOST_WORDS)
    gap = _gap(grounding.overlap)
    lowest_gap = gap if grounding.lowest_overlap is None else _gap(grounding.lowest_overlap)
    return (
        (model.log_words, log1p(words) - log(101)),
        (model.evidence_unknown, float(grounding.numbers is None)),
        (model.lowest_overlap_gap, lowest_gap),
        (model.overlap_gap, gap),
        (model.ungrounded_numbers, _log_count(grounding.ungrounded_numbers)),
        (model.ungrounded_names, _log_count(grounding.ungrounded_names)),
        (model.missing_citation, float(indicators.citations.missing)),
        (model.invalid_citations, min(len(indicators.citations.invalid), 3) / 3),
        (model.empty_retrieval, float(indicators.retrieval.empty is True)),
        (model.abstained, float(kind == "full")),
        (model.partial_abstention, float(kind == "partial")),
    )


def _gap(share: float | None) -> float:
    return 0.0 if share is None else 1.0 - min(max(share, 0.0), 1.0)


def _log_count(values: tuple[str, ...] | None) -> float:
    return log1p(min(len(values), _MOST_COUNTED)) if values else 0.0
