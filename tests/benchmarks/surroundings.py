"""What a benchmark runs against: a broker, topics full of answers, databases, bare loops."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import msgspec
import psycopg
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from sqlalchemy.engine import make_url

from tests.services.kafka import KafkaServer
from tests.services.missing import MissingServiceError
from tests.services.postgres import PostgresServer
from tests.services.topics import make_topic

T = TypeVar("T")


class BareEvent(msgspec.Struct):
    """What the bare loop decodes an event to: the quickest thing that still holds the texts."""

    event_id: str
    answer: str
    question: str | None = None
    retrieved: list[dict[str, str | float | None]] | None = None


@contextmanager
def broker() -> Iterator[str]:
    """Yield host:port of a broker: the one `SENTINEL_TEST_KAFKA` names, else one of our own."""
    given = os.environ.get("SENTINEL_TEST_KAFKA")
    if given:
        yield given
        return
    server = _needed(KafkaServer)
    try:
        server.start()
        yield server.bootstrap
    finally:
        server.close()


@contextmanager
def databases() -> Iterator[Callable[[], str]]:
    """Yield a maker of empty PostgreSQL databases, each a SQLAlchemy URL; they are dropped at the end."""
    given = os.environ.get("SENTINEL_TEST_POSTGRES")
    server = None if given else _needed(PostgresServer)
    made: list[str] = []
    try:
        if server is not None:
            server.start()
        base = given or (server.url() if server else "")

        def make() -> str:
            name = f"bench_{uuid.uuid4().hex}"
            _administer(base, f'CREATE DATABASE "{name}"')
            made.append(name)
            return make_url(base).set(database=name).render_as_string(hide_password=False)

        yield make
        for name in made:
            _administer(base, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    finally:
        if server is not None:
            server.close()


def _needed(make: Callable[[], T]) -> T:
    try:
        return make()
    except MissingServiceError as error:
        sys.exit(f"this benchmark needs a service that is not here: {error}")


def conninfo(url: str) -> str:
    """Return a SQLAlchemy URL as psycopg takes it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _administer(url: str, statement: str) -> None:
    with psycopg.connect(conninfo(url), autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


def fill_topic(
    bootstrap: str,
    events: Iterable[bytes],
    partitions: int = 1,
    topic: str | None = None,
    settings: dict[str, str] | None = None,
    spread_seconds: float | None = None,
    count: int = 0,
) -> str:
    """Make a topic (or add to one), spread the events over its partitions in turn, return its name.

    With `spread_seconds` the records' times lie evenly over that long, up to now; `count` is how many come.
    """
    began = time.time() - (spread_seconds or 0.0)
    name = topic or f"bench-{uuid.uuid4().hex[:10]}"
    if topic is None:
        make_topic(bootstrap, name, partitions, settings)
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=50, batch_size=256 * 1024)
    try:
        for number, value in enumerate(events):
            at = None if spread_seconds is None else int((began + spread_seconds * number / count) * 1000)
            producer.send(name, value, partition=number % partitions, timestamp_ms=at)
        producer.flush(timeout=300)
    finally:
        producer.close()
    return name


def bare_rate(bootstrap: str, topic: str, count: int) -> tuple[float, float]:
    """Return records a second, and processor seconds a record, of a loop that polls, decodes and no more.

    The client's settings are its own defaults but for the group; timed from the first records to the last.
    """
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap, auto_offset_reset="earliest", enable_auto_commit=False
    )
    decoder = msgspec.json.Decoder(BareEvent)
    consumer.assign([TopicPartition(topic, 0)])
    consumer.seek_to_beginning()
    seen, first, began, used = 0, 0, 0.0, 0.0
    while seen < count:
        for records in consumer.poll(timeout_ms=1000, max_records=1000).values():
            for record in records:
                decoder.decode(record.value)
            seen += len(records)
        if not began and seen:
            first, began, used = seen, time.perf_counter(), time.process_time()
    rate = (seen - first) / (time.perf_counter() - began)
    cost = (time.process_time() - used) / (seen - first)
    consumer.close()
    return rate, cost


def main() -> None:
    """Run the bare loop alone, as a process of its own: BOOTSTRAP TOPIC COUNT."""
    bootstrap, topic, count = sys.argv[1:]
    print(*bare_rate(bootstrap, topic, int(count)))


if __name__ == "__main__":
    main()
