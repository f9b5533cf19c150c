"""From a decoded answer to the facts that rules, windows and cells look at: no text among them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sentinel.errors import DeadLetterError
from sentinel.records import AnswerFacts, RawAnswer, RawRecord

#: A record from further ahead than this cannot be placed: it would move the schedule's horizon, and
#: with it every later row, to a time that never comes.
MOST_AHEAD = timedelta(days=1)
#: An event time from further ahead than this stands in a window that no report will ever ask for.
FARTHEST_EVENT_TIME = timedelta(days=366)
#: Of a domain value, in UTF-8: what the store's keys hold whole.
_MOST_BYTES = 256
_FITTING_CHARACTERS = _MOST_BYTES // 4


def facts_of(
    answer: RawAnswer,
    record: RawRecord,
    arrived_at: datetime,
    attributes: tuple[str, ...],
    clean: Callable[[str], str],
    *,
    present: datetime | None = None,
) -> AnswerFacts:
    """Return the facts of an answer; `clean` takes personal data out of a short value.

    Event time is `occurred_at`, else the record's timestamp, else its arrival. Raises DeadLetterError
    if the record's own time is more than a day ahead of `present`, by default its arrival, or the event
    time more than a year.
    """
    record_timestamp = record.timestamp or arrived_at
    event_time = answer.occurred_at or record_timestamp
    present = present or arrived_at
    if min(event_time, record_timestamp) > present + MOST_AHEAD:
        raise DeadLetterError(
            "time_in_future", "event time and record timestamp are over a day ahead of the clock"
        )
    if event_time - present > FARTHEST_EVENT_TIME:
        raise DeadLetterError("time_in_future", "occurred_at is over a year ahead of the clock")
    domains = {field: _short(value, clean) for field, value in answer.domains.items()}
    for field, value in answer.versions.items():
        domains[field] = _short(value, clean)
    for name in attributes:
        if name in answer.attributes:
            domains[f"attributes.{name}"] = _short(str(answer.attributes[name]), clean)
    classes = {p.document_class for p in answer.retrieved or () if p.document_class}
    return AnswerFacts(
        event_id=answer.event_id,
        event_time=event_time,
        record_timestamp=record_timestamp,
        domains=domains,
        document_classes=tuple(sorted(_short(value, clean) for value in classes)),
        signals=answer.signals,
        risk_tags=tuple(_short(tag, clean) for tag in answer.risk_tags),
    )


def _short(value: str, clean: Callable[[str], str]) -> str:
    cleaned = clean(value)
    if len(cleaned) <= _FITTING_CHARACTERS:
        return cleaned
    return cleaned.encode()[:_MOST_BYTES].decode(errors="ignore")
