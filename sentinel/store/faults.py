"""Driver errors turned into the product's own, without the values a statement carried.

PostgreSQL puts the row into an error's detail, so the driver's text is never passed on; what stays is
the kind of error and the name of the constraint.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import exc as sa_exc

from sentinel.errors import RetryError, SentinelError, StopError

# https://www.postgresql.org/docs/current/errcodes-appendix.html
_RETRY_CLASSES = ("08", "40", "53", "57P", "58")
_RETRY_STATES = frozenset(
    {
        "55P03",  # lock not available within lock_timeout
        "57014",  # cancelled, also by statement_timeout
        "25P03",  # idle_in_transaction_session_timeout
    }
)
_READ_ONLY = "25006"
_RAISED_BY_TRIGGER = "P0001"
# Refusals at login carry no SQLSTATE in the driver's error; waiting mends none of these.
_LOGIN_REFUSALS = ("authentication failed", "does not exist", "pg_hba.conf", "no password supplied")
_SQLITE_RETRY = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_PROTOCOL,
    }
)


@contextmanager
def translated(*, writes: bool) -> Iterator[None]:
    """Run a block; driver errors in it come out as `RetryError` or `StopError`, free of values."""
    try:
        yield
    except sa_exc.DBAPIError as error:
        raise _translate(error, writes) from None
    except sa_exc.TimeoutError:
        raise RetryError("no connection to the store became free in time") from None
    except sa_exc.StatementError as error:
        if isinstance(error.orig, SentinelError):
            raise error.orig from None
        message = f"the store cannot take a value: {type(error.orig).__name__}"
        raise StopError(message) from None


def _translate(error: sa_exc.DBAPIError, writes: bool) -> SentinelError:
    cause = error.orig
    if isinstance(cause, psycopg.Error):
        if cause.sqlstate == _READ_ONLY and writes:
            return RetryError("the store is read-only: its server has become a standby")
        return _from_postgresql(cause, error.connection_invalidated)
    if isinstance(cause, sqlite3.Error):
        return _from_sqlite(cause)
    return StopError(f"the store failed: {type(cause).__name__}")


def _from_postgresql(cause: psycopg.Error, disconnected: bool) -> SentinelError:
    state = cause.sqlstate
    if state is None:
        return _from_connection(cause, disconnected)
    message = f"the store failed: {type(cause).__name__} (SQLSTATE {state})"
    if state == _RAISED_BY_TRIGGER:
        return StopError(f"the store refused a change: {cause.diag.message_primary}")
    if disconnected or state.startswith(_RETRY_CLASSES) or state in _RETRY_STATES:
        return RetryError(message)
    if cause.diag.constraint_name:
        message = f"{message}, constraint {cause.diag.constraint_name}"
    return StopError(message)


def _from_connection(cause: psycopg.Error, disconnected: bool) -> SentinelError:
    first_line = str(cause).partition("\n")[0]
    message = f"no connection to the store: {first_line}"
    lost = disconnected or isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError))
    if lost and not any(refusal in str(cause) for refusal in _LOGIN_REFUSALS):
        return RetryError(message, outline="no connection to the store")
    if lost:
        return StopError(message, outline="the store refuses the connection")
    return StopError(f"the store failed: {type(cause).__name__}")


def _from_sqlite(cause: sqlite3.Error) -> SentinelError:
    # Errors of the driver itself (an integer too large) carry no code; SQLite's own texts name columns only.
    code = getattr(cause, "sqlite_errorcode", None)
    if code is None:
        return StopError(f"the store failed: {type(cause).__name__}")
    message = f"the store failed: {cause} ({cause.sqlite_errorname})"
    if code & 0xFF in _SQLITE_RETRY:
        return RetryError(message)
    if code & 0xFF == sqlite3.SQLITE_CANTOPEN:
        message = f"{message}: its directory must exist and be writable"
    return StopError(message)
