"""What the report makes of the traffic's exact counts, of missing labels, and of the weeks before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sentinel.clock import FixedClock
from sentinel.reporting.live import LiveReading, live_reading
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod, last_whole_week
from sentinel.reporting.render import rendered
from sentinel.reporting.revisions import publish
from sentinel.store import frame, units
from sentinel.store.database import Database
from sentinel.store.reports import Period, report_revisions
from sentinel.store.unit_queries import iter_units
from tests.integration.label_store import DESIGN, LATER, MONDAY, PARTITION, database
from tests.integration.simulated_week import label, simulate

__all__ = ["database"]

WEEK = ReportPeriod(MONDAY.date(), (MONDAY + timedelta(days=7)).date(), "UTC")
RATES = ("claim", "case", "critical_claim")


def document(store: Database, period: ReportPeriod = WEEK, **params: Any) -> Mapping[str, Any]:
    return publish(store, period, ReportParams(**params), FixedClock(LATER)).document


def width(rate: Mapping[str, Any]) -> float:
    return float(rate["upper"] - rate["lower"])


def test_the_headline_is_calibrated_and_the_plain_ratio_stands_beside(database: Database) -> None:
    truth = simulate(database)
    label(database, truth)
    found = document(database)
    estimator, case = found["estimator"], found["rates"]["case"]
    assert estimator["method"] == "calibrated"
    assert estimator["calibrated_on"] == [
        "predicted risk",
        "size measure",
        "model = model-a",
        "model = model-b",
    ]
    assert "calibrated to 4 exact figures of all 3\u202f000 answers" in estimator["sentence"]
    assert estimator["reason"] is None
    assert case["method"] == "calibrated-korn-graubard"
    assert case["plain"]["method"] == "korn-graubard"
    assert width(case) < width(case["plain"])
    assert estimator["variance_ratio"] == pytest.approx(
        (case["standard_error"] / case["plain"]["standard_error"]) ** 2
    )
    assert case["lower"] <= truth.case_rate <= case["upper"]
    assert all(rate["plain"]["estimate"] is not None for rate in found["rates"].values())
    assert found["totals"]["units"] == {
        "estimate": pytest.approx(3_000),
        "standard_error": pytest.approx(0, abs=1e-6),
        "status": "ok",
    }
    for form in ("markdown", "html"):
        text = rendered(found, form)
        assert "case rate, plain ratio" in text
        assert "calibrated to 4 exact figures" in text


def test_slices_add_up_to_the_headline(database: Database) -> None:
    label(database, simulate(database, bad_share=0.3))
    found = document(database, minimum_labelled_per_slice=1)
    by_model = [one for one in found["slices"] if one["domain"] == "model"]
    weights = [one["events"] for one in by_model]
    rates = [one["case"]["estimate"] for one in by_model]
    (app,) = (one for one in found["slices"] if one["domain"] == "app")
    assert app["case"]["estimate"] == pytest.approx(found["rates"]["case"]["estimate"])
    assert app["against_rest"] is None, "there is nothing beside a slice of all traffic"
    assert len(rates) >= 2
    assert min(rates) <= found["rates"]["case"]["estimate"] <= max(rates)
    assert sum(weights) <= found["population"]["events"]


@pytest.mark.parametrize(
    ("expected", "bad_share", "reason"),
    [(40, 0.4, "labelled answers, 60 are needed"), (200, 0.02, "failing cases, 10 are needed")],
)
def test_thin_data_fall_back_to_the_plain_ratio_and_say_so(
    database: Database, expected: float, bad_share: float, reason: str
) -> None:
    label(database, simulate(database, expected=expected, bad_share=bad_share))
    found = document(database)
    case = found["rates"]["case"]
    assert found["estimator"]["method"] == "ratio"
    assert reason in found["estimator"]["reason"]
    assert reason in found["estimator"]["sentence"]
    plain = case.pop("plain")
    assert {key: case[key] for key in plain} == plain
    assert any(reason in note for note in found["notes"])


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_frame_that_does_not_fit_is_called_out_and_not_used(database: Database, factor: float) -> None:
    label(database, simulate(database, frame_factor=factor))
    found = document(database)
    check = found["population"]["weight_check"]
    assert check["status"] == "off"
    assert check["z"] == pytest.approx((check["estimated"] - check["counted"]) / check["standard_error"])
    assert found["design"]["weight_check"] == check
    assert found["estimator"]["reason"] == "the weights do not fit the traffic"
    assert any("more than chance" in note for note in found["notes"])


def test_weights_that_fit_are_shown_with_their_error(database: Database) -> None:
    label(database, simulate(database))
    check = document(database)["design"]["weight_check"]
    assert check["status"] == "ok"
    assert check["counted"] == 3_000
    assert abs(check["z"]) < 3
    assert 50 < check["standard_error"] < 500


def test_each_answer_counts_with_the_prediction_of_its_own_design(database: Database) -> None:
    """The second design predicts on a reversed scale: each has its own weight, or nothing would be gained."""
    truth = simulate(database, designs=("d-1", "d-2"), answers=4_000, expected=300)
    label(database, truth)
    found = document(database)
    columns = found["estimator"]["calibrated_on"]
    assert {"predicted risk of design d-1", "predicted risk of design d-2"} <= set(columns)
    assert found["estimator"]["variance_ratio"] < 0.95
    assert found["rates"]["case"]["lower"] <= truth.case_rate <= found["rates"]["case"]["upper"]
    designs = {one["design"]: one for one in found["design"]["designs"]}
    assert sum(one["events"] for one in designs.values()) == 4_000
    assert designs["d-1"]["mean_predicted_risk"] != pytest.approx(
        designs["d-2"]["mean_predicted_risk"], rel=0.2
    )
    assert designs["d-1"]["expected_drawn"] == pytest.approx(designs["d-1"]["drawn"], abs=50)


def test_a_sum_of_risk_that_nobody_can_reach_is_not_calibrated_to(database: Database) -> None:
    label(database, simulate(database))
    with database.begin() as conn:
        key = frame.CellKey(frame.window_of(MONDAY), PARTITION, DESIGN)
        frame.add_cells(conn, {key: frame.CellCounts(0, 0, 0, 1_500_000_000, 0, 0)})
    found = document(database)
    assert found["estimator"]["method"] == "ratio"
    assert found["estimator"]["reason"] == "weights would leave their usual range"


def test_missing_labels_are_made_up_for_in_classes(database: Database) -> None:
    """Risky answers wait: the labelled ones alone look better than all."""
    truth = simulate(database, expected=400, bad_share=0.25, signal_every=100)
    order = np.argsort(truth.risk)
    early = [int(n) for place, n in enumerate(order) if place < 250 or place % 3 == 0]
    label(database, truth, early)
    found = document(database)
    response = found["nonresponse"]
    assert response["status"] == "adjusted"
    assert 0.4 < response["weighted_response_rate"] < 1.0
    assert found["coverage"]["labelled_share_weighted"] == pytest.approx(response["weighted_response_rate"])
    assert sum(one["drawn"] for one in response["classes"]) == len(truth.drawn)
    assert sum(one["labelled"] for one in response["classes"]) == len(early)
    assert {one["class"].split(",")[0] for one in response["classes"]} == {"routine", "signal"}
    assert min(one["labelled"] for one in response["classes"]) >= 10
    case = found["rates"]["case"]
    assert case["plain"]["estimate"] < case["estimate"]
    assert abs(case["estimate"] - truth.case_rate) < abs(case["plain"]["estimate"] - truth.case_rate)
    assert case["worst_case_lower"] <= case["estimate"] <= case["worst_case_upper"]
    assert any("Labelled answers stand for them within" in note for note in found["notes"])


def test_lost_and_purged_answers_are_missing_and_not_good(database: Database) -> None:
    truth = simulate(database)
    kept = [n for n in range(len(truth.drawn)) if not (truth.bad[n] and n % 2)]
    gone = [truth.drawn[n] for n in range(len(truth.drawn)) if n not in set(kept)]
    label(database, truth, kept)
    with database.begin() as conn:
        units.set_status(conn, gone[::2], "lost")
        units.set_status(conn, gone[1::2], "purged")
    found = document(database)
    coverage, case = found["coverage"], found["rates"]["case"]
    assert coverage["lost"] + coverage["purged"] == len(gone)
    assert coverage["pending"] == 0
    assert found["nonresponse"]["status"] == "adjusted"
    assert case["denominator"] == len(kept)
    assert case["worst_case_upper"] > case["estimate"] > case["worst_case_lower"]


def test_late_labels_make_a_second_revision_that_says_what_changed(database: Database) -> None:
    truth = simulate(database)
    half = range(0, len(truth.drawn), 2)
    label(database, truth, half)
    first = publish(database, WEEK, ReportParams(), FixedClock(LATER))
    label(database, truth, range(1, len(truth.drawn), 2))
    second = publish(database, WEEK, ReportParams(), FixedClock(LATER + timedelta(days=7)))
    assert (first.revision, second.revision) == (1, 2)
    moved = second.document["changes"]["moved"]
    assert any(line.startswith("case rate: ") for line in moved)
    assert f"labelled answers: {len(half)}, now {len(truth.drawn)}" in moved
    assert {"rates", "nonresponse", "coverage", "estimator"} <= set(second.document["changes"]["parts"])
    assert second.document["population"]["events"] == first.document["population"]["events"]
    with database.read() as conn:
        kept = report_revisions(conn, Period(WEEK.start, WEEK.end, "UTC"))
    assert kept[0].report.document == first.document


def test_the_bound_for_every_look_is_below_the_interval_of_one(database: Database) -> None:
    truth = simulate(database)
    label(database, truth)
    case = document(database)["rates"]["case"]
    assert 0.05 < case["anytime_lower"] < case["lower"]
    assert "However often one looks" in rendered(document(database), "markdown")


def test_the_bound_can_be_read_while_the_week_runs(database: Database) -> None:
    truth = simulate(database)
    with database.read() as conn:
        assert live_reading(conn, WEEK) == LiveReading(None, 0.95, 3_000, 0, 0)
    bounds = []
    for end in range(20, len(truth.drawn) + 1, 20):
        label(database, truth, range(end - 20, end))
        with database.read() as conn:
            reading = live_reading(conn, WEEK)
        assert (reading.labelled, reading.failing) == (end, sum(truth.bad[:end]))
        bounds.append(reading.lower or 0.0)
    assert bounds == sorted(bounds), "more labels of the same traffic never lower it"
    assert bounds[-1] == pytest.approx(document(database)["rates"]["case"]["anytime_lower"], rel=1e-9)
    assert bounds[-1] < truth.case_rate


def test_without_labels_no_bound_is_claimed(database: Database) -> None:
    simulate(database)
    found = document(database)
    assert found["rates"]["case"]["anytime_lower"] is None
    assert found["rates"]["case"]["plain"]["status"] == "no_data"
    assert found["estimator"]["sentence"].startswith("Nothing was estimated")
    assert found["agreement"]["status"] == "no_data"
    assert found["design"]["status"] == "no_data"


def weeks(store: Database, number: int, leave_out: int | None = None) -> None:
    for back in range(number):
        if back != leave_out:
            start = MONDAY - timedelta(weeks=back)
            label(store, simulate(store, start=start, seed=back + 1, answers=800, expected=80))


def test_the_trend_has_twelve_periods_and_holes_stay_holes(database: Database) -> None:
    weeks(database, 14, leave_out=3)
    found = document(database)
    trend = found["trend"]
    assert len(trend) == 12
    assert [point["source"] for point in trend] == ["computed"] * 8 + ["none"] + ["computed"] * 2 + [
        "this report"
    ]
    hole, last = trend[8], trend[-1]
    assert (hole["case"]["estimate"], hole["case"]["status"]) == (None, "no_data")
    assert last["case"]["estimate"] == found["rates"]["case"]["estimate"]
    assert last["week"] == "2026-W47"
    page = rendered(found, "html")
    assert "Case rate of the last 12 periods" in page
    assert "28 September – 4 October 2026" in page
    assert "nothing drawn" in page


def test_a_published_week_is_shown_as_it_was_published(database: Database) -> None:
    weeks(database, 3)
    earlier = document(database, WEEK.previous())
    trend = document(database)["trend"]
    assert [point["source"] for point in trend] == ["computed", "published", "this report"]
    assert trend[1]["revision"] == 1
    assert trend[1]["case"]["estimate"] == earlier["rates"]["case"]["estimate"]
    assert trend[1]["case"]["lower"] == earlier["rates"]["case"]["lower"]


def test_publishing_an_earlier_week_makes_no_revision_of_this_one(database: Database) -> None:
    weeks(database, 4)
    first = publish(database, WEEK, ReportParams(), FixedClock(LATER))
    document(database, WEEK.previous().previous())
    again = publish(database, WEEK, ReportParams(), FixedClock(LATER + timedelta(hours=1)))
    assert again.revision == first.revision == 1


def test_agreement_of_two_reviewers(database: Database) -> None:
    truth = simulate(database)
    label(database, truth)
    label(database, truth, range(30), annotator="ann-2")
    agreement = document(database)["agreement"]
    assert agreement["status"] == "ok"
    assert (agreement["reviewers"], agreement["answers_with_two_opinions"]) == (2, 30)
    assert (agreement["share"], agreement["krippendorff_alpha"]) == (1.0, 1.0)


def test_a_slice_that_differs_stands_out_and_others_do_not(database: Database) -> None:
    truth = simulate(database, expected=400)
    with database.read() as conn:
        model = {one.unit.facts.event_id: one.unit.facts.domains["model"] for one in iter_units(conn)}
    bad = tuple(
        model[name] == "model-b" or (was and number % 4 == 0)
        for number, (name, was) in enumerate(zip(truth.drawn, truth.bad, strict=True))
    )
    label(database, replace(truth, bad=bad))
    found = document(database)
    against = {one["value"]: one["against_rest"] for one in found["slices"] if one["domain"] == "model"}
    assert against["model-b"]["stands_out"] == "higher"
    assert against["model-a"]["stands_out"] == "lower"
    assert against["model-b"]["lower"] > 0.2
    assert any("Standing out: " in note and "model = model-b (higher)" in note for note in found["notes"])


LATE = (
    timedelta(0), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=9), timedelta(days=1),
    timedelta(days=3), timedelta(days=6, hours=21),
)  # fmt: skip


@pytest.mark.parametrize("late", LATE)
@pytest.mark.parametrize(
    ("zone", "due", "first_day"),
    [
        ("UTC", datetime(2026, 11, 23, 2, tzinfo=UTC), date(2026, 11, 16)),
        ("Europe/Berlin", datetime(2026, 10, 26, 1, tzinfo=UTC), date(2026, 10, 19)),
        ("Europe/Berlin", datetime(2027, 3, 29, 0, tzinfo=UTC), date(2027, 3, 22)),
        ("America/New_York", datetime(2026, 11, 2, 7, tzinfo=UTC), date(2026, 10, 26)),
        ("Pacific/Auckland", datetime(2026, 11, 22, 13, tzinfo=UTC), date(2026, 11, 16)),
    ],
)
def test_a_report_made_late_is_of_the_window_that_was_planned(
    late: timedelta, zone: str, due: datetime, first_day: date
) -> None:
    """A host that sleeps over the hour of the weekly report makes it when it wakes, for the same week."""
    period = last_whole_week(due + late, zone)
    assert (period.first_day, period.days) == (first_day, 7)


def test_a_report_made_twice_is_there_once(tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 's.db'}") as store:
        store.upgrade()
        label(store, simulate(store, answers=400, expected=60))
        for late in LATE:
            now = datetime(2026, 11, 23, 2, tzinfo=UTC) + late
            published = publish(store, last_whole_week(now, "UTC"), ReportParams(), FixedClock(now))
            assert published.revision == 1
            assert published.document["period"]["from"] == "2026-11-16"
