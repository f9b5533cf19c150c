"""Where the salts come from, and which of them names people and events."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from sentinel.errors import ConfigurationError, StopError
from sentinel.pipeline.scheduling import salts_in_use
from sentinel.pipeline.stages import salt_named
from sentinel.sampling.selection import Salt, Salts
from sentinel.settings import Settings
from sentinel.store.database import Database


def salt_of(settings: Settings) -> Salt:
    """Return the configured salt, or for a SQLite store the one kept beside its file.

    A store file without a configured salt gets a random one in `<file>.salt`, readable by its owner
    alone: a trial needs no secret, and a second start draws the same answers. A shared store has no
    such place, so there the salt must be set.

    Raises:
        ConfigurationError: no salt is set where one must be, or the one there is cannot be used.
    """
    if settings.sampling.salt:
        return _salt(settings.sampling.salt, "sampling.salt")
    path = _beside(settings)
    return _salt(_kept_beside(path), str(path))


def salt_there_is(settings: Settings) -> Salt | None:
    """Return what `salt_of` returns, but make no file: None where it would make one. Raises as it does."""
    if settings.sampling.salt or _beside(settings).exists():
        return salt_of(settings)
    return None


def salts_of(settings: Settings, current: Salt) -> Salts:
    """Return the current salt with the configured earlier ones.

    Raises:
        ConfigurationError: an earlier one cannot be used.
    """
    return Salts(current, _earlier(settings))


def placeholder_key(settings: Settings) -> bytes:
    """Return the key of placeholders outside of a store: of the configured salt, else of this run alone."""
    secret = settings.sampling.salt
    return _salt(secret, "sampling.salt").key if secret else secrets.token_bytes(32)


def check_salts(settings: Settings) -> None:
    """Raise ConfigurationError where a configured salt cannot be used; look at no file."""
    if settings.sampling.salt:
        _salt(settings.sampling.salt, "sampling.salt")
    _earlier(settings)


def identity_salt(database: Database, salts: Salts) -> Salt:
    """Return the salt of identities and pseudonyms: that of the store's first row, for good.

    With another one an event that comes again would not be recognised, and one person would be two. A
    store that has drawn nothing yet begins with the current salt.

    Raises:
        StopError: the store's first salt is not among these.
    """
    in_use = salts_in_use(database)
    return salt_named(salts, in_use[0]) if in_use else salts.current


def workbench_key(settings: Settings, database: Database) -> bytes | None:
    """Return the secret of the workbench: its own, else that of the store's identities; None: neither.

    A workbench beside a shared store may do without the salts of the draw. Makes no file, and raises
    nothing for a salt that is not this store's: only what needs a lasting secret is then refused.

    Raises:
        ConfigurationError: a secret that is set cannot be used.
    """
    if settings.review.access.key:
        return _salt(settings.review.access.key, "review.access.key").key
    if not settings.sampling.salt and make_url(settings.store).get_backend_name() != "sqlite":
        return None
    current = salt_there_is(settings)
    if current is None:
        return None
    try:
        return identity_salt(database, salts_of(settings, current)).key
    except ConfigurationError:
        raise
    except StopError:
        return None


def _earlier(settings: Settings) -> tuple[Salt, ...]:
    secrets_given = settings.sampling.earlier_salts
    return tuple(_salt(secret, "sampling.earlier_salts") for secret in secrets_given)


def _salt(secret: str, where: str) -> Salt:
    """The salt of a secret, which an empty one or a file of zeros after a crash is not."""
    if not secret.strip() or not secret.isprintable():
        raise ConfigurationError(
            f"{where}: holds no usable salt (empty, blank, or not printable text); give the secret this "
            "store began with, or for a new store a long random string"
        )
    return Salt.of(secret)


def _beside(settings: Settings) -> Path:
    """Where the salt of a store file is kept; raises ConfigurationError where there is no such place."""
    try:
        url = make_url(settings.store)
    except (ArgumentError, ValueError):
        raise ConfigurationError("store: not a SQLAlchemy URL, for example sqlite:///sentinel.db") from None
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ConfigurationError(
            "sampling.salt is not set: a shared store needs the same secret in every worker; "
            "set SENTINEL_SAMPLING__SALT to a long random string"
        )
    return Path(url.database + ".salt")


def _kept_beside(path: Path) -> str:
    """The salt in a file, made whole before it bears its name: two first starts must not see half of it."""
    try:
        if not path.exists():
            with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as draft:
                draft.write(secrets.token_hex(32) + "\n")
                draft.flush()
                with contextlib.suppress(FileExistsError):
                    os.link(draft.name, path)
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise ConfigurationError(f"{path}: cannot keep a salt there ({why}); set sampling.salt") from None
