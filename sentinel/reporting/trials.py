"""The trials on calibration batches in which somebody labelled during a period, as they stood at its end."""

from __future__ import annotations

from sqlalchemy import Connection

from sentinel.labelling.trials import Trial, trial
from sentinel.reporting.inputs import ReviewerTrial
from sentinel.reporting.period import ReportPeriod
from sentinel.store.calibration import answers_of, batch_items, trials_between, units_to_try


def trials_in(conn: Connection, period: ReportPeriod) -> tuple[ReviewerTrial, ...]:
    """Return the trials by annotator and batch; what was said of a batch after the period does not count."""
    return tuple(
        ReviewerTrial(annotator, _trial(conn, period, batch, annotator))
        for annotator, batch in trials_between(conn, period.start, period.end)
    )


def _trial(conn: Connection, period: ReportPeriod, batch: str, annotator: str) -> Trial:
    answers = answers_of(conn, batch, annotator)
    # What they came to later was theirs to label then.
    wanted = units_to_try(conn, batch, annotator) | {one.unit_id for one in answers}
    said = {one.unit_id: one.document for one in answers if one.created_at < period.end}
    return trial(batch, {item.unit_id: item.known for item in batch_items(conn, batch)}, said, wanted)
