"""`/readyz` has no sign-in: it names the part and the kind of fault, never a host, a user or a database."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import psycopg
import pytest

from sentinel.errors import DeadLetterError, RejoinError, RetryError, SentinelError, StopError
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.params import PipelineParams
from sentinel.pipeline.patience import Patience
from sentinel.store.database import Database, StoreParams
from sentinel.store.faults import _from_connection
from sentinel.stream.kafka_client import new_consumer
from sentinel.stream.kafka_params import KafkaParams
from sentinel.telemetry.health import Health
from sentinel.telemetry.http import respond
from sentinel.telemetry.metrics import Metrics

HIDDEN = re.compile(r"db\.corp|127\.0\.0\.1|::1|:1\b|port|secret_user|secret_db|broker\.corp")
REFUSALS = [
    'connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused',
    'connection to server at "db.corp.test" (10.1.2.3), port 5432 failed: server closed the connection',
    "failed to resolve host 'db.corp.test': [Errno -2] Name or service not known",
    'connection to server at "127.0.0.1", port 1 failed: FATAL:  password authentication failed for user '
    '"secret_user"',
    'connection to server at "127.0.0.1", port 1 failed: FATAL:  database "secret_db" does not exist',
    'FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "secret_user", database "secret_db"',
    'fe_sendauth: no password supplied for user "secret_user"',
    'timeout expired for host "db.corp.test"',
]


def shown(call: Callable[[], object], part: str = "store") -> tuple[str, SentinelError]:
    """What /readyz answers while a worker waits for `call`, and the error that its log has."""
    health = Health((part,))
    patience = Patience(PipelineParams(first_wait_seconds=0.01), health, Accounting(Metrics()))
    with pytest.raises(RetryError) as waiting:
        patience.repeat(part, call, lambda: True, None)
    answer = respond("/readyz", "", Metrics(), health)
    assert answer.status == 503
    return json.loads(answer.body)["not_ready"][part], waiting.value


@pytest.mark.parametrize("text", REFUSALS)
def test_a_database_that_cannot_be_reached(text: str) -> None:
    error = _from_connection(psycopg.OperationalError(text), True)
    assert text in str(error), "the log has all of it"
    assert not HIDDEN.search(error.outline)
    assert "store" in error.outline


def test_a_worker_that_waits_for_its_database() -> None:
    url = "postgresql://secret_user:hush@127.0.0.1:1/secret_db"
    with Database(url, StoreParams(wait_seconds=2)) as database:
        said, error = shown(database.schema_version)
    assert said == "no connection to the store"
    assert "127.0.0.1" in str(error)
    assert "hush" not in str(error)


def test_a_worker_that_waits_for_its_broker() -> None:
    params = KafkaParams(("127.0.0.1:1",), connect_timeout_seconds=0.3)
    said, error = shown(lambda: new_consumer(params), "source")
    assert not HIDDEN.search(said)
    assert said.startswith("no answer from the broker")
    assert "127.0.0.1:1" in str(error)


@pytest.mark.parametrize("kind", [SentinelError, RetryError, RejoinError, StopError])
def test_an_outline_is_the_message_unless_it_is_given(kind: type[SentinelError]) -> None:
    assert kind("all").outline == str(kind("all")) == "all"
    assert (kind("all", outline="part").outline, str(kind("all", outline="part"))) == ("part", "all")
    assert DeadLetterError("too_long", "x").outline == "too_long: x"
