"""The sentence a report begins with: the case rate with everything that belongs to it."""

from __future__ import annotations

from typing import Any

from sentinel.reporting.wording import count, days, interval, level, percent, plural


def headline(document: dict[str, Any]) -> str:
    """Return the report in one sentence; without labels it says so, in place of a number."""
    rate = document["rates"]["case"]
    period = days(document["period"]["from"], document["period"]["to"])
    if rate["status"] == "no_data":
        return f"No hallucination rate can be given for {period}: {_why_not(document)}."
    if rate["status"] == "zero_observed":
        finding = (
            "No unsupported claim was observed among "
            f"{plural(rate['denominator'], 'labelled answered case')} of "
            f"{period}: the rate of all answered cases is at most {percent(rate['upper'])} "
            f"({level(rate)} interval {interval(rate)})"
        )
        return f"{finding}; {_drawn(document)}."
    thin = ", too thin a sample to act on" if rate["status"] == "too_small" else ""
    bad = "1 bad case" if rate["numerator"] == 1 else f"{count(rate['numerator'])} bad cases"
    return (
        f"An estimated {percent(rate['estimate'])} ({level(rate)} interval {interval(rate)}{thin}) of "
        "all answered "
        f"cases of {period} contained an unsupported claim; {_drawn(document)}; {bad} observed."
    )


def _drawn(document: dict[str, Any]) -> str:
    coverage, population = document["coverage"], document["population"]
    was = "was" if coverage["drawn"] == 1 else "were"
    return (
        f"{count(coverage['drawn'])} of {plural(population['events'], 'answer')} {was} drawn with known "
        f"probabilities and {count(coverage['labelled'])} labelled"
    )


def _why_not(document: dict[str, Any]) -> str:
    coverage, population = document["coverage"], document["population"]
    if not population["events"] and not coverage["drawn"]:
        return "no answer was recorded"
    if not coverage["drawn"]:
        return f"none of {plural(population['events'], 'answer')} was drawn"
    if not coverage["labelled"]:
        return f"none of the {plural(coverage['drawn'], 'drawn answer')} has a label"
    return f"all {plural(coverage['labelled'], 'labelled answer')} abstained"
