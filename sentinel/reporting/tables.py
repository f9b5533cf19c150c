"""The report's tables: titles, headers and cells as text, for whichever form renders them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sentinel.reporting.finding_tables import finding_sections
from sentinel.reporting.method_tables import method_sections, trend_section
from sentinel.reporting.section import STATUS_WORDS, Document, Section
from sentinel.reporting.shifts import alarm_section
from sentinel.reporting.wording import (
    DASH,
    change_interval,
    count,
    days,
    decimal,
    interval,
    level,
    of_counts,
    percent,
    points,
)

RATE_TITLES = {
    "case": ("Answered cases with an unsupported claim", "case rate"),
    "claim": ("Unsupported verifiable claims", "claim rate"),
    "critical_claim": ("Critical unsupported claims", "critical claim rate"),
}


def sections(document: Document) -> tuple[Section, ...]:
    """Return all tables in reading order."""
    return (
        _rates(document),
        _population(document),
        _coverage(document),
        _slices(document),
        _comparison(document),
        trend_section(document),
        *([alarm_section(document)] if "alarms" in document else []),
        *finding_sections(document),
        *method_sections(document),
        _traffic(document),
        _versions(document),
    )


def _rate_cells(rate: Mapping[str, Any]) -> tuple[str, ...]:
    rate = dict(rate)
    return (
        percent(rate["estimate"]),
        interval(rate),
        of_counts(rate),
        count(rate["n_labelled"]),
        decimal(rate["effective_sample_size"]),
        STATUS_WORDS[rate["status"]],
    )


def shows_plain(document: Document) -> bool:
    """Return whether the published rates are others than the plain ratios."""
    return bool(document["estimator"]["calibrated_on"]) or document["nonresponse"]["status"] == "adjusted"


def _rates(document: Document) -> Section:
    rates = document["rates"]
    rows = []
    for key, (title, name) in RATE_TITLES.items():
        rows.append((f"{title} ({name})", *_rate_cells(rates[key]), rates[key]["method"]))
        if shows_plain(document):
            plain = rates[key]["plain"]
            rows.append((f"{name}, plain ratio", *_rate_cells(plain), plain["method"]))
    return Section(
        "rates",
        "Rates of all traffic",
        f"{document['estimator']['sentence']} The counts are of the labelled sample, unweighted."
        f"{_anytime(rates['case'])}",
        ("Rate", "Estimate", f"{level(rates['case'])} interval", "Raw counts", "Labelled", "Effective size",
         "Status", "Method"),
        tuple(rows),
    )  # fmt: skip


def _anytime(case: Mapping[str, Any]) -> str:
    if case["anytime_lower"] is None:
        return ""
    return (
        f" However often one looks while labels come in, the case rate is at least "
        f"{percent(case['anytime_lower'])} ({level(dict(case))} over all looks together)."
    )


def _population(document: Document) -> Section:
    population = document["population"]
    check, misses = population["weight_check"], population["duplicate_misses"]
    reasons = [(f"not covered: {name}", count(n)) for name, n in population["not_covered_reasons"].items()]
    letters = [(f"dead letter: {name}", count(n)) for name, n in population["dead_letter_reasons"].items()]
    error = decimal(population["estimated_events_se"], 0)
    return Section(
        "population",
        "Traffic",
        "What was counted, and whether the weights of the drawn answers add up to it.",
        ("Figure", "Value"),
        (
            ("Answers", count(population["events"])),
            ("of them answered (by the indicators)", count(population["answered"])),
            ("of them abstained (by the indicators)", count(population["abstained"])),
            ("Not covered: no rate speaks of them", count(population["not_covered"])),
            *reasons,
            ("Dead letters", count(population["dead_letters"])),
            *letters,
            ("Answers as estimated from the sample", f"{count(population['estimated_events'])} (SE {error})"),
            ("Weight check, z", f"{decimal(check['z'], 2)} ({STATUS_WORDS[check['status']]})"),
            ("Counted twice (estimated)", count(misses["estimate"])),
        ),
    )


def _coverage(document: Document) -> Section:
    coverage = document["coverage"]
    delay = coverage["label_delay_hours"]
    return Section(
        "coverage",
        "Label coverage",
        "Provisional labels rest on a first opinion; final ones were adjudicated or agreed on by two "
        "annotators.",
        ("Figure", "Value"),
        (
            ("Drawn", count(coverage["drawn"])),
            ("Labelled", f"{count(coverage['labelled'])} ({percent(coverage['labelled_share'])})"),
            ("Labelled, weighted", percent(coverage["labelled_share_weighted"])),
            ("of them final", count(coverage["adjudicated"])),
            ("of them provisional", count(coverage["provisional"])),
            ("of them disputed", count(coverage["disputed"])),
            ("Pending", count(coverage["pending"])),
            ("Lost", count(coverage["lost"])),
            ("Purged before a label", count(coverage["purged"])),
            ("Label delay, median", f"{decimal(delay['median'])} h"),
            ("Label delay, 90th percentile", f"{decimal(delay['p90'])} h"),
            ("Answers labelled outside the sample", count(coverage["non_probability"])),
        ),
    )


def _slices(document: Document) -> Section:
    rows = []
    for one in document["slices"]:
        case, claim = dict(one["case"]), dict(one["claim"])
        rows.append(
            (
                f"{one['domain']} = {one['value']}",
                percent(case["estimate"]),
                interval(case),
                of_counts(case),
                percent(claim["estimate"]),
                interval(claim),
                of_counts(claim),
                f"{count(one['labelled'])} of {count(one['drawn'])}",
                count(one["events"]),
                _slice_status(one),
            )
        )
    return Section(
        "slices",
        "Slices",
        "A slice with too few labelled cases shows its counts and no rate. Higher or lower: its case rate "
        "differs from that of all other traffic, with the number of slices compared allowed for (Holm).",
        ("Slice", "Case rate", "Interval", "Bad cases", "Claim rate", "Interval", "Bad claims",
         "Labelled of drawn", "Answers", "Status"),
        tuple(rows),
    )  # fmt: skip


def _slice_status(one: Mapping[str, Any]) -> str:
    if one["suppressed"]:
        return "too few labels"
    stands_out = one["against_rest"] and one["against_rest"]["stands_out"]
    return f"{stands_out} than the rest" if stands_out else STATUS_WORDS[one["case"]["status"]]


def _comparison(document: Document) -> Section:
    comparison = document["comparison"]
    period = comparison["previous_period"]
    rows = []
    for key in ("case", "claim"):
        previous, change = dict(comparison[f"previous_{key}"]), dict(comparison[f"{key}_difference"])
        rows.append(
            (
                RATE_TITLES[key][1],
                percent(document["rates"][key]["estimate"]),
                percent(previous["estimate"]),
                points(change["estimate"]),
                change_interval(change),
                STATUS_WORDS[change["status"]],
            )
        )
    return Section(
        "comparison",
        "Change",
        f"Against {days(period['from'], period['to'])}; differences in percentage points, samples "
        "independent.",
        ("Rate", "Now", "Before", "Difference", "Interval", "Status"),
        tuple(rows),
    )


def _traffic(document: Document) -> Section:
    return Section(
        "traffic",
        "Traffic and draws",
        "Answers counted and answers drawn, by local day.",
        ("Day", "Answers", "Drawn"),
        tuple(
            (days(day["from"], day["to"]), count(day["events"]), count(day["drawn"]))
            for day in document["traffic"]
        ),
    )


def _versions(document: Document) -> Section:
    rows = []
    for name, value in document["versions"].items():
        listed = value if isinstance(value, list) else [value]
        rows.append((name, ", ".join(str(item) for item in listed if item is not None) or DASH))
    return Section(
        "versions", "Versions", "What the numbers were made with.", ("Part", "Version"), tuple(rows)
    )
