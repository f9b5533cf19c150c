"""What one batch adds to the frame, the minute counts and the duplicate window."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import compress, product
from zlib import crc32

import numpy as np

from sentinel.detection.histograms import distance_bucket, word_bucket
from sentinel.pipeline.domain_caps import OTHER, DomainCaps
from sentinel.pipeline.group_sums import (
    DISTANCE_SCORES,
    WORD_SCORES,
    Group,
    Items,
    Minute,
    cells_of,
    minutes_of,
    slices_of,
)
from sentinel.records import VERSION_FIELDS, AnswerFacts, Indicators, Partition, SamplingDecision
from sentinel.store.deduplication import SeenHashes
from sentinel.store.frame import CellCounts, CellKey, window_of
from sentinel.store.minute_counts import MinuteKey
from sentinel.store.slice_counts import SliceKey

#: One micro-unit: sums of whole numbers do not depend on the order in which workers add them.
MICRO = 1_000_000
#: Known values of the versions taken together: no field of an event has this name.
_VERSIONS = "(versions)"
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
class _Named:
    """The domains of an answer as given and as the frame names them.

    `groups` belong to the names, `places` (where such an answer is counted, by window) to what is given.
    """

    given: Mapping[str, str]
    domains: dict[str, str]
    groups: dict[tuple[Partition, datetime, str], Group]
    places: dict[datetime, int] = field(default_factory=dict)


class Tally:
    """Sums over the events of one batch; written by the commit, thrown away if it fails."""

    def __init__(self, caps: DomainCaps) -> None:
        self._caps = caps
        self._groups: list[Group] = []
        self.not_covered: Counter[tuple[datetime, Partition, str]] = Counter()
        self._seen: dict[Partition, dict[int, int]] = defaultdict(dict)
        #: Values that got a cell, and those to be looked at as new, each with the time of its first sight.
        self.first_seen: dict[tuple[str, str], datetime] = {}
        self.novel: dict[tuple[str, str], datetime] = {}
        self.risks: list[float] = []
        #: Latest sampling time among the answers, and the schedule row in force then.
        self.latest_row: tuple[datetime, int] | None = None
        # By the mapping itself, which most answers of a kind share, and by what it holds.
        self._by_mapping: dict[int, _Named] = {}
        self._by_values: dict[Items, _Named] = {}
        self._groups_by_domains: dict[Items, dict[tuple[Partition, datetime, str], Group]] = {}
        self._versions: dict[Items, str] = {}
        self._settled: set[str] = set()
        self._minute = Minute(_NEVER, _NEVER, _NEVER)

    @property
    def cells(self) -> dict[CellKey, CellCounts]:
        """Return the frame cells of the batch."""
        return cells_of(self._groups)

    @property
    def minutes(self) -> dict[MinuteKey, Counter[str]]:
        """Return the minute counts of the batch."""
        return minutes_of(self._groups)

    @property
    def slices(self) -> dict[SliceKey, Counter[str]]:
        """Return the counts of the batch by app and value of another domain."""
        return slices_of(self._groups)

    def fired(self) -> Counter[str]:
        """Return how often each indicator and signal fired."""
        total: Counter[str] = Counter()
        for group in self._groups:
            for (fired, _, _), sums in group.kinds.items():
                for name in fired:
                    total[name] += sums[0]
        return total

    def domains(self) -> Counter[tuple[str, str]]:
        """Return the answers of each domain value, as the frame names them."""
        total: Counter[tuple[str, str]] = Counter()
        for group in self._groups:
            for pair in group.domains:
                total[pair] += group.events
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
        sampling_time = facts.sampling_time
        row = (sampling_time, decision.schedule_row)
        if self.latest_row is None or row > self.latest_row:
            self.latest_row = row
        named = self._named_of(facts.domains, sampling_time)
        for value in facts.document_classes:
            if value not in self._settled:
                self._admit("document_class", value, sampling_time)
                if self._caps.knows("document_class", value):
                    self._settled.add(value)
        minute = self._minute_of(facts.event_time)
        place = named.places.get(minute.window)
        if place is None:
            place = named.places[minute.window] = place_in_frame(facts)
        self._seen[partition][identity] = place
        group = self._group_of(partition, minute, decision.design_id, named, sampling_time)
        kind = (fired, _known(indicators), indicators.abstention.kind == "full")
        sums = group.kinds.get(kind)
        if sums is None:
            sums = group.kinds[kind] = [0, 0, 0, 0, 0, 0]
        sums[0] += 1
        sums[1] += round(decision.predicted_risk * MICRO)
        sums[2] += round(decision.size_measure * MICRO)
        sums[3] += round(decision.inclusion_probability * MICRO)
        word = word_bucket(indicators.length.words)
        group.words[word] += 1
        sums[4] += WORD_SCORES[word]
        distance = indicators.retrieval.max_distance
        if distance is not None:
            bucket = distance_bucket(distance)
            group.distances[bucket] += 1
            sums[5] += DISTANCE_SCORES[bucket]
        return named.domains

    def _group_of(
        self, partition: Partition, minute: Minute, design_id: str, named: _Named, seen_at: datetime
    ) -> Group:
        key = (partition, minute.start, design_id)
        group = named.groups.get(key)
        if group is None:
            items = tuple(named.domains.items())
            version = self._version_of(named.domains, seen_at)
            group = named.groups[key] = Group(partition, minute, design_id, items, version)
            self._groups.append(group)
        return group

    def domains_of(self, facts: AnswerFacts) -> dict[str, str]:
        """Return an answer's domains as the frame names them: values beyond the cap are `other`."""
        return self._named_of(facts.domains, facts.sampling_time).domains

    def _named_of(self, given: Mapping[str, str], seen_at: datetime) -> _Named:
        known = self._by_mapping.get(id(given))
        if known is not None and known.given is given:
            return known
        items = tuple(given.items())
        known = self._by_values.get(items)
        if known is None:
            domains = {name: self._admit(name, value, seen_at) for name, value in items}
            groups = self._groups_by_domains.setdefault(tuple(domains.items()), {})
            known = _Named(given, domains, groups)
            # A value once admitted stays so; one that was not may be at a later time.
            if OTHER not in domains.values():
                self._by_mapping[id(given)] = self._by_values[items] = known
        return known

    def _version_of(self, domains: dict[str, str], seen_at: datetime) -> str:
        """Return the versions of an answer taken together, as the minute counts name them."""
        given = tuple(domains.items())
        known = self._versions.get(given)
        if known is None:
            named = ";".join(f"{field}={domains[field]}" for field in VERSION_FIELDS if field in domains)
            known = self._versions[given] = self._admit(_VERSIONS, named, seen_at) if named else ""
        return known

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

    def _minute_of(self, time: datetime) -> Minute:
        if not self._minute.start <= time < self._minute.end:
            start = minute_start(time)
            self._minute = Minute(start, start + _MINUTE, window_of(time))
        return self._minute


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
