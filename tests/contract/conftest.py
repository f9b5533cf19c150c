"""`store_url`: an empty store of its own for each test, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from sentinel.store.database import Database, StoreParams


def _postgresql_binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


@pytest.fixture(scope="session")
def postgresql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL of this test session, reached through a socket in its own directory."""
    binaries = _postgresql_binaries()
    if binaries is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed here (initdb not found)")
        pytest.skip("PostgreSQL is not installed here (initdb not found)")
    home = Path(subprocess.check_output(["mktemp", "-d", "/tmp/sentinel-pg-XXXXXX"], text=True).strip())
    prefix: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        shutil.chown(home, "postgres")
        prefix = ["runuser", "-u", "postgres", "--"]
    data = home / "data"
    initdb = [*prefix, binaries / "initdb", "-D", data, "-U", "sentinel", "-A", "trust", "-E", "UTF8"]
    subprocess.run([*initdb, "--no-sync", "--locale=C"], check=True, capture_output=True)
    options = f"-k {home} -c listen_addresses='' -c max_connections=60 -c fsync=off"
    start = [*prefix, binaries / "pg_ctl", "-D", data, "-w", "-l", home / "log", "-o", options, "start"]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL)
    try:
        yield f"postgresql://sentinel@/{{name}}?host={home}"
    finally:
        stop = [*prefix, binaries / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"]
        subprocess.run(stop, check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(home)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty store without a schema."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'store.db'}"
        return
    server: str = request.getfixturevalue("postgresql_server")
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(server.format(name="postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        yield server.format(name=name)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema, to be copied: quicker than to migrate for every test."""
    path = tmp_path_factory.mktemp("template") / "store.db"
    with Database(f"sqlite:///{path}") as migrated:
        migrated.upgrade()
    return path


@pytest.fixture(scope="session")
def postgresql_template(postgresql_server: str) -> str:
    """The name of a database with the schema."""
    with psycopg.connect(postgresql_server.format(name="postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE migrated")
    with Database(postgresql_server.format(name="migrated")) as migrated:
        migrated.upgrade()
    return "migrated"


@pytest.fixture
def database(store_url: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A store with its schema, at `store_url`."""
    url = make_url(store_url)
    if url.get_backend_name() == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), str(url.database))
    else:
        template = request.getfixturevalue("postgresql_template")
        server: str = request.getfixturevalue("postgresql_server")
        with psycopg.connect(server.format(name="postgres"), autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {url.database}")
            admin.execute(f"CREATE DATABASE {url.database} TEMPLATE {template} STRATEGY file_copy")
    with Database(store_url, StoreParams(wait_seconds=20, pool_size=8)) as opened:
        yield opened
