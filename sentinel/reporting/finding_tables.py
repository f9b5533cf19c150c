"""The tables of what reviewers found, and of the leading indicators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel.reporting.section import Document, Section
from sentinel.reporting.wording import DASH, count, percent, words


def finding_sections(document: Document) -> tuple[Section, ...]:
    """Return the tables of labels' findings in reading order."""
    return (
        _abstention(document),
        _claims(document),
        _severity(document),
        _subtypes(document),
        _attribution(document),
        _causes(document),
        _completeness(document),
        _indicators(document),
    )


def _counted(entries: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, entry in entries.items():
        if name == "status":
            continue
        yield words(name), count(entry and entry["count"]), percent(entry and entry["share"])


def _named(entries: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Names that reviewers gave, as they wrote them."""
    for name, entry in entries.items():
        yield name, count(entry["count"]), percent(entry["share"])


def _abstention(document: Document) -> Section:
    abstention = document["abstention"]
    shares = abstention["shares"] or {}
    meanings = {
        "correct": "correct: evidence was insufficient",
        "unnecessary": "unnecessary: evidence was sufficient",
        "failed": "failed: abstains and still asserts something",
        "unclassified": "abstains, not judged further",
        "partial": "declines in part (counts as answered)",
    }
    rows = [(text, count(abstention[key]), percent(shares.get(key))) for key, text in meanings.items()]
    return Section(
        "abstention",
        "Abstention",
        "Correct, unnecessary and unjudged abstentions are outside both rates. Shares are of all answers.",
        ("Abstention", "Labelled", "Share, weighted"),
        tuple(rows),
    )


def _claims(document: Document) -> Section:
    return Section(
        "claims",
        "Claims by label",
        "Unverifiable and nonfactual claims are in no denominator.",
        ("Label", "Claims", "Share, weighted"),
        tuple(_counted(document["claims"])),
    )


def _severity(document: Document) -> Section:
    return Section(
        "severity",
        "Severity of unsupported claims",
        "Shares are of unsupported claims, weighted.",
        ("Severity", "Claims", "Share, weighted"),
        tuple(_counted(document["severity"])),
    )


def _subtypes(document: Document) -> Section:
    return Section(
        "subtypes",
        "Kinds of unsupported claims",
        "As reviewers named them; shares are of unsupported claims, weighted.",
        ("Subtype", "Claims", "Share, weighted"),
        tuple(_named(document["subtypes"])),
    )


def _attribution(document: Document) -> Section:
    rows = []
    for was, cells in document["attribution"]["evidence_by_grounding"].items():
        rows.append(
            (
                was,
                *(
                    DASH if cell is None else f"{count(cell['count'])} ({percent(cell['share'])})"
                    for cell in cells.values()
                ),
            )
        )
    return Section(
        "attribution",
        "Retrieval and grounding",
        "Was the evidence retrieved, and does the answer stand in it? Labelled answers; in brackets the "
        "weighted share of all answers. Retrieved and ungrounded points to generation, not retrieved and "
        "ungrounded to retrieval and guessing, not retrieved and abstained to retrieval.",
        ("Retrieved", "Grounded", "Ungrounded", "Abstained"),
        tuple(rows),
    )


def _causes(document: Document) -> Section:
    return Section(
        "causes",
        "Root causes named",
        "Candidates, as reviewers named them; an answer may have several.",
        ("Cause", "Answers", "Share, weighted"),
        tuple(_named(document["attribution"]["root_causes"])),
    )


def _completeness(document: Document) -> Section:
    completeness, citations = document["completeness"], document["citations"]
    return Section(
        "completeness",
        "Completeness and citations",
        "Where reviewers judged them.",
        ("Figure", "Yes", "No", "Share of yes, weighted"),
        (
            (
                "Says all that was needed",
                count(completeness["complete"]),
                count(completeness["incomplete"]),
                percent(completeness["share"]),
            ),
            (
                "Citation entails its claim",
                count(citations["entailing"]),
                count(None if citations["judged"] is None else citations["judged"] - citations["entailing"]),
                percent(citations["share"]),
            ),
        ),
    )


def _indicators(document: Document) -> Section:
    return Section(
        "indicators",
        "Leading indicators",
        "Of all answers, labelled or not. Shares are of the answers of which the indicator's cause is known. "
        "They point to risk and are no rate of hallucination.",
        ("Indicator", "Answers", "Known of", "Share"),
        tuple(
            (words(name), count(entry["events"]), count(entry["known"]), percent(entry["share"]))
            for name, entry in document["indicators"].items()
        ),
    )
