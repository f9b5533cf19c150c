"""How to reach and read a Kafka topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sentinel.errors import ConfigurationError
from sentinel.stream.kafka_security import check_options


@dataclass(frozen=True, slots=True)
class KafkaParams:
    """Parameters of `KafkaSource`.

    `bootstrap_servers`: host:port, one or more. `start_at`: where a topic begins of which the store
    knows nothing (offsets committed to Kafka do not count); a partition added to a known topic begins at
    its beginning. `group_instance_id`: static membership, a
    name that one worker keeps over restarts. `max_poll_interval_seconds`: the longest the pipeline may
    take between two polls before its partitions go to another worker. `fetch_max_bytes` and
    `partition_fetch_max_bytes` bound what the broker sends at once; a single larger record still comes.
    `metadata_max_age_seconds`: how long partitions that are added to the topic may go unseen.
    `silence_seconds`: without records for so long, the broker is asked whether it is still there.
    `security`: further options of the client, as it names them (`security_protocol`, `sasl_mechanism`,
    `sasl_plain_username`, `sasl_plain_password`, `ssl_cafile`, …); hidden, for it holds secrets.
    """

    bootstrap_servers: tuple[str, ...] = ("localhost:9092",)
    topic: str = "answers"
    group_id: str = "sentinel"
    client_id: str = "sentinel"
    group_instance_id: str | None = None
    start_at: Literal["earliest", "latest"] = "earliest"
    isolation_level: Literal["read_committed", "read_uncommitted"] = "read_committed"
    session_timeout_seconds: float = 45.0
    heartbeat_interval_seconds: float = 3.0
    max_poll_interval_seconds: float = 300.0
    request_timeout_seconds: float = 30.0
    connect_timeout_seconds: float = 10.0
    metadata_max_age_seconds: float = 15.0
    silence_seconds: float = 5.0
    fetch_max_bytes: int = 8 * 1024 * 1024
    partition_fetch_max_bytes: int = 4 * 1024 * 1024
    security: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.bootstrap_servers or not self.topic or not self.group_id:
            raise ConfigurationError("kafka needs bootstrap_servers, topic and group_id")
        if self.heartbeat_interval_seconds >= self.session_timeout_seconds:
            raise ConfigurationError("kafka heartbeat_interval_seconds must be below session_timeout_seconds")
        check_options(self.security)
