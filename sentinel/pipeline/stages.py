"""One record's way through decode, indicators and draw: a composition of pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from sentinel.errors import DeadLetterError, StopError
from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.pipeline.facts import DomainMemory, facts_of
from sentinel.pipeline.redact_stream import encoded_event
from sentinel.records import (
    AnswerFacts,
    Indicators,
    RawAnswer,
    RawRecord,
    RedactedAnswer,
    SamplingDecision,
    Signals,
)
from sentinel.sampling.design import TAKE_ALL_SIGNALS, Design
from sentinel.sampling.inclusion import decide
from sentinel.sampling.schedule import ScheduleRow, row_in_force
from sentinel.sampling.selection import Salt, Salts, identity_hash
from sentinel.stream.decode import Tombstone, decode
from sentinel.stream.limits import DecodeLimits
from sentinel.stream.publication import RedactedCopy
from sentinel.stream.tolerant import MissingAnswerError


class Arrival(msgspec.Struct, frozen=True, gc=False):
    """A decoded record, not yet looked at: what the draw of a batch begins with.

    `redacted` is there only where every answer is redacted before its draw.
    """

    record: RawRecord
    answer: RawAnswer
    facts: AnswerFacts
    identity: int
    cleaned: Mapping[str, int]
    redacted: RedactedAnswer | None = None

    def __repr__(self) -> str:
        return "<Arrival hidden>"


@dataclass(frozen=True, slots=True)
class SignalAlone:
    """A signal that came without the answer; `parked` is what it is if no such answer came before."""

    identity: int
    parked: DeadLetterError


def is_signalled(signals: Signals) -> bool:
    """Return whether something was observed that is always taken."""
    return any(getattr(signals, name) for name in TAKE_ALL_SIGNALS)


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """An arrival with its indicators and its one draw."""

    arrival: Arrival
    indicators: Indicators
    decision: SamplingDecision


@dataclass(frozen=True, slots=True)
class Schedule:
    """The schedule as a worker has loaded it: complete up to and including `reaches_to`.

    `designs` are the rows' own, by their id, with the indicators of this worker.
    """

    rows: tuple[ScheduleRow, ...]
    designs: Mapping[str, Design]
    reaches_to: datetime

    def reaches(self, facts: AnswerFacts) -> bool:
        """Return whether the schedule is loaded up to an answer's sampling time."""
        return facts.sampling_time <= self.reaches_to

    def at(self, sampling_time: datetime) -> tuple[ScheduleRow, Design]:
        """Return row and design in force; the caller has made sure the schedule reaches that far."""
        if sampling_time > self.reaches_to:
            raise ValueError(
                f"the loaded schedule ends at {self.reaches_to}, before {sampling_time}: load it anew"
            )
        row = row_in_force(self.rows, sampling_time)
        design = self.designs.get(row.design_id)
        if design is None:
            raise StopError(
                f"design {row.design_id} of schedule row {row.id} is of another version of sentinel; "
                "run that version until answers of its time have arrived"
            )
        return row, design


class Stages:
    """What every record is treated with; holds no memory of earlier records but a cache of passages."""

    def __init__(
        self,
        limits: DecodeLimits,
        indicators: IndicatorParams,
        attributes: Sequence[str],
        salts: Salts,
        identity: Salt,
        clean: Callable[[str], str],
        memo: PassageMemo,
    ) -> None:
        self._limits = limits
        self._indicators = indicators
        self._attributes = tuple(attributes)
        self._salts = salts
        self._identity = identity
        self._clean = clean
        self._memo = memo
        self._named: dict[str, Salt] = {}
        self._domains = DomainMemory()

    def copy_of(self, arrival: Arrival) -> RedactedCopy | None:
        """Return what is published of an answer that was redacted before its draw."""
        if arrival.redacted is None:
            return None
        key = self._clean(arrival.facts.event_id)
        value = encoded_event(arrival.answer, arrival.redacted, self._clean)
        return RedactedCopy(arrival.record.partition, arrival.record.offset, key, value)

    def arrive(
        self, record: RawRecord, arrived_at: datetime, present: datetime | None = None
    ) -> Arrival | SignalAlone | None:
        """Decode a record; None is a tombstone. Raises DeadLetterError for a record to be parked.

        `present` is the latest time the clock has shown, where it has stepped back since.
        """
        try:
            decoded = decode(record, self._limits)
        except MissingAnswerError as error:
            if not is_signalled(error.signals):
                raise
            return SignalAlone(
                identity_hash(error.event_id, self._identity), DeadLetterError(error.reason, error.detail)
            )
        if isinstance(decoded, Tombstone):
            return None
        facts = facts_of(
            decoded.answer,
            record,
            arrived_at,
            self._attributes,
            self._clean,
            present=present,
            memory=self._domains,
        )
        identity = identity_hash(facts.event_id, self._identity)
        return Arrival(record, decoded.answer, facts, identity, decoded.cleaned)

    def indicators_of(self, answer: RawAnswer) -> Indicators:
        """Return the indicators of an answer."""
        return compute_indicators(answer, self._indicators, self._memo)

    def decide(
        self, arrival: Arrival, indicators: Indicators, row: ScheduleRow, design: Design
    ) -> SamplingDecision:
        """Return the draw of an arrival under the row in force at its sampling time, and the row's design."""
        salt = self._named.get(design.salt_id)
        if salt is None:  # a salt's id is a hash: it is not worked out for each answer
            salt = self._named[design.salt_id] = salt_named(self._salts, design.salt_id)
        return decide(row, design, arrival.facts, indicators, salt)


def salt_named(salts: Salts, salt_id: str) -> Salt:
    """Return the salt a design draws with; raises StopError where the configuration lacks it."""
    try:
        return salts.named(salt_id)
    except KeyError:
        raise StopError(
            f"answers of this store were drawn with salt {salt_id}, which is not configured (this one is "
            f"{salts.current.id}): set sampling.salt to that secret, or keep it in sampling.earlier_salts"
        ) from None
