"""From an answer to its facts: which time it has, and that nothing personal stays in its domains."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sentinel.errors import DeadLetterError
from sentinel.pipeline.facts import facts_of
from sentinel.records import Partition, Passage, RawAnswer, RawRecord
from sentinel.redaction import redact_value

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def record(timestamp: datetime | None) -> RawRecord:
    return RawRecord(Partition("answers", 0), 1, 2, timestamp, 10, b"{}")


def facts(answer: RawAnswer, timestamp: datetime | None = NOON, now: datetime = NOON):
    return facts_of(answer, record(timestamp), now, ("plan",), redact_value)


def test_event_time_is_when_it_occurred_else_the_records_time_else_its_arrival() -> None:
    told = RawAnswer(event_id="a", answer="x", occurred_at=NOON - HOUR)
    untold = RawAnswer(event_id="a", answer="x")
    assert facts(told).event_time == NOON - HOUR
    assert facts(untold, NOON - 2 * HOUR).event_time == NOON - 2 * HOUR
    assert facts(untold, None, NOON + HOUR).event_time == NOON + HOUR


def test_the_schedule_row_is_found_no_later_than_the_record() -> None:
    ahead = RawAnswer(event_id="a", answer="x", occurred_at=NOON + 5 * HOUR)
    late = RawAnswer(event_id="a", answer="x", occurred_at=NOON - 5 * HOUR)
    assert facts(ahead).sampling_time == NOON
    assert facts(ahead).event_time == NOON + 5 * HOUR, "its window is its own"
    assert facts(late).sampling_time == NOON - 5 * HOUR


@pytest.mark.parametrize(
    ("occurred_at", "timestamp", "refused"),
    [
        (timedelta(days=2), timedelta(days=2), True),
        (None, timedelta(days=2), True),
        (timedelta(days=365000), timedelta(days=1000), True),
        (timedelta(days=2), timedelta(0), False),
        (timedelta(0), timedelta(days=2), False),
        (timedelta(hours=23), timedelta(hours=23), False),
        (timedelta(days=366), timedelta(0), False),
        (timedelta(days=366, seconds=1), timedelta(0), True),
        (timedelta(days=45000), timedelta(-3), True),
        (timedelta(days=-45000), timedelta(0), False),
    ],
)
def test_a_record_from_far_ahead_moves_no_horizon_and_fills_no_window_nobody_reads(
    occurred_at: timedelta | None, timestamp: timedelta, refused: bool
) -> None:
    answer = RawAnswer(
        event_id="a", answer="x", occurred_at=None if occurred_at is None else NOON + occurred_at
    )
    if refused:
        with pytest.raises(DeadLetterError, match="time_in_future"):
            facts(answer, NOON + timestamp)
    else:
        assert facts(answer, NOON + timestamp).sampling_time <= NOON + timedelta(days=1)


def test_domains_and_tags_are_free_of_personal_data_and_bounded() -> None:
    answer = RawAnswer(
        event_id="a",
        answer="x",
        domains={"tenant": "ana.q@mail.test", "app": "a" * 500},
        versions={"model": "m of ana.q@mail.test"},
        attributes={"plan": "call +1 212 555 0188", "other": "4111 1111 1111 1111"},
        retrieved=(
            Passage(id="p", document_class="mail to ana.q@mail.test"),
            Passage(id="q", document_class="faq"),
        ),
        risk_tags=("for ana.q@mail.test",),
    )
    got = facts(answer)
    written = repr((got.domains, got.document_classes, got.risk_tags))
    assert "ana.q" not in written
    assert "4111" not in written
    assert len(got.domains["app"].encode()) <= 256
    assert set(got.domains) == {"tenant", "app", "model", "attributes.plan"}
    assert "faq" in got.document_classes
