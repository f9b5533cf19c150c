"""Promise 10: a bad input costs one event; everything else is counted once, in bounded memory."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from sentinel.store import schema
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from tests.fault.contents import event_counts
from tests.fault.processes import run_to_end
from tests.fault.streams import POISON, poison
from tests.fault.workers import metric, small_batches, working
from tests.harness import WEEK, encoded, event, fresh_database, settings_for, units_of

SETTINGS = settings_for()


def reasons_in(database: Database) -> tuple[Counter[str], Counter[str]]:
    """Dead letters and records not covered, by reason."""
    letters, cells = schema.dead_letters, schema.not_covered
    with database.read() as connection:
        rows = connection.execute(sa.select(letters.c.reason, sa.func.count()).group_by(letters.c.reason))
        kept = Counter({row[0]: row[1] for row in rows})
        rows = connection.execute(
            sa.select(cells.c.reason, sa.func.sum(cells.c.events)).group_by(cells.c.reason)
        )
        return kept, Counter({row[0]: int(row[1]) for row in rows})


@pytest.mark.parametrize("records", [5, 1000])
def test_one_record_in_a_hundred_is_poison(records: int, tmp_path: Path) -> None:
    topic, expected, tombstones = MemoryTopic(partitions=2), Counter[str](), 0
    for number in range(3000):
        topic.append(encoded(event(number, WEEK + timedelta(seconds=number))), WEEK, number=number % 2)
        if number % 100 == 50:
            reason, value = poison(number // 100)
            expected[reason] += 1
            topic.append(value, WEEK, number=number % 2)
        if number % 200 == 70:
            tombstones += 1
            topic.append(None, WEEK, number=number % 2)
    with (
        fresh_database(tmp_path) as database,
        working(MemorySource(topic), database, small_batches(SETTINGS, records, 50)) as worker,
    ):
        worker.run()
        totals = worker.accounting.summary()
        assert (totals["events"], totals["duplicates"]) == (3000, 0)
        assert (totals["dead_letters"], totals["tombstones"]) == (30, tombstones)
        assert worker.accounting.reasons == expected
        assert reasons_in(database) == (expected, expected)
        assert event_counts(database)["events"] == 3000
        assert len(units_of(database)) == totals["sampled"]
        assert metric(worker, "sentinel_stream_events_total") == 3000
        assert metric(worker, "sentinel_stream_tombstones_total") == tombstones
    assert set(expected) == set(POISON)


@pytest.mark.parametrize("reason", POISON)
def test_a_stream_of_nothing_but_one_kind_of_poison_goes_on(reason: str, tmp_path: Path) -> None:
    topic = MemoryTopic()
    for position in range(250):
        topic.append(POISON[reason][position % len(POISON[reason])], WEEK)
    topic.append(encoded(event(1, WEEK)), WEEK)
    with (
        fresh_database(tmp_path) as database,
        working(MemorySource(topic), database, SETTINGS) as worker,
    ):
        worker.run()
        assert worker.accounting.summary()["events"] == 1
        kept, uncovered = reasons_in(database)
    assert uncovered == {reason: 250}, "all are counted"
    assert kept == {reason: 100}, "but a flood does not fill the store"


def test_bytes_that_are_no_text_between_two_good_events(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    good = [encoded(event(number, WEEK)) for number in range(2)]
    path.write_bytes(good[0] + b'\n\xff\xfe{"\n' + good[1] + b"\n")
    url = f"sqlite:///{tmp_path / 's.db'}"
    totals = run_to_end(tmp_path, f"file:{path}", url)
    assert (totals["events"], totals["dead_letters"]) == (2, 1)
    with Database(url) as database, database.read() as connection:
        letter = connection.execute(sa.select(schema.dead_letters)).one()
    assert (letter.offset, letter.reason) == (len(good[0]) + 1, "not_utf8")
    again = run_to_end(tmp_path, f"file:{path}", url)
    assert sum(again.values()) == 0, "no restart loop"


def test_a_line_of_many_megabytes_is_never_held(tmp_path: Path) -> None:
    peaks = []
    for name, size in (("small", 100), ("huge", 64 * 1024 * 1024)):
        path = tmp_path / f"{name}.jsonl"
        with path.open("wb") as file:
            file.write(encoded(event(1, WEEK)) + b"\n")
            file.write(b'{"event_id":"big","answer":"')
            for _ in range(size // 100):
                file.write(b"a" * 100)
            file.write(b'"}\n' + encoded(event(2, WEEK)) + b"\n")
        url = f"sqlite:///{tmp_path / name}.db"
        totals, peak = run_measured(tmp_path, path, url)
        assert totals == (3 if name == "small" else 2)
        peaks.append(peak)
        path.unlink()
    with Database(f"sqlite:///{tmp_path / 'huge'}.db") as database:
        assert reasons_in(database)[1] == {"oversized": 1}
    assert peaks[1] - peaks[0] < 40 * 1024, f"peak resident KiB: {peaks}"


MEASURED = """
import json, resource, subprocess, sys
out = subprocess.run(sys.argv[1:], capture_output=True, check=True).stdout
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.loads(out.splitlines()[-1])["events"], peak)
"""


def run_measured(folder: Path, path: Path, url: str) -> tuple[int, int]:
    """Return the events of a run as an operator starts it, and its peak resident memory in KiB."""
    config = folder / "measured.yaml"
    config.write_text(
        "sampling: {salt: a salt of the tests, rate: 0.3}\n"
        "redaction: {entities: [EMAIL_ADDRESS]}\nredaction_pool: {processes: 0}\n"
    )
    command = [sys.executable, "-m", "sentinel", "run", "--config", str(config), "--source", f"file:{path}"]
    command += ["--store", url, "--until-end", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, check=True, timeout=120
    )
    events, peak = done.stdout.split()
    return int(events), int(peak)
