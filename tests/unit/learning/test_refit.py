"""A refit reads the store, adopts through the schedule, and never looks at the window it acts in."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sentinel.errors import StopError
from sentinel.learning.gather import gather
from sentinel.learning.params import LearningParams
from sentinel.learning.refit import refit
from sentinel.pipeline.scheduling import adopt_design
from sentinel.records import Annotation
from sentinel.sampling.design import Design, design_from
from sentinel.sampling.risk import DEFAULT_RISK_MODEL, REFERENCE_RISKS
from sentinel.store import schedule
from sentinel.store.annotations import add_annotation
from sentinel.store.database import Database
from sentinel.store.unit_rows import StoredUnit
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import WEEK, fresh_database, settings_for, units_of
from tests.unit.learning.taught_store import a_week, label

NEXT = WEEK + timedelta(days=7)
PARAMS = LearningParams(least_labelled=60, least_each=10)
SETTINGS = settings_for(rate=0.4)


def uncited(stored: StoredUnit) -> bool:
    """This app's answers are bad where they lack a citation, whatever else they look like."""
    return stored.unit.indicators["missing_citation"] is True


def last_design(database: Database) -> Design:
    with database.read() as connection:
        row = schedule.read_rows(connection)[-1]
        return design_from(schedule.design_spec(connection, row.design_id) or {})


@pytest.fixture
def topic() -> MemoryTopic:
    return MemoryTopic()


@pytest.fixture
def taught(tmp_path: Path, topic: MemoryTopic) -> Database:
    database = fresh_database(tmp_path)
    a_week(topic, database, SETTINGS, WEEK, 500, 0)
    bad = label(database, uncited, WEEK, NEXT)
    assert 60 < bad < len(units_of(database)) - 60
    return database


def test_what_is_learned_is_a_design_of_its_own_ahead_of_everything_treated(taught: Database) -> None:
    with taught.read() as connection:
        before, horizon = schedule.read_rows(connection), schedule.read_horizon(connection)
    found = refit(taught, PARAMS, NEXT, NEXT + timedelta(hours=6))
    row = found.adopted
    assert row is not None
    assert (row.id, row.design_id) != (before[-1].id, before[-1].design_id)
    assert row.effective_at >= NEXT > max(one.unit.facts.event_time for one in units_of(taught).values())
    assert row.effective_at > horizon
    assert (row.take_all, row.rules, row.floor) == (before[-1].take_all, before[-1].rules, before[-1].floor)
    learned = last_design(taught)
    assert learned.design_id == row.design_id
    assert learned.risk_model.missing_citation > DEFAULT_RISK_MODEL.missing_citation + 1
    assert learned.reference_risks != REFERENCE_RISKS
    scores = {one.name: one.score for one in found.contenders}
    assert list(scores) == ["default", "fitted"]
    assert scores["fitted"] is not None
    assert scores["default"] is not None
    assert scores["fitted"].log_loss < scores["default"].log_loss
    assert scores["fitted"].variance < scores["default"].variance
    assert f"{found.labelled} labelled answers" in row.reason


def test_a_dry_run_says_the_same_and_writes_nothing(taught: Database) -> None:
    tried = refit(taught, PARAMS, NEXT, NEXT, dry_run=True)
    with taught.read() as connection:
        assert len(schedule.read_rows(connection)) == 1
    done = refit(taught, PARAMS, NEXT, NEXT)
    assert tried == replace(done, adopted=None)
    assert done.adopted is not None


def test_labels_of_the_running_window_are_not_looked_at(taught: Database) -> None:
    found = refit(taught, PARAMS, WEEK, NEXT)
    assert (found.labelled, found.adopted) == (0, None)
    middle = WEEK + timedelta(days=3)
    with taught.read() as connection:
        half = gather(connection, WEEK, middle, last_design(taught).indicators)
    assert 0 < len(half.lessons) < len(units_of(taught))
    assert max(half.event_times) < middle.timestamp()


def test_the_labels_of_a_refit_do_not_allow_another(taught: Database) -> None:
    assert refit(taught, PARAMS, NEXT, NEXT).adopted is not None
    again = refit(taught, PARAMS, NEXT, NEXT + timedelta(days=1))
    assert again.adopted is None
    assert again.reason.startswith("0 labelled answers since the current model was adopted")
    assert [one.name for one in again.contenders] == ["default", "current"]


def test_a_restart_keeps_what_was_learned_and_a_changed_setting_too(taught: Database) -> None:
    row = refit(taught, PARAMS, NEXT, NEXT).adopted
    learned = last_design(taught)
    with taught.read() as connection:
        first = schedule.read_rows(connection)[0].design_id
        configured = design_from(schedule.design_spec(connection, first) or {})
    assert adopt_design(taught, configured, NEXT) == row
    changed = adopt_design(taught, replace(configured, floor=0.001), NEXT)
    assert changed != row
    assert last_design(taught) == replace(learned, floor=0.001)
    assert adopt_design(taught, replace(configured, indicators="others"), NEXT).design_id != changed.design_id
    assert last_design(taught).risk_model == DEFAULT_RISK_MODEL


def test_learning_that_was_switched_off_is_undone_at_the_next_start(taught: Database) -> None:
    refit(taught, PARAMS, NEXT, NEXT)
    with taught.read() as connection:
        first = schedule.read_rows(connection)[0].design_id
        configured = design_from(schedule.design_spec(connection, first) or {})
    row = adopt_design(taught, configured, NEXT, keep_learned=False)
    assert row.design_id == configured.design_id
    assert row.id == 2


def test_a_model_the_default_beats_gives_way_to_it(taught: Database, topic: MemoryTopic) -> None:
    assert refit(taught, PARAMS, NEXT, NEXT).adopted is not None
    a_week(topic, taught, SETTINGS, NEXT + timedelta(hours=1), 500, 1000)
    # The app mends its citations, and goes wrong where the default would look.
    after = NEXT + timedelta(days=7)
    label(taught, lambda one: (one.unit.indicators["content_words"] or 0) > 20, NEXT, after)
    found = refit(taught, replace(PARAMS, history_weeks=1.5), after, after)
    assert found.adopted is not None
    assert last_design(taught).risk_model.missing_citation < 1.0


def test_other_peoples_labels_and_other_indicators_teach_nothing(taught: Database) -> None:
    design = last_design(taught)
    with taught.begin() as connection:
        stranger = Annotation("never drawn", "ann", "annotator", False, "correct", ())
        add_annotation(connection, stranger, NEXT)
        everything = gather(connection, WEEK, NEXT, design.indicators)
        nothing = gather(connection, WEEK, NEXT, "other indicators")
    assert len(everything.lessons) == len(units_of(taught)) == len(everything.drawn)
    assert len(nothing.lessons) == len(nothing.drawn) == 0
    assert set(everything.lessons.design_weights) == {
        one.unit.decision.design_weight for one in units_of(taught).values()
    }


def test_answers_without_a_label_stand_for_the_traffic_and_teach_nothing(tmp_path: Path) -> None:
    database = fresh_database(tmp_path)
    a_week(MemoryTopic(), database, SETTINGS, WEEK, 300, 0)
    middle = WEEK + timedelta(days=3)
    label(database, uncited, WEEK, middle)
    with database.read() as connection:
        material = gather(connection, WEEK, NEXT, last_design(database).indicators)
    assert 0 < len(material.lessons) < len(material.drawn) == len(units_of(database))


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        (LearningParams(least_labelled=2000, least_each=1), "2000 needed"),
        (LearningParams(least_labelled=1000, least_each=500), "1000 needed"),
        (LearningParams(least_labelled=160, least_each=80), "of each needed"),
    ],
)
def test_too_few_labels_change_nothing(taught: Database, params: LearningParams, reason: str) -> None:
    found = refit(taught, params, NEXT, NEXT)
    assert found.adopted is None
    assert reason in found.reason
    assert [one.score for one in found.contenders] == [None]


def test_a_design_that_changed_meanwhile_is_not_written_over(taught: Database) -> None:
    other = replace(last_design(taught), floor=0.002)

    @contextmanager
    def late():  # type: ignore[no-untyped-def]
        adopt_design(taught, other, NEXT)
        with taught.begin() as connection:
            yield connection

    found = refit(taught, PARAMS, NEXT, NEXT, begin=late)
    assert found.adopted is None
    assert "changed meanwhile" in found.reason
    assert last_design(taught) == other


def test_a_store_without_a_schedule_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(StopError, match="no first row"):
        refit(fresh_database(tmp_path), PARAMS, NEXT, NEXT)


@pytest.mark.parametrize(
    "wrong",
    [{"history_weeks": 0.0}, {"history_weeks": float("nan")}, {"least_each": 0}, {"least_labelled": 20}],
)
def test_settings_that_could_never_work_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must be|at least"):
        LearningParams(**wrong)  # type: ignore[arg-type]
