"""Made-up customers with everything that must not be stored: names, addresses, numbers that check out."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

_FIRST = (
    "Laura", "Daniel", "Priya", "Thomas", "Hannah", "Omar", "Sofia", "James", "Emily", "Carlos", "Julia",
    "Kevin", "Fatima", "Peter", "Nadia", "Michael", "Sandra", "Lucas", "Anna", "Victor", "Grace",
    "Martin", "Rachel", "Diego", "Helen",
)  # fmt: skip
_LAST = (
    "Bennett", "Keller", "Sharma", "Novak", "Whitfield", "Haddad", "Moreno", "Carlisle", "Lindqvist",
    "Fischer", "Okafor", "Dawson", "Petrov", "Marchetti", "Sullivan", "Ibrahim", "Jensen", "Holloway",
    "Ramirez", "Schneider",
)  # fmt: skip
_MAIL = ("example.com", "example.org", "example.net")


@dataclass(frozen=True, slots=True)
class Person:
    """One customer; no value of it belongs to anybody."""

    first: str = field(repr=False)
    last: str = field(repr=False)
    email: str = field(repr=False)
    phone: str = field(repr=False)
    card: str = field(repr=False)
    iban: str = field(repr=False)

    @property
    def name(self) -> str:
        """Return first and last name."""
        return f"{self.first} {self.last}"


def make_person(rng: Random) -> Person:
    """Return a customer: reserved mail domains, telephone numbers set aside for fiction, valid checksums."""
    first, last = rng.choice(_FIRST), rng.choice(_LAST)
    email = f"{first}.{last}{rng.randrange(10, 99)}@{rng.choice(_MAIL)}".lower()
    return Person(first, last, email, _phone(rng), _card(rng), _iban(rng))


def _phone(rng: Random) -> str:
    # 555-0100 to 555-0199 and 07700 900000 to 900999 are reserved for works of fiction.
    if rng.random() < 0.5:
        return f"({rng.choice(('212', '415', '617'))}) 555-01{rng.randrange(100):02d}"
    return f"+44 7700 900{rng.randrange(1000):03d}"


def _card(rng: Random) -> str:
    digits = [4, *(rng.randrange(10) for _ in range(14))]
    doubled = [2 * d if place % 2 == 0 else d for place, d in enumerate(digits)]
    total = sum(d - 9 if d > 9 else d for d in doubled)
    text = "".join(map(str, [*digits, -total % 10]))
    return " ".join(text[start : start + 4] for start in range(0, 16, 4))


def _iban(rng: Random) -> str:
    account = f"{rng.randrange(10**18):018d}"
    check = 98 - int(f"{account}131400") % 97  # D, E are 13, 14; ISO 7064 mod 97-10
    text = f"DE{check:02d}{account}"
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))
