"""How a worker gets at the schedule: its first row, a changed configuration, and later times."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from sentinel.pipeline.stages import Schedule
from sentinel.sampling.design import Design, design_from
from sentinel.sampling.schedule import BEGINNING, ScheduleRow
from sentinel.store import schedule as stored
from sentinel.store.database import Database

#: How far past the latest sampling time a worker reads the schedule. A row takes effect after the
#: horizon, so this is also how late novelty acts; a shorter lead costs more reads.
LEAD = timedelta(minutes=1)


def adopt_design(database: Database, design: Design, now: datetime) -> ScheduleRow:
    """Make the configured design the last one of the schedule; return the row that stands last.

    An empty schedule gets row 0. If the last row has another design, a row is appended that takes
    effect after everything already treated: a change of configuration never rewrites the past.
    """
    with database.begin() as connection:
        stored.save_design(connection, design.design_id, design.specification(), now)
        first = stored.create_first_row(connection, design.first_row("first row"), now)
        rows = stored.extend_horizon(connection, BEGINNING)
        last = rows[-1]
        if last.design_id == design.design_id:
            return last
        changed = replace(design.first_row("configuration changed"), rules=last.rules)
        return stored.append_row(connection, changed, first.effective_at, now)


def load_schedule(database: Database, to: datetime) -> Schedule:
    """Return the schedule complete up to `to` and a little further; no later row can fall before that."""
    reaches_to = to + LEAD
    with database.begin() as connection:
        rows = stored.extend_horizon(connection, reaches_to)
        designs = _designs(connection, rows)
    return Schedule(tuple(sorted(rows, key=lambda row: (row.effective_at, row.id))), designs, reaches_to)


def _designs(connection: Connection, rows: tuple[ScheduleRow, ...]) -> dict[str, Design]:
    designs = {}
    for design_id in dict.fromkeys(row.design_id for row in rows):
        specification = stored.design_spec(connection, design_id)
        if specification is None:
            raise LookupError(f"design {design_id} of the schedule is not in the store")
        designs[design_id] = design_from(specification)
    return designs
