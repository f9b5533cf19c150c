"""Real answers with human labels as a stream: what a report would be made of, without a store."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators, fired
from sentinel.pipeline.facts import facts_of
from sentinel.records import Adjudication, Annotation, ClaimAnnotation, Partition, RawRecord
from sentinel.reporting.inputs import PeriodInputs, ReviewedUnit
from sentinel.reporting.period import ReportPeriod
from sentinel.sampling.design import SamplingParams, configured_design
from sentinel.sampling.inclusion import inclusion
from sentinel.store.frame import CellCounts
from sentinel.stream.decode import Tombstone, decode
from sentinel.stream.limits import DecodeLimits

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = Path(os.environ.get("SENTINEL_SHARED", ROOT.parent / "shared")) / "data" / "answers"
WEEK = ReportPeriod(date(2026, 11, 16), date(2026, 11, 23), "UTC")
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
_BAD = ("contradicted", "not_in_evidence")
DESIGN = "design-1"


@dataclass(frozen=True, slots=True)
class Known:
    """One answer: its unit as it would be if drawn, its frame counts and its truth."""

    unit: ReviewedUnit
    counts: CellCounts
    bad: bool
    unsupported: int
    verifiable: int


def _label(row: dict[str, Any], event_id: str) -> Annotation:
    """The human labels; where only the case was judged one claim stands for the answer."""
    labels = [claim["label"] for claim in row["human"]["claims"]]
    if any(label in _BAD for label in labels) and not row["human"]["hallucinated"]:
        labels = ["supported" if label in _BAD else label for label in labels]
    if row["human"]["hallucinated"] and not any(label in _BAD for label in labels):
        labels.append("not_in_evidence")
    claims = tuple(ClaimAnnotation("claim", label) for label in labels or ["supported"])
    return Annotation(event_id, "human", "annotator", True, "none", claims)


def known_answers(name: str, rate: float) -> list[Known]:
    """Return every judged answer of a file with its π under the default design."""
    lines = (ANSWERS / f"{name}.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["human"]["hallucinated"] is not None]
    design = configured_design(SamplingParams(rate=rate), "salt", "indicators")
    row_in_force, memo = design.first_row("test"), PassageMemo()
    found = []
    for number, row in enumerate(rows):
        event = {
            key: row[key] for key in ("app", "model", "task", "question", "answer", "retrieved", "citations")
        }
        value = json.dumps({"event_id": f"e{number}", "occurred_at": NOON.isoformat(), **event}).encode()
        record = RawRecord(Partition("test", 0), number, number + 1, NOON, len(value), value)
        decoded = decode(record, DecodeLimits())
        assert not isinstance(decoded, Tombstone)
        indicators = compute_indicators(decoded.answer, IndicatorParams(), memo)
        facts = facts_of(decoded.answer, record, NOON, (), str)
        given = inclusion(row_in_force, design, facts, indicators)
        label = _label(row, facts.event_id)
        unit = ReviewedUnit(
            facts.event_id, NOON, NOON, given.probability, given.probability, given.predicted_risk,
            given.size_measure, DESIGN, 0,
            "", given.reasons, fired(indicators), facts.domains, "labelled", 1,
            Adjudication(facts.event_id, label, True, 1), (label,), NOON,
        )  # fmt: skip
        abstained = int(indicators.abstention.abstained)
        sums = (given.predicted_risk, given.size_measure, given.probability)
        counts = CellCounts(1, 1 - abstained, abstained, *(round(value * 1_000_000) for value in sums))
        found.append(
            Known(
                unit, counts, label.unsupported_claims > 0, label.unsupported_claims, label.verifiable_claims
            )
        )
    return found


def _cells(one: Known) -> list[tuple[str, str]]:
    fired_names = [("indicator", name) for name in one.unit.fired or ()]
    return [("", ""), *one.unit.domains.items(), *fired_names]


@dataclass(frozen=True, slots=True)
class Stream:
    """One resampled stream: what was drawn of it, with the truth of all of it."""

    inputs: PeriodInputs
    case_rate: float
    claim_rate: float


def stream(answers: list[Known], events: int, rng: np.random.Generator) -> Stream:
    """Return a stream of `events` answers picked with replacement, and a Poisson sample of it."""
    picked = rng.integers(0, len(answers), events)
    often = Counter(picked.tolist())
    frame: defaultdict[tuple[str, str], NDArray[np.int64]] = defaultdict(lambda: np.zeros(6, dtype=np.int64))
    for number, times in often.items():
        counts = answers[number].counts
        sums = np.array(
            [counts.events, counts.answered, counts.abstained, counts.risk_micros, counts.size_micros,
             counts.expected_micros]
        )  # fmt: skip
        for cell in _cells(answers[number]):
            frame[cell] += times * sums
    probability = np.array([answers[number].unit.inclusion_probability for number in picked])
    drawn = picked[rng.random(events) < probability]
    cells = {key: CellCounts(*(int(value) for value in sums)) for key, sums in frame.items()}
    inputs = PeriodInputs(
        period=WEEK,
        units=tuple(answers[number].unit for number in drawn),
        frame=cells,
        frame_designs={DESIGN: cells["", ""]},
        designs={},
        not_covered={},
        dead_letters={},
        outside_sample=0,
        least_probability=None,
        days=(),
    )
    verifiable = sum(answers[number].verifiable for number in picked)
    return Stream(
        inputs,
        sum(answers[number].bad for number in picked) / events,
        sum(answers[number].unsupported for number in picked) / verifiable,
    )
