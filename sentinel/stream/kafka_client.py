"""The Kafka client behind our own errors and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafka import KafkaConsumer
from kafka.errors import (
    AuthorizationError,
    FencedInstanceIdError,
    InvalidTopicError,
    KafkaConfigurationError,
    KafkaError,
    SaslAuthenticationFailedError,
    UnsupportedCodecError,
    UnsupportedVersionError,
)
from kafka.net.compat import KafkaNetClient

from sentinel.errors import ConfigurationError, RetryError, StopError
from sentinel.stream.kafka_join import keep_finished_joins
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_reads import read_in_large_pieces
from sentinel.stream.kafka_records import read_batches_at_once

_STOP = (AuthorizationError, FencedInstanceIdError, InvalidTopicError, UnsupportedVersionError)


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turn what the client raises into `RetryError` or, where waiting will not mend it, `StopError`."""
    try:
        yield
    except KafkaConfigurationError as error:
        message = f"kafka: {error}"
        raise ConfigurationError(message) from error
    except SaslAuthenticationFailedError as error:
        message = f"{doing}: the broker refused the credentials; check kafka security"
        raise StopError(message, outline="the broker refused the credentials") from error
    except UnsupportedCodecError as error:
        # The client's message names the codec and nothing of the record.
        message = f"{doing}: {error}; install the package's extra 'codecs'"
        raise StopError(message) from error
    except _STOP as error:
        message = f"{doing}: {error}"
        raise StopError(message, outline=f"the broker refuses ({type(error).__name__})") from error
    except (KafkaError, OSError) as error:
        message = f"{doing}: {error or type(error).__name__}"
        raise RetryError(message, outline=f"no answer from the broker ({type(error).__name__})") from error


def milliseconds(seconds: float) -> int:
    """Return the client's own unit."""
    return round(seconds * 1000)


def new_consumer(params: KafkaParams) -> KafkaConsumer:
    """Return a consumer that has met a broker; raise `RetryError` or `StopError` and leave no thread."""
    clients: list[KafkaNetClient] = []

    def client(**settings: Any) -> KafkaNetClient:
        clients.append(KafkaNetClient(**settings))
        read_in_large_pieces(clients[-1])
        return clients[-1]

    try:
        with translated(f"connecting to Kafka at {', '.join(params.bootstrap_servers)}"):
            consumer = KafkaConsumer(kafka_client=client, **consumer_settings(params))
    except BaseException:
        # The client's constructor starts its I/O thread before it looks for a broker.
        for half_open in clients:
            half_open.close()
        raise
    keep_finished_joins(consumer)
    read_batches_at_once(consumer)
    return consumer


def same_topic_id(consumer: KafkaConsumer, topic: str, before: bytes | None) -> bytes | None:
    """Return the id of a topic, which another one of the same name does not share; None if it has none.

    Raises `StopError` where it is another one than `before`.
    """
    # The client keeps it and has no public way to ask for it.
    found = consumer._client.cluster.topic_id(topic)
    if found is None or not found.int:
        return before
    if before not in (None, found.bytes):
        message = f"{topic} was made anew while it was read; give it another name or use another store"
        raise StopError(message)
    return bytes(found.bytes)


def consumer_settings(params: KafkaParams) -> dict[str, Any]:
    """Return the client's settings.

    Offsets are never committed or reset behind our back, and a missing topic is not made.
    """
    return {
        "bootstrap_servers": list(params.bootstrap_servers),
        "client_id": params.client_id,
        "group_id": params.group_id,
        "group_instance_id": params.group_instance_id,
        "enable_auto_commit": False,
        "auto_offset_reset": "none",
        "allow_auto_create_topics": False,
        "isolation_level": params.isolation_level,
        "session_timeout_ms": milliseconds(params.session_timeout_seconds),
        "heartbeat_interval_ms": milliseconds(params.heartbeat_interval_seconds),
        "max_poll_interval_ms": milliseconds(params.max_poll_interval_seconds),
        "request_timeout_ms": milliseconds(params.request_timeout_seconds),
        "bootstrap_timeout_ms": milliseconds(params.connect_timeout_seconds),
        "fetch_max_bytes": params.fetch_max_bytes,
        "max_partition_fetch_bytes": params.partition_fetch_max_bytes,
        "metadata_max_age_ms": milliseconds(params.metadata_max_age_seconds),
        # The client's own half minute would be added to every outage of the broker.
        "reconnect_backoff_max_ms": 3000,
        "metrics_enabled": False,
        **params.security,
    }
