"""The tables of how the figures came about: trend, totals, design, missing labels, judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel.reporting.reviewer_tables import reviewer_section
from sentinel.reporting.section import STATUS_WORDS, Document, Section
from sentinel.reporting.wording import DASH, count, days, decimal, interval, level, of_counts, percent

_TOTALS = {
    "hallucinated_cases": "Answered cases with an unsupported claim",
    "answered": "Answered cases",
    "unsupported_claims": "Unsupported claims",
    "critical_unsupported": "Critical unsupported claims",
    "verifiable_claims": "Verifiable claims",
}
_SOURCES = {
    "published": "published, revision {}",
    "computed": "worked out from the store",
    "this report": "this report",
    "none": "nothing drawn",
}

#: Pairs of people that are shown; the document holds all.


def trend_section(document: Document) -> Section:
    """Return the rates of this and the earlier periods."""
    rows = []
    for point in document["trend"]:
        case, claim = dict(point["case"]), dict(point["claim"])
        rows.append(
            (
                days(point["from"], point["to"]),
                percent(case["estimate"]),
                interval(case),
                of_counts(case),
                percent(claim["estimate"]),
                interval(claim),
                STATUS_WORDS[case["status"]],
                _SOURCES[point["source"]].format(point["revision"]),
            )
        )
    return Section(
        "trend",
        "Trend",
        "This period and those before it, each with its own sample. Periods without a label have no data.",
        ("Period", "Case rate", "Interval", "Raw counts", "Claim rate", "Interval of it", "Status", "Source"),
        tuple(rows),
    )


def method_sections(document: Document) -> tuple[Section, ...]:
    """Return the tables of the method in reading order."""
    return (
        _totals(document),
        _design(document),
        _designs(document),
        _nonresponse(document),
        reviewer_section(document),
        _judge(document),
    )


def _totals(document: Document) -> Section:
    rows = []
    for key, name in _TOTALS.items():
        total = document["totals"][key]
        rows.append((name, count(total["estimate"]), count(total["standard_error"])))
    return Section(
        "totals",
        "What the sample stands for",
        "Estimated numbers in all traffic of the period.",
        ("Figure", "Estimate", "Standard error"),
        tuple(rows),
    )


def _design(document: Document) -> Section:
    design, estimator = document["design"], document["estimator"]
    check = design["weight_check"]
    return Section(
        "design",
        "Sample and weights",
        estimator["sentence"],
        ("Figure", "1/π", "Published"),
        (
            ("Effective sample size", *_both(design, "effective_sample_size", decimal)),
            ("Design effect of unequal weights", *_both(design, "design_effect", _two_digits)),
            ("Least weight", *_both(design, "least_weight", decimal)),
            ("Largest weight", *_both(design, "largest_weight", decimal)),
            ("Largest share of one answer", *_both(design, "largest_share", percent)),
            ("Sum of weights of all drawn", _with_error(check), f"{count(check['counted'])} counted"),
            ("Distance, in standard errors", decimal(check["z"], 2), STATUS_WORDS[check["status"]]),
            ("Variance of the case rate", "1", decimal(estimator["variance_ratio"] or 1.0, 2)),
        ),
    )


def _both(design: Mapping[str, Any], key: str, write: Any) -> tuple[str, str]:
    return write(design["plain"][key]), write(design["published"][key])


def _two_digits(value: float | None) -> str:
    return decimal(value, 2)


def _with_error(check: Mapping[str, Any]) -> str:
    if check["estimated"] is None:
        return DASH
    return f"{count(check['estimated'])} ± {count(check['standard_error'])}"


def _designs(document: Document) -> Section:
    return Section(
        "designs",
        "Designs in use",
        "Every answer counts with the probability and the prediction of the design it was drawn under.",
        ("Design", "Answers", "Mean risk", "Expected", "Drawn"),
        tuple(
            (
                one["design"],
                count(one["events"]),
                percent(one["mean_predicted_risk"]),
                decimal(one["expected_drawn"]),
                count(one["drawn"]),
            )
            for one in document["design"]["designs"]
        ),
    )


def _nonresponse(document: Document) -> Section:
    found, case = document["nonresponse"], dict(document["rates"]["case"])
    explanation = {
        "complete": "Every drawn answer has a label: nothing had to be made up for.",
        "no_data": "No drawn answer has a label.",
        "adjusted": "Labelled answers of a class stand for its unlabelled ones too. The classes are what "
        "sent an answer to review and its predicted risk.",
    }[found["status"]]
    return Section(
        "nonresponse",
        "Missing labels",
        f"{explanation} Case rate if every missing label were good: {percent(case['worst_case_lower'])}; "
        f"if every one were bad: {percent(case['worst_case_upper'])}.",
        ("Class", "Drawn", "Labelled", "Weighted share"),
        tuple(
            (
                one["class"],
                count(one["drawn"]),
                count(one["labelled"]),
                percent(one["weighted_response_rate"]),
            )
            for one in found["classes"]
        ),
    )


def _judge(document: Document) -> Section:
    judge = document["judge"]
    return Section(
        "judge",
        "Judge",
        "A judge is a model that gives opinions; it never gives a label.",
        ("Figure", "Value"),
        tuple(_judge_rows(judge)),
    )


def _judge_rows(judge: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if judge["model"] is None:
        yield "Status", "not configured: every label is a person's"
        return
    yield "Status", str(judge["status"])
    yield "Model", str(judge["model"])
    assisted = judge.get("assisted_case_rate")
    if assisted:
        rate = dict(assisted)
        yield f"Judge-assisted case rate ({level(rate)})", f"{percent(rate['estimate'])} ({interval(rate)})"
