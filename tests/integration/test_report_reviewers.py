"""The quality of the labels in the report: agreement, drift against the others, time on task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from krippendorff import alpha as reference_alpha

from sentinel.clock import FixedClock
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.render import rendered
from sentinel.reporting.revisions import publish
from sentinel.review.calibration.trials import make_batch, trial_of
from sentinel.review.calibration.trying import give_trial
from sentinel.review.identity.permission import Person, Role
from sentinel.review.labelling_page.opinions import Sent, give
from sentinel.review.workshop import Workshop
from sentinel.store.calibration import batch_items
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


FAY, GIL = (Person(name, name.title(), Role.REVIEWER) for name in ("fay", "gil"))
#: A name that an admin chose: it must stand in a page as it is.
BATCH = "week <b>1</b> | new"
#: What the newcomer says of five answers; the known labels call one claim of the first wrong.
SAID = (STRICT, ("contradicted", "contradicted", "supported"), ("supported",) * 3, STRICT, ("supported",) * 3)
KNOWN = (STRICT, *[("supported",) * 3] * 4)


@pytest.fixture
def tried(tmp_path: Path) -> Iterator[Workshop]:
    """Fay has finished a batch of five, Gil has labelled two of it and the rest a week later."""
    with Database(f"sqlite:///{tmp_path / 's.db'}") as database:
        database.upgrade()
        shop = workshop(database, second_review_share=1.0)
        ids = fill(database, 5)
        for unit_id, labels in zip(ids, KNOWN, strict=True):
            say(shop, ANN, unit_id, 60.0, *labels)
            say(shop, BEN, unit_id, 60.0, *labels)
        with database.begin() as conn:
            assert make_batch(conn, BATCH, 5, "erin", NOW) == 5
            items = [item.unit_id for item in batch_items(conn, BATCH)]
        assert items == ids
        try_out(shop, FAY, dict(zip(ids, SAID, strict=True)))
        try_out(shop, GIL, dict.fromkeys(ids[:2], STRICT))
        shop.clock.set(NOW + timedelta(days=7))  # type: ignore[attr-defined]
        try_out(shop, GIL, dict.fromkeys(ids[2:], STRICT))
        yield shop


def try_out(shop: Workshop, person: Person, said: Mapping[int, Sequence[str]]) -> None:
    for unit_id, labels in said.items():
        give_trial(shop, person, BATCH, unit_id, document(labels))


def test_calibration_in_the_report_is_that_of_the_known_labels(tried: Workshop) -> None:
    fay, gil = report_of(tried.database)["agreement"]["calibration"]
    claims = fay.pop("claims")
    assert fay == {
        "annotator": "fay", "batch": BATCH, "answers": 5, "answered": 5, "done": True, "equal": 3,
        "share": 0.6,
    }  # fmt: skip
    data = [[int(one == "supported") for labels in side for one in labels] for side in (SAID, KNOWN)]
    assert claims["coefficient"] == pytest.approx(
        float(reference_alpha(reliability_data=data, level_of_measurement="nominal"))
    )
    assert (claims["pairs"], claims["agreeing"]) == (15, 12)
    assert gil == {
        "annotator": "gil", "batch": BATCH, "answers": 5, "answered": 2, "done": False, "equal": None,
        "share": None, "claims": None,
    }, "as it stood at the end of the week, without a word of the known labels"  # fmt: skip
    with tried.database.read() as conn:
        assert trial_of(conn, BATCH, "gil").is_done, "on the page, a week later"


def test_calibration_stands_in_the_week_in_which_somebody_went_on_with_it(tried: Workshop) -> None:
    week = ReportPeriod(date(2026, 11, 30), date(2026, 12, 7), "UTC")
    clock = FixedClock(NOW + timedelta(days=20))
    (gil,) = publish(tried.database, week, ReportParams(), clock).document["agreement"]["calibration"]
    assert (gil["annotator"], gil["done"], gil["equal"]) == ("gil", True, 1)
    before = publish(tried.database, BEFORE, ReportParams(), clock).document
    assert before["agreement"]["calibration"] == []


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_reader_finds_how_each_trial_went(tried: Workshop, form: str) -> None:
    text = rendered(report_of(tried.database), form)
    assert BATCH not in text
    # What a reader sees: without the marks of the form itself.
    marks = r"<[^>]+>" if form == "html" else r"(?<!\\)\||\\(?=\|)"
    shown = " ".join(unescape(re.sub(marks, " ", text)).split())
    said = "labelled, 3 as the known label (60.0 %), alpha of claims 0."
    assert f"Calibration, fay, batch {BATCH} 5 of 5 {said}" in shown.replace("\u202f", " ").replace(
        "\xa0", " "
    )
    assert f"Calibration, gil, batch {BATCH} 2 of 5 labelled" in shown
    assert "2 of 5 labelled," not in shown, "nothing of the known labels before the batch is done"
