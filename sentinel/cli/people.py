"""`sentinel people …`: who may use the workbench, with which role, and their tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from sqlalchemy import Connection

from sentinel.cli.options import Config, Store
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.errors import ConfigurationError
from sentinel.settings import Settings
from sentinel.store import people as stored
from sentinel.store.database import Database
from sentinel.store.people import StoredPerson, StoredToken

if TYPE_CHECKING:
    from sentinel.review.people.managing import Acting, MadeToken

#: Who did what is done here: whoever may run a command on the store.
_COMMAND_LINE = "command-line"


class RoleOption(StrEnum):
    """What a person may be."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ADMIN = "admin"


Name = Annotated[
    str, typer.Argument(help="The person's name, as the workbench shows it.", show_default=False)
]
Days = Annotated[
    float | None,
    typer.Option(min=0.01, max=3650, help="Days the token lasts.", show_default="from config: 90"),
]


def add(
    name: Name,
    role: Annotated[RoleOption, typer.Option(help="What the person may do.")] = RoleOption.REVIEWER,
    days: Days = None,
    config: Config = None,
    store: Store = None,
) -> None:
    """Add a person and print a token for them, which is shown this once.

    From then on everybody has to sign in.

    Example: [bold]sentinel people add Robin --role reviewer[/bold]
    """
    with _changing(config, store) as (conn, settings, by, managing):
        made = managing.add(conn, by, name, role.value, days or settings.review.access.token_days)
    _print(made)


def list_(config: Config = None, store: Store = None) -> None:
    """List people as JSON lines, each with their tokens; a token itself is never shown again.

    Example: [bold]sentinel people list --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store)
    now = SystemClock().now()
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        with database.read() as conn:
            for person in stored.all_people(conn):
                tokens = [_shown(token, now) for token in stored.tokens_of(conn, person.id)]
                line = {"id": person.id, "name": person.name, "role": person.role}
                more: dict[str, Any] = {"removed_at": _time(person.removed_at), "tokens": tokens}
                typer.echo(json.dumps(line | more, ensure_ascii=False))


def role(
    name: Name,
    role: Annotated[RoleOption, typer.Argument(help="The new role.", show_default=False)],
    config: Config = None,
    store: Store = None,
) -> None:
    """Give a person another role, at once.

    Example: [bold]sentinel people role Robin adjudicator[/bold]
    """
    with _changing(config, store) as (conn, _, by, managing):
        managing.change_role(conn, by, _named(conn, name).id, role.value)


def remove(name: Name, config: Config = None, store: Store = None) -> None:
    """Take a person's access away, at once and for good; their labels stay.

    Example: [bold]sentinel people remove Robin[/bold]
    """
    with _changing(config, store) as (conn, _, by, managing):
        managing.remove(conn, by, _named(conn, name).id)


def new_token(name: Name, days: Days = None, config: Config = None, store: Store = None) -> None:
    """Print a new token for a person, shown this once; the ones before stay valid until they are revoked.

    Example: [bold]sentinel people token new Robin --days 30[/bold]
    """
    with _changing(config, store) as (conn, settings, by, managing):
        person = _named(conn, name)
        made = managing.make_token(conn, by, person.id, days or settings.review.access.token_days)
    _print(made)


def revoke_token(
    token_id: Annotated[int, typer.Argument(help="Its id, as `people list` shows it.", show_default=False)],
    config: Config = None,
    store: Store = None,
) -> None:
    """End a token at once, with the sessions that were begun with it.

    Example: [bold]sentinel people token revoke 1[/bold]
    """
    with _changing(config, store) as (conn, _, by, managing):
        managing.revoke(conn, by, token_id)


@contextmanager
def _changing(config: Any, store: str | None) -> Iterator[tuple[Connection, Settings, Acting, ModuleType]]:
    """Yield what a change needs; whoever runs a command on the store is told of a refusal as of a setting."""
    # The token's hash comes from a library that no other command needs.
    from sentinel.review.people import managing
    from sentinel.review.refusals import RefusedError

    settings = load_settings(config, store=store)
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        try:
            with database.begin() as conn:
                by = managing.Acting(_COMMAND_LINE, SystemClock().now(), is_guarded=False)
                yield conn, settings, by, managing
        except RefusedError as error:
            raise ConfigurationError(str(error)) from None


def _named(conn: Connection, name: str) -> StoredPerson:
    person = stored.person_named(conn, " ".join(name.split())) or stored.person_by_id(conn, name)
    if person is None:
        raise ConfigurationError("there is nobody of this name: `sentinel people list` shows who there is")
    return person


def _print(made: MadeToken) -> None:
    typer.echo(
        f"token {made.id}, until {made.expires_at:%Y-%m-%d %H:%M} UTC; it is shown this once:", err=True
    )
    typer.echo(made.text)


def _shown(token: StoredToken, now: datetime) -> dict[str, Any]:
    return {
        "id": token.id,
        "expires_at": _time(token.expires_at),
        "used_at": _time(token.used_at),
        "revoked_at": _time(token.revoked_at),
        "is_valid": token.is_valid(now),
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
