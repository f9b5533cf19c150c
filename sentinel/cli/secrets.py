"""Where the salt comes from."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from sentinel.errors import ConfigurationError
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings


def salt_of(settings: Settings) -> Salt:
    """Return the configured salt, or for a SQLite store the one kept beside its file.

    A store file without a configured salt gets a random one in `<file>.salt`, readable by its owner
    alone: a trial needs no secret, and a second start draws the same answers. A shared store has no
    such place, so there the salt must be set.
    """
    if settings.sampling.salt:
        return Salt.of(settings.sampling.salt)
    try:
        url = make_url(settings.store)
    except ArgumentError:
        raise ConfigurationError("store: not a SQLAlchemy URL, for example sqlite:///sentinel.db") from None
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ConfigurationError(
            "sampling.salt is not set: a shared store needs the same secret in every worker; "
            "set SENTINEL_SAMPLING__SALT to a long random string"
        )
    return Salt.of(_kept_beside(Path(url.database + ".salt")))


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
