"""The quality of the labels in the report: agreement, drift against the others, time on task."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from sentinel.clock import FixedClock
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.render import rendered
from sentinel.reporting.revisions import publish
from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.opinions import Sent, give
from sentinel.review.workshop import Workshop
from sentinel.store.database import Database
from tests.review_bench import ANN, BEN, DORA, NOW, document, fill, workshop

BEFORE = ReportPeriod(date(2026, 11, 16), date(2026, 11, 23), "UTC")
WEEK = ReportPeriod(date(2026, 11, 23), date(2026, 11, 30), "UTC")
STRICT = ("contradicted", "supported", "supported")


def say(shop: Workshop, person: Person, unit_id: int, seconds: float, *labels: str) -> None:
    found = document(labels or ("supported",) * 3)
    give(shop, person, unit_id, "opinion", Sent(found, seconds=seconds))


def report_of(database: Database) -> Mapping[str, Any]:
    return publish(database, WEEK, ReportParams(), FixedClock(NOW + timedelta(days=9))).document


@pytest.fixture
def labelled(tmp_path: Path) -> Mapping[str, Any]:
    """A report of two weeks: in the first Ann is as strict as Ben, in the second stricter on eight of ten."""
    with Database(f"sqlite:///{tmp_path / 's.db'}") as database:
        database.upgrade()
        shop = workshop(database, second_review_share=1.0)
        ids = fill(database, 20)
        with database.begin() as conn:
            # The first ten were answered a week before.
            week = int(timedelta(days=7).total_seconds() * 1e6)
            conn.exec_driver_sql(f"UPDATE units SET event_time = event_time - {week} WHERE id <= {ids[9]}")
        for place, unit_id in enumerate(ids):
            stricter = place % 10 == 0 if place < 10 else place > 10
            say(shop, ANN, unit_id, 60.0 + place, *(STRICT if stricter else ()))
            say(shop, BEN, unit_id, 90.0, *(STRICT if place in (1, 19) else ()))
        give(shop, DORA, ids[11], "adjudication", Sent(document(STRICT), seconds=200.0))
        return report_of(database)


def test_drift_is_against_the_others_and_the_period_before(labelled: Mapping[str, Any]) -> None:
    ann, ben = labelled["agreement"]["strictness"]
    assert (ann["annotator"], ann["answers"], ann["moved"]) == ("ann", 10, True)
    assert ann["difference"] == pytest.approx(0.8 / 3)
    assert ann["before"] == pytest.approx(0.0)
    assert ann["lower"] < ann["difference"] < ann["upper"]
    assert ben["difference"] == pytest.approx(-ann["difference"])


def test_time_on_task_is_that_of_the_periods_opinions(labelled: Mapping[str, Any]) -> None:
    assert labelled["agreement"]["time_on_task"] == [
        {"annotator": "ann", "labels": 10, "median_seconds": 74.5, "p90_seconds": 78.0},
        {"annotator": "ben", "labels": 10, "median_seconds": 90.0, "p90_seconds": 90.0},
    ]


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_reader_finds_them_by_label_severity_pair_and_person(
    labelled: Mapping[str, Any], form: str
) -> None:
    text = " ".join(rendered(labelled, form).replace("</td>", " ").replace("|", " ").split())
    for words in (
        "Alpha, label contradicted", "Alpha, kind of failure", "kappa, ann and ben",
        "Strictness against the others, ann", ", before 0.0, moved", "Time on task, ann",
        "median 74 s, 90 % below 78 s, 10 labels",
    ):  # fmt: skip
        assert words in text, words
