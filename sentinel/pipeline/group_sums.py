"""The answers of a batch in groups that are counted alike, and what the groups add to the store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from operator import add
from typing import TypeVar

from sentinel.detection.histograms import distance_scores, word_scores
from sentinel.records import Partition
from sentinel.store.frame import CellCounts, CellKey
from sentinel.store.minute_counts import MinuteKey
from sentinel.store.slice_counts import SliceKey

#: A score is counted in thousandths: see `sentinel.detection.histograms`.
MILLI = 1_000
WORD_SCORES = tuple(round(score * MILLI) for score in word_scores())
DISTANCE_SCORES = tuple(round(score * MILLI) for score in distance_scores())

#: Domains and their values, in order.
Items = tuple[tuple[str, str], ...]
#: What fired, what is known, whether it abstained.
Kind = tuple[tuple[str, ...], tuple[str, ...], bool]
#: Of the answers of a kind: their number, risk, size measure and π in millionths, word and distance scores.
Sums = list[int]
#: Window, partition and design.
_Place = tuple[datetime, Partition, str]
_K = TypeVar("_K")


@dataclass(slots=True)
class Minute:
    """A minute with its window; most answers of a batch fall into the one of the answer before."""

    start: datetime
    end: datetime
    window: datetime


@dataclass(slots=True)
class Group:
    """Answers of one partition, minute, design and domains.

    `kinds` are sums by what else decides which cells an answer adds to; most answers are equal to many others
    in it. `words` and `distances` count by bucket.
    """

    partition: Partition
    minute: Minute
    design_id: str
    domains: Items
    version: str
    kinds: dict[Kind, Sums] = field(default_factory=dict)
    words: list[int] = field(default_factory=lambda: [0] * len(WORD_SCORES))
    distances: list[int] = field(default_factory=lambda: [0] * len(DISTANCE_SCORES))

    @property
    def app(self) -> str:
        """Return the app of the answers; empty where they name none."""
        return dict(self.domains).get("app", "")

    @property
    def events(self) -> int:
        """Return the number of answers."""
        return sum(sums[0] for sums in self.kinds.values())


def cells_of(groups: Iterable[Group]) -> dict[CellKey, CellCounts]:
    """Return the frame cells that the groups add to."""
    kinds: defaultdict[_Place, dict[Kind, Sums]] = defaultdict(dict)
    cells: defaultdict[_Place, dict[tuple[str, str], Sums]] = defaultdict(dict)
    for group in groups:
        place = (group.minute.window, group.partition, group.design_id)
        whole: dict[bool, Sums] = {}
        for kind, sums in group.kinds.items():
            _add(whole, kind[2], sums)
            _add(kinds[place], kind, sums)
        for abstained, sums in whole.items():
            added = _in_cell(sums, abstained)
            for pair in (("", ""), *group.domains):
                _add(cells[place], pair, added)
    # Over all groups of a place, whose answers are mostly of the same kinds.
    for place, sums_by_kind in kinds.items():
        for (fired, known, abstained), sums in sums_by_kind.items():
            added = _in_cell(sums, abstained)
            for name in fired:
                _add(cells[place], ("indicator", name), added)
            for name in known:
                _add(cells[place], ("known", name), added)
    return {
        CellKey(*place, *pair): CellCounts(*sums)
        for place, by_pair in cells.items()
        for pair, sums in by_pair.items()
    }


def minutes_of(groups: Iterable[Group]) -> dict[MinuteKey, Counter[str]]:
    """Return the minute counts that the groups add to."""
    minutes: defaultdict[MinuteKey, Counter[str]] = defaultdict(Counter)
    for group in groups:
        counts = minutes[MinuteKey(group.minute.start, group.partition, group.app, group.version)]
        counts.update(_named_counts(group))
        for kind, buckets in (("words", group.words), ("distance", group.distances)):
            for bucket, events in enumerate(buckets):
                if events:
                    counts[f"{kind}_{bucket}"] += events
    return dict(minutes)


def slices_of(groups: Iterable[Group]) -> dict[SliceKey, Counter[str]]:
    """Return the counts that the groups add to, by app and value of another domain."""
    slices: defaultdict[SliceKey, Counter[str]] = defaultdict(Counter)
    for group in groups:
        window, app, added = group.minute.window, group.app, _named_counts(group) | _scores(group)
        for domain, value in group.domains:
            if domain != "app":
                slices[SliceKey(window, group.partition, app, domain, value)].update(added)
    return dict(slices)


def _add(sums: dict[_K, Sums], key: _K, added: Sums) -> None:
    held = sums.get(key)
    sums[key] = added if held is None else list(map(add, held, added))


def _in_cell(sums: Sums, abstained: bool) -> Sums:
    """Return the sums of answers, all of which abstained or none did, in the order of `CellCounts`."""
    events, risk, size, expected, _, _ = sums
    return [events, 0 if abstained else events, events if abstained else 0, risk, size, expected]


def _named_counts(group: Group) -> dict[str, int]:
    """Return the answers of a group: all, those with which an indicator fired, those that say something."""
    counts: dict[str, int] = {}
    for (fired, known, _), sums in group.kinds.items():
        for name in ("events", *fired, *_counted(known)):
            counts[name] = counts.get(name, 0) + sums[0]
    return counts


@lru_cache(256)
def _counted(known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"known_{name}" for name in known)


def _scores(group: Group) -> dict[str, int]:
    scores = {"word_score": sum(sums[4] for sums in group.kinds.values())}
    distances = [sums[5] for (_, known, _), sums in group.kinds.items() if "distance" in known]
    if distances:
        scores["distance_score"] = sum(distances)
    return scores
