"""`sentinel people …`: who may use the workbench, with which role, and their tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any

import typer
from sqlalchemy import Connection

from sentinel.characters import clean_text
from sentinel.cli.options import Config, Store
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.errors import ConfigurationError
from sentinel.settings import Settings
from sentinel.store import people as stored
from sentinel.store.audit import record_deed
from sentinel.store.database import Database
from sentinel.store.people import StoredPerson, StoredToken

#: Who did what is done here: whoever may run a command on the store.
_COMMAND_LINE = "command-line"
_NAME_CHARACTERS = 100


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
    # The token's hash comes from a library that no other command needs.
    from sentinel.review.identity.tokens import new_person_id

    shown = " ".join(clean_text(name).split())
    if not shown or len(shown) > _NAME_CHARACTERS or not shown.isprintable():
        raise ConfigurationError(f"a name has 1 to {_NAME_CHARACTERS} printable characters")
    with _writing(config, store) as (conn, settings, now):
        person = stored.add_person(conn, new_person_id(), shown, role.value, now)
        if person is None:
            raise ConfigurationError(
                "this name is taken: give another, or `sentinel people token new` for a new token"
            )
        record_deed(conn, _COMMAND_LINE, "person_added", now, about=f"{person.id} {role.value}")
        text = _token_for(conn, person, days or settings.review.access.token_days, now)
    typer.echo(text)


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
    with _writing(config, store) as (conn, _, now):
        person = _named(conn, name)
        stored.set_role(conn, person.id, role.value)
        record_deed(conn, _COMMAND_LINE, "role_changed", now, about=f"{person.id} {role.value}")


def remove(name: Name, config: Config = None, store: Store = None) -> None:
    """Take a person's access away, at once and for good; their labels stay.

    Example: [bold]sentinel people remove Robin[/bold]
    """
    with _writing(config, store) as (conn, _, now):
        person = _named(conn, name)
        if not stored.remove_person(conn, person.id, now):
            raise ConfigurationError("this person was removed before")
        record_deed(conn, _COMMAND_LINE, "person_removed", now, about=person.id)


def new_token(name: Name, days: Days = None, config: Config = None, store: Store = None) -> None:
    """Print a new token for a person, shown this once; the ones before stay valid until they are revoked.

    Example: [bold]sentinel people token new Robin --days 30[/bold]
    """
    with _writing(config, store) as (conn, settings, now):
        person = _named(conn, name)
        if person.removed_at is not None:
            raise ConfigurationError("this person was removed: add them under another name")
        text = _token_for(conn, person, days or settings.review.access.token_days, now)
    typer.echo(text)


def revoke_token(
    token_id: Annotated[int, typer.Argument(help="Its id, as `people list` shows it.", show_default=False)],
    config: Config = None,
    store: Store = None,
) -> None:
    """End a token at once, with the sessions that were begun with it.

    Example: [bold]sentinel people token revoke 1[/bold]
    """
    with _writing(config, store) as (conn, _, now):
        if not stored.revoke_token(conn, token_id, now):
            raise ConfigurationError("there is no token of this id that could be revoked")
        record_deed(conn, _COMMAND_LINE, "token_revoked", now, about=str(token_id))


@contextmanager
def _writing(config: Any, store: str | None) -> Iterator[tuple[Connection, Settings, datetime]]:
    settings = load_settings(config, store=store)
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        with database.begin() as conn:
            yield conn, settings, SystemClock().now()


def _named(conn: Connection, name: str) -> StoredPerson:
    person = stored.person_named(conn, " ".join(name.split())) or stored.person_by_id(conn, name)
    if person is None:
        raise ConfigurationError("there is nobody of this name: `sentinel people list` shows who there is")
    return person


def _token_for(conn: Connection, person: StoredPerson, days: float, now: datetime) -> str:
    from sentinel.review.identity.tokens import new_token as make

    token = make()
    expires_at = now + timedelta(days=days)
    token_id = stored.add_token(conn, person.id, token.prefix, token.secret_hash, now, expires_at)
    record_deed(conn, _COMMAND_LINE, "token_made", now, about=f"{token_id} of {person.id}")
    typer.echo(f"token {token_id}, until {expires_at:%Y-%m-%d %H:%M} UTC; it is shown this once:", err=True)
    return token.text


def _shown(token: StoredToken, now: datetime) -> dict[str, Any]:
    return {
        "id": token.id,
        "expires_at": _time(token.expires_at),
        "revoked_at": _time(token.revoked_at),
        "is_valid": token.is_valid(now),
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
