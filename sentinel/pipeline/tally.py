"""What one batch adds to the frame, the minute counts and the duplicate window."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import compress, product
from zlib import crc32

import numpy as np

from sentinel.detection.histograms import (
    distance_bucket,
    distance_scores,
    word_bucket,
    word_scores,
)
from sentinel.pipeline.domain_caps import OTHER, DomainCaps
from sentinel.records import VERSION_FIELDS, AnswerFacts, Indicators, Partition, SamplingDecision
from sentinel.store.deduplication import SeenHashes
from sentinel.store.frame import CellCounts, CellKey, window_of
from sentinel.store.minute_counts import MinuteKey
from sentinel.store.slice_counts import SliceKey

#: One micro-unit: sums of whole numbers do not depend on the order in which workers add them.
MICRO = 1_000_000
#: A score is counted in thousandths: see `sentinel.detection.histograms`.
MILLI = 1_000
#: Known values of the versions taken together: no field of an event has this name.
_VERSIONS = "(versions)"
_WORD_SCORES = tuple(round(score * MILLI) for score in word_scores())
_DISTANCE_SCORES = tuple(round(score * MILLI) for score in distance_scores())
_MINUTE = timedelta(minutes=1)
_NEVER = datetime.max.replace(tzinfo=UTC)


def minute_start(time: datetime) -> datetime:
    """Return the start of the UTC minute that holds a time."""
    return time.replace(second=0, microsecond=0)


def place_in_frame(facts: AnswerFacts) -> int:
    """Return 16 bits of where an answer is counted: its window and all its domains, before any cap.

    Two answers of different places agree by chance once in 65,536.
    """
    parts = (window_of(facts.event_time).isoformat(), *(f"{k}={v}" for k, v in sorted(facts.domains.items())))
    return crc32("\0".join(parts).encode()) & 0xFFFF


@dataclass(slots=True)
class _Minute:
    """A minute with its window; most answers of a batch fall into the one of the answer before."""

    start: datetime
    end: datetime
    window: datetime


#: Partition, minute, design, domains, what fired, what is known, whether it abstained: answers that are equal
#: in these add to the same cells, and most answers of a batch are equal to many others.
_Kind = tuple[
    Partition, datetime, datetime, str, tuple[tuple[str, str], ...], tuple[str, ...], tuple[str, ...], bool
]


class Tally:
    """Sums over the events of one batch; written by the commit, thrown away if it fails."""

    def __init__(self, caps: DomainCaps) -> None:
        self._caps = caps
        self._sums: dict[_Kind, list[int]] = {}
        self._buckets: Counter[tuple[MinuteKey, str]] = Counter()
        self.not_covered: Counter[tuple[datetime, Partition, str]] = Counter()
        self._seen: dict[Partition, dict[int, int]] = defaultdict(dict)
        #: Values that got a cell, and those to be looked at as new, each with the time of its first sight.
        self.first_seen: dict[tuple[str, str], datetime] = {}
        self.novel: dict[tuple[str, str], datetime] = {}
        self.risks: list[float] = []
        #: Latest sampling time among the answers, and the schedule row in force then.
        self.latest_row: tuple[datetime, int] | None = None
        self._named: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        self._places: dict[tuple[datetime, tuple[tuple[str, str], ...]], int] = {}
        self._versions: dict[tuple[tuple[str, str], ...], str] = {}
        self._minute = _Minute(_NEVER, _NEVER, _NEVER)

    @property
    def cells(self) -> dict[CellKey, CellCounts]:
        """Return the frame cells of the batch."""
        cells: dict[CellKey, list[int]] = {}
        for (partition, _, window, design_id, domains, fired, known, abstained), sums in self._sums.items():
            events, risk, size, expected, _, _ = sums
            added = (events, 0 if abstained else events, events if abstained else 0, risk, size, expected)
            for domain, value in (
                ("", ""),
                *domains,
                *(("indicator", name) for name in fired),
                *(("known", name) for name in known),
            ):
                cell = cells.setdefault(CellKey(window, partition, design_id, domain, value), [0] * 6)
                for position, number in enumerate(added):
                    cell[position] += number
        return {key: CellCounts(*cell) for key, cell in cells.items()}

    @property
    def minutes(self) -> dict[MinuteKey, Counter[str]]:
        """Return the minute counts of the batch."""
        minutes: dict[MinuteKey, Counter[str]] = defaultdict(Counter)
        for (partition, minute, _, _, domains, fired, known, _), sums in self._sums.items():
            key = MinuteKey(minute, partition, dict(domains).get("app", ""), self._versions.get(domains, ""))
            counts = minutes[key]
            for name in _counted(fired, known):
                counts[name] += sums[0]
        for (key, bucket), events in self._buckets.items():
            minutes[key][bucket] += events
        return minutes

    @property
    def slices(self) -> dict[SliceKey, Counter[str]]:
        """Return the counts of the batch by app and value of another domain."""
        slices: dict[SliceKey, Counter[str]] = defaultdict(Counter)
        for (partition, _, window, _, domains, fired, known, _), sums in self._sums.items():
            app = dict(domains).get("app", "")
            for domain, value in domains:
                if domain == "app":
                    continue
                counts = slices[SliceKey(window, partition, app, domain, value)]
                for name in _counted(fired, known):
                    counts[name] += sums[0]
                counts["word_score"] += sums[4]
                if "distance" in known:
                    counts["distance_score"] += sums[5]
        return slices

    def fired(self) -> Counter[str]:
        """Return how often each indicator and signal fired."""
        total: Counter[str] = Counter()
        for kind, sums in self._sums.items():
            for name in kind[5]:
                total[name] += sums[0]
        return total

    def domains(self) -> Counter[tuple[str, str]]:
        """Return the answers of each domain value, as the frame names them."""
        total: Counter[tuple[str, str]] = Counter()
        for kind, sums in self._sums.items():
            for pair in kind[4]:
                total[pair] += sums[0]
        return total

    def seen(self) -> dict[Partition, SeenHashes]:
        """Return the identity hashes of the answers counted, and their places, by partition."""
        return {
            partition: SeenHashes(
                np.fromiter(places.keys(), dtype=np.uint64, count=len(places)),
                np.fromiter(places.values(), dtype=np.uint16, count=len(places)),
            )
            for partition, places in self._seen.items()
        }

    def place_of(self, identity: int) -> int | None:
        """Return where an answer of this batch was counted; None if it was not."""
        found = (places[identity] for places in self._seen.values() if identity in places)
        return next(found, None)

    def add(
        self,
        partition: Partition,
        identity: int,
        facts: AnswerFacts,
        indicators: Indicators,
        fired: tuple[str, ...],
        decision: SamplingDecision,
    ) -> dict[str, str]:
        """Count one answer that arrived for the first time; return its domains as the frame names them."""
        self.risks.append(decision.predicted_risk)
        row = (facts.sampling_time, decision.schedule_row)
        self.latest_row = max(self.latest_row or row, row)
        domains = self.domains_of(facts)
        for value in facts.document_classes:
            self._admit("document_class", value, facts.sampling_time)
        minute = self._minute_of(facts.event_time)
        where = (minute.window, tuple(facts.domains.items()))
        place = self._places.get(where)
        if place is None:
            place = self._places[where] = place_in_frame(facts)
        self._seen[partition][identity] = place
        distance = indicators.retrieval.max_distance
        kind = (
            partition,
            minute.start,
            minute.window,
            decision.design_id,
            tuple(domains.items()),
            fired,
            _known(indicators),
            indicators.abstention.kind == "full",
        )
        sums = self._sums.get(kind)
        if sums is None:
            sums = self._sums[kind] = [0, 0, 0, 0, 0, 0]
        sums[0] += 1
        sums[1] += round(decision.predicted_risk * MICRO)
        sums[2] += round(decision.size_measure * MICRO)
        sums[3] += round(decision.inclusion_probability * MICRO)
        key = MinuteKey(
            minute.start, partition, domains.get("app", ""), self._version_of(domains, facts.sampling_time)
        )
        word = word_bucket(indicators.length.words)
        self._buckets[key, f"words_{word}"] += 1
        sums[4] += _WORD_SCORES[word]
        if distance is not None:
            bucket = distance_bucket(distance)
            self._buckets[key, f"distance_{bucket}"] += 1
            sums[5] += _DISTANCE_SCORES[bucket]
        return domains

    def _version_of(self, domains: dict[str, str], seen_at: datetime) -> str:
        """Return the versions of an answer taken together, as the minute counts name them."""
        given = tuple(domains.items())
        known = self._versions.get(given)
        if known is None:
            named = ";".join(f"{field}={domains[field]}" for field in VERSION_FIELDS if field in domains)
            known = self._versions[given] = self._admit(_VERSIONS, named, seen_at) if named else ""
        return known

    def domains_of(self, facts: AnswerFacts) -> dict[str, str]:
        """Return an answer's domains as the frame names them: values beyond the cap are `other`."""
        given = tuple(facts.domains.items())
        named = self._named.get(given)
        if named is None:
            named = {field: self._admit(field, value, facts.sampling_time) for field, value in given}
            # A value once admitted stays so; one that was not may be at a later time.
            if OTHER not in named.values():
                self._named[given] = named
        return named

    def add_not_covered(self, time: datetime, partition: Partition, reason: str, events: int = 1) -> None:
        """Count events the sample could not have come from."""
        self.not_covered[(window_of(time), partition, reason)] += events

    def _admit(self, field: str, value: str, seen_at: datetime) -> str:
        name, is_new = self._caps.admit(field, value, seen_at)
        if is_new:
            self.first_seen[(field, value)] = seen_at
        if self._caps.notice(field, value, seen_at):
            self.novel[(field, value)] = seen_at
        return name

    def _minute_of(self, time: datetime) -> _Minute:
        if not self._minute.start <= time < self._minute.end:
            start = minute_start(time)
            self._minute = _Minute(start, start + _MINUTE, window_of(time))
        return self._minute


def _counted(fired: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    return ("events", *fired, *(f"known_{name}" for name in known))


def _known(indicators: Indicators) -> tuple[str, ...]:
    """What an answer's event says at all: the denominators of indicators that need it."""
    delivery, sources = indicators.delivery, indicators.sources
    known = (
        indicators.retrieval.known,
        indicators.retrieval.max_distance is not None,
        indicators.grounding.numbers is not None,
        delivery.truncated is not None,
        delivery.tool_errors is not None,
        sources.denied is not None,
        sources.superseded_cited is not None,
    )
    return _KNOWN[known]


_KNOWN_NAMES = ("retrieval", "distance", "evidence", "finish", "tools", "access", "supersession")
_KNOWN = {known: tuple(compress(_KNOWN_NAMES, known)) for known in product((False, True), repeat=7)}
