"""From polled records to a batch: arrivals, duplicates, draws, redaction of what was drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import ParamSpec, Protocol, TypeVar

import numpy as np
from msgspec import structs

from sentinel.errors import DeadLetterError, SentinelError
from sentinel.indicators import fired, numbers_and_flags
from sentinel.pipeline.batch import Batch, Counts
from sentinel.pipeline.fault_points import FaultPoints
from sentinel.pipeline.memory import Memory
from sentinel.pipeline.stages import Arrival, Drawn, SignalAlone, Stages, is_signalled
from sentinel.pipeline.tally import Tally, place_in_frame
from sentinel.records import Partition, RawAnswer, RawRecord, RedactedAnswer, SampledUnit, Signals
from sentinel.redaction import pseudonym
from sentinel.sampling.design import TAKE_ALL_SIGNALS
from sentinel.sampling.selection import Salt
from sentinel.store.dead_letters import DeadLetter
from sentinel.store.units import check_storable
from sentinel.stream.publication import RedactedCopy
from sentinel.telemetry.logs import get_logger

log = get_logger("pipeline")
T = TypeVar("T")
P = ParamSpec("P")
_NOTHING_OBSERVED = Signals()


Meanwhile = Callable[[], None]


class Redacting(Protocol):
    """Redacts answers while the caller goes on; an error in place of an answer parks that answer alone."""

    def add(self, answers: Sequence[RawAnswer]) -> None:
        """Take answers without waiting."""
        ...

    def results(self, meanwhile: Meanwhile) -> Sequence[RedactedAnswer | DeadLetterError]:
        """Return what became of the answers, in the order in which they were added.

        `meanwhile` is called now and then, for this may take longer than the source waits for a poll.
        """
        ...


#: Begins redacting; left early, it gives up what is under way.
BeginRedaction = Callable[[], AbstractContextManager[Redacting]]


@dataclass(frozen=True, slots=True)
class _DrawnUnit:
    """A drawn answer with its domains as the frame names them; raised: counted before, drawn by a signal."""

    drawn: Drawn
    domains: dict[str, str]
    is_raised: bool


@dataclass(slots=True)
class _Pile:
    """What accumulates while records are treated."""

    tally: Tally
    counts: Counts
    redacting: Redacting
    letters: list[DeadLetter]
    drawn: list[_DrawnUnit]
    copies: list[RedactedCopy] = field(default_factory=list)
    counted: set[int] = field(default_factory=set)
    watermark: datetime | None = None

    def draw(self, drawn: Drawn, domains: dict[str, str], *, is_raised: bool) -> None:
        """Add a drawn answer; its redaction begins while the next records are treated."""
        self.drawn.append(_DrawnUnit(drawn, domains, is_raised))
        if drawn.arrival.redacted is None:
            self.redacting.add([drawn.arrival.answer])


Outcome = Arrival | SignalAlone | DeadLetterError | None


@dataclass(slots=True)
class Polled:
    """A record in hand, and what it holds once it has been decoded.

    `outcome` None is a tombstone, an error a record to be parked.
    """

    record: RawRecord
    outcome: Outcome = None
    is_decoded: bool = False

    @property
    def arrival(self) -> Arrival:
        """Return the outcome of a record that holds an answer."""
        if not isinstance(self.outcome, Arrival):
            raise TypeError("this record holds no answer")
        return self.outcome


class Treatment:
    """Treats polled records; reads and changes the worker's memory, writes nothing."""

    def __init__(
        self,
        stages: Stages,
        begin_redaction: BeginRedaction,
        identity: Salt,
        most_drawn: int,
        *,
        redact_all: bool = False,
        publishes: bool = False,
    ) -> None:
        self._stages = stages
        self._begin_redaction = begin_redaction
        self._identity = identity
        self._most_drawn = most_drawn
        self._redact_all = redact_all
        self._publishes = publishes
        self._latest: datetime | None = None

    def keyed_mark(self, log_mark: bytes | None) -> str | None:
        """Return a log's mark as the store may hold it: of a digest of raw text nothing can be guessed."""
        return None if log_mark is None else pseudonym(log_mark.hex(), self._identity.key, "log")

    def decode(self, polled: Sequence[Polled], arrived_at: datetime, meanwhile: Meanwhile) -> None:
        """Decode those records that are not yet; one may wait in hand for several batches.

        Where every answer is redacted first, one that cannot be is parked too: it is never considered.
        """
        # A clock that steps back leaves the present where it was: else all that comes is of the future.
        self._latest = max(self._latest or arrived_at, arrived_at)
        new = [one for one in polled if not one.is_decoded]
        for one in new:
            one.outcome, one.is_decoded = self._arrive(one.record, arrived_at, self._latest), True
        if self._redact_all:
            whole = [one for one in new if isinstance(one.outcome, Arrival)]
            with self._begin_redaction() as redacting:
                redacting.add([one.arrival.answer for one in whole])
                redacted = redacting.results(meanwhile)
            for one, answer in zip(whole, redacted, strict=True):
                one.outcome = _with_redaction(one.arrival, answer)

    def _arrive(self, record: RawRecord, arrived_at: datetime, present: datetime) -> Outcome:
        try:
            return _guarded(self._stages.arrive, record, arrived_at, present)
        except DeadLetterError as error:
            return error

    def batch(
        self,
        polled: Sequence[Polled],
        memory: Memory,
        expected: dict[Partition, int | None],
        arrived_at: datetime,
        faults: FaultPoints,
        meanwhile: Meanwhile,
    ) -> tuple[Batch, int]:
        """Return the batch of the first n records, and n: it is cut where enough has been drawn.

        `expected` must not change while this works, `meanwhile` or not.
        The memory's schedule must reach to every arrival's sampling time.
        """
        with self._begin_redaction() as redacting:
            pile = _Pile(Tally(memory.caps), Counts(), redacting, [], [])
            taken = self._treat(pile, polled, memory, arrived_at)
            faults.reach("treated")
            units, raised = self._redacted(pile, meanwhile)
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
        for one, was_known in zip(polled, self._known_before(polled, memory), strict=True):
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
                    self._take(pile, one.outcome, is_known, memory)
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

    def _take(self, pile: _Pile, arrival: Arrival, is_known: bool, memory: Memory) -> None:
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
        drawn = _guarded(self._stages.draw, arrival, memory.schedule)
        copy = _guarded(self._stages.copy_of, arrival) if self._publishes and not is_known else None
        decision = drawn.decision
        time = facts.sampling_time
        if pile.watermark is None or time > pile.watermark:
            pile.watermark = time
        if is_known:
            if decision.sampled:
                pile.draw(drawn, pile.tally.domains_of(facts), is_raised=True)
            return
        names = fired(drawn.indicators)
        if facts.signals != _NOTHING_OBSERVED:
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
            pile.draw(drawn, domains, is_raised=False)

    @staticmethod
    def _park(pile: _Pile, record: RawRecord, error: DeadLetterError, arrived_at: datetime) -> None:
        pile.letters.append(_letter(record, error))
        # Not by a clock that runs ahead: the report of the present must name it.
        time = min(record.timestamp or arrived_at, arrived_at)
        pile.tally.add_not_covered(time, record.partition, error.reason)

    def _redacted(
        self, pile: _Pile, meanwhile: Meanwhile
    ) -> tuple[tuple[SampledUnit, ...], tuple[SampledUnit, ...]]:
        """The units that arrived for the first time, and those raised.

        One that cannot be redacted is a unit without content: lost. It stays a unit, because it was drawn:
        leaving it out would hide that its label is missing.
        """
        redacted = iter(pile.redacting.results(meanwhile))
        units: tuple[list[SampledUnit], list[SampledUnit]] = ([], [])
        for one in pile.drawn:
            arrival = one.drawn.arrival
            answer = arrival.redacted or next(redacted)
            try:
                if isinstance(answer, DeadLetterError):
                    raise answer
                unit = self._unit(one.drawn, one.domains, answer)
                check_storable(unit)
                pile.counts.entities.update(answer.entities)
            except DeadLetterError as error:
                pile.letters.append(_letter(arrival.record, error))
                unit = self._unit(one.drawn, one.domains, None)
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


def _guarded(call: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
    """Have a fault of ours cost the one record it shows on: else it would stop the stream for good."""
    try:
        return call(*arguments, **more)
    except SentinelError:
        raise
    except Exception as error:
        log.exception("treatment failed")
        raise DeadLetterError("treatment_failed", type(error).__name__) from None


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
