"""What a worker has done: the totals of its run and its metrics, counted once a batch is committed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from sentinel.errors import DeadLetterError
from sentinel.pipeline.batch import Batch
from sentinel.pipeline.commit import CommitOutcome
from sentinel.pipeline.errands import Errand, Meanwhile, Redacting
from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS, Partition, RawAnswer, RedactedAnswer
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.metrics import Metrics

_COUNTED_DOMAINS = frozenset(DOMAIN_FIELDS + VERSION_FIELDS)


class Accounting:
    """Totals of one run, and the counters that follow each commit."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._watermark: datetime | None = None
        self._latest_row: tuple[datetime, int] | None = None
        self.events = 0
        self.sampled = 0
        self.dead_letters = 0
        self.duplicates = 0
        self.tombstones = 0
        self.reasons: Counter[str] = Counter()
        self.cleaned: Counter[str] = Counter()

    def summary(self) -> dict[str, int]:
        """Return the totals of the run, as `sentinel run --json` prints them."""
        return {
            "events": self.events,
            "sampled": self.sampled,
            "dead_letters": self.dead_letters,
            "duplicates": self.duplicates,
            "tombstones": self.tombstones,
        }

    def committed(self, batch: Batch, outcome: CommitOutcome, lag: Mapping[Partition, int] | None) -> None:
        """Count a batch that is in the store."""
        counts, metrics = batch.counts, self._metrics
        self.events += counts.events
        self.sampled += outcome.inserted + outcome.raised
        self.dead_letters += len(batch.dead_letters)
        self.duplicates += counts.duplicates
        self.tombstones += counts.tombstones
        self.reasons.update(letter.reason for letter in batch.dead_letters)
        self.cleaned.update(counts.cleaned)
        metrics.increment(c.PIPELINE_COMMITS)
        metrics.increment(c.STREAM_EVENTS, counts.events)
        metrics.increment(c.PIPELINE_COPIES, len(batch.copies))
        metrics.increment(c.STREAM_DUPLICATES, counts.duplicates)
        metrics.increment(c.STREAM_TOMBSTONES, counts.tombstones)
        metrics.increment(c.SAMPLING_UNITS, len(batch.units))
        metrics.increment(c.SAMPLING_RAISED_UNITS, outcome.raised)
        metrics.increment(c.SAMPLING_EXPECTED_UNITS, counts.expected_units)
        metrics.increment(c.SAMPLING_UNITS_VARIANCE, counts.units_variance)
        metrics.increment(c.SAMPLING_UNIT_MEETINGS, outcome.met)
        metrics.increment(c.SAMPLING_SIGNALS_WITHOUT_CONTENT, counts.signals_without_content)
        metrics.increment(c.SAMPLING_SIGNALS_ELSEWHERE, counts.signals_elsewhere)
        for letter in batch.dead_letters:
            metrics.increment(c.STREAM_DEAD_LETTERS, reason=letter.reason)
        for (_, _, reason), events in batch.tally.not_covered.items():
            metrics.increment(c.STREAM_NOT_COVERED, events, reason=reason)
        unknown_fields = counts.cleaned.get("unknown_field", 0)
        metrics.increment(c.STREAM_UNKNOWN_FIELDS, unknown_fields)
        for reason, values in counts.cleaned.items():
            if reason != "unknown_field":
                metrics.increment(c.STREAM_CLEANED_VALUES, values, reason=reason)
        for name, events in counts.fired.items():
            metrics.increment(c.INDICATOR_EVENTS, events, indicator=name)
        for entity, values in counts.entities.items():
            metrics.increment(c.REDACTION_ENTITIES, values, entity=entity)
        for (domain, value), events in counts.domains.items():
            if domain in _COUNTED_DOMAINS:
                metrics.increment(c.STREAM_DOMAIN_EVENTS, events, domain=domain, value=value)
        metrics.observe_all(c.ANSWER_WORDS, counts.words)
        metrics.observe_all(c.ANSWER_RISK, batch.tally.risks)
        if batch.tally.latest_row is not None:
            self._latest_row = max(self._latest_row or batch.tally.latest_row, batch.tally.latest_row)
            metrics.set(c.SAMPLING_SCHEDULE_ROW, self._latest_row[1])
        if batch.watermark is not None:
            self._watermark = max(self._watermark or batch.watermark, batch.watermark)
            metrics.set(c.STREAM_WATERMARK, self._watermark.timestamp())
        self.idle(lag)

    def idle(self, lag: Mapping[Partition, int] | None) -> None:
        """Publish how far behind the worker is; None: the source could not say."""
        self._metrics.set(c.STREAM_CONSUMER_LAG, sum(lag.values()) if lag else None)
        self._metrics.set(c.STREAM_ASSIGNED_PARTITIONS, None if lag is None else len(lag))

    def retried(self, part: str) -> None:
        """Count one repeated call; how far behind the worker is, a source that is away cannot say."""
        self._metrics.increment(c.PIPELINE_RETRIES, part=part)
        if part == "source":
            self._metrics.set(c.STREAM_CONSUMER_LAG, None)

    def rejoined(self) -> None:
        """Count one batch that was rolled back."""
        self._metrics.increment(c.PIPELINE_REJOINS)

    def timed_redaction(self, redacting: Redacting) -> Redacting:
        """Return `redacting` with the time of each answer measured."""
        return _TimedRedacting(redacting, self._metrics)

    @contextmanager
    def timed_commit(self) -> Iterator[None]:
        """Measure one commit, with its retries."""
        began = time.monotonic()
        yield
        self._metrics.observe(c.PIPELINE_COMMIT_SECONDS, time.monotonic() - began)


class _TimedRedacting:
    """Redacting that tells how long each answer took."""

    def __init__(self, redacting: Redacting, metrics: Metrics) -> None:
        self._redacting = redacting
        self._metrics = metrics

    def begin(self, answer: RawAnswer) -> Errand:
        return self._redacting.begin(answer)

    def results(
        self, errands: Sequence[Errand], meanwhile: Meanwhile, spare: Iterator[None]
    ) -> Sequence[RedactedAnswer | DeadLetterError]:
        redacted = self._redacting.results(errands, meanwhile, spare)
        if errands:
            self._metrics.observe_all(c.REDACTION_SECONDS, [errand.seconds for errand in errands])
        return redacted
