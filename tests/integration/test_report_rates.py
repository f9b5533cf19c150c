"""Rates of small stores whose numbers can be worked out by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from sentinel.reporting.render import rendered
from sentinel.store import frame
from sentinel.store.database import Database
from tests.integration.label_store import MONDAY, PARTITION, claim, database, drawn, fill, import_lines, line
from tests.integration.published_reports import document

__all__ = ["database"]

RATES = ("claim", "case", "critical_claim")


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


def test_an_answer_left_out_makes_a_complete_sample_no_census(database: Database) -> None:
    fill(database, [drawn("e1", 1.0), drawn("e2", 1.0)])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    assert document(database)["rates"]["case"]["method"] == "census"
    with database.begin() as conn:
        frame.add_not_covered(conn, {(frame.window_of(MONDAY), PARTITION, "not_json"): 1})
    case = document(database)["rates"]["case"]
    assert case["lower"] < case["estimate"] < case["upper"]


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
