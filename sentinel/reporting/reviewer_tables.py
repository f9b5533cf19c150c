"""The table of how the people who label agree, differ, do in calibration, and how long they take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel.reporting.section import Document, Section
from sentinel.reporting.wording import DASH, count, decimal, percent, points, words

#: Pairs, and people, that are shown; the JSON holds all.
_MOST = 20
_GROUPS = (
    ("by_label", "label"),
    ("by_severity", "severity"),
    ("by_kind_of_failure", "kind of failure"),
)


def reviewer_section(document: Document) -> Section:
    """Return the section; reports of before have fewer figures."""
    found = document["agreement"]
    return Section(
        "agreement",
        "Agreement of reviewers",
        "Of first opinions on the same answer: abstained, supported or with an unsupported claim. "
        f"{(found['reason'] or 'Alpha is 1 where all agree and 0 where they agree as by chance') + '.'}",
        ("Figure", "Value"),
        (
            ("Reviewers", count(found["reviewers"])),
            ("Answers with two opinions or more", count(found["answers_with_two_opinions"])),
            ("Pairs that agree", _agreeing(found)),
            ("Krippendorff's alpha", _alpha_of_answers(found)),
            *_of_claims(found),
            *_pairs_of_people(found),
            *_strictness(found),
            *_times(found),
            *_trials(found),
        ),
    )


def _alpha_of_answers(found: Mapping[str, Any]) -> str:
    lower, upper = found.get("krippendorff_alpha_lower"), found.get("krippendorff_alpha_upper")
    return _with_interval({"coefficient": found["krippendorff_alpha"], "lower": lower, "upper": upper})


def _with_interval(found: Mapping[str, Any]) -> str:
    value = decimal(found["coefficient"], 2)
    if found["lower"] is None:
        return value
    return f"{value} ({decimal(found['lower'], 2)} to {decimal(found['upper'], 2)})"


def _of_claims(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if found.get("claims", {}).get("pairs"):
        yield "Alpha of claims", _with_interval(found["claims"])
    for key, word in _GROUPS:
        for name, one in found.get(key, {}).items():
            yield f"Alpha, {word} {words(name)}", _with_interval(one)


def _pairs_of_people(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in found.get("by_pair", [])[:_MOST]:
        first, second = one["annotators"]
        yield f"Cohen's kappa, {first} and {second}", _with_interval(one["answers"])


def _strictness(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how much larger a share of unsupported claims somebody finds than others on the same answers."""
    for one in found.get("strictness", [])[:_MOST]:
        shown = f"{points(one['difference'])} points"
        if one["lower"] is not None:
            shown += f" ({points(one['lower'])} to {points(one['upper'])})"
        if one["before"] is not None:
            shown += f", before {points(one['before'])}"
        yield (
            f"Strictness against the others, {one['annotator']}",
            shown + (", moved" if one["moved"] else ""),
        )


def _times(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in found.get("time_on_task", [])[:_MOST]:
        yield (
            f"Time on task, {one['annotator']}",
            f"median {decimal(one['median_seconds'], 0)} s, 90 % below {decimal(one['p90_seconds'], 0)} s, "
            f"{count(one['labels'])} labels",
        )


def _trials(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how trials on answers with known labels went."""
    for one in found.get("calibration", [])[:_MOST]:
        shown = f"{count(one['answered'])} of {count(one['answers'])} labelled"
        if one["share"] is not None:
            shown += f", {count(one['equal'])} as the known label ({percent(one['share'])})"
        if one["claims"] is not None and one["claims"]["pairs"]:
            shown += f", alpha of claims {_with_interval(one['claims'])}"
        yield f"Calibration, {one['annotator']}, batch {one['batch']}", shown


def _agreeing(found: Mapping[str, Any]) -> str:
    if found["share"] is None:
        return DASH
    return f"{count(found['agreeing'])} of {count(found['pairs'])} ({percent(found['share'])})"
