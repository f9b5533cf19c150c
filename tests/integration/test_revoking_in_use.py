"""A token is revoked while its session is in use: neither waits for the other for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store import people, sessions
from sentinel.store.access_tables import personal_tokens
from sentinel.store.database import Database

NOW = datetime(2026, 11, 25, 10, 0, tzinfo=UTC)


def waiting(database: Database) -> int:
    with database.read() as conn:
        query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        return int(conn.exec_driver_sql(query).scalar_one())


def test_revoking_and_using_a_session_meet(postgres_url: str) -> None:
    with Database(postgres_url) as database, ThreadPoolExecutor(2) as threads:
        database.upgrade()
        with database.begin() as conn:
            people.add_person(conn, "person-a", "Ann", "reviewer", NOW)
            token_id = people.add_token(conn, "person-a", "ab", "hash", NOW, NOW + timedelta(days=1))
            sessions.begin_session(conn, "hash", "person-a", token_id, NOW, NOW + timedelta(days=1))

        def begun(step: Callable[[Connection], object], number: int) -> Future[object]:
            """Begin a step in a transaction of its own and return once it waits, as the so-manieth."""

            def in_transaction() -> object:
                with database.begin() as conn:
                    return step(conn)

            future = threads.submit(in_transaction)
            deadline = time.monotonic() + 30
            while waiting(database) < number:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            return future

        with database.begin() as conn:
            conn.execute(sa.select(personal_tokens.c.id).with_for_update())
            revoked = begun(lambda conn: people.revoke_token(conn, token_id, NOW), 1)
            used = begun(lambda conn: sessions.touch_session(conn, "hash", NOW), 2)
        assert revoked.result(30) is True
        used.result(30)
        with database.read() as conn:
            assert sessions.find_session(conn, "hash") is None
