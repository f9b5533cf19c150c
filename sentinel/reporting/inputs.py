"""Everything a report is made of, as it was gathered: frozen, without texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sentinel.labelling.trials import Trial
from sentinel.records import Adjudication, Annotation
from sentinel.reporting.period import ReportPeriod
from sentinel.store.frame import CellCounts
from sentinel.store.shifts import Alarm
from sentinel.store.unit_rows import UnitStatus


@dataclass(frozen=True, slots=True)
class ReviewedUnit:
    """A drawn answer of the period with the label that counts for it, if there is one.

    `queued_at` is when the unit entered the review queue, `labelled_at` when its first label came.
    `predicted_risk` is the model's prediction at the draw, `size_measure` what the draw made of it,
    `first_inclusion_probability` π then:
    a later signal may have raised `inclusion_probability`. `fired` names the indicators that fired, None
    where that is not known; `opinions` holds what each annotator and adjudicator says now.
    """

    event_id: str
    event_time: datetime
    queued_at: datetime
    inclusion_probability: float
    first_inclusion_probability: float
    predicted_risk: float
    size_measure: float
    design_id: str
    schedule_row: int
    redactor: str
    reasons: tuple[str, ...]
    fired: tuple[str, ...] | None
    domains: Mapping[str, str]
    status: UnitStatus
    arrivals: int
    adjudication: Adjudication | None = field(repr=False)
    opinions: tuple[Annotation, ...] = field(repr=False)
    labelled_at: datetime | None

    @property
    def design_weight(self) -> float:
        """Return 1 / π."""
        return 1.0 / self.inclusion_probability


@dataclass(frozen=True, slots=True)
class DayCounts:
    """Answers of the traffic and drawn answers of one stretch of local days [`first_day`, `end_day`)."""

    first_day: date
    end_day: date
    events: int
    drawn: int


@dataclass(frozen=True, slots=True)
class ReviewerTrial:
    """How somebody's trial on a calibration batch stood at the end of the period."""

    annotator: str
    trial: Trial


@dataclass(frozen=True, slots=True)
class PeriodInputs:
    """The store's view of one period.

    `frame` maps (domain, value) to counts over all designs: ("", "") is all answers, domain `indicator`
    the indicators that fired, `known` the answers of which retrieval, distance or evidence is known.
    `frame_designs` maps each design to the counts of all answers under it. `least_probability` is the
    least π that any answer could have had, by the schedule rows in use; None where nothing was drawn.
    `alarms` are the shifts that began in the period or were open then, `shifts_seen_to` is how far shift
    detection has come. `task_seconds` are the seconds that annotators spent on their labels, where known,
    `trials` those on calibration batches that somebody went on with in the period.
    """

    period: ReportPeriod
    units: tuple[ReviewedUnit, ...] = field(repr=False)
    frame: Mapping[tuple[str, str], CellCounts] = field(repr=False)
    frame_designs: Mapping[str, CellCounts]
    designs: Mapping[str, Mapping[str, Any]] = field(repr=False)
    not_covered: Mapping[str, int]
    dead_letters: Mapping[str, int]
    outside_sample: int
    least_probability: float | None
    days: tuple[DayCounts, ...]
    alarms: tuple[Alarm, ...] = ()
    shifts_seen_to: datetime | None = None
    task_seconds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    trials: tuple[ReviewerTrial, ...] = ()

    @property
    def all_answers(self) -> CellCounts:
        """Return the frame's counts of all answers together."""
        return self.frame.get(("", ""), CellCounts())
