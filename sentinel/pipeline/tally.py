"""What one batch adds to the frame, the minute counts and the duplicate window."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime
from zlib import crc32

import numpy as np

from sentinel.detection.histograms import (
    distance_bucket,
    distance_scores,
    word_bucket,
    word_scores,
)
from sentinel.pipeline.domain_caps import DomainCaps
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


def minute_start(time: datetime) -> datetime:
    """Return the start of the UTC minute that holds a time."""
    return time.replace(second=0, microsecond=0)


def place_in_frame(facts: AnswerFacts) -> int:
    """Return 16 bits of where an answer is counted: its window and all its domains, before any cap.

    Two answers of different places agree by chance once in 65,536.
    """
    parts = (window_of(facts.event_time).isoformat(), *(f"{k}={v}" for k, v in sorted(facts.domains.items())))
    return crc32("\0".join(parts).encode()) & 0xFFFF


class Tally:
    """Sums over the events of one batch; written by the commit, thrown away if it fails."""

    def __init__(self, caps: DomainCaps) -> None:
        self._caps = caps
        self._cells: dict[CellKey, list[int]] = {}
        self.minutes: dict[MinuteKey, Counter[str]] = defaultdict(Counter)
        self.slices: dict[SliceKey, Counter[str]] = defaultdict(Counter)
        self.not_covered: Counter[tuple[datetime, Partition, str]] = Counter()
        self._seen: dict[Partition, dict[int, int]] = defaultdict(dict)
        #: Values that got a cell, and those to be looked at as new, each with the time of its first sight.
        self.first_seen: dict[tuple[str, str], datetime] = {}
        self.novel: dict[tuple[str, str], datetime] = {}
        self.risks: list[float] = []
        #: Latest sampling time among the answers, and the schedule row in force then.
        self.latest_row: tuple[datetime, int] | None = None

    @property
    def cells(self) -> dict[CellKey, CellCounts]:
        """Return the frame cells of the batch."""
        return {key: CellCounts(*sums) for key, sums in self._cells.items()}

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
        self._seen[partition][identity] = place_in_frame(facts)
        self.risks.append(decision.predicted_risk)
        row = (facts.sampling_time, decision.schedule_row)
        self.latest_row = max(self.latest_row or row, row)
        domains = self.domains_of(facts)
        for value in facts.document_classes:
            self._admit("document_class", value, facts.sampling_time)
        abstained = indicators.abstention.abstained
        sums = (
            1,
            int(not abstained),
            int(abstained),
            round(decision.predicted_risk * MICRO),
            round(decision.size_measure * MICRO),
            round(decision.inclusion_probability * MICRO),
        )
        window = window_of(facts.event_time)
        pairs = [("", ""), *domains.items(), *(("indicator", name) for name in fired)]
        pairs += [("known", name) for name in _known(indicators)]
        for domain, value in pairs:
            self._add_cell(CellKey(window, partition, decision.design_id, domain, value), sums)
        self._add_counts(partition, domains, facts, indicators, fired)
        return domains

    def domains_of(self, facts: AnswerFacts) -> dict[str, str]:
        """Return an answer's domains as the frame names them: values beyond the cap are `other`."""
        return {
            field: self._admit(field, value, facts.sampling_time) for field, value in facts.domains.items()
        }

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

    def _add_cell(self, key: CellKey, sums: tuple[int, ...]) -> None:
        cell = self._cells.get(key)
        if cell is None:
            self._cells[key] = list(sums)
            return
        for position, value in enumerate(sums):
            cell[position] += value

    def _add_counts(
        self,
        partition: Partition,
        domains: Mapping[str, str],
        facts: AnswerFacts,
        indicators: Indicators,
        fired: tuple[str, ...],
    ) -> None:
        app = domains.get("app", "")
        named = ";".join(f"{field}={domains[field]}" for field in VERSION_FIELDS if field in domains)
        version = self._admit(_VERSIONS, named, facts.sampling_time) if named else ""
        names = ["events", *fired, *(f"known_{name}" for name in _known(indicators))]
        word, distance = word_bucket(indicators.length.words), indicators.retrieval.max_distance
        histogram = [f"words_{word}"]
        scores = {"word_score": _WORD_SCORES[word]}
        if distance is not None:
            bucket = distance_bucket(distance)
            histogram.append(f"distance_{bucket}")
            scores["distance_score"] = _DISTANCE_SCORES[bucket]
        minute = self.minutes[MinuteKey(minute_start(facts.event_time), partition, app, version)]
        for name in (*names, *histogram):
            minute[name] += 1
        window = window_of(facts.event_time)
        for domain, value in domains.items():
            if domain == "app":
                continue
            counts = self.slices[SliceKey(window, partition, app, domain, value)]
            for name in names:
                counts[name] += 1
            for name, score in scores.items():
                counts[name] += score


def _known(indicators: Indicators) -> tuple[str, ...]:
    """What an answer's event says at all: the denominators of indicators that need it."""
    known = (
        ("retrieval", indicators.retrieval.known),
        ("distance", indicators.retrieval.max_distance is not None),
        ("evidence", indicators.grounding.numbers is not None),
    )
    return tuple(name for name, is_known in known if is_known)
