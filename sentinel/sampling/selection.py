"""The draw: a keyed hash of the event's identity, compared with π.

Randomness is data here. The same event id under the same salt always gets the same number, however
often and wherever the event arrives, so an event has one draw in its life.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

_BITS = 53  # what a double holds exactly, so that the number is below 1 and never rounded up to it
_RANGE = float(1 << _BITS)


@dataclass(frozen=True, slots=True)
class Salt:
    """The secret of the draw. `key` is made of it; `id` names it without telling it."""

    key: bytes = field(repr=False)

    @classmethod
    def of(cls, secret: str) -> Salt:
        """Return the salt of a configured secret; raises ValueError if it is empty."""
        if not secret:
            raise ValueError("sampling.salt is empty: set SENTINEL_SAMPLING__SALT to a long random secret")
        return cls(hashlib.blake2b(secret.encode(), digest_size=32, person=b"sentinel.salt").digest())

    @property
    def id(self) -> str:
        """Return eight hex digits that tell one salt from another."""
        return hashlib.blake2b(self.key, digest_size=4, person=b"sentinel.saltid").hexdigest()


@dataclass(frozen=True, slots=True)
class Salts:
    """The salt that new designs draw with, and those of earlier rows of the schedule.

    A row is drawn with the salt its design names, however late an answer of its time arrives: with
    another one the answer would have a second, independent draw.
    """

    current: Salt
    earlier: tuple[Salt, ...] = ()

    def named(self, salt_id: str) -> Salt:
        """Return the salt of a design; raises KeyError where it is not among these."""
        for salt in (self.current, *self.earlier):
            if salt.id == salt_id:
                return salt
        raise KeyError(salt_id)


def random_number(event_id: str, salt: Salt) -> float:
    """Return the event's own number, uniform on [0, 1): 53 bits of BLAKE2b keyed with the salt."""
    return float(_keyed_hash(event_id, salt.key, b"sentinel.draw") >> (64 - _BITS)) / _RANGE


def identity_hash(event_id: str, salt: Salt) -> int:
    """Return the 64-bit keyed hash by which a repeated event is recognised (independent of the draw)."""
    return _keyed_hash(event_id, salt.key, b"sentinel.dedup")


def _keyed_hash(event_id: str, key: bytes, purpose: bytes) -> int:
    """Return 64 bits of BLAKE2b of an id, keyed with a salt and personalised with what they are for."""
    digest = _begun(key, purpose).copy()
    digest.update(event_id.encode())
    return int.from_bytes(digest.digest(), "big")


@lru_cache(maxsize=32)
def _begun(key: bytes, purpose: bytes) -> hashlib.blake2b:
    """Return the hash of nothing so far, to be copied: to set it up takes longer than the hash of an id."""
    return hashlib.blake2b(digest_size=8, key=key, person=purpose)
