"""Rates of the truth by hand, its label lines, and the comparison with what was estimated."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sentinel.demo.comparison import Compared, compare
from sentinel.demo.truth import Truth, true_rates
from sentinel.labelling.label_line import parse_label_line
from sentinel.records import ClaimAnnotation, ClaimLabel


def a_truth(number: int, *labels: ClaimLabel, answered: bool = True, version: str = "v7") -> Truth:
    claims = tuple(
        ClaimAnnotation(f"Claim {place}.", label, "low" if label == "contradicted" else None)
        for place, label in enumerate(labels)
    )
    abstention = "none" if answered else "correct"
    return Truth(f"e{number}", {"prompt_version": version}, answered, abstention, claims, "hit")


TRUTHS = [
    a_truth(1, "supported", "supported"),
    a_truth(2, "supported", "contradicted"),
    a_truth(3, "not_in_evidence", "contradicted", "nonfactual", version="v8"),
    a_truth(4, "nonfactual"),
    a_truth(5, "unverifiable", "supported", version="v8"),
    a_truth(6, "contradicted", answered=False),
]


def test_rates_by_hand() -> None:
    rates = true_rates(TRUTHS)
    assert (rates.answers, rates.answered, rates.cases, rates.claims, rates.unsupported) == (6, 5, 2, 7, 3)
    assert rates.case == pytest.approx(2 / 5)
    assert rates.claim == pytest.approx(3 / 7)


def test_nothing_has_no_rate() -> None:
    assert true_rates([]).case is None
    assert true_rates([]).claim is None
    assert true_rates([TRUTHS[5]]).case is None


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.event_id)
def test_a_truth_is_a_label_that_can_be_imported(truth: Truth) -> None:
    annotation = parse_label_line(json.dumps(truth.label()).encode()).annotation
    assert annotation.event_id == truth.event_id
    assert annotation.claims == truth.claims
    assert annotation.answered == truth.answered
    if truth.answered:
        assert (annotation.verifiable_claims, annotation.unsupported_claims) == (
            truth.verifiable,
            truth.unsupported,
        )


def a_rate(estimate: float | None, lower: float | None, upper: float | None, *counts: int) -> dict[str, Any]:
    return {
        "estimate": estimate,
        "lower": lower,
        "upper": upper,
        "numerator": counts[0],
        "denominator": counts[1],
    }


def test_comparison_takes_what_the_report_says() -> None:
    document = {
        "rates": {"case": a_rate(0.3, 0.1, 0.5, 3, 4), "claim": a_rate(0.2, 0.1, 0.3, 2, 8)},
        "slices": [
            {"domain": "prompt_version", "value": "v8", "case": a_rate(None, None, None, 1, 2)},
            {"domain": "app", "value": "v8", "case": a_rate(0.5, 0.4, 0.6, 1, 2)},
            {"domain": "prompt_version", "value": "v9", "case": a_rate(0.5, 0.4, 0.6, 0, 0)},
        ],
    }
    case, claim, new, unseen = compare(document, TRUTHS)
    assert (case.truth, case.plain_average, case.holds) == (pytest.approx(2 / 5), 0.75, True)
    assert (claim.truth, claim.plain_average, claim.holds) == (pytest.approx(3 / 7), 0.25, False)
    assert (new.truth, new.estimate, new.holds) == (pytest.approx(1 / 2), None, None)
    assert (unseen.truth, unseen.plain_average, unseen.holds) == (None, None, None)


@pytest.mark.parametrize(
    ("lower", "upper", "truth", "holds"),
    [
        (0.1, 0.2, 0.1, True),
        (0.1, 0.2, 0.2, True),
        (0.1, 0.2, 0.15, True),
        (0.1, 0.2, 0.0999, False),
        (0.1, 0.2, 0.2001, False),
        (0.0, 0.0, 0.0, True),
        (None, None, 0.1, None),
        (0.1, 0.2, None, None),
    ],
)
def test_an_interval_holds_its_ends(
    lower: float | None, upper: float | None, truth: float | None, holds: bool | None
) -> None:
    assert Compared("x", "case", lower, lower, upper, truth, None).holds is holds
