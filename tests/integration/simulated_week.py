"""A week of simulated traffic in a store: every answer in the frame, a risk-weighted sample in review."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from sentinel.records import (
    Annotation,
    AnswerFacts,
    ClaimAnnotation,
    RedactedAnswer,
    SampledUnit,
    SamplingDecision,
    Signals,
)
from sentinel.sampling.allocation import size_measure
from sentinel.sampling.schedule import BEGINNING, ScheduleRow
from sentinel.store import frame, schedule, units
from sentinel.store.annotations import add_annotation
from sentinel.store.database import Database
from tests.integration.label_store import DESIGN, MONDAY, PARTITION

MODELS = ("model-a", "model-b", "model-c")


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of the whole week, and the ids and verdicts of what was drawn."""

    case_rate: float
    events: int
    drawn: tuple[str, ...]
    bad: tuple[bool, ...]
    risk: tuple[float, ...]


def simulate(
    database: Database,
    *,
    start: datetime = MONDAY,
    seed: int = 1,
    answers: int = 3_000,
    expected: float = 200,
    bad_share: float = 0.2,
    designs: Sequence[str] = (DESIGN,),
    frame_factor: float = 1.0,
    signal_every: int = 0,
) -> Truth:
    """Write one week; designs follow one another, each with a prediction of its own scale.

    `frame_factor` falsifies the counted traffic. Every `signal_every`th answer was corrected by its user.
    """
    rng = np.random.default_rng(seed)
    true_risk = np.minimum(rng.beta(1.3, 5, answers), 0.9)
    bad = rng.random(answers) < np.minimum(bad_share * true_risk / true_risk.mean(), 0.95)
    model = rng.choice(3, answers, p=[0.6, 0.3, 0.1])
    place = np.arange(answers) * len(designs) // answers
    # A later design predicts on another scale: mixing sums of both would be wrong.
    risk = np.where(place % 2 == 0, true_risk, 0.9 - 0.5 * true_risk).round(6)
    size = np.array([size_measure(one, 0.2) for one in true_risk])
    probability = np.minimum(expected * (0.3 / answers + 0.7 * size / size.sum()), 1.0)
    signalled = np.zeros(answers, dtype=bool)
    if signal_every:
        signalled[::signal_every] = True
        probability[signalled] = 1.0
    taken = rng.random(answers) < probability
    cells: defaultdict[frame.CellKey, frame.CellCounts] = defaultdict(frame.CellCounts)
    drawn: list[SampledUnit] = []
    for number in range(answers):
        moment = start + timedelta(seconds=604_000 * number / answers)
        design, domains = designs[place[number]], {"app": "billing", "model": MODELS[model[number]]}
        micros = (round(value * 1_000_000) for value in (risk[number], size[number], probability[number]))
        counts = frame.CellCounts(1, 1, 0, *micros)
        for domain, value in (("", ""), *domains.items()):
            cells[frame.CellKey(frame.window_of(moment), PARTITION, design, domain, value)] += counts
        if not taken[number]:
            continue
        event_id, chance = f"{start:%m%d}-{number}", float(probability[number])
        reasons = ("user_correction",) if signalled[number] else ()
        decision = SamplingDecision(
            event_id, True, chance, chance / 2, float(size[number]), float(risk[number]), reasons, design, 0
        )
        facts = AnswerFacts(event_id, moment, moment, domains, (), Signals(), ())
        drawn.append(
            SampledUnit(
                PARTITION, number, facts, decision, {}, RedactedAnswer({"answer": "x"}, {}, "r-1"), None, None
            )
        )
    if frame_factor != 1.0:
        cells = defaultdict(
            frame.CellCounts,
            {
                key: frame.CellCounts(
                    *(round(getattr(counts, name) * frame_factor) for name in counts.__slots__)
                )
                for key, counts in _merged(cells).items()
            },
        )
    with database.begin() as conn:
        for design in designs:
            schedule.save_design(conn, design, {"indicators": "7;IndicatorParams()"}, MONDAY)
        row = ScheduleRow(0, BEGINNING, designs[0], 0.01, 0.1, 0.001, (), (), "first")
        schedule.create_first_row(conn, row, MONDAY)
        units.insert_units(conn, drawn, start + timedelta(days=7))
        frame.add_cells(conn, cells)
    places = [unit.offset for unit in drawn]
    return Truth(
        float(bad.mean()),
        answers,
        tuple(unit.facts.event_id for unit in drawn),
        tuple(bool(bad[one]) for one in places),
        tuple(float(true_risk[one]) for one in places),
    )


def _merged(cells: dict[frame.CellKey, frame.CellCounts]) -> dict[frame.CellKey, frame.CellCounts]:
    """All windows of a week in its first one, so that rounding does not eat what is multiplied."""
    first = min(key.window_start for key in cells)
    merged: defaultdict[frame.CellKey, frame.CellCounts] = defaultdict(frame.CellCounts)
    for key, counts in cells.items():
        merged[frame.CellKey(first, key.partition, key.design_id, key.domain, key.value)] += counts
    return merged


def label(
    database: Database, truth: Truth, rows: Sequence[int] | None = None, annotator: str = "ann-1"
) -> None:
    """Give the drawn answers (those in `rows`, or all) the label that is true of them."""
    with database.begin() as conn:
        for number in range(len(truth.drawn)) if rows is None else rows:
            claims = (ClaimAnnotation("a", "supported"), ClaimAnnotation("b", "supported"))
            if truth.bad[number]:
                claims = (*claims, ClaimAnnotation("c", "contradicted", "high"))
            annotation = Annotation(truth.drawn[number], annotator, "annotator", True, "none", claims)
            add_annotation(conn, annotation, MONDAY + timedelta(days=8))
