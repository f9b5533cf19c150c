"""Tables of the review: what may never change, and stores from before they were there."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa
from alembic import command

from sentinel.errors import StopError
from sentinel.review.labelling_page.opinions import Sent, give, save
from sentinel.store import calibration, guidelines, unit_events
from sentinel.store.annotations import add_annotation
from sentinel.store.database import Database, alembic_config
from sentinel.store.retention import RetentionParams, purge
from sentinel.store.second_reviews import ReviewCourse, begin_course, find_course, move_course
from sentinel.store.submissions import Submission, record_submission, submission_by_key
from sentinel.store.units import insert_units
from tests.contract.store_samples import NOW, a_unit
from tests.contract.test_store_annotations import an_annotation
from tests.review_bench import ANN, document, fill, workshop

APPEND_ONLY = ("submissions", "unit_events", "guidelines", "calibration_items", "calibration_answers")


@pytest.fixture
def written(database: Database) -> Database:
    (unit_id,) = fill(database, 1)
    with database.begin() as conn:
        opinion = add_annotation(conn, an_annotation("e00000"), NOW)
        record_submission(conn, Submission(opinion.id, unit_id, "ann", "opinion", "k", "claims-1", 7.5, NOW))
        unit_events.add_event(conn, unit_id, "ann", "skipped", NOW)
        assert guidelines.save_guideline(conn, "v1", {"text": "# One"}, "ann", NOW)
        assert not guidelines.save_guideline(conn, "v1", {"text": "# Two"}, "ann", NOW)
        assert calibration.add_batch(conn, "b", {unit_id: {"claims": []}}, "ann", NOW)
        answer = calibration.CalibrationAnswer("b", unit_id, "ben", {"claims": []}, 3.0, NOW)
        assert calibration.add_answer(conn, answer)
        assert not calibration.add_answer(conn, answer)
    return database


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("change", ["UPDATE {0} SET created_at = created_at", "DELETE FROM {0}"])
def test_what_people_said_cannot_be_changed(written: Database, table: str, change: str) -> None:
    with pytest.raises(StopError, match="append-only"), written.begin() as conn:
        conn.execute(sa.text(change.format(table)))
    with written.read() as conn:
        assert conn.scalar(sa.text(f"SELECT count(*) FROM {table}")) == 1


def test_a_key_is_its_annotators_own(written: Database) -> None:
    with written.read() as conn:
        found = submission_by_key(conn, "ann", "k")
        assert found is not None
        assert found.seconds == 7.5
        assert submission_by_key(conn, "ben", "k") is None


def test_a_review_begins_once_and_marks_its_unit(database: Database) -> None:
    (unit_id,) = fill(database, 1)
    waiting = ReviewCourse(unit_id, "waiting", "random", 0.15, 0.1, NOW, NOW)
    with database.begin() as conn:
        assert begin_course(conn, waiting)
        assert not begin_course(conn, ReviewCourse(unit_id, "single", "not_drawn", 0.15, 0.9, NOW, NOW))
        assert find_course(conn, unit_id) == waiting
        assert conn.scalar(sa.text("SELECT count(*) FROM units WHERE awaits_opinion = (1 = 1)")) == 1
        move_course(conn, unit_id, "settled", NOW)
        assert conn.scalar(sa.text("SELECT count(*) FROM units WHERE awaits_opinion = (1 = 1)")) == 0


def test_retention_takes_drafts_and_the_wait_for_a_second_opinion(database: Database) -> None:
    shop = workshop(database, second_review_share=1.0)
    one, other = fill(database, 2)
    save(shop, ANN, one, "opinion", 0, "s", document(comment="words of the answer"), 1.0)
    give(shop, ANN, other, "opinion", Sent(document()))
    params = RetentionParams(contents_days=1.0, minute_counts_days=None, dead_letters_days=None)
    assert purge(database.begin, params, NOW + timedelta(days=30)).contents == 2
    with database.read() as conn:
        assert conn.scalar(sa.text("SELECT count(*) FROM drafts")) == 0
        assert conn.scalar(sa.text("SELECT count(*) FROM units WHERE awaits_opinion = (1 = 1)")) == 0


def test_units_of_an_earlier_store_can_be_filtered_after_the_migration(store_url: str) -> None:
    with Database(store_url) as database:
        database.upgrade()
        with database.begin() as conn:
            domains = {"app": "shop", "workflow": 're"turns', "locale": "dé"}
            insert_units(conn, [a_unit("old", domains=domains), a_unit("bare", domains={})], NOW)
            command.downgrade(alembic_config(conn), "0002")
            columns = {column["name"] for column in sa.inspect(conn).get_columns("units")}
        assert "app" not in columns
        database.upgrade()
        with database.read() as conn:
            query = "SELECT event_id, app, workflow, tenant, locale, priority FROM units ORDER BY event_id"
            rows = [tuple(row) for row in conn.execute(sa.text(query))]
    assert rows == [("bare", "", "", "", "", -1), ("old", "shop", 're"turns', "", "dé", -1)]
