"""The database behind the store: connections, the write transaction, the schema's version."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine, make_url

from sentinel.errors import ConfigurationError, StopError
from sentinel.store.faults import translated

_WRITES = "sentinel_writes"
# Any fixed number; it serialises the processes that migrate one PostgreSQL database.
_MIGRATION_LOCK = 7_234_619_150_221


@dataclass(frozen=True, slots=True)
class StoreParams:
    """How to connect: `wait_seconds` bounds each wait for a lock, a connection or a silent writer.

    `pool_size` is the number of connections a process holds at most.
    """

    wait_seconds: float = 30.0
    pool_size: int = 5


class Database:
    """One store, on SQLite (a file) or PostgreSQL. Safe to share between threads; not across a fork.

    Errors inside `begin`, `read`, `upgrade` and `schema_version`: `RetryError` where the same call may
    succeed later (connection lost, locked, server restarting, disk full), else `StopError`. Neither
    carries values. After a `RetryError` at the end of `begin` the commit may have happened: whoever
    retries starts with the checkpoint's compare-and-set.
    """

    def __init__(self, url: str, params: StoreParams | None = None) -> None:
        self._params = params or StoreParams()
        self._url = _parse(url)
        self._sqlite = self._url.get_backend_name() == "sqlite"
        self._engine = self._sqlite_engine() if self._sqlite else self._postgresql_engine()

    def __repr__(self) -> str:
        return f"Database({self._url.render_as_string(hide_password=True)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections that no block holds any more."""
        self._engine.dispose()

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Yield a connection in a write transaction: commits at the end, rolls back on any error."""
        with translated(writes=True), self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITES: True})
            with connection.begin():
                if not self._sqlite:
                    milliseconds = int(self._params.wait_seconds * 1000)
                    # A frozen process must not hold its partitions' rows for ever.
                    connection.exec_driver_sql(
                        f"SET LOCAL lock_timeout = {milliseconds}; "
                        f"SET LOCAL idle_in_transaction_session_timeout = {2 * milliseconds}"
                    )
                yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that sees one unmoving state of the store and cannot write."""
        options: dict[str, Any] = {}
        if not self._sqlite:
            options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        with translated(writes=False), self._engine.connect() as connection:
            connection = connection.execution_options(**options)
            with connection.begin():
                yield connection

    def empty_log(self) -> None:
        """Have SQLite write its log into the file and empty it: old pages stand in it until then.

        Waits a second for readers; where one still needs the log, it stays until it is next emptied.
        """
        if not self._sqlite:
            return
        with translated(writes=True), self._engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            # Whoever writes waits as long: readers that take minutes must not stop them.
            driver.execute("PRAGMA busy_timeout=1000")
            try:
                driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                driver.execute(f"PRAGMA busy_timeout={int(self._params.wait_seconds * 1000)}")

    def upgrade(self) -> str:
        """Create or migrate the schema in one transaction and return its version.

        Several processes may call it at once: one migrates, the others wait and find it done.
        """
        with translated(writes=True), self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITES: True})
            with connection.begin():
                if not self._sqlite:
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
                try:
                    command.upgrade(alembic_config(connection), "head")
                except CommandError:
                    raise StopError(
                        "the store was migrated by a newer version of sentinel: run that version"
                    ) from None
                return MigrationContext.configure(connection).get_current_revision() or ""

    def schema_version(self) -> str | None:
        """Return the version the schema is at; None for an empty store."""
        with self.read() as connection:
            return MigrationContext.configure(connection).get_current_revision()

    def require_schema(self) -> None:
        """Raise `StopError` unless the schema is at the version this program was made for.

        Makes nothing: connecting to a SQLite file that is not there would leave an empty one behind.
        """
        if self._sqlite and self._url.database and not Path(self._url.database).exists():
            raise StopError(
                f"there is no store at {self._url.database}: give --store the one that `sentinel run` writes "
                "to (`sentinel db upgrade` makes an empty one)"
            )
        found, wanted = self.schema_version(), latest_version()
        if found != wanted:
            message = f"the store is at schema {found or 'none'}, not {wanted}: run `sentinel db upgrade`"
            raise StopError(message)

    def _sqlite_engine(self) -> Engine:
        if self._url.database in (None, "", ":memory:") or "mode" in self._url.query:
            raise ConfigurationError("store: SQLite needs a file, as in sqlite:///sentinel.db")
        engine = self._engine_with(connect_args={"timeout": self._params.wait_seconds})
        event.listen(engine, "connect", self._prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    def _postgresql_engine(self) -> Engine:
        seconds = max(2, int(self._params.wait_seconds))
        engine = self._engine_with(pool_pre_ping=True, connect_args={"connect_timeout": seconds})
        event.listen(engine, "connect", _prepare_postgresql)
        return engine

    def _engine_with(self, **of_its_kind: Any) -> Engine:
        return sa.create_engine(
            self._url,
            hide_parameters=True,
            pool_size=self._params.pool_size,
            pool_timeout=self._params.wait_seconds,
            max_overflow=0,
            **of_its_kind,
        )

    def _prepare_sqlite(self, connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where `_begin_sqlite` says
        _switch_to_wal(connection, self._params.wait_seconds)
        connection.execute("PRAGMA synchronous=FULL")  # in WAL mode, NORMAL may lose the last commits
        connection.execute("PRAGMA foreign_keys=ON")


def latest_version() -> str:
    """Return the schema version this program was made for."""
    head = ScriptDirectory.from_config(alembic_config(None)).get_current_head()
    if head is None:
        raise StopError("this installation has no migrations: install the package again")
    return head


def alembic_config(connection: Connection | None) -> Config:
    """Return the settings under which Alembic works on a connection, in the caller's transaction."""
    config = Config()
    config.set_main_option("script_location", str(files("sentinel.store") / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise ConfigurationError("store: not a URL such as sqlite:///sentinel.db") from None
    if parsed.drivername in ("postgres", "postgresql"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        message = f"store: {parsed.drivername} is not supported; use sqlite:///FILE or postgresql://HOST/NAME"
        raise ConfigurationError(message)
    return parsed


def _switch_to_wal(connection: sqlite3.Connection, wait_seconds: float) -> None:
    # The switch needs the file alone and does not wait by itself, so a second process asks again.
    deadline = time.monotonic() + wait_seconds
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql(f"PRAGMA query_only={'OFF' if writes else 'ON'}")
    # A deferred transaction that turns into a writer cannot wait its turn; an immediate one can.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_postgresql(connection: Any, _record: object) -> None:
    # Times come back in any session zone, but those near the ends of the calendar only in UTC; the
    # float setting is the server's default, which an installation may have turned down.
    connection.execute("SET timezone = 'UTC'; SET extra_float_digits = 3")
    connection.commit()
