"""Three designs in one store: π of every unit follows from its row and its event, bit for bit."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from sentinel.learning.params import LearningParams
from sentinel.learning.refit import refit
from sentinel.store import schedule
from sentinel.store.unit_rows import StoredUnit
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import WEEK, fresh_database, settings_for, units_of
from tests.statistical.test_recomputation import as_json, as_line, recomputed
from tests.unit.learning.taught_store import a_week, label

SALT = "the salt of the refits"


def uncited(stored: StoredUnit) -> bool:
    return stored.unit.indicators["missing_citation"] is True


def wordy(stored: StoredUnit) -> bool:
    return (stored.unit.indicators["content_words"] or 0) > 18


def test_every_probability_of_three_designs_follows_from_row_and_event(tmp_path: Path) -> None:
    settings = settings_for(SALT, 0.4)
    params = LearningParams(least_labelled=60, least_each=10, history_weeks=1.0)
    topic = MemoryTopic(partitions=2)
    events = []
    with fresh_database(tmp_path) as database:
        for week, truth in enumerate((uncited, wordy, None)):
            monday = WEEK + timedelta(days=7 * week)
            end = monday + timedelta(days=7)
            events += a_week(topic, database, settings, monday + timedelta(hours=2), 320, 1000 * week)
            if truth is not None:
                label(database, truth, monday, end)
                found = refit(database, params, end, end)
                assert found.adopted is not None, found.reason
        units = units_of(database)
        with database.read() as connection:
            rows = schedule.read_rows(connection)
            designs = {
                row.design_id: dict(schedule.design_spec(connection, row.design_id) or {}) for row in rows
            }
    assert len({stored.unit.decision.design_id for stored in units.values()}) == 3
    assert len(designs) == 3
    given = tmp_path / "given.json"
    given.write_text(json.dumps({"salt": SALT, "rows": [as_json(row) for row in rows], "designs": designs,
                                 "events": [(json.dumps(d), t.isoformat()) for d, t in events]}))  # fmt: skip
    stored = sorted(as_line(one.unit.decision) for one in units.values())
    for seed in ("0", "1", "31337"):
        lines = recomputed(given, seed)
        assert len(lines) == 960
        assert sorted(line.replace(" True ", " ") for line in lines if " True " in line) == stored
