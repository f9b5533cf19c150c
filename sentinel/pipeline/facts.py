"""From a decoded answer to the facts that rules, windows and cells look at: no text among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


class DomainMemory:
    """Domain values as they were made free of personal data, for combinations of values that come again.

    Answers of one app, model and prompt version are thousands. Holds raw values, `most` combinations of them.
    """

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._known: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        # By the mappings themselves, which the decoder shares; kept, so that no other takes their place.
        self._by_mappings: dict[tuple[int, int], tuple[object, object, Mapping[str, str]]] = {}

    def __repr__(self) -> str:
        return f"<DomainMemory of {len(self._known)} combinations>"

    def labels(self, answer: RawAnswer, clean: Callable[[str], str]) -> Mapping[str, str]:
        """Return what `values` returns for an answer's domains and versions."""
        key = (id(answer.domains), id(answer.versions))
        known = self._by_mappings.get(key)
        if known is not None:
            return known[2]
        values = self.values((*answer.domains.items(), *answer.versions.items()), clean)
        if len(self._by_mappings) >= self._most:
            self._by_mappings.clear()
        self._by_mappings[key] = (answer.domains, answer.versions, values)
        return values

    def values(self, given: tuple[tuple[str, str], ...], clean: Callable[[str], str]) -> Mapping[str, str]:
        """Return the clean values of a combination: one and the same mapping each time, not to be changed."""
        known = self._known.get(given)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[given] = {name: _short(value, clean) for name, value in given}
        return known


def facts_of(
    answer: RawAnswer,
    record: RawRecord,
    arrived_at: datetime,
    attributes: tuple[str, ...],
    clean: Callable[[str], str],
    *,
    present: datetime | None = None,
    memory: DomainMemory | None = None,
) -> AnswerFacts:
    """Return the facts of an answer; `clean` takes personal data out of a short value.

    `memory` saves time and changes nothing; it belongs to one `clean`. Event time is `occurred_at`, else the
    record's timestamp, else its arrival. Raises DeadLetterError if the record's own time is more than a day
    ahead of `present`, by default its arrival, or the event time more than a year.
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
    memory = memory or DomainMemory()
    if attributes and answer.attributes:
        told = {
            f"attributes.{name}": str(answer.attributes[name])
            for name in attributes
            if name in answer.attributes
        }
        domains = memory.values((*answer.domains.items(), *answer.versions.items(), *told.items()), clean)
    else:
        domains = memory.labels(answer, clean)
    classes = {p.document_class for p in answer.retrieved or () if p.document_class}
    return AnswerFacts(
        event_id=answer.event_id,
        event_time=event_time,
        record_timestamp=record_timestamp,
        domains=domains,
        document_classes=tuple(sorted([_short(value, clean) for value in classes])),
        signals=answer.signals,
        risk_tags=tuple([_short(tag, clean) for tag in answer.risk_tags]) if answer.risk_tags else (),
    )


def _short(value: str, clean: Callable[[str], str]) -> str:
    cleaned = clean(value)
    if len(cleaned) <= _FITTING_CHARACTERS:
        return cleaned
    return cleaned.encode()[:_MOST_BYTES].decode(errors="ignore")
