"""What a soak runs on: a broker, a PostgreSQL, a topic, and agents that are started, watched and killed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from sentinel.store.database import Database
from tests.fault.contents import contents, differences, event_counts
from tests.fault.processes import Run, kafka_settings
from tests.fault.topics import done_in_all, new_topic
from tests.services.kafka import KafkaServer
from tests.services.postgres import PostgresServer
from tests.soak.progress import Progress, check
from tests.soak.traffic import Expected

PARTITIONS = 4
_STALLED_SECONDS = 180.0


@dataclass
class Stand:
    """Services and topic of one soak; `most_megabytes` is the largest resident size an agent was seen at."""

    kafka: KafkaServer
    postgres: PostgresServer
    folder: Path
    topic: str
    progress: Progress
    most_megabytes: float = 0.0
    runs: list[Run] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.postgres.url("soak")

    def settings(self, group: str, **sections: Any) -> dict[str, Any]:
        reading = kafka_settings(
            self.kafka.bootstrap, self.topic, group, session_timeout_seconds=3.0, silence_seconds=2.0
        )
        return {
            "sampling": {"rate": 0.01},
            "pipeline": {"batch_records": 1000},
            # As in production: the language model and its memory are another process's.
            "redaction_pool": {"processes": 1},
            **reading,
            **sections,
        }

    def start(self, *, fresh: bool = True, **sections: Any) -> Run:
        run = Run(
            self.folder,
            "kafka",
            self.url,
            until_end=False,
            fresh=fresh,
            settings=self.settings("soak", **sections),
        )
        self.runs.append(run)
        return run

    def position(self) -> int:
        """Return how many records the store says are done; -1 while it is away."""
        try:
            with psycopg.connect(self.postgres.conninfo("soak"), connect_timeout=3) as connection:
                row = connection.execute("SELECT sum(next_offset) FROM checkpoints").fetchone()
        except psycopg.Error:
            return -1
        return int(row[0] or 0) if row else 0

    def wait_for(self, records: int, alive: list[Run], seen: Callable[[int], None] | None = None) -> int:
        """Wait until so many records are done; a standstill of three minutes is a failure."""
        at, moved = self.position(), time.monotonic()
        while at < records:
            time.sleep(0.05)
            now = self.position()
            if now > at:
                at, moved = now, time.monotonic()
                if seen is not None:
                    seen(at)
            for run in alive:
                check(run.lives, f"an agent ended by itself: {run.log}")
                self.most_megabytes = max(self.most_megabytes, resident_megabytes(run.pid))
            check(
                time.monotonic() - moved < _STALLED_SECONDS,
                f"nothing was done for {_STALLED_SECONDS:.0f} s at {at:,}: {alive[0].log if alive else ''}",
            )
        return at

    def reference(self, expected: Expected) -> str:
        """Read the same topic in one undisturbed life, show its memory, and return its store's URL."""
        url = f"sqlite:///{self.folder / 'undisturbed.db'}"
        with Run(self.folder, "kafka", url, fresh=True, settings=self.settings("undisturbed")) as run:
            step, due = _step(expected), _step(expected)
            while run.lives:
                time.sleep(0.5)
                done = done_in_all(url)
                if done >= due:
                    self.progress.show(f"undisturbed: {done:,} records, {resident_megabytes(run.pid):.0f} MB")
                    due = (done // step + 1) * step
            check(run.ends() == 0, run.log)
        return url

    def compare(self, expected: Expected) -> None:
        """Compare with what was sent and with an undisturbed run: exact counts, same units, same π."""
        with Database(self.url) as database:
            counts = event_counts(database)
        self.progress.show(f"counted {dict(counts)}, sent {expected}")
        check(counts["events"] == expected.answers, "the frame does not count each answer once")
        check(counts["not_covered"] == expected.poison, "not each poison is counted as not covered")
        check(counts["arrivals"] == counts["units"], "a drawn answer was met again")
        with Database(self.reference(expected)) as calm, Database(self.url) as found:
            differ = differences(
                contents(calm, without_first_seen=True), contents(found, without_first_seen=True)
            )
        check(not differ, f"differs from an undisturbed run: {differ}")
        self.progress.show(f"all tables as after an undisturbed run; {counts['units']:,} units, same π")


@contextmanager
def standing(progress: Progress) -> Iterator[Stand]:
    """Start everything; leave no process and no file behind."""
    with tempfile.TemporaryDirectory(prefix="sentinel-soak-") as folder:
        kafka, postgres = KafkaServer(), PostgresServer()
        stand: Stand | None = None
        try:
            kafka.start()
            postgres.start()
            with psycopg.connect(postgres.conninfo(), autocommit=True) as connection:
                connection.execute("CREATE DATABASE soak")
            topic = new_topic(kafka.bootstrap, "soak", PARTITIONS)
            stand = Stand(kafka, postgres, Path(folder), topic, progress)
            with Database(stand.url) as database:
                database.upgrade()
            yield stand
        finally:
            for run in stand.runs if stand else []:
                run.__exit__()
            kafka.close()
            postgres.close()


def resident_megabytes(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return int((status.partition("VmRSS:")[2].split() or ["0"])[0]) / 1024


def _step(expected: Expected) -> int:
    return min(100_000, max(1, expected.records // 10))
