"""How a worker gets at the schedule: its first row, a changed configuration, and later times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from sentinel.pipeline.stages import Schedule
from sentinel.sampling.design import DEFAULT_RATE, Design, design_from, with_learned
from sentinel.sampling.schedule import BEGINNING, ScheduleRow
from sentinel.store import schedule as stored
from sentinel.store.database import Database

#: How far past the latest sampling time a worker reads the schedule. A row takes effect after the
#: horizon, so this is also how late novelty acts; a shorter lead costs more reads.
LEAD = timedelta(minutes=1)


def adopt_design(
    database: Database,
    design: Design,
    now: datetime,
    start_rate: float = DEFAULT_RATE,
    *,
    keep_learned: bool = True,
) -> ScheduleRow:
    """Make the configured design the last one of the schedule; return the row that stands last.

    An empty schedule gets row 0. If the last row has another design, a row is appended that takes
    effect after everything already treated: a change of configuration never rewrites the past. What a
    refit of the risk model has learned is no configuration and stays, unless not `keep_learned`.
    `start_rate` is where a design without a rate of its own begins.
    """
    with database.begin() as connection:
        if keep_learned:
            design = _with_learned(connection, design)
        stored.save_design(connection, design.design_id, design.specification(), now)
        first = stored.create_first_row(connection, design.first_row("first row", start_rate), now)
        rows = stored.extend_horizon(connection, BEGINNING)
        last = rows[-1]
        if last.design_id == design.design_id:
            return last
        before = _readable(stored.design_spec(connection, last.design_id))
        if before is not None and before.rate is None and before.uniform_share > 0.0:
            # Steered before and after: the share that the budget has come to goes on.
            start_rate = min(1.0, last.uniform_probability / before.uniform_share) or start_rate
        changed = replace(design.first_row("configuration changed", start_rate), rules=last.rules)
        return stored.append_row(connection, changed, first.effective_at, now)


def _with_learned(connection: Connection, design: Design) -> Design:
    rows = stored.read_rows(connection)
    last = _readable(stored.design_spec(connection, rows[-1].design_id)) if rows else None
    return design if last is None else with_learned(design, last)


def salts_in_use(database: Database) -> list[str]:
    """Return the ids of the salts that the schedule's designs draw with, that of row 0 first."""
    with database.read() as connection:
        rows = stored.read_rows(connection)
        specifications = [stored.design_spec(connection, row.design_id) or {} for row in rows]
    return list(dict.fromkeys(str(specification["salt_id"]) for specification in specifications))


def load_schedule(
    database: Database, to: datetime, indicators: str, now: datetime, held: Schedule | None = None
) -> Schedule:
    """Return the schedule complete up to `to` and a little further; no later row can fall before that.

    `held` is what was loaded before: rows never change, so only those appended since are read.

    A row written by a worker with other indicators is drawn with the indicators this worker has: that is
    a design of its own, saved here under its own id, so that what was drawn can be worked out again.
    """
    with database.begin() as connection:
        known = held.rows if held else ()
        appended = stored.extend_horizon(connection, to + LEAD, max((row.id for row in known), default=-1))
        reaches_to = stored.read_horizon(connection)
        designs = dict(held.designs) if held else {}
        for design_id in dict.fromkeys(row.design_id for row in appended):
            design = _readable(stored.design_spec(connection, design_id))
            if design is None:
                continue
            if design.indicators != indicators:
                design = replace(design, indicators=indicators)
                stored.save_design(connection, design.design_id, design.specification(), now)
            designs[design_id] = design
    rows = sorted((*known, *appended), key=lambda row: (row.effective_at, row.id))
    return Schedule(tuple(rows), designs, reaches_to)


def _readable(specification: Mapping[str, Any] | None) -> Design | None:
    """The design, or None where another version wrote it: only an answer of its time needs it."""
    try:
        return design_from(specification or {})
    except (KeyError, TypeError):
        return None
