"""What a producer may put on a real topic: poison, tombstones, giants, every codec, the same again."""

from __future__ import annotations

import signal
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from sentinel.store import schema
from sentinel.store.database import Database
from tests.fault.contents import event_counts, seen_hashes
from tests.fault.processes import Run, kafka_settings, report_of, run_to_end
from tests.fault.streams import answers, poison
from tests.fault.topics import by_identity, counted, done, new_topic, send
from tests.harness import encoded, units_of

pytestmark = pytest.mark.kafka
GIANT_BYTES = 20 * 1024 * 1024
CODECS = (None, "gzip", "snappy", "lz4", "zstd")


def not_covered(url: str) -> dict[str, int]:
    cells = schema.not_covered
    with Database(url) as database, database.read() as connection:
        rows = connection.execute(
            sa.select(cells.c.reason, sa.func.sum(cells.c.events)).group_by(cells.c.reason)
        )
        return {reason: int(events) for reason, events in rows}


def test_poison_giants_and_codecs_cost_one_event_each(kafka_bootstrap: str, tmp_path: Path) -> None:
    """One answer in a hundred is followed by poison; each codec has a fifth of the stream."""
    topic = new_topic(
        kafka_bootstrap,
        "poison",
        2,
        {"max.message.bytes": str(GIANT_BYTES + 100_000), "segment.bytes": str(64 << 20)},
    )
    now = datetime.now(UTC)
    events = [encoded(one) for one in answers(2000, now - timedelta(hours=40))]
    bad: Counter[str] = Counter()
    tombstones = 0
    for part, codec in enumerate(CODECS):
        batch: list[tuple[int, bytes | None]] = []
        for number in range(part * 400, part * 400 + 400):
            batch.append((number % 2, events[number]))
            if number % 100 == 50:
                reason, value = poison(number // 100)
                bad[reason] += 1
                batch.append((number % 2, value))
            if number % 150 == 70:
                tombstones += 1
                batch.append((number % 2, None))
        if codec in (None, "zstd"):  # a giant as it is, and one that travels as a few kilobytes
            bad["oversized"] += 1
            batch.insert(200, (0, encoded({"event_id": f"giant-{part}", "answer": "x" * GIANT_BYTES})))
        send(kafka_bootstrap, topic, batch, at=None, compression=codec, max_bytes=GIANT_BYTES + 100_000)
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = kafka_settings(kafka_bootstrap, topic, topic) | {"pipeline": {"batch_records": 300}}
    totals = run_to_end(tmp_path, "kafka", url, settings=settings)
    assert (totals["events"], totals["duplicates"], totals["tombstones"]) == (2000, 0, tombstones)
    assert totals["dead_letters"] == bad.total() == 22
    assert not_covered(url) == dict(bad)
    population = report_of(tmp_path, url, now - timedelta(days=3), now)["population"]
    assert (population["events"], population["not_covered"]) == (2000, 22)
    assert population["dead_letter_reasons"] == population["not_covered_reasons"] == dict(bad)
    assert population["weight_check"]["status"] == "ok"


def test_what_a_producer_sends_again_counts_once_over_restarts(kafka_bootstrap: str, tmp_path: Path) -> None:
    """The same ids at other offsets: at once, after a restart, after a kill, in another partition."""
    topic = new_topic(kafka_bootstrap, "again", 2)
    now = datetime.now(UTC)
    events = [encoded(one) for one in answers(400, now - timedelta(hours=9))]
    placed = by_identity(events, 2)
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = kafka_settings(kafka_bootstrap, topic, topic, group_instance_id="worker-0")
    settings |= {"pipeline": {"batch_records": 50, "poll_seconds": 0.1}}
    send(kafka_bootstrap, topic, [one for pair in placed[:200] for one in (pair, pair)])
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["duplicates"] == 200
    units = units_in(url)
    send(kafka_bootstrap, topic, placed[:300])
    with Run(tmp_path, "kafka", url, point="after_commit:4", settings=settings) as run:
        assert run.ends() == -signal.SIGKILL, run.log
    send(kafka_bootstrap, topic, [(1 - number, value) for number, value in placed])
    totals = run_to_end(tmp_path, "kafka", url, settings=settings)
    assert counted(url) == 400
    assert totals["duplicates"] > 300
    assert units.items() <= units_in(url).items(), "a repeat draws nothing anew"
    with Database(url) as database:
        assert event_counts(database)["arrivals"] == event_counts(database)["units"]
        with database.read() as connection:
            hashes = seen_hashes(connection)
            packed = sum(map(len, connection.scalars(sa.select(schema.seen_hashes.c.hashes))))
    assert len(hashes) == len(set(hashes)) == 400
    assert packed == 8 * 400, "eight bytes an answer, however often it came"


def test_misses_of_a_small_window_are_estimated_and_draw_nothing_twice(
    kafka_bootstrap: str, tmp_path: Path
) -> None:
    """A window bounded to its smallest size forgets; the frame is inflated, the sample is not."""
    topic = new_topic(kafka_bootstrap, "forgets", 1)
    now = datetime.now(UTC)
    events = [encoded(one) for one in answers(1200, now - timedelta(hours=30))]
    # Hashes of two clock hours make two segments; the window is set to forget the first at once.
    window = {"deduplication": {"window_hours": 0.0003}}
    settings = kafka_settings(kafka_bootstrap, topic, topic) | window
    url = f"sqlite:///{tmp_path / 's.db'}"
    send(kafka_bootstrap, topic, [(0, value) for value in events])
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["events"] == 1200
    units = units_in(url)
    with Database(url) as database, database.begin() as connection:
        # The minute ends: what the window holds of it leaves the store as a day later it would.
        connection.execute(sa.delete(schema.seen_hashes))
    again = events[:600]
    send(kafka_bootstrap, topic, [(0, value) for value in again])
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["events"] == 600
    assert counted(url) == 1800, "the frame counts six hundred once too often"
    assert units_in(url) == units, "the same units with the same π: nothing is drawn twice"
    report = report_of(tmp_path, url, now - timedelta(days=3), now)
    misses = report["population"]["duplicate_misses"]
    assert misses["observed"] > 100
    assert abs(misses["estimate"] - 600) < 4 * misses["standard_error"], misses
    assert report["population"]["weight_check"]["status"] == "ok"
    assert any("counted once too often" in note for note in report["notes"])
    assert done(url, topic) == {0: 1800}


def units_in(url: str) -> dict[str, tuple[float, float]]:
    """Return each unit's π at its insert and its random number."""
    with Database(url) as database:
        return {
            event_id: (stored.first_inclusion_probability, stored.unit.decision.random_number)
            for event_id, stored in units_of(database).items()
        }
