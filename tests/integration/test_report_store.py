"""Reports of small stores whose numbers can be worked out by hand."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sentinel.clock import FixedClock
from sentinel.records import Report
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod, requested_period
from sentinel.reporting.render import rendered
from sentinel.reporting.revisions import publish
from sentinel.store import frame, units
from sentinel.store.database import Database
from sentinel.store.dead_letters import DeadLetter, add_dead_letters
from sentinel.store.reports import Period, report_revisions
from tests.integration.label_store import (
    LATER,
    MONDAY,
    PARTITION,
    claim,
    database,
    drawn,
    fill,
    import_lines,
    line,
)

__all__ = ["database"]

WEEK = ReportPeriod(MONDAY.date(), (MONDAY + timedelta(days=7)).date(), "UTC")
RATES = ("claim", "case", "critical_claim")


def report(store: Database, period: ReportPeriod = WEEK, now: datetime = LATER, **params: Any) -> Report:
    return publish(store, period, ReportParams(**params), FixedClock(now))


def document(store: Database, **params: Any) -> Mapping[str, Any]:
    return report(store, **params).document


def without_numbers_that_are_none(value: Any) -> None:
    if isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            without_numbers_that_are_none(inner)
    elif isinstance(value, list):
        for inner in value:
            without_numbers_that_are_none(inner)


def test_a_week_without_anything_is_no_data_and_never_zero(database: Database) -> None:
    found = document(database)
    for name in RATES:
        rate = found["rates"][name]
        assert (rate["estimate"], rate["lower"], rate["upper"], rate["status"]) == (
            None,
            None,
            None,
            "no_data",
        )
        assert (rate["numerator"], rate["denominator"], rate["n_labelled"]) == (0, 0, 0)
    assert found["population"]["estimated_events"] is None
    assert found["coverage"]["label_delay_hours"] == {"median": None, "p90": None}
    assert found["coverage"]["labelled_share"] is None
    assert found["abstention"]["correct"] is None
    assert found["severity"]["critical"] is None
    assert found["comparison"]["case_difference"]["status"] == "no_data"
    assert "No hallucination rate can be given" in found["headline"]
    for form in ("json", "html", "markdown"):
        text = rendered(found, form)
        assert "0.0\u202f%" not in text
        assert "nan" not in text.lower().replace("finance", "")


def test_drawn_and_not_labelled_is_no_data(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")], events=4)
    found = document(database)
    assert found["rates"]["case"]["status"] == "no_data"
    assert found["coverage"]["pending"] == 2
    assert found["population"]["estimated_events"] == 4.0
    assert "none of the 2 drawn answers has a label" in found["headline"]


def test_every_key_of_the_contract_is_there(database: Database) -> None:
    found = document(database)
    assert found.keys() >= {
        "schema", "period", "as_of", "revision", "rates", "population", "coverage", "abstention",
        "completeness",
        "severity", "subtypes", "attribution", "indicators", "slices", "comparison", "judge", "versions",
        "notes",
    }  # fmt: skip
    assert found["schema"] == "sentinel.report/v1"
    assert found["rates"].keys() == set(RATES)
    assert found["rates"]["claim"].keys() >= {
        "estimate", "lower", "upper", "level", "method", "numerator", "denominator", "n_labelled",
        "effective_sample_size", "design_effect", "status",
    }  # fmt: skip
    assert found["population"].keys() >= {
        "events", "answered", "abstained", "not_covered", "dead_letters", "estimated_events",
        "estimated_events_se",
    }  # fmt: skip
    assert found["coverage"].keys() >= {
        "drawn", "labelled", "provisional", "adjudicated", "pending", "lost", "label_delay_hours",
    }  # fmt: skip
    assert found["comparison"].keys() >= {"previous_period", "claim_difference", "case_difference"}
    assert found["versions"].keys() >= {"design", "rubric", "redactor", "judge"}


def test_numbers_worked_out_by_hand(database: Database) -> None:
    # Weights 2, 4, 10, 1: the four cases stand for 17 answers.
    fill(database, [drawn("a", 0.5), drawn("b", 0.25), drawn("c", 0.1), drawn("d", 1.0)], events=20)
    import_lines(
        database,
        line("a", claim(), claim("contradicted", "critical")),
        line("b", claim(), claim(), claim()),
        line("c", claim(), claim("unverifiable"), claim("nonfactual")),
        line("d", claim("not_in_evidence", "low"), claim("contradicted")),
    )
    found = document(database)
    case, claims, critical = (found["rates"][name] for name in ("case", "claim", "critical_claim"))
    assert case["estimate"] == pytest.approx((2 + 1) / 17)
    assert (case["numerator"], case["denominator"], case["n_labelled"]) == (2, 4, 4)
    assert claims["estimate"] == pytest.approx((2 * 1 + 1 * 2) / (2 * 2 + 4 * 3 + 10 * 1 + 1 * 2))
    assert (claims["numerator"], claims["denominator"]) == (3, 8)
    assert critical["estimate"] == pytest.approx(2 / 28)
    assert case["effective_sample_size"] == pytest.approx(17**2 / (4 + 16 + 100 + 1))
    assert case["design_effect"] == pytest.approx(4 * 121 / 17**2)
    score = {"a": 2 * (1 - 3 / 17) / 17, "b": -4 * 3 / 17 / 17, "c": -10 * 3 / 17 / 17}
    variance = 0.5 * score["a"] ** 2 + 0.75 * score["b"] ** 2 + 0.9 * score["c"] ** 2
    assert case["standard_error"] == pytest.approx(math.sqrt(variance))
    assert case["lower"] < case["estimate"] < case["upper"]
    assert case["status"] == "too_small"
    population = found["population"]
    assert (population["events"], population["estimated_events"]) == (20, 17.0)
    error = math.sqrt(0.5 * 4 + 0.75 * 16 + 0.9 * 100)
    assert population["estimated_events_se"] == pytest.approx(error)
    assert population["weight_check"]["z"] == pytest.approx(-3 / error)
    assert found["severity"]["critical"] == {"count": 1, "share": pytest.approx(2 / 4)}
    assert found["severity"]["unrated"]["count"] == 1
    assert found["claims"]["nonfactual"]["count"] == 1
    without_numbers_that_are_none(found)
    assert json.loads(rendered(found, "json")) == found


def test_all_supported_gives_an_upper_bound_and_never_zero_to_zero(database: Database) -> None:
    fill(database, [drawn(f"e{n}", 0.5) for n in range(40)], events=80)
    import_lines(database, *(line(f"e{n}", claim()) for n in range(40)))
    case = document(database)["rates"]["case"]
    assert (case["status"], case["estimate"], case["lower"]) == ("zero_observed", 0.0, 0.0)
    assert case["upper"] == pytest.approx(1 - 0.025 ** (1 / 40))
    # The schedule's least probability is 0.1: 1 − 0.9^D ≥ 0.975 once D is above 35.
    assert case["guaranteed_upper"] == pytest.approx(math.log(0.025) / math.log(0.9) / 80)
    found = document(database)
    assert "No unsupported claim was observed among 40 labelled answered cases" in found["headline"]
    assert any("assumes that failures" in note for note in found["notes"])


def test_all_supported_in_a_census_keeps_an_upper_bound(database: Database) -> None:
    fill(database, [drawn(f"e{n}", 1.0) for n in range(5)])
    import_lines(database, *(line(f"e{n}", claim()) for n in range(5)))
    case = document(database)["rates"]["case"]
    assert case["upper"] > 0.0
    assert case["guaranteed_upper"] is None or case["guaranteed_upper"] > 0.0


def test_a_slice_with_one_unit_is_suppressed(database: Database) -> None:
    blue = drawn("blue-1", 0.2, tenant="blue")
    fill(database, [blue, *(drawn(f"e{n}", 0.5, tenant="red") for n in range(40))], events=85)
    import_lines(database, line("blue-1", claim()), *(line(f"e{n}", claim()) for n in range(39)))
    import_lines(database, line("e39", claim("contradicted")))
    slices = {one["value"]: one for one in document(database)["slices"]}
    assert slices["blue"]["suppressed"]
    for rate in (slices["blue"]["case"], slices["blue"]["claim"]):
        assert (rate["estimate"], rate["lower"], rate["upper"], rate["status"]) == (
            None,
            None,
            None,
            "too_small",
        )
        assert (rate["numerator"], rate["denominator"]) == (0, 1)
    assert not slices["red"]["suppressed"]
    assert slices["red"]["case"]["estimate"] == pytest.approx(1 / 40)
    assert slices["red"]["labelled"] == 40


def test_a_small_slice_shown_on_demand_has_an_interval_with_a_width(database: Database) -> None:
    fill(database, [drawn("blue-1", 0.2, tenant="blue"), drawn("e1", tenant="red")], events=9)
    import_lines(database, line("blue-1", claim()), line("e1", claim("contradicted")))
    for one in document(database, minimum_labelled_per_slice=1)["slices"]:
        assert one["case"]["lower"] < one["case"]["upper"]
        assert one["case"]["status"] == "too_small"


@pytest.mark.parametrize(
    "idk",
    [
        {"answered": False, "abstention": "correct"},
        {"answered": False, "abstention": "unnecessary"},
        {"answered": False, "abstention": "none"},
        {"answered": False, "abstention": "correct", "claims": [claim("nonfactual")]},
        {"answered": False, "abstention": "correct", "claims": [claim("supported")]},
        {"answered": False, "abstention": "correct", "claims": [claim("unverifiable"), claim("nonfactual")]},
        {"answered": False, "abstention": "correct", "claims": [claim("contradicted", "critical")]},
        {"answered": False, "abstention": "unnecessary", "claims": [claim("not_in_evidence")] * 3},
        {"answered": False, "abstention": "correct", "complete": True, "evidence_retrieved": "miss"},
        {"answered": False, "abstention": "correct", "role": "adjudicator"},
        {"answered": False, "abstention": "unnecessary", "citations": [{"id": "d", "entails": False}]},
    ],
)
def test_an_abstention_is_outside_both_denominators(database: Database, idk: dict[str, Any]) -> None:
    fill(database, [drawn("e1"), drawn("e2"), drawn("idk", 0.1)], events=14)
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()), line("idk") | idk)
    found = document(database)
    case, claims = found["rates"]["case"], found["rates"]["claim"]
    assert (case["numerator"], case["denominator"], case["estimate"]) == (1, 2, 0.5)
    assert (claims["numerator"], claims["denominator"], claims["estimate"]) == (1, 2, 0.5)
    assert found["rates"]["critical_claim"]["numerator"] == 0
    kind = "unclassified" if idk["abstention"] == "none" else idk["abstention"]
    assert found["abstention"][kind] == 1
    assert found["abstention"]["outside_denominators"] == 1
    assert found["abstention"]["shares"][kind] == pytest.approx(10 / 14)
    assert found["severity"]["critical"]["count"] == 0
    without_numbers_that_are_none(found)
    asserts = any(one["label"] in ("contradicted", "not_in_evidence") for one in idk.get("claims", ()))
    assert any("say the answer abstains" in note for note in found["notes"]) == asserts


def test_only_abstentions_is_no_data(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, *(line(f"e{n}", answered=False, abstention="correct") for n in (1, 2)))
    found = document(database)
    assert (found["rates"]["case"]["status"], found["rates"]["claim"]["status"]) == ("no_data", "no_data")
    assert "all 2 labelled answers abstained" in found["headline"]


def test_a_failed_abstention_counts_with_its_claims(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted"), abstention="failed"), line("e2", claim()))
    found = document(database)
    assert (found["rates"]["case"]["numerator"], found["rates"]["case"]["denominator"]) == (1, 2)
    assert (found["abstention"]["failed"], found["abstention"]["outside_denominators"]) == (1, 0)


def test_labels_of_answers_never_drawn_change_no_figure(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    before = document(database)
    import_lines(database, *(line(f"picked-{n}", claim("contradicted", "critical")) for n in range(50)))
    assert document(database) == before
    # A period nobody asked for before shows them.
    six_days = ReportPeriod(WEEK.first_day, WEEK.end_day - timedelta(days=1), "UTC")
    after = report(database, six_days).document
    assert after["rates"] == before["rates"]
    assert after["coverage"]["non_probability"] == 50
    assert after["slices"] == before["slices"]
    assert any("were picked, not drawn" in note for note in after["notes"])


def test_a_label_outside_the_sample_makes_no_revision_by_itself(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")))
    first = report(database)
    for number in range(2):
        import_lines(database, line(f"picked-{number}", claim("contradicted")))
        again = report(database, now=LATER + timedelta(hours=1 + number))
        assert (again.revision, again.document) == (1, first.document)
    import_lines(database, line("e2", claim()))
    second = report(database, now=LATER + timedelta(hours=5))
    assert second.revision == 2
    assert second.document["coverage"]["non_probability"] == 2
    import_lines(database, line("picked-3", claim()))
    assert report(database, now=LATER + timedelta(hours=6)).revision == 2


def test_processes_that_publish_at_once_write_one_revision(database: Database) -> None:
    fill(database, [drawn(f"e{number}") for number in range(6)])
    for revision in range(1, 6):
        import_lines(database, line(f"e{revision}", claim()))
        gate = threading.Barrier(4)

        def look(_worker: int, gate: threading.Barrier = gate) -> Report:
            gate.wait(timeout=30)
            return report(database)

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(look, range(4)))
        assert {one.revision for one in found} == {revision}
        assert all(one.document == found[0].document for one in found)
    with database.read() as conn:
        kept = report_revisions(conn, Period(WEEK.start, WEEK.end, "UTC"))
    assert [one.report.document["coverage"]["labelled"] for one in kept] == [1, 2, 3, 4, 5]


def test_labels_from_before_the_draw_enter_no_rate(database: Database) -> None:
    import_lines(database, line("e1", claim("contradicted")))
    fill(database, [drawn("e1")])
    found = document(database)
    assert found["rates"]["case"]["status"] == "no_data"
    assert found["coverage"]["pending"] == 1


def test_second_opinions_and_adjudication_whoever_comes_first(database: Database) -> None:
    fill(database, [drawn("early"), drawn("late")])
    decision = {"annotator": "chief", "role": "adjudicator"}
    import_lines(
        database,
        line("early", claim(), **decision),
        line("early", claim("contradicted")),
        line("early", claim("contradicted"), annotator="ann-2"),
        line("late", claim("contradicted")),
        line("late", claim("contradicted"), annotator="ann-2"),
        line("late", claim(), **decision),
    )
    found = document(database)
    assert found["rates"]["case"]["numerator"] == 0
    assert (found["coverage"]["adjudicated"], found["coverage"]["provisional"]) == (2, 0)


def test_a_first_opinion_counts_provisionally_until_a_second_agrees(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    first = report(database)
    assert first.document["coverage"]["provisional"] == 2
    import_lines(database, line("e1", claim(), annotator="ann-2"), line("e2", claim(), annotator="ann-2"))
    second = report(database)
    coverage = second.document["coverage"]
    assert (coverage["provisional"], coverage["adjudicated"], coverage["disputed"]) == (1, 1, 1)
    assert second.document["rates"]["case"]["numerator"] == 1


def test_a_correction_changes_the_rate_and_makes_a_revision_that_says_so(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    first = report(database)
    again = report(database, now=LATER + timedelta(hours=5))
    assert (first.revision, again.revision) == (1, 1)
    assert again.document == first.document
    import_lines(database, line("e1", claim()))
    second = report(database, now=LATER + timedelta(hours=6))
    assert (second.revision, second.document["revision"]) == (2, 2)
    changes = second.document["changes"]
    assert changes["since_revision"] == 1
    assert any(moved.startswith("case rate: 50.0") for moved in changes["moved"])
    assert second.document["rates"]["case"]["numerator"] == 0
    assert report(database, now=LATER + timedelta(hours=7)).revision == 2
    with database.read() as conn:
        kept = report_revisions(conn, Period(WEEK.start, WEEK.end, "UTC"))
    assert [one.report.document for one in kept] == [first.document, second.document]
    for form in ("html", "markdown"):
        assert "What changed since revision 1" in rendered(second.document, form)


def test_missing_labels_are_counted_by_kind_and_bounded(database: Database) -> None:
    answers = [drawn(f"e{n}", 0.5) for n in range(10)]
    fill(database, answers, events=20)
    import_lines(database, line("e0", claim("contradicted")), *(line(f"e{n}", claim()) for n in range(1, 7)))
    with database.begin() as conn:
        units.set_status(conn, ["e7"], "lost")
        units.set_status(conn, ["e8"], "purged")
    found = document(database)
    coverage, case = found["coverage"], found["rates"]["case"]
    assert [coverage[key] for key in ("drawn", "labelled", "pending", "lost", "purged")] == [10, 7, 1, 1, 1]
    assert coverage["labelled_share_weighted"] == pytest.approx(0.7)
    assert case["estimate"] == pytest.approx(1 / 7)
    assert (case["worst_case_lower"], case["worst_case_upper"]) == (pytest.approx(0.1), pytest.approx(0.4))
    assert any("without a label" in note for note in found["notes"])
    assert any("preliminary" in note for note in found["notes"])


def test_the_delay_of_labels_runs_from_the_queue(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2"), drawn("e3")])
    queued = MONDAY + timedelta(hours=13)
    for number, hours in enumerate((1, 2, 10), start=1):
        import_lines(database, line(f"e{number}", claim()), now=queued + timedelta(hours=hours))
    import_lines(database, line("e1", claim("contradicted")), now=queued + timedelta(hours=90))
    delay = document(database)["coverage"]["label_delay_hours"]
    assert (delay["median"], delay["p90"]) == (pytest.approx(2.0), pytest.approx(8.4))


def test_units_belong_to_the_period_of_their_event_time(database: Database) -> None:
    last, first = WEEK.end - timedelta(microseconds=1), WEEK.start
    fill(database, [drawn("in-1", at=first), drawn("in-2", at=last), drawn("out", at=WEEK.end)])
    import_lines(database, *(line(name, claim()) for name in ("in-1", "in-2", "out")))
    assert document(database)["coverage"]["labelled"] == 2


def test_not_covered_and_dead_letters_by_reason(database: Database) -> None:
    fill(database, [drawn("e1")])
    window = frame.window_of(MONDAY)
    with database.begin() as conn:
        frame.add_not_covered(conn, {(window, PARTITION, "not_json"): 40})
        letters = [
            DeadLetter(PARTITION, offset, reason, "", MONDAY, 5)
            for offset, reason in enumerate(["not_json", "not_json", "redaction_failed"])
        ]
        add_dead_letters(conn, letters, 10, MONDAY)
    population = document(database)["population"]
    assert (population["not_covered"], population["not_covered_reasons"]) == (40, {"not_json": 40})
    assert population["dead_letter_reasons"] == {"not_json": 40, "redaction_failed": 1}
    assert population["dead_letters"] == 41


def test_what_was_deleted_before_it_was_read_is_no_dead_letter(database: Database) -> None:
    fill(database, [drawn("e1")])
    window = frame.window_of(MONDAY)
    reasons = {"not_json": 3, "deleted_by_retention": 500, "overflow": 7, "strange": 2}
    with database.begin() as conn:
        frame.add_not_covered(conn, {(window, PARTITION, why): n for why, n in reasons.items()})
        add_dead_letters(conn, [DeadLetter(PARTITION, 1, "strange", "", MONDAY, 5)], 10, MONDAY)
    population = document(database)["population"]
    assert population["not_covered_reasons"] == reasons
    assert population["dead_letter_reasons"] == {"not_json": 3, "strange": 2}
    assert (population["not_covered"], population["dead_letters"]) == (512, 5)


@pytest.mark.parametrize(
    ("timestamp", "parked", "counts"),
    [
        (WEEK.start, WEEK.start, True),
        (WEEK.start, WEEK.end, True),
        (WEEK.start - timedelta(microseconds=1), WEEK.start, False),
        (None, WEEK.end - timedelta(microseconds=1), True),
        (None, WEEK.end, False),
        (WEEK.end + timedelta(days=900), WEEK.start + timedelta(days=1), True),
        (WEEK.end, WEEK.end - timedelta(microseconds=1), True),
        (WEEK.end + timedelta(days=900), WEEK.end, False),
        (WEEK.end + timedelta(days=900), WEEK.start - timedelta(days=1), False),
        (WEEK.start + timedelta(days=2), WEEK.start - timedelta(days=1), False),
    ],
)
def test_a_dead_letter_counts_when_it_came_if_its_own_time_is_later(
    database: Database, timestamp: datetime | None, parked: datetime, counts: bool
) -> None:
    fill(database, [drawn("e1")])
    with database.begin() as conn:
        add_dead_letters(conn, [DeadLetter(PARTITION, 1, "time_in_future", "", timestamp, 5)], 10, parked)
    expected = {"time_in_future": 1} if counts else {}
    assert document(database)["population"]["dead_letter_reasons"] == expected


def test_an_answer_left_out_makes_a_complete_sample_no_census(database: Database) -> None:
    fill(database, [drawn("e1", 1.0), drawn("e2", 1.0)])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    assert document(database)["rates"]["case"]["method"] == "census"
    with database.begin() as conn:
        frame.add_not_covered(conn, {(frame.window_of(MONDAY), PARTITION, "not_json"): 1})
    case = document(database)["rates"]["case"]
    assert case["lower"] < case["estimate"] < case["upper"]


def test_second_arrivals_estimate_what_the_duplicate_window_missed(database: Database) -> None:
    fill(database, [drawn("e1", 0.25), drawn("e2", 0.5)], events=9)
    with database.begin() as conn:
        units.insert_units(conn, [drawn("e1", 0.25)], MONDAY)
        units.insert_units(conn, [drawn("e1", 0.25)], MONDAY)
    misses = document(database)["population"]["duplicate_misses"]
    assert (misses["observed"], misses["estimate"], misses["share"]) == (2, 8.0, pytest.approx(8 / 9))
    assert misses["standard_error"] == pytest.approx(math.sqrt(0.75 * 64))


def test_a_raised_answer_met_before_weighs_its_misses_with_the_probability_of_its_draw(
    database: Database,
) -> None:
    fill(database, [drawn("e1", 0.1), drawn("e2", 0.5), drawn("e3", 0.5)], events=24)
    with database.begin() as conn:
        units.insert_units(conn, [drawn("e1", 0.1), drawn("e2", 0.5)], MONDAY)
        units.raise_units(conn, [drawn("e1", 1.0), replace(drawn("late", 1.0), offset=9)], MONDAY)
        units.insert_units(conn, [drawn("late", 1.0)], MONDAY)
    found = document(database)
    population = found["population"]
    misses, check = population["duplicate_misses"], population["weight_check"]
    # e1 was drawn with 0.1 and met again: ten answers are counted twice, not the one of its raised π.
    assert misses["observed"] == 3
    assert misses["estimate"] == pytest.approx(10 + 2 + 1)
    assert misses["standard_error"] == pytest.approx(math.sqrt(0.9 * 100 + 0.5 * 4 + 0))
    assert population["estimated_events"] == pytest.approx(1 + 2 + 2 + 1)
    assert check["estimated"] == pytest.approx(6 + 13)
    # e2 counts twice with one draw, (1 − π)(2/π)², e3 once; e1 and `late` are certain but for e1's misses.
    error = math.sqrt(0.9 * 100 + 0.5 * 16 + 0.5 * 4)
    assert check["z"] == pytest.approx((19 - 24) / error)
    assert any("includes them" in note and "once too often" in note for note in found["notes"])


def test_weights_that_cannot_be_true_are_called_out(database: Database) -> None:
    fill(database, [drawn(f"e{n}", 0.5) for n in range(50)], events=400)
    found = document(database)
    assert found["population"]["weight_check"]["status"] == "off"
    assert any("more than chance" in note for note in found["notes"])


def test_the_period_before_is_compared(database: Database) -> None:
    before = MONDAY - timedelta(days=3)
    fill(database, [drawn(f"old{n}", 0.5, at=before) for n in range(40)], at=before)
    fill(database, [drawn(f"new{n}", 0.5) for n in range(40)])
    import_lines(
        database,
        *(line(f"old{n}", claim("contradicted" if n < 4 else "supported")) for n in range(40)),
        *(line(f"new{n}", claim("contradicted" if n < 12 else "supported")) for n in range(40)),
    )
    comparison = document(database)["comparison"]
    assert comparison["previous_period"] == {"from": "2026-11-09", "to": "2026-11-16", "timezone": "UTC"}
    change = comparison["case_difference"]
    assert change["estimate"] == pytest.approx(0.2)
    assert 0.0 < change["lower"] < 0.2 < change["upper"]
    assert comparison["previous_case"]["estimate"] == pytest.approx(0.1)


def test_indicators_are_of_all_traffic(database: Database) -> None:
    fill(database, [drawn("e1")], events=200)
    cell = frame.CellKey(frame.window_of(MONDAY), PARTITION, "design-1", "indicator", "missing_citation")
    with database.begin() as conn:
        frame.add_cells(conn, {cell: frame.CellCounts(events=30)})
    indicators = document(database)["indicators"]
    assert indicators["missing_citation"] == {"events": 30, "known": 200, "share": 0.15}
    assert indicators["unknown_retrieval"] == {"events": 0, "known": 200, "share": 0.0}
    # Nobody counted of how many answers retrieval is known: the windows are of an older version.
    assert indicators["empty_retrieval"] == {"events": None, "known": None, "share": None}


UNTOLD = {"events": None, "known": 0, "share": None}


@pytest.mark.parametrize(
    ("known", "name", "expected"),
    [
        ({"retrieval": 80}, "empty_retrieval", {"events": 20, "known": 80, "share": 0.25}),
        ({"distance": 40}, "high_distance", {"events": 20, "known": 40, "share": 0.5}),
        ({"evidence": 50}, "ungrounded_number", {"events": 20, "known": 50, "share": 0.4}),
        ({"evidence": 50}, "ungrounded_name", {"events": 20, "known": 50, "share": 0.4}),
        ({"evidence": 50}, "low_overlap", {"events": 20, "known": 50, "share": 0.4}),
        ({"evidence": 50}, "unknown_retrieval", {"events": 20, "known": 200, "share": 0.1}),
        ({"evidence": 50}, "abstained", {"events": 20, "known": 200, "share": 0.1}),
        ({"retrieval": 50}, "high_distance", UNTOLD),
        ({"retrieval": 50, "distance": 50}, "low_overlap", UNTOLD),
        ({"distance": 50}, "empty_retrieval", UNTOLD),
        ({"retrieval": 19}, "empty_retrieval", {"events": None, "known": 19, "share": None}),
        ({}, "low_overlap", {"events": None, "known": None, "share": None}),
    ],
)
def test_a_share_is_of_the_answers_of_which_it_is_known(
    database: Database, known: dict[str, int], name: str, expected: dict[str, Any]
) -> None:
    fill(database, [drawn("e1")], events=200)
    cells = {("indicator", name): 20} | {("known", what): events for what, events in known.items()}
    with database.begin() as conn:
        window = frame.window_of(MONDAY)
        frame.add_cells(
            conn,
            {
                frame.CellKey(window, PARTITION, "design-1", *cell): frame.CellCounts(events=events)
                for cell, events in cells.items()
            },
        )
    found = document(database)
    assert found["indicators"][name] == expected
    assert {one["domain"] for one in found["slices"]} == {"app"}
    for form in ("html", "markdown"):
        (row,) = (one for one in rows_of(rendered(found, form)) if one.startswith(name.replace("_", " ")))
        cells_shown = ["–" if value is None else str(value) for value in list(expected.values())[:2]]
        shown = "–" if expected["share"] is None else f"{100 * expected['share']:.1f}\u202f%"
        assert row.split("|")[1:] == [*cells_shown, shown]


def rows_of(text: str) -> list[str]:
    """Table rows of a rendered report as `first|second|…`."""
    if "<table" in text:
        found = re.findall(r"<tr[^>]*>(.*?)</tr>", text, re.DOTALL)
        cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in found)
    else:
        cells = (row.strip("|").split("|") for row in text.splitlines() if row.startswith("|"))
    return ["|".join(re.sub(r"<[^>]+>", "", cell).strip() for cell in row) for row in cells]


def test_attribution_completeness_citations_and_versions(database: Database) -> None:
    fill(database, [drawn("e1", 0.5), drawn("e2", 0.25), drawn("e3", 1.0)])
    import_lines(
        database,
        line("e1", claim("contradicted", subtype="wrong number"), evidence_retrieved="hit",
             root_causes=["GENERATION", "GENERATION"], complete=True, guideline_version="rubric-3"),
        line("e2", claim(), evidence_retrieved="miss", complete=False, guideline_version="rubric-2",
             citations=[{"id": "d1", "entails": True}, {"id": "d2", "entails": False}]),
        line("e3", answered=False, abstention="correct", evidence_retrieved="miss"),
    )  # fmt: skip
    found = document(database)
    table = found["attribution"]["evidence_by_grounding"]
    assert table["hit"]["ungrounded"] == {"count": 1, "share": pytest.approx(2 / 7)}
    assert table["miss"]["grounded"] == {"count": 1, "share": pytest.approx(4 / 7)}
    assert table["miss"]["abstained"]["count"] == 1
    assert found["attribution"]["root_causes"] == {"GENERATION": {"count": 1, "share": pytest.approx(2 / 7)}}
    assert found["completeness"]["share"] == pytest.approx(2 / 6)
    assert (found["citations"]["judged"], found["citations"]["entailing"]) == (2, 1)
    assert found["subtypes"] == {"wrong number": {"count": 1, "share": 1.0}}
    assert found["versions"]["rubric"] == ["rubric-2", "rubric-3"]
    assert (found["versions"]["design"], found["versions"]["redactor"]) == (["design-1"], ["rules-1"])
    assert found["versions"]["indicators"] == ["7"]


def test_a_day_of_a_clock_change_is_one_day(database: Database) -> None:
    berlin = requested_period("2026-10-25", "2026-10-26", None, "Europe/Berlin", LATER)
    moments = [datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 22, 59, tzinfo=UTC)]
    outside = [datetime(2026, 10, 24, 21, 59, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC)]
    answers = [drawn(f"e{n}", 1.0, at=at) for n, at in enumerate(moments + outside)]
    for unit in answers:
        fill(database, [unit], at=unit.facts.event_time)
    found = report(database, berlin).document
    assert (found["coverage"]["drawn"], found["population"]["events"]) == (2, 2)
    assert found["traffic"] == [{"from": "2026-10-25", "to": "2026-10-26", "events": 2, "drawn": 2}]
