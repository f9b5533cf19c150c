"""Labelled drawn answers from the store, as the risk model learns from them: numbers and flags only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from sentinel.labelling.adjudication import derive
from sentinel.records import Annotation
from sentinel.sampling.fitting import FloatArray
from sentinel.sampling.learning import FOLDS, Lessons
from sentinel.sampling.risk_inputs import FEATURES, features, inputs_of_stored
from sentinel.store.annotations import StoredAnnotation, iter_period
from sentinel.store.schedule import design_spec
from sentinel.store.unit_queries import UnitFilter, iter_units
from sentinel.store.unit_rows import StoredUnit


@dataclass(frozen=True, slots=True)
class Material:
    """What there is to learn from.

    `lessons` are labelled answers, `event_times` theirs as seconds since 1970, shape (n,). `drawn` holds
    the features of all drawn answers, labelled or not, shape (m, k), and `drawn_weights` their 1/π: they
    stand for the traffic.
    """

    lessons: Lessons
    event_times: FloatArray
    drawn: FloatArray
    drawn_weights: FloatArray

    @property
    def bad(self) -> int:
        """Return the number of labelled answers that are bad."""
        return int(self.lessons.bad.sum())


def gather(conn: Connection, start: datetime, end: datetime, indicators: str) -> Material:
    """Return the drawn answers with an event time in [`start`, `end`) under these indicators.

    Answers labelled outside the probability sample are not among them. Of several opinions the one counts
    that counts in a report. Answers drawn under other indicators are left out: their numbers mean
    something else.
    """
    labels = dict(_labels(conn, start, end))
    rows, weights, times, found = [], [], [], []
    for stored in _units(conn, start, end, indicators):
        rows.append(features(inputs_of_stored(stored.unit.indicators)))
        weights.append(stored.unit.decision.design_weight)
        times.append(stored.unit.facts.event_time.timestamp())
        found.append((labels.get(stored.unit.facts.event_id), _fold(stored)))
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES))
    labelled = np.array([label is not None for label, _ in found], dtype=np.bool_)
    known = [(label, fold) for label, fold in found if label is not None]
    lessons = Lessons(
        features=table[labelled],
        bad=_flags([label.answered and label.unsupported_claims > 0 for label, _ in known]),
        answered=_flags([label.answered for label, _ in known]),
        design_weights=np.array(weights, dtype=np.float64)[labelled],
        folds=np.array([fold for _, fold in known], dtype=np.int64),
    )
    every = np.array(times, dtype=np.float64)
    return Material(lessons, every[labelled], table, np.array(weights, dtype=np.float64))


def _labels(conn: Connection, start: datetime, end: datetime) -> Iterator[tuple[str, Annotation]]:
    opinions: defaultdict[str, list[StoredAnnotation]] = defaultdict(list)
    for stored in iter_period(conn, start, end):
        if stored.probability_sample:
            opinions[stored.annotation.event_id].append(stored)
    for event_id, records in opinions.items():
        decided = derive(records)
        if decided is not None:
            yield event_id, decided.annotation


def _units(conn: Connection, start: datetime, end: datetime, indicators: str) -> Iterator[StoredUnit]:
    same: dict[str, bool] = {}
    for stored in iter_units(conn, UnitFilter(start=start, end=end), with_content=False):
        design_id = stored.unit.decision.design_id
        if design_id not in same:
            same[design_id] = (design_spec(conn, design_id) or {}).get("indicators") == indicators
        if same[design_id]:
            yield stored


def _fold(stored: StoredUnit) -> int:
    """Return the fold of an answer: answers of one session share theirs."""
    name = stored.unit.session_hash or stored.unit.facts.event_id
    return blake2b(name.encode(), digest_size=4).digest()[0] % FOLDS


def _flags(values: list[bool]) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)
