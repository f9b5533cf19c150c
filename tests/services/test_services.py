"""The services themselves: they start, keep what they hold over a kill, and go away without trace."""

from __future__ import annotations

import psycopg
import pytest
import sqlalchemy

from tests.services.kafka import KafkaServer, is_serving
from tests.services.postgres import PostgresServer


@pytest.mark.postgres
def test_each_test_gets_an_empty_database(postgres_url: str) -> None:
    engine = sqlalchemy.create_engine(postgres_url)
    with engine.begin() as connection:
        assert sqlalchemy.inspect(connection).get_table_names() == []
        connection.execute(sqlalchemy.text("CREATE TABLE leftover (id integer)"))
    engine.dispose()


@pytest.mark.postgres
def test_the_next_test_does_not_see_the_last_ones_tables(postgres_url: str) -> None:
    engine = sqlalchemy.create_engine(postgres_url)
    with engine.connect() as connection:
        assert sqlalchemy.inspect(connection).get_table_names() == []
    engine.dispose()


@pytest.mark.postgres
def test_postgres_keeps_committed_rows_over_a_kill(postgres_server: PostgresServer) -> None:
    with psycopg.connect(postgres_server.conninfo(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (id integer)")
        connection.execute("INSERT INTO kept VALUES (7)")
    postgres_server.kill()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(postgres_server.conninfo(), connect_timeout=2)
    postgres_server.start()
    with psycopg.connect(postgres_server.conninfo(), autocommit=True) as connection:
        assert connection.execute("SELECT id FROM kept").fetchall() == [(7,)]
        connection.execute("DROP TABLE kept")


@pytest.mark.kafka
def test_kafka_comes_back_after_a_kill(kafka_server: KafkaServer) -> None:
    assert is_serving(kafka_server.bootstrap)
    kafka_server.kill()
    assert not is_serving(kafka_server.bootstrap)
    kafka_server.start()
    assert is_serving(kafka_server.bootstrap)
