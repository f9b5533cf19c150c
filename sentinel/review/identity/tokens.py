"""Personal tokens: shown once, kept as an argon2 hash, found by a prefix that is no secret."""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sentinel.clock import Clock
from sentinel.store.database import Database
from sentinel.store.people import StoredToken, note_use, token_of_prefix

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_FORM = re.compile(r"sentinel_([a-z2-7]{12})_([A-Za-z0-9_-]{43})")
#: OWASP's least for argon2id (19 MiB, two passes); the secret has 256 random bits of its own.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
#: Hashes computed at once: each takes 19 MiB and a core.
_AT_ONCE = 2
_MOST_BELIEVED = 4_096
#: How old the note of a token's last use may grow: a write for each request would be one too many.
_NOTED_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made; `text` is shown once and kept nowhere."""

    text: str = field(repr=False)
    prefix: str
    secret_hash: str = field(repr=False)


def new_token() -> NewToken:
    """Make a token: `sentinel_<prefix>_<secret>`."""
    prefix = "".join(secrets.choice(_ALPHABET) for _ in range(12))
    secret = secrets.token_urlsafe(32)
    return NewToken(f"sentinel_{prefix}_{secret}", prefix, _HASHER.hash(secret))


def new_person_id() -> str:
    """Make the opaque id of a person; letters alone, which no redaction takes for a number."""
    return "person-" + "".join(secrets.choice("abcdefghijklmnop") for _ in range(16))


@dataclass(frozen=True, slots=True)
class SoughtToken:
    """A text that may be a token: the token of its prefix, and what its secret is compared with."""

    token: StoredToken | None
    secret: str = field(repr=False)
    expected: str = field(repr=False)
    digest: bytes = field(repr=False)


class TokenVerifier:
    """Finds the valid token a text is. Safe to share between threads.

    The store is asked every time, so a token that is revoked is refused at once; only the costly hash is
    spared for `believed_seconds` after it was right. A token that is not there costs as much as a wrong one.
    """

    def __init__(self, database: Database, clock: Clock, believed_seconds: float) -> None:
        self._database = database
        self._clock = clock
        self._believed_seconds = believed_seconds
        self._believed: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._nobodys_hash = _HASHER.hash(secrets.token_urlsafe(32))

    def find(self, text: str) -> StoredToken | None:
        """Return the token, with its person, if it opens anything now."""
        sought = self.seek(text)
        is_right = self.is_believed(sought) or self.is_right(sought)
        return self.valid(sought) if is_right else None

    def seek(self, text: str) -> SoughtToken:
        """Return what a text may be, without saying whether it is."""
        match = _FORM.fullmatch(text)
        token = None
        if match is not None:
            with self._database.read() as conn:
                token = token_of_prefix(conn, match[1])
        secret = match[2] if match is not None else text[:64]
        expected = self._nobodys_hash if token is None else token.secret_hash
        digest = hashlib.sha256(f"{expected}\n{secret}".encode("utf-8", "surrogatepass")).digest()
        return SoughtToken(token, secret, expected, digest)

    def is_believed(self, sought: SoughtToken) -> bool:
        """Return whether it was right a moment ago."""
        with self._lock:
            believed_at = self._believed.get(sought.digest)
        return (
            believed_at is not None and self._clock.monotonic_seconds() - believed_at < self._believed_seconds
        )

    def is_right(self, sought: SoughtToken) -> bool:
        """Return whether the secret is that of the token: the dear question."""
        try:
            with self._places:
                _HASHER.verify(sought.expected, sought.secret)
        except (VerificationError, InvalidHashError):
            return False
        if sought.token is None:
            return False
        with self._lock:
            self._believed[sought.digest] = self._clock.monotonic_seconds()
            self._believed.move_to_end(sought.digest)
            while len(self._believed) > _MOST_BELIEVED:
                self._believed.popitem(last=False)
        return True

    def valid(self, sought: SoughtToken) -> StoredToken | None:
        """Return the token of a right secret where it has neither ended nor been revoked; note its use."""
        token, now = sought.token, self._clock.now()
        if token is None or not token.is_valid(now):
            return None
        if token.used_at is None or now - token.used_at >= _NOTED_EVERY:
            with self._database.begin() as conn:
                note_use(conn, token.id, now)
        return token
