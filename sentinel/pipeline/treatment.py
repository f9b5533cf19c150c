"""From polled records to a batch: arrivals, duplicates, draws, redaction of what was drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from msgspec import structs

from sentinel.errors import DeadLetterError
from sentinel.indicators import fired, numbers_and_flags
from sentinel.pipeline.batch import Batch, Counts
from sentinel.pipeline.errands import Errand, Meanwhile, Redacting
from sentinel.pipeline.fault_points import FaultPoints
from sentinel.pipeline.memory import Memory
from sentinel.pipeline.preparation import Polled, Preparation, parked
from sentinel.pipeline.stages import Arrival, Drawn, SignalAlone, Stages, is_signalled
from sentinel.pipeline.tally import Tally, place_in_frame
from sentinel.records import NO_SIGNALS, Partition, RawRecord, RedactedAnswer, SampledUnit, Signals
from sentinel.redaction import pseudonym
from sentinel.sampling.design import TAKE_ALL_SIGNALS
from sentinel.sampling.selection import Salt
from sentinel.store.dead_letters import DeadLetter
from sentinel.store.units import check_storable
from sentinel.stream.publication import RedactedCopy

Ahead = Callable[[Sequence[Polled]], Iterator[None]]


@dataclass(frozen=True, slots=True)
class _DrawnUnit:
    """A drawn answer with its domains as the frame names them; raised: counted before, drawn by a signal.

    `errand` None: it was redacted before it was drawn.
    """

    drawn: Drawn
    errand: Errand | None
    domains: dict[str, str]
    is_raised: bool


@dataclass(slots=True)
class _Pile:
    """What accumulates while records are treated."""

    tally: Tally
    counts: Counts
    letters: list[DeadLetter]
    drawn: list[_DrawnUnit]
    copies: list[RedactedCopy] = field(default_factory=list)
    counted: set[int] = field(default_factory=set)
    watermark: datetime | None = None


class Treatment:
    """Treats polled records; reads and changes the worker's memory, writes nothing."""

    def __init__(
        self,
        stages: Stages,
        redacting: Redacting,
        identity: Salt,
        most_drawn: int,
        *,
        redact_all: bool = False,
        publishes: bool = False,
    ) -> None:
        self._stages = stages
        self._redacting = redacting
        self._preparation = Preparation(stages, redacting.begin)
        self._identity = identity
        self._most_drawn = most_drawn
        self._redact_all = redact_all
        self._publishes = publishes

    def keyed_mark(self, log_mark: bytes | None) -> str | None:
        """Return a log's mark as the store may hold it: of a digest of raw text nothing can be guessed."""
        return None if log_mark is None else pseudonym(log_mark.hex(), self._identity.key, "log")

    def decode(self, polled: Sequence[Polled], arrived_at: datetime, meanwhile: Meanwhile) -> None:
        """Decode those records that are not yet; one may wait in hand for several batches.

        Where every answer is redacted first, one that cannot be is parked too: it is never considered.
        """
        new = self._preparation.decode(polled, arrived_at)
        if self._redact_all:
            whole = [one for one in new if isinstance(one.outcome, Arrival)]
            errands = [self._redacting.begin(one.arrival.answer) for one in whole]
            redacted = self._redacting.results(errands, meanwhile, _nothing_to_do())
            for one, answer in zip(whole, redacted, strict=True):
                one.outcome = _with_redaction(one.arrival, answer)

    def ahead(self, polled: Sequence[Polled], arrived_at: datetime, memory: Memory) -> Iterator[None]:
        """Work out what can be known of later records, a few at each step."""
        # Where every answer is redacted first, decoding is not over without it.
        if self._redact_all:
            return _nothing_to_do()
        return self._preparation.ahead(polled, arrived_at, memory.schedule)

    def batch(
        self,
        polled: Sequence[Polled],
        memory: Memory,
        expected: dict[Partition, int | None],
        arrived_at: datetime,
        faults: FaultPoints,
        meanwhile: Meanwhile,
        ahead: Ahead,
    ) -> tuple[Batch, int]:
        """Return the batch of the first n records, and n: it is cut where enough has been drawn.

        `ahead`, given the records that were not taken, is what to do while redaction is waited for.
        `expected` must not change while this works, `meanwhile` and `ahead` or not.
        The memory's schedule must reach to every arrival's sampling time.
        """
        pile = _Pile(Tally(memory.caps), Counts(), [], [])
        taken = self._treat(pile, polled, memory, arrived_at)
        faults.reach("treated")
        units, raised = self._redacted(pile, meanwhile, ahead(polled[taken:]))
        following = {one.record.partition: one.record.next_offset for one in polled[:taken]}
        offsets = {partition: (expected[partition], offset) for partition, offset in following.items()}
        pile.counts.fired, pile.counts.domains = pile.tally.fired(), pile.tally.domains()
        batch = Batch(
            offsets,
            units,
            raised,
            tuple(pile.letters),
            pile.tally,
            pile.counts,
            pile.watermark,
            tuple(pile.copies),
        )
        return batch, taken

    def _treat(self, pile: _Pile, polled: Sequence[Polled], memory: Memory, arrived_at: datetime) -> int:
        """Put records on the pile until enough has been drawn; return how many."""
        taken = 0
        known_before = self._known_before(polled, memory)
        self._preparation.compute(one for one, known in zip(polled, known_before, strict=True) if not known)
        for one, was_known in zip(polled, known_before, strict=True):
            taken += 1
            if one.outcome is None:
                pile.counts.tombstones += 1
            elif isinstance(one.outcome, DeadLetterError):
                self._park(pile, one.record, one.outcome, arrived_at)
            elif isinstance(one.outcome, SignalAlone):
                if was_known or one.outcome.identity in pile.counted:
                    pile.counts.duplicates += 1
                    pile.counts.signals_without_content += 1
                else:
                    self._park(pile, one.record, one.outcome.parked, arrived_at)
            else:
                is_known = was_known or one.outcome.identity in pile.counted
                try:
                    self._take(pile, one, is_known, memory)
                    pile.counted.add(one.outcome.identity)
                except DeadLetterError as error:
                    self._park(pile, one.record, error, arrived_at)
            if len(pile.drawn) >= self._most_drawn:
                break
        return taken

    @staticmethod
    def _known_before(polled: Sequence[Polled], memory: Memory) -> list[bool]:
        """Whether each answer's id was counted by an earlier batch."""
        identities = [
            one.outcome.identity if isinstance(one.outcome, Arrival | SignalAlone) else None for one in polled
        ]
        before = memory.window.known(np.array([i or 0 for i in identities], dtype=np.uint64))
        return [
            identity is not None and bool(known) for identity, known in zip(identities, before, strict=True)
        ]

    def _take(self, pile: _Pile, one: Polled, is_known: bool, memory: Memory) -> None:
        arrival = one.arrival
        counts, facts = pile.counts, arrival.facts
        if arrival.cleaned:
            counts.cleaned.update(arrival.cleaned)
        if is_known:
            counts.duplicates += 1
            if not is_signalled(facts.signals):
                return
            if not arrival.answer.answer:
                counts.signals_without_content += 1
                return
            if place_in_frame(facts) != _first_place(pile, arrival.identity, memory):
                # Raised here it would be a unit of cells that never counted it.
                counts.signals_elsewhere += 1
                return
        indicators = self._preparation.indicators_of(one)
        decision = self._preparation.draw(one, memory.schedule)
        copy = self._copy_of(arrival) if self._publishes and not is_known else None
        drawn = Drawn(arrival, indicators, decision)
        time = facts.sampling_time
        if pile.watermark is None or time > pile.watermark:
            pile.watermark = time
        if is_known:
            if decision.sampled:
                self._draw(pile, one, drawn, pile.tally.domains_of(facts), is_raised=True)
            return
        names = fired(drawn.indicators)
        if facts.signals != NO_SIGNALS:
            names += _observed(facts.signals)
        domains = pile.tally.add(
            arrival.record.partition, arrival.identity, facts, drawn.indicators, names, decision
        )
        if copy is not None:
            pile.copies.append(copy)
        counts.events += 1
        counts.words.append(drawn.indicators.length.words)
        pi = decision.inclusion_probability
        counts.expected_units += pi
        counts.units_variance += pi * (1.0 - pi)
        if decision.sampled:
            self._draw(pile, one, drawn, domains, is_raised=False)

    def _draw(
        self, pile: _Pile, one: Polled, drawn: Drawn, domains: dict[str, str], *, is_raised: bool
    ) -> None:
        """Put a drawn answer on the pile; its redaction goes on while the next records are treated."""
        errand = None if one.arrival.redacted else self._preparation.redaction_of(one)
        pile.drawn.append(_DrawnUnit(drawn, errand, domains, is_raised))

    def _copy_of(self, arrival: Arrival) -> RedactedCopy | None:
        try:
            return self._stages.copy_of(arrival)
        except Exception as error:
            raise parked(error) from None

    @staticmethod
    def _park(pile: _Pile, record: RawRecord, error: DeadLetterError, arrived_at: datetime) -> None:
        pile.letters.append(_letter(record, error))
        # Not by a clock that runs ahead: the report of the present must name it.
        time = min(record.timestamp or arrived_at, arrived_at)
        pile.tally.add_not_covered(time, record.partition, error.reason)

    def _redacted(
        self, pile: _Pile, meanwhile: Meanwhile, spare: Iterator[None]
    ) -> tuple[tuple[SampledUnit, ...], tuple[SampledUnit, ...]]:
        """The units that arrived for the first time, and those raised.

        One that cannot be redacted is a unit without content: lost. It stays a unit, because it was drawn:
        leaving it out would hide that its label is missing.
        """
        errands = [one.errand for one in pile.drawn if one.errand is not None]
        redacted = iter(self._redacting.results(errands, meanwhile, spare))
        units: tuple[list[SampledUnit], list[SampledUnit]] = ([], [])
        for one in pile.drawn:
            arrival = one.drawn.arrival
            answer = arrival.redacted or next(redacted)
            content = answer if isinstance(answer, RedactedAnswer) else None
            unit = self._unit(one.drawn, one.domains, content)
            fault = answer if isinstance(answer, DeadLetterError) else _fault_of(unit)
            if fault is not None:
                pile.letters.append(_letter(arrival.record, fault))
                unit = self._unit(one.drawn, one.domains, None)
            elif content is not None:
                pile.counts.entities.update(content.entities)
            units[one.is_raised].append(unit)
        return tuple(units[0]), tuple(units[1])

    def _unit(self, drawn: Drawn, domains: dict[str, str], answer: RedactedAnswer | None) -> SampledUnit:
        raw = drawn.arrival.answer
        key = self._identity.key
        return SampledUnit(
            partition=drawn.arrival.record.partition,
            offset=drawn.arrival.record.offset,
            facts=structs.replace(drawn.arrival.facts, domains=domains),
            decision=drawn.decision,
            indicators=numbers_and_flags(drawn.indicators),
            answer=answer,
            session_hash=pseudonym(raw.session_id, key, "session") if raw.session_id else None,
            user_hash=pseudonym(raw.user_id, key, "user") if raw.user_id else None,
        )


def _fault_of(unit: SampledUnit) -> DeadLetterError | None:
    """Return why a commit would fail because of a unit alone; None where it would not."""
    try:
        check_storable(unit)
    except DeadLetterError as error:
        return parked(error)
    return None


def _nothing_to_do() -> Iterator[None]:
    return iter(())


def _first_place(pile: _Pile, identity: int, memory: Memory) -> int | None:
    """Return where an answer that is known was counted."""
    here = pile.tally.place_of(identity)
    return memory.window.place_of(identity) if here is None else here


def _with_redaction(
    arrival: Arrival, redacted: RedactedAnswer | DeadLetterError
) -> Arrival | DeadLetterError:
    return redacted if isinstance(redacted, DeadLetterError) else structs.replace(arrival, redacted=redacted)


def _observed(signals: Signals) -> tuple[str, ...]:
    """What came with the answer, named as the indicators are."""
    names = tuple(name for name in TAKE_ALL_SIGNALS if getattr(signals, name))
    return (*names, "thumbs_down") if signals.thumbs == "down" else names


def _letter(record: RawRecord, error: DeadLetterError) -> DeadLetter:
    return DeadLetter(
        record.partition, record.offset, error.reason, error.detail, record.timestamp, record.size_bytes
    )
