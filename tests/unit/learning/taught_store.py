"""A store whose drawn answers carry labels: weeks of traffic, and a reviewer with habits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sentinel.records import Annotation, ClaimAnnotation
from sentinel.settings import Settings
from sentinel.store.annotations import add_annotation
from sentinel.store.database import Database
from sentinel.store.unit_rows import StoredUnit
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import consume_topic, event, fill, units_of

#: What the reviewer of the tests says of a drawn answer: whether it is bad.
Truth = Callable[[StoredUnit], bool]


def a_week(
    topic: MemoryTopic, database: Database, settings: Settings, monday: datetime, answers: int, first: int
) -> list[tuple[dict[str, object], datetime]]:
    """Stream a week of answers of differing risk; return events with their record timestamps."""
    step = timedelta(days=6) / answers
    events = []
    for number in range(first, first + answers):
        at = monday + step * (number - first)
        length = 1 + number * 7 % 23
        words = " ".join(f"{chr(97 + n)}{chr(97 + number % 26)}quux" for n in range(length))
        known = "The fee is 12 euro and returns take thirty days."
        answer = f"{known} {words}" if number % 3 else f"{known} {words} Doctor Zander said 95."
        events.append((event(number, at, answer=answer, citations=["fees"] if number % 2 else []), at))
    for document, at in events:
        fill(topic, [document], at)
    consume_topic(topic, database, settings, now=monday + timedelta(days=7))
    return events


def label(database: Database, truth: Truth, after: datetime, before: datetime) -> int:
    """Label every drawn answer of [after, before) that has no label yet; return how many are bad."""
    bad = 0
    drawn = [one for one in units_of(database).values() if after <= one.unit.facts.event_time < before]
    with database.begin() as connection:
        for stored in sorted(drawn, key=lambda one: one.id):
            is_bad = truth(stored)
            bad += is_bad
            claim = ClaimAnnotation("a claim", "not_in_evidence" if is_bad else "supported")
            annotation = Annotation(stored.unit.facts.event_id, "ann", "annotator", True, "none", (claim,))
            add_annotation(connection, annotation, before)
    return bad
