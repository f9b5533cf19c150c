"""The case rate of a week that is still running: a bound that may be read every hour."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from sentinel.estimation.confidence_sequence import anytime_lower_bound
from sentinel.estimation.weighting import design_weighting
from sentinel.reporting.gather import counted_answers, reviewed_units
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.weighted import sample_of_units


@dataclass(frozen=True, slots=True)
class LiveReading:
    """What is known now of a period: `lower` is null without a label or without traffic.

    `labelled` and `failing` are counts of the sample, `answers` those of the traffic so far.
    """

    lower: float | None
    level: float
    answers: int
    labelled: int
    failing: int


def live_reading(conn: Connection, period: ReportPeriod, level: float = 0.95) -> LiveReading:
    """Return the lower bound on the case rate of `period` so far (see `estimation.confidence_sequence`).

    Whoever reads it every hour and acts when it passes a limit is wrong in at most 1 − `level` of all
    periods, however often they look and however late labels come.
    """
    answers = counted_answers(conn, period)
    units = design_weighting(sample_of_units(reviewed_units(conn, period))).units
    bad = units.design_weights[units.failing > 0]
    known = len(units) > 0 and answers >= bad.size
    return LiveReading(
        lower=anytime_lower_bound(bad, answers, level=level) if known else None,
        level=level,
        answers=answers,
        labelled=len(units),
        failing=int(bad.size),
    )
