"""The draw: a keyed hash of the event's identity, compared with π.

Randomness is data here. The same event id under the same salt always gets the same number, however
often and wherever the event arrives, so an event has one draw in its life.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

_BITS = 53  # what a double holds exactly, so that the number is below 1 and never rounded up to it


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
    digest = hashlib.blake2b(event_id.encode(), digest_size=8, key=salt.key, person=b"sentinel.draw").digest()
    return float(int.from_bytes(digest, "big") >> (64 - _BITS)) / float(1 << _BITS)


def identity_hash(event_id: str, salt: Salt) -> int:
    """Return the 64-bit keyed hash by which a repeated event is recognised (independent of the draw)."""
    digest = hashlib.blake2b(
        event_id.encode(), digest_size=8, key=salt.key, person=b"sentinel.dedup"
    ).digest()
    return int.from_bytes(digest, "big")
