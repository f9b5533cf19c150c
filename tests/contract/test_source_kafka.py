"""What only a real broker does: groups, codecs, retention, going away."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaTimeoutError

from sentinel.errors import ConfigurationError, RetryError, StopError
from sentinel.records import Partition, RawRecord
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_source import KafkaSource
from tests.contract.test_source_contract import Owner, read, values
from tests.services.kafka import KafkaServer
from tests.services.ports import free_port
from tests.services.topics import make_topic, produce

pytestmark = pytest.mark.kafka

Open = Callable[..., KafkaSource]


@pytest.fixture
def params(kafka_bootstrap: str) -> KafkaParams:
    name = f"answers-{uuid.uuid4().hex}"
    return KafkaParams(
        (kafka_bootstrap,),
        topic=name,
        group_id=name,
        session_timeout_seconds=6.0,
        heartbeat_interval_seconds=0.5,
        connect_timeout_seconds=3.0,
        silence_seconds=1.0,
    )


@pytest.fixture
def open_source() -> Iterator[Open]:
    opened: list[KafkaSource] = []

    def _open(params: KafkaParams, owner: Owner, max_bytes: int = 1_000_000) -> KafkaSource:
        source = KafkaSource(params, max_bytes)
        source.subscribe(owner)
        opened.append(source)
        return source

    yield _open
    for source in opened:
        source.close()


def make(params: KafkaParams, partitions: int = 1) -> None:
    make_topic(params.bootstrap_servers[0], params.topic, partitions)


def write(
    params: KafkaParams, *sent: bytes | None, partition: int = 0, compression: str | None = None
) -> None:
    produce(params.bootstrap_servers[0], params.topic, sent, partition, compression)


def poll_until(done: Callable[[], bool], *sources: KafkaSource, seconds: float = 30.0) -> list[RawRecord]:
    records: list[RawRecord] = []
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        for source in sources:
            records.extend(source.poll(100, 0.1))
    assert done()
    return records


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_every_codec_is_read(codec: str, params: KafkaParams, open_source: Open) -> None:
    make(params)
    sent = [b"%d" % n + b"abc" * 20_000 for n in range(40)]
    write(params, *sent, compression=codec)
    assert values(read(open_source(params, Owner()), 40)) == sent


@pytest.mark.parametrize("codec", ["snappy", "lz4", "zstd"])
def test_a_missing_codec_library_is_named(
    codec: str, params: KafkaParams, open_source: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(params)
    write(params, b"1" * 1000, compression=codec)
    monkeypatch.setattr(f"kafka.codec.has_{codec}", lambda: False)
    with pytest.raises(StopError, match=f"{codec}.*codecs"):
        read(open_source(params, Owner()), 1, 5)


def test_a_record_over_the_fetch_size_still_comes(params: KafkaParams, open_source: Open) -> None:
    make(params)
    write(params, b"1", b"x" * 5_000_000, b"2")
    small = replace(params, fetch_max_bytes=10_000, partition_fetch_max_bytes=10_000)
    records = read(open_source(small, Owner()), 3)
    assert values(records) == [b"1", None, b"2"]
    assert records[1].size_bytes == 5_000_000


def test_partitions_move_to_a_second_worker_and_back(params: KafkaParams, open_source: Open) -> None:
    make(params, 4)
    one, two = Owner(), Owner()
    first = open_source(params, one)
    poll_until(lambda: len(one.owned) == 4, first)
    second = open_source(params, two)
    poll_until(lambda: len(one.owned) == len(two.owned) == 2, first, second)
    assert set(one.revoked) >= two.owned
    assert one.owned | two.owned == {Partition(params.topic, n) for n in range(4)}
    for number in range(4):
        write(params, b"%d" % number, partition=number)
    seen: list[RawRecord] = []
    deadline = time.monotonic() + 20
    while len(seen) < 4 and time.monotonic() < deadline:
        seen += [*first.poll(10, 0.1), *second.poll(10, 0.1)]
    assert sorted(record.partition.number for record in seen) == [0, 1, 2, 3]
    second.close()
    one.stored = {record.partition: record.next_offset for record in seen}
    poll_until(lambda: len(one.owned) == 4, first)
    assert one.threads == two.threads == {threading.get_ident()}


def test_after_a_rebalance_reading_goes_on_at_the_stores_offset(
    params: KafkaParams, open_source: Open
) -> None:
    make(params, 2)
    owner = Owner()
    first = open_source(params, owner)
    write(params, b"a", b"b", b"c")
    records = read(first, 3)
    first.commit({records[0].partition: records[2].next_offset})
    owner.stored = {records[0].partition: records[0].next_offset}
    other = Owner(dict(owner.stored))
    second = open_source(params, other)
    again = poll_until(lambda: len(owner.owned) == len(other.owned) == 1, first, second)
    deadline = time.monotonic() + 20
    while len(again) < 2 and time.monotonic() < deadline:
        again += [*first.poll(10, 0.1), *second.poll(10, 0.1)]
    # However often the group settles anew, the store's offset leads and the group's own does not.
    assert values(again)[:2] == [b"b", b"c"]
    assert set(values(again)) == {b"b", b"c"}


def test_a_join_that_ends_between_two_polls_is_not_begun_anew(params: KafkaParams, open_source: Open) -> None:
    make(params, 2)
    one, two = Owner(), Owner()
    first = open_source(params, one)
    poll_until(lambda: len(one.owned) == 2, first)
    second = open_source(params, two)
    deadline = time.monotonic() + 20
    # Each looks in for a moment only, so that the group settles while neither waits for it.
    while not len(one.owned) == len(two.owned) == 1 and time.monotonic() < deadline:
        first.poll(10, 0.001)
        second.poll(10, 0.001)
        time.sleep(0.3)
    assert len(one.owned) == len(two.owned) == 1
    settled = len(one.assigned), len(two.assigned)
    until = time.monotonic() + 2
    while time.monotonic() < until:
        first.poll(10, 0.001)
        second.poll(10, 0.001)
        time.sleep(0.3)
    assert (len(one.assigned), len(two.assigned)) == settled == (3, 1)


def test_a_handler_that_sleeps_past_the_poll_limit_loses_and_regains(
    params: KafkaParams, open_source: Open
) -> None:
    make(params)
    write(params, b"a", b"b")
    owner = Owner()
    source = open_source(replace(params, max_poll_interval_seconds=2.0), owner)
    records = read(source, 2)
    owner.stored = {records[0].partition: records[0].next_offset}
    time.sleep(5)
    source.commit({records[0].partition: records[1].next_offset})
    assert values(read(source, 1)) == [b"b"]
    assert owner.revoked == [records[0].partition]
    assert owner.assigned == [records[0].partition] * 2


def test_who_was_thrown_out_of_the_group_has_not_reached_the_end(
    params: KafkaParams, open_source: Open
) -> None:
    """Without partitions there is nothing left to read: but a worker that was slow gets its own again."""
    make(params)
    write(params, b"a")
    owner = Owner()
    source = open_source(replace(params, max_poll_interval_seconds=2.0), owner)
    (record,) = read(source, 1)
    assert source.end_reached()
    owner.stored = {record.partition: record.next_offset}
    write(params, b"b")
    time.sleep(4)
    assert source.poll(1, 0.0) == []
    assert owner.owned == set()
    assert not source.end_reached()
    assert values(read(source, 1)) == [b"b"]
    assert source.end_reached()


def test_pause_outlasts_a_rebalance(params: KafkaParams, open_source: Open) -> None:
    make(params)
    owner = Owner()
    source = open_source(replace(params, max_poll_interval_seconds=2.0), owner)
    poll_until(lambda: len(owner.assigned) == 1, source)
    source.pause(owner.assigned)
    write(params, b"a")
    time.sleep(4)
    assert poll_until(lambda: len(owner.assigned) == 2, source) == []
    assert source.poll(10, 1.0) == []
    source.resume(owner.assigned)
    assert values(read(source, 1)) == [b"a"]


def test_records_deleted_before_they_were_read_are_a_gap(params: KafkaParams, open_source: Open) -> None:
    make(params)
    write(params, *(b"%d" % n for n in range(6)))
    delete_before(params, 4)
    partition = Partition(params.topic, 0)
    owner = Owner({partition: 1})
    assert values(read(open_source(params, owner), 2)) == [b"4", b"5"]
    assert owner.gaps == [(partition, 1, 4)]


def test_retention_that_overtakes_a_slow_reader_is_a_gap(params: KafkaParams, open_source: Open) -> None:
    make(params)
    write(params, b"0" * 1000)
    owner = Owner()
    source = open_source(params, owner)
    (record,) = read(source, 1)
    source.pause([record.partition])
    write(params, *(b"%d" % n for n in range(1, 6)))
    delete_before(params, 4)
    source.resume([record.partition])
    assert values(read(source, 2)) == [b"4", b"5"]
    assert owner.gaps == [(record.partition, 1, 4)]


def test_what_was_fetched_beside_a_gap_is_not_lost_while_the_broker_does_not_answer(
    params: KafkaParams, open_source: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(params, 2)
    write(params, b"a0", partition=0)
    write(params, b"b0", partition=1)
    owner = Owner()
    source = open_source(params, owner)
    seen = values(read(source, 2))
    source.pause([Partition(params.topic, 0), Partition(params.topic, 1)])
    write(params, *(b"a%d" % n for n in range(1, 6)), partition=0)
    write(params, *(b"b%d" % n for n in range(1, 9)), partition=1)
    delete_before(params, 4)
    consumer = source._consumer
    ask, failures = consumer.beginning_offsets, iter(range(6))

    def answer_late(*args: object, **kwargs: object) -> object:
        if next(failures, None) is not None:
            raise KafkaTimeoutError("no answer")
        return ask(*args, **kwargs)

    monkeypatch.setattr(consumer, "beginning_offsets", answer_late)
    source.resume([Partition(params.topic, 0), Partition(params.topic, 1)])
    refused = 0
    deadline = time.monotonic() + 20
    while len(seen) < 12 and time.monotonic() < deadline:
        try:
            seen += values(source.poll(3, 0.3))
        except RetryError:
            refused += 1
    assert refused == 6
    assert sorted(v for v in seen if v) == sorted([b"a0", b"a4", b"a5", *(b"b%d" % n for n in range(9))])
    assert [v for v in seen if v and v[:1] == b"b"] == [b"b%d" % n for n in range(9)]
    assert owner.gaps == [(Partition(params.topic, 0), 1, 4)]


def delete_before(params: KafkaParams, offset: int) -> None:
    admin = KafkaAdminClient(bootstrap_servers=params.bootstrap_servers[0])
    try:
        admin.delete_records({TopicPartition(params.topic, 0): offset})
    finally:
        admin.close()


def test_start_at_latest_skips_what_is_there(params: KafkaParams, open_source: Open) -> None:
    make(params)
    write(params, b"old")
    owner = Owner()
    source = open_source(replace(params, start_at="latest"), owner)
    poll_until(lambda: bool(owner.assigned), source)
    write(params, b"new")
    assert values(read(source, 1)) == [b"new"]


def read_in_the_end(source: KafkaSource, seconds: float) -> list[RawRecord]:
    """The next record, asked for again after each error to retry; nothing where none came in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            records = read(source, 1, 1)
        except RetryError:
            continue
        if records:
            return records
    return []


def test_a_missing_topic_can_be_mended_by_making_it(params: KafkaParams, open_source: Open) -> None:
    source = open_source(params, Owner())
    with pytest.raises(RetryError, match="is not there"):
        read(source, 1, 10)
    make(params)
    write(params, b"1")
    assert values(read_in_the_end(source, 30)) == [b"1"]


def test_a_broker_that_dies_is_an_error_to_retry_and_nothing_is_lost(
    params: KafkaParams, kafka_server: KafkaServer, open_source: Open
) -> None:
    params = replace(params, bootstrap_servers=(kafka_server.bootstrap,))
    make(params)
    write(params, b"1", b"2")
    owner = Owner()
    source = open_source(params, owner)
    records = read(source, 2)
    owner.stored = {records[0].partition: records[1].next_offset}
    kafka_server.kill()
    try:
        with pytest.raises(RetryError):
            read(source, 1, 20)
        source.commit({records[0].partition: records[1].next_offset})
    finally:
        kafka_server.start()
    write(params, b"3")
    assert values(read_in_the_end(source, 60)) == [b"3"]


def test_a_broker_that_is_not_there_is_an_error_to_retry_and_leaves_no_thread(params: KafkaParams) -> None:
    nowhere = replace(params, bootstrap_servers=(f"127.0.0.1:{free_port()}",), connect_timeout_seconds=1.0)
    source = KafkaSource(nowhere, 1000)
    source.subscribe(Owner())
    before = threading.active_count()
    for _ in range(3):
        with pytest.raises(RetryError, match=nowhere.bootstrap_servers[0]):
            source.poll(1, 0.1)
    source.close()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert threading.active_count() <= before


def test_a_commit_the_group_refuses_is_only_logged(
    params: KafkaParams, open_source: Open, caplog: pytest.LogCaptureFixture
) -> None:
    make(params)
    write(params, b"1")
    source = open_source(params, Owner())
    (record,) = read(source, 1)
    with caplog.at_level(logging.WARNING, "sentinel.stream.kafka_source"):
        source.commit({Partition("a-topic-that-is-not-there", 0): 5})
        deadline = time.monotonic() + 20
        while "the store leads" not in caplog.text and time.monotonic() < deadline:
            source.poll(1, 0.2)
    assert "a-topic-that-is-not-there/0" in caplog.text
    source.commit({record.partition: record.next_offset})


def test_a_static_member_keeps_its_partitions_over_a_restart(params: KafkaParams, open_source: Open) -> None:
    make(params)
    static = replace(params, group_instance_id="worker-0")
    write(params, b"1", b"2")
    first = open_source(static, Owner())
    records = read(first, 2)
    first.close()
    second = open_source(static, Owner({records[0].partition: records[0].next_offset}))
    assert values(read(second, 1)) == [b"2"]


def test_secrets_are_not_shown_and_only_security_options_pass(params: KafkaParams) -> None:
    secret = {"security_protocol": "SASL_SSL", "sasl_plain_password": "hunter2"}
    assert "hunter2" not in repr(replace(params, security=secret))
    with pytest.raises(ConfigurationError, match="enable_auto_commit"):
        replace(params, security={"enable_auto_commit": True})
