"""Fit the default risk model to files of human-labelled answers, and say how it does on those left out.

    python -m tests.benchmarks.fit_default_risk ANSWERS.jsonl [ANSWERS.jsonl …]

A line holds an answer event's fields and `human: {hallucinated: bool | null, claims: [{label}]}`; each file
is one source. Prints the coefficients and the reference risks of `sentinel.sampling.risk`, and a table: area
under the ROC curve and the labels needed for the case rate, as a share of those of a uniform sample without
a prediction (variance of the estimate as of Poisson sampling at `RATE`, exact over the file): for the fit to
everything, for answers whose question was left out of the fit, for a source left out of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import rankdata

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.sampling.allocation import size_measure, uniform_and_multiplier
from sentinel.sampling.fitting import FloatArray, fit_logistic
from sentinel.sampling.risk import HIGHEST_RISK, LOWEST_RISK
from sentinel.sampling.risk_inputs import FEATURES, features, inputs_of
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits

EVENT_FIELDS = ("app", "model", "task", "question", "answer", "retrieved", "citations")
#: Each source weighs as much as this many answers.
SOURCE_WEIGHT = 300.0
PENALTY = 0.5
#: Where the data say little: empty retrieval is rare or everywhere (an answer that nothing was retrieved for
#: is taken as one of which no word is found), citations are in one source only and rest on their prior.
PRIOR = {"empty_retrieval": (3.0, PENALTY), "invalid_citations": (0.4, 50.0), "missing_citation": (0.1, 50.0)}
#: No coefficient may turn its feature around; that of a missing citation is kept above 0 by rule.
LEAST = {"missing_citation": 0.1}
RATE, UNIFORM_SHARE, BASE_RATE = 0.04, 0.3, 0.1
FOLDS = 5
_GROUP_CHARACTERS = 80


@dataclass(frozen=True)
class Source:
    """One file: features (n, k), outcomes (n,), and a fold of each answer, by the question's beginning."""

    name: str
    features: FloatArray
    bad: FloatArray
    fold: np.ndarray


def read(path: Path) -> Source:
    """Read the labelled answers of a file."""
    rows, bad, folds = [], [], []
    memo = PassageMemo()
    for number, line in enumerate(path.read_text().splitlines()):
        row = json.loads(line)
        if row["human"]["hallucinated"] is None:
            continue
        event = {name: row[name] for name in EVENT_FIELDS if name in row} | {"event_id": f"e{number}"}
        answer = decode_value(json.dumps(event).encode(), DecodeLimits()).answer
        rows.append(features(inputs_of(compute_indicators(answer, IndicatorParams(), memo))))
        bad.append(float(row["human"]["hallucinated"]))
        group = (row.get("question") or "")[:_GROUP_CHARACTERS].encode()
        folds.append(blake2b(group, digest_size=2).digest()[0] % FOLDS)
    return Source(path.stem, np.array(rows), np.array(bad), np.array(folds))


def fit(sources: Sequence[Source], keep: Iterable[np.ndarray]) -> FloatArray:
    """Return intercept and slopes: slopes with one intercept a source, then one intercept over all."""
    kept = [(source.features[mask], source.bad[mask]) for source, mask in zip(sources, keep, strict=True)]
    kept = [(table, bad) for table, bad in kept if len(bad)]
    table = np.vstack([part for part, _ in kept])
    bad = np.concatenate([part for _, part in kept])
    weights = np.concatenate([np.full(len(part), SOURCE_WEIGHT / len(part)) for _, part in kept])
    own = np.zeros((len(bad), len(kept)))
    own[np.arange(len(bad)), np.repeat(np.arange(len(kept)), [len(part) for _, part in kept])] = 1.0
    count = len(kept)
    prior, penalty = np.array([PRIOR.get(name, (0.0, PENALTY)) for name in FEATURES]).T
    slopes = fit_logistic(
        np.hstack([own, table]),
        bad,
        weights,
        np.concatenate([np.full(count, -1.0), prior]),
        np.concatenate([np.full(count, 1e-3), penalty]),
        np.concatenate([np.full(count, -np.inf), [LEAST.get(name, 0.0) for name in FEATURES]]),
    )[count:]
    intercept = brentq(lambda a: float(np.sum(weights * (expit(a + table @ slopes) - bad))), -30, 30)
    return np.concatenate([[intercept], slopes])


def predicted(coefficients: FloatArray, table: FloatArray) -> FloatArray:
    """Return the predictions as the product makes them."""
    risk = expit(coefficients[0] + table @ coefficients[1:])
    return np.asarray(np.clip(risk, LOWEST_RISK, HIGHEST_RISK), dtype=np.float64)


def area(bad: FloatArray, risk: FloatArray) -> float:
    """Return the area under the ROC curve."""
    hits = bad.sum()
    return float((rankdata(risk)[bad > 0].sum() - hits * (hits + 1) / 2) / (hits * (len(bad) - hits)))


def labels_needed(bad: FloatArray, risk: FloatArray, *, calibrated: bool) -> float:
    """Return the variance of the estimated case rate over that of a uniform sample of the same size."""
    sizes = [size_measure(float(r), BASE_RATE) for r in risk]
    uniform, multiplier = uniform_and_multiplier(sizes, RATE, UNIFORM_SHARE)
    pi = np.minimum(1.0, uniform + multiplier * np.array(sizes))
    error = bad - bad.mean()
    needed = error
    if calibrated:
        centred, tension = risk - risk.mean(), (1 - pi) / pi
        needed = error - (tension @ (error * centred)) / max(tension @ centred**2, 1e-12) * centred
    return float(np.mean((1 - pi) / pi * needed**2) / np.mean((1 - RATE) / RATE * error**2))


def _retrieves(source: Source) -> bool:
    return bool(np.any(source.features[:, FEATURES.index("empty_retrieval")] == 0.0))


def main(paths: Sequence[str]) -> None:
    """Fit, and print what the default model is made of."""
    sources = [read(Path(path)) for path in paths]
    everything = [np.full(len(one.bad), True) for one in sources]
    pooled = fit(sources, everything)
    rounded = np.round(pooled, 3)
    print("\n".join(f"{n}={c}," for n, c in zip(("intercept", *FEATURES), rounded, strict=True)))
    risks = [predicted(rounded, one.features) for one in sources]
    # Apps that never retrieve are no part of the traffic a design assumes: each of their answers looks bad.
    weights = np.concatenate(
        [np.full(len(r), _retrieves(one) / len(r)) for one, r in zip(sources, risks, strict=True)]
    )
    order = np.argsort(np.concatenate(risks), kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(reached, np.linspace(0, 1, 41) - 1e-12)
    print("reference risks:", ", ".join(f"{r:.4f}" for r in np.concatenate(risks)[order][places]))
    unseen = [np.zeros(len(one.bad)) for one in sources]
    for fold in range(FOLDS):
        without = fit(sources, [one.fold != fold for one in sources])
        for one, risk in zip(sources, unseen, strict=True):
            risk[one.fold == fold] = predicted(without, one.features[one.fold == fold])
    print("source: answers, bad; AUC, labels needed plain and calibrated: all | question | source left out")
    for number, one in enumerate(sources):
        alone = [np.full(len(other.bad), other is not one) for other in sources]
        left_out = predicted(fit(sources, alone), one.features)
        parts = [
            f"{area(one.bad, risk):.3f} {labels_needed(one.bad, risk, calibrated=False):.3f} "
            f"{labels_needed(one.bad, risk, calibrated=True):.3f}"
            for risk in (risks[number], unseen[number], left_out)
        ]
        print(f"{one.name}: {len(one.bad)}, {one.bad.mean():.3f}; {' | '.join(parts)}")


if __name__ == "__main__":
    main(sys.argv[1:])
