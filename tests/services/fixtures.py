"""Fixtures that start real services once a session, and only when a test asks for them.

`SENTINEL_TEST_KAFKA` (host:port) and `SENTINEL_TEST_POSTGRES` (a SQLAlchemy URL whose user may create
databases) name running ones to use instead.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy.engine import make_url

from tests.services.kafka import KafkaServer
from tests.services.postgres import PostgresServer
from tests.services.running import running


@pytest.fixture(scope="session")
def kafka_server() -> Iterator[KafkaServer]:
    """A broker of this session's own; a test that stops it starts it again."""
    with running(KafkaServer) as server:
        yield server


@pytest.fixture(scope="session")
def kafka_bootstrap(request: pytest.FixtureRequest) -> str:
    """host:port of a broker that answers."""
    given = os.environ.get("SENTINEL_TEST_KAFKA")
    if given:
        return given
    server: KafkaServer = request.getfixturevalue("kafka_server")
    return server.bootstrap


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL of this session's own; a test that stops it starts it again."""
    with running(PostgresServer) as server:
        yield server


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """SQLAlchemy URL of a fresh, empty database."""
    name = f"sentinel_{uuid.uuid4().hex}"
    given = os.environ.get("SENTINEL_TEST_POSTGRES")
    if not given:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        server.start()
        given = server.url()
    _administer(given, f'CREATE DATABASE "{name}"')
    yield make_url(given).set(database=name).render_as_string(hide_password=False)
    _administer(given, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _administer(url: str, statement: str) -> None:
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]
