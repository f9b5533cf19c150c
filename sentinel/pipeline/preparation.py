"""What can be known of polled records before any of them is counted: content, indicators, draw, redaction.

All of it is pure, so it may be worked out ahead of a record's turn, and the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

import msgspec

from sentinel.errors import DeadLetterError, SentinelError
from sentinel.pipeline.errands import Errand
from sentinel.pipeline.stages import Arrival, Schedule, SignalAlone, Stages
from sentinel.records import Indicators, RawAnswer, RawRecord, SamplingDecision
from sentinel.telemetry.logs import get_logger

log = get_logger("pipeline")
Outcome = Arrival | SignalAlone | DeadLetterError | None
#: Records that are looked at in one step of the work ahead: three milliseconds.
_STEP_RECORDS = 50


class Polled(msgspec.Struct):
    """A record in hand: what it holds once it has been decoded, its indicators and draw once they are known.

    `outcome` None is a tombstone, an error a record to be parked. Indicators that could not be computed are
    an error: it counts when the record's turn comes, unless it is a duplicate by then. `drawn_by` is the
    schedule as it was when `decision` was made or last seen to hold; `redaction` that of the answer, once it
    has begun: where the answer was drawn, or would be if this were its turn.
    """

    record: RawRecord
    outcome: Outcome = None
    is_decoded: bool = False
    indicators: Indicators | DeadLetterError | None = None
    decision: SamplingDecision | None = None
    drawn_by: Schedule | None = None
    redaction: Errand | None = None

    def __repr__(self) -> str:
        return f"<Polled {self.record!r}>"

    @property
    def arrival(self) -> Arrival:
        """Return the outcome of a record that holds an answer."""
        if not isinstance(self.outcome, Arrival):
            raise TypeError("this record holds no answer")
        return self.outcome


class Preparation:
    """Decodes polled records, computes indicators, draws; knows of no other record but for the time.

    `begin_redaction` has an answer redacted while other things are done.
    """

    def __init__(self, stages: Stages, begin_redaction: Callable[[RawAnswer], Errand]) -> None:
        self._stages = stages
        self._begin_redaction = begin_redaction
        self._latest: datetime | None = None

    def decode(self, polled: Sequence[Polled], arrived_at: datetime) -> list[Polled]:
        """Decode those records that are not yet, and return them: one may have waited in hand."""
        # A clock that steps back leaves the present where it was: else all that comes is of the future.
        present = self._latest = max(self._latest or arrived_at, arrived_at)
        new = [one for one in polled if not one.is_decoded]
        arrive = self._stages.arrive
        for one in new:
            try:
                one.outcome = arrive(one.record, arrived_at, present)
            except Exception as error:
                one.outcome = parked(error)
            one.is_decoded = True
        return new

    def compute(self, polled: Iterable[Polled]) -> None:
        """Compute the indicators of those records that hold an answer and have none yet."""
        # All of them in a row: in turns with other work, each would be a quarter dearer.
        indicators_of = self._stages.indicators_of
        for one in polled:
            if one.indicators is None and isinstance(one.outcome, Arrival):
                try:
                    one.indicators = indicators_of(one.outcome.answer)
                except Exception as error:
                    one.indicators = parked(error)

    def indicators_of(self, one: Polled) -> Indicators:
        """Return the indicators of a record that holds an answer; raises DeadLetterError if they failed."""
        if one.indicators is None:
            self.compute((one,))
        if isinstance(one.indicators, DeadLetterError):
            # Another one: what is raised remembers where, and this one is kept.
            raise DeadLetterError(one.indicators.reason, one.indicators.detail)
        if one.indicators is None:
            raise TypeError("this record holds no answer")
        return one.indicators

    def draw(self, one: Polled, schedule: Schedule) -> SamplingDecision:
        """Return the draw of a record that holds an answer under the row in force.

        A draw made ahead counts if that row is the one it was made under: rows never change.
        Raises DeadLetterError where its indicators failed, or the draw did in a way of its own.
        """
        if one.decision is not None and one.drawn_by is schedule:
            return one.decision
        arrival = one.arrival
        try:
            row, design = schedule.at(arrival.facts.sampling_time)
            if one.decision is None or one.decision.schedule_row != row.id:
                one.decision = self._stages.decide(arrival, self.indicators_of(one), row, design)
        except Exception as error:
            raise parked(error) from None
        one.drawn_by = schedule
        return one.decision

    def redaction_of(self, one: Polled) -> Errand:
        """Return the redaction of a record that holds an answer; it has begun, if not ahead, then now."""
        if one.redaction is None:
            one.redaction = self._begin_redaction(one.arrival.answer)
        return one.redaction

    def ahead(self, polled: Sequence[Polled], arrived_at: datetime, schedule: Schedule) -> Iterator[None]:
        """Decode records, compute indicators, draw, begin to redact what is drawn; a few at each step."""
        for start in range(0, len(polled), _STEP_RECORDS):
            some = polled[start : start + _STEP_RECORDS]
            self.decode(some, arrived_at)
            self.compute(some)
            for one in some:
                if isinstance(one.indicators, Indicators) and schedule.reaches(one.arrival.facts):
                    try:
                        decision = self.draw(one, schedule)
                    except SentinelError:
                        # What is wrong with a row or its salt shows again when the record's turn comes.
                        continue
                    if decision.sampled:
                        self.redaction_of(one)
            yield


def parked(error: Exception) -> DeadLetterError:
    """Return the error that parks the record it showed on: else a fault of ours stopped the stream for good.

    It remembers nothing of where it was raised. Raises what is meant to: every other of our own errors.
    """
    if isinstance(error, DeadLetterError):
        # Kept with the record, its traceback would hold the frames that hold the whole batch.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        return error
    if isinstance(error, SentinelError):
        raise error
    log.error("treatment failed", exc_info=error)
    return DeadLetterError("treatment_failed", type(error).__name__)
