"""How likely an answer is bad, judged by its indicators: a logistic model with fixed coefficients.

The prediction enters the size measure, so a draw goes more often to answers that look bad; estimates
stay unbiased whatever it says, a better model only makes them sharper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from math import exp
from operator import attrgetter, mul

from sentinel.records import Indicators
from sentinel.sampling.risk_inputs import FEATURES, RiskInputs, features, inputs_of

#: Predictions stay within these, so that no answer is all but certain to be good or bad.
LOWEST_RISK = 0.02
HIGHEST_RISK = 0.9
#: Names the features, the default coefficients and the size measure that go with them; part of the design
#: id, raised with any of them: what was learned under another version is dropped.
RISK_VERSION = "2"
_DECIMALS = 6
_LOW_OVERLAP = 0.5
_COEFFICIENTS = attrgetter(*FEATURES)
_REASONS = (
    "invalid_citation",
    "missing_citation",
    "empty_retrieval",
    "high_distance",
    "ungrounded_number",
    "ungrounded_name",
    "low_overlap",
    "abstained",
    "partial_abstention",
)


@dataclass(frozen=True, slots=True)
class RiskModel:
    """Coefficients on the logit scale; they and the version enter the design id.

    `intercept`: an answer wholly made of its evidence's words. `evidence_missing`: evidence is unknown,
    or too thin to hold the answer; only then `log_words` counts, per unit of log((words + 1) / 101).
    `lowest_overlap_gap`, `overlap_gap`: per 1 − share of content words found in the evidence, of the
    worst sentence and of the whole. `unknown_words`: per log(1 + content words not found), up to 30.
    `ungrounded_numbers`, `ungrounded_names`: per log(1 + count), count up to 5. `invalid_citations`: per
    third of up to three. `empty_retrieval`: nothing was retrieved and no tool said anything; then
    nothing of the above counts, nor does declining. The rest are flags.
    """

    version: str
    intercept: float
    evidence_missing: float
    log_words: float
    lowest_overlap_gap: float
    overlap_gap: float
    unknown_words: float
    ungrounded_numbers: float
    ungrounded_names: float
    missing_citation: float
    invalid_citations: float
    empty_retrieval: float
    abstained: float
    partial_abstention: float

    def coefficients(self) -> tuple[float, ...]:
        """Return the intercept and the slopes in the order of `FEATURES`."""
        return (self.intercept, *_COEFFICIENTS(self))


def model_of(coefficients: Mapping[str, float], version: str = RISK_VERSION) -> RiskModel:
    """Return the model with these coefficients, by name; raises TypeError for one missing or unknown."""
    return RiskModel(version=version, **coefficients)


#: Fitted on 5,627 answers with human labels: RAGTruth QA (497), ExpertQA (288), DelucionQA (1,852),
#: MTRAG human evaluation (285), HaluEval general (2,705; closed book: it retrieves nothing).
#: Ridge-penalised logistic regression, every source given the same total weight, one intercept a source
#: while the slopes are fitted, slopes not negative and drawn to a small prior; then one intercept over
#: all. `python -m tests.benchmarks.fit_default_risk` does it again; docs/indicators.md has figures and
#: limits.
DEFAULT_RISK_MODEL = RiskModel(
    version=RISK_VERSION,
    intercept=-3.959,
    evidence_missing=2.392,
    log_words=0.875,
    lowest_overlap_gap=0.125,
    overlap_gap=0.737,
    unknown_words=0.871,
    ungrounded_numbers=1.296,
    ungrounded_names=0.673,
    missing_citation=0.1,
    invalid_citations=0.35,
    empty_retrieval=4.208,
    abstained=1.463,
    partial_abstention=1.12,
)

#: Quantiles 0, 1/40, … 1 of this model's predictions over the answers of the sources that retrieve, each
#: with the same total weight: the distribution a design assumes before it has seen traffic of its own.
REFERENCE_RISKS: tuple[float, ...] = (
    0.0200, 0.0207, 0.0355, 0.0387, 0.0485, 0.0561, 0.0678, 0.0735, 0.0819, 0.0877,
    0.0926, 0.1005, 0.1054, 0.1108, 0.1177, 0.1227, 0.1286, 0.1349, 0.1418, 0.1481,
    0.1557, 0.1629, 0.1711, 0.1780, 0.1881, 0.1978, 0.2092, 0.2198, 0.2292, 0.2437,
    0.2565, 0.2747, 0.2952, 0.3182, 0.3402, 0.3658, 0.3990, 0.5130, 0.5864, 0.6454,
    0.9000,
)  # fmt: skip


def predicted_risk(indicators: Indicators, model: RiskModel = DEFAULT_RISK_MODEL) -> float:
    """Return the probability that the answer is bad, within [0.02, 0.9], rounded to 6 decimals.

    Rounded so that the last bits of a platform's `exp` cannot change an inclusion probability.
    """
    return risk_of(inputs_of(indicators), model)


def risk_of(inputs: RiskInputs, model: RiskModel) -> float:
    """Return what `predicted_risk` returns, from the inputs of the model."""
    logit = model.intercept
    # In this order, one by one: the last bits of a sum depend on it.
    for term in map(mul, _COEFFICIENTS(model), features(inputs)):
        logit += term
    risk = 1 / (1 + exp(-min(max(logit, -30.0), 30.0)))
    return round(min(max(risk, LOWEST_RISK), HIGHEST_RISK), _DECIMALS)


def risk_reasons(indicators: Indicators) -> tuple[str, ...]:
    """Return the fixed words for what speaks against an answer, in a fixed order."""
    citations, retrieval, grounding = indicators.citations, indicators.retrieval, indicators.grounding
    states = (
        bool(citations.invalid),
        citations.missing,
        retrieval.empty is True,
        retrieval.high_distance is True,
        bool(grounding.ungrounded_numbers),
        bool(grounding.ungrounded_names),
        grounding.overlap is not None and grounding.overlap < _LOW_OVERLAP,
        indicators.abstention.kind == "full",
        indicators.abstention.kind == "partial",
    )
    return tuple(compress(_REASONS, states))
