"""From the store to the frozen inputs of a report, in one unmoving view of the store."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise

from sqlalchemy import Connection

from sentinel.indicators import fired_by
from sentinel.labelling.adjudication import derive, standing_opinions
from sentinel.reporting.inputs import DayCounts, PeriodInputs, ReviewedUnit
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.trials import trials_in
from sentinel.sampling.schedule import row_in_force
from sentinel.store import frame
from sentinel.store.annotations import StoredAnnotation, iter_period
from sentinel.store.frame import CellCounts
from sentinel.store.label_queries import count_outside_sample, dead_letter_counts
from sentinel.store.schedule import design_spec, read_rows
from sentinel.store.shifts import evaluated_to, iter_alarms
from sentinel.store.submissions import task_seconds
from sentinel.store.unit_queries import DrawnRow, any_drawn, iter_drawn
from sentinel.telemetry.catalogue import PARKED_REASONS

#: The longest period whose traffic is shown day by day; longer ones are cut into weeks.
_DAILY = 62


def gather(conn: Connection, period: ReportPeriod) -> PeriodInputs:
    """Return what the store holds on the answers with an event time in `period`.

    Only labels of drawn answers are among it: a label that came before its answer was drawn, or whose
    answer never was, is outside the probability sample.
    """
    units = reviewed_units(conn, period)
    cells, designs = _frame(conn, period)
    named = sorted({*designs, *(unit.design_id for unit in units)})
    return PeriodInputs(
        period=period,
        units=units,
        frame=cells,
        frame_designs=designs,
        designs={design_id: design_spec(conn, design_id) or {} for design_id in named},
        not_covered=frame.not_covered_totals(conn, period.start, period.end),
        dead_letters=_dead_letters(conn, period),
        outside_sample=count_outside_sample(conn),
        least_probability=_least_probability(conn, period, units),
        days=_days(conn, period, units),
        alarms=tuple(iter_alarms(conn, period.start, period.end)),
        shifts_seen_to=evaluated_to(conn),
        task_seconds=task_seconds(conn, period.start, period.end),
        trials=trials_in(conn, period),
    )


def has_units(conn: Connection, period: ReportPeriod) -> bool:
    """Return whether any answer of the period was drawn."""
    return any_drawn(conn, period.start, period.end)


def counted_answers(conn: Connection, period: ReportPeriod) -> int:
    """Return how many answers the frame counts in the period so far."""
    return sum(counts.events for counts in frame.totals(conn, period.start, period.end, domain="").values())


def reviewed_units(conn: Connection, period: ReportPeriod) -> tuple[ReviewedUnit, ...]:
    """Return the drawn answers of the period with their labels, in order of event time."""
    opinions: defaultdict[str, list[StoredAnnotation]] = defaultdict(list)
    for stored in iter_period(conn, period.start, period.end):
        if stored.probability_sample:
            opinions[stored.annotation.event_id].append(stored)
    return tuple(
        _reviewed(drawn, opinions.get(drawn.event_id, ()))
        for drawn in iter_drawn(conn, period.start, period.end)
    )


def _reviewed(drawn: DrawnRow, opinions: Sequence[StoredAnnotation]) -> ReviewedUnit:
    return ReviewedUnit(
        event_id=drawn.event_id,
        event_time=drawn.event_time,
        queued_at=drawn.created_at,
        inclusion_probability=drawn.inclusion_probability,
        first_inclusion_probability=drawn.first_inclusion_probability,
        predicted_risk=drawn.predicted_risk,
        size_measure=drawn.size_measure,
        design_id=drawn.design_id,
        schedule_row=drawn.schedule_row,
        redactor=drawn.redactor,
        reasons=tuple(drawn.reasons),
        fired=fired_by(drawn.indicators),
        domains=drawn.domains,
        status=drawn.status,
        arrivals=drawn.arrivals,
        adjudication=derive(opinions),
        opinions=standing_opinions(opinions),
        labelled_at=min((opinion.created_at for opinion in opinions), default=None),
    )


def _frame(
    conn: Connection, period: ReportPeriod
) -> tuple[dict[tuple[str, str], CellCounts], dict[str, CellCounts]]:
    cells: dict[tuple[str, str], CellCounts] = {}
    designs: dict[str, CellCounts] = {}
    for part, counts in frame.totals(conn, period.start, period.end).items():
        key = (part.domain, part.value)
        cells[key] = cells.get(key, CellCounts()) + counts
        if key == ("", ""):
            designs[part.design_id] = counts
    return dict(sorted(cells.items())), dict(sorted(designs.items()))


def _dead_letters(conn: Connection, period: ReportPeriod) -> dict[str, int]:
    """Parked records by reason.

    The list of them keeps only the first of a flood, while the counts of what was not covered keep all;
    a drawn answer that could not be redacted stands in the list alone. So each reason has the larger.
    What was not covered because no record was ever read (deleted before the agent came) is no dead letter.
    """
    listed = dead_letter_counts(conn, period.start, period.end)
    not_covered = frame.not_covered_totals(conn, period.start, period.end)
    parked = Counter({why: n for why, n in not_covered.items() if why in listed or why in PARKED_REASONS})
    return dict(sorted((listed | parked).items()))


def _least_probability(conn: Connection, period: ReportPeriod, units: Sequence[ReviewedUnit]) -> float | None:
    """The least π of any answer under the rows of the period and those that drew its units."""
    rows = read_rows(conn)
    if not rows:
        return None
    used = {unit.schedule_row for unit in units} | {row_in_force(rows, period.start).id}
    in_use = [row for row in rows if row.id in used or period.start <= row.effective_at < period.end]
    return min(max(row.floor, row.uniform_probability) for row in in_use)


def _days(conn: Connection, period: ReportPeriod, units: Iterable[ReviewedUnit]) -> tuple[DayCounts, ...]:
    edges = _day_edges(period)
    starts = [period.day_start(edge) for edge in edges]
    drawn = Counter(_stretch(starts, unit.event_time) for unit in units)
    found = []
    for number, (first, end) in enumerate(pairwise(edges)):
        cells = frame.totals(conn, starts[number], starts[number + 1], domain="")
        events = sum(counts.events for counts in cells.values())
        found.append(DayCounts(first, end, events, drawn[number]))
    return tuple(found)


def _stretch(starts: Sequence[datetime], moment: datetime) -> int:
    return bisect_right(starts, moment) - 1


def _day_edges(period: ReportPeriod) -> list[date]:
    step = 1 if period.days <= _DAILY else 7
    edges = [period.first_day + timedelta(days=number) for number in range(0, period.days, step)]
    return [*edges, period.end_day]
