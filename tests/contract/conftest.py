"""`store_url`: an empty store of its own for each test, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from sentinel.store.database import Database, StoreParams, latest_version
from sentinel.store.schema import metadata
from tests.services.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgresql_server(request: pytest.FixtureRequest) -> str:
    """The URL of the session's PostgreSQL, with `{name}` where the database's name goes."""
    given = os.environ.get("SENTINEL_TEST_POSTGRES")
    if not given:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        given = server.url()
    url = make_url(given).set(drivername="postgresql", database="DATABASE")
    return url.render_as_string(hide_password=False).replace("DATABASE", "{name}")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema, to be copied: quicker than to migrate for every test."""
    path = tmp_path_factory.mktemp("template") / "store.db"
    with Database(f"sqlite:///{path}") as migrated:
        migrated.upgrade()
    return path


@pytest.fixture(scope="session")
def postgresql_migrated(postgresql_server: str) -> str:
    """The URL of a database with the schema, which tests share and `emptied` empties."""
    with psycopg.connect(postgresql_server.format(name="postgres"), autocommit=True) as admin:
        name = f"migrated_{secrets.token_hex(6)}"
        admin.execute(f"CREATE DATABASE {name}")
    url = postgresql_server.format(name=name)
    with Database(url) as migrated:
        migrated.upgrade()
    return url


def emptied(url: str) -> None:
    """Make a migrated PostgreSQL store as good as new: a database for each test takes far longer."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        admin.execute("SET session_replication_role = replica")  # silences the append-only triggers
        admin.execute(f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY")
        admin.execute("INSERT INTO schedule_horizon VALUES (1, '0001-01-01 00:00:00+00')")
        admin.execute("UPDATE alembic_version SET version_num = %s", (latest_version(),))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store of the test's own: empty, or with the schema where the test takes `database`."""
    migrated = "database" in request.fixturenames
    if request.param == "sqlite":
        path = tmp_path / "store.db"
        if migrated:
            shutil.copy(request.getfixturevalue("sqlite_template"), path)
        return f"sqlite:///{path}"
    if migrated:
        url: str = request.getfixturevalue("postgresql_migrated")
        emptied(url)
        return url
    server: str = request.getfixturevalue("postgresql_server")
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(server.format(name="postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")  # goes with the server
    return server.format(name=name)


@pytest.fixture
def database(store_url: str) -> Iterator[Database]:
    """A store with its schema, at `store_url`."""
    with Database(store_url, StoreParams(wait_seconds=20, pool_size=8)) as opened:
        yield opened
