"""From the name of a source, as the command line gives it, to the source."""

from __future__ import annotations

import sys
from pathlib import Path

from sentinel.clock import Clock
from sentinel.errors import ConfigurationError
from sentinel.stream.file_source import FileSource
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_security import check_access
from sentinel.stream.source import Source
from sentinel.stream.stdin_source import StdinSource


def open_source(name: str, *, max_bytes: int, until_end: bool, kafka: KafkaParams, clock: Clock) -> Source:
    """Return the source that `kafka`, `file:PATH` or `file:-` names; nothing is connected or read yet.

    `max_bytes` is the limit of one record's value: what is longer comes without its content. Raises
    `ConfigurationError` where there is no such source, or a topic could not be signed in to.
    """
    if name == "kafka":
        check_access(kafka.security)
        # Only those who consume from Kafka pay for importing its client.
        from sentinel.stream.kafka_source import KafkaSource

        return KafkaSource(kafka, max_bytes)
    kind, separator, path = name.partition(":")
    if kind != "file" or not separator or not path:
        message = f"unknown source {name!r}: give kafka, file:PATH or file:-"
        raise ConfigurationError(message)
    if path == "-":
        return StdinSource(sys.stdin.fileno(), max_bytes, clock)
    if not Path(path).is_file():
        message = f"source {name!r}: there is no such file"
        raise ConfigurationError(message)
    return FileSource(Path(path), max_bytes, clock, follow=not until_end)
