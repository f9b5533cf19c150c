"""Personal data of all classes, each value new, and the events, labels and broken lines it is planted in."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from typing import Any

from tests.harness import WEEK

_GIVEN = (
    "James",
    "Mary",
    "Robert",
    "Patricia",
    "Jennifer",
    "Michael",
    "Linda",
    "David",
    "Elizabeth",
    "Susan",
)
_SURNAMES = (
    "Johnson",
    "Williams",
    "Garcia",
    "Miller",
    "Davis",
    "Rodriguez",
    "Martinez",
    "Hernandez",
    "Lopez",
)


class Planted:
    """Makes values and remembers them; `phone_in` and the like give a text in which one stands."""

    def __init__(self, seed: int = 20261130) -> None:
        self._rng = random.Random(seed)
        self.values: dict[str, str] = {}

    def _keep(self, entity: str, value: str) -> str:
        self.values[value] = entity
        return value

    def email(self) -> str:
        local = "".join(self._rng.choices("abcdefghijkmnop", k=10))
        return self._keep("EMAIL_ADDRESS", f"{local}@mail{self._rng.randrange(1000)}.test")

    def card(self) -> str:
        digits = [4, *self._rng.choices(range(10), k=14)]
        total = sum(d if i % 2 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(digits))
        number = "".join(map(str, [*digits, -total % 10]))
        parted = self._rng.choice(["", " ", "-"])
        return self._keep("CREDIT_CARD", parted.join(number[i : i + 4] for i in range(0, 16, 4)))

    def iban(self) -> str:
        account = str(self._rng.randrange(10**17, 10**18))
        return self._keep("IBAN_CODE", f"DE{98 - int(account + '131400') % 97:02d}{account}")

    def ssn(self) -> str:
        groups = (self._rng.randint(101, 665), self._rng.randint(10, 99), self._rng.randint(1001, 9998))
        return self._keep("US_SSN", "-".join(map(str, groups)))

    def phone(self) -> str:
        number = self._rng.randrange(10**6)
        exchange = f"{200 + number // 10_000}"
        return self._keep("PHONE_NUMBER", f"(212) {exchange}-{number % 10_000:04d}")

    def address(self) -> str:
        octets = [self._rng.randint(11, 250) for _ in range(4)]
        return self._keep("IP_ADDRESS", ".".join(map(str, octets)))

    def person(self) -> str:
        """Return a full name that no other one is; the middle name makes it new."""
        middle = "".join(self._rng.choices("aeiou", k=1)) + "".join(self._rng.choices("lmnrstv", k=5))
        name = f"{self._rng.choice(_GIVEN)} {middle.capitalize()} {self._rng.choice(_SURNAMES)}"
        return self._keep("PERSON", name)

    def identifier(self) -> str:
        """Return a raw id of a user or a session."""
        return self._keep("ID", f"user-{self._rng.getrandbits(64):016x}")

    def sentence(self) -> str:
        return (
            f"Mr. {self.person()} writes to {self.email()} or calls {self.phone()}; "
            f"card number {self.card()}, account {self.iban()}, SSN {self.ssn()}, host {self.address()}."
        )

    def label(self) -> str:
        """Return a short value as apps put it where no sentence stands."""
        return self._rng.choice([self.email, self.card, self.iban, self.ssn, self.person])()


def event(planted: Planted, number: int) -> dict[str, Any]:
    """Return an event with values in every field that may hold a string."""
    text, label = planted.sentence, planted.label
    passage = f"kb-{label()}"
    return {
        "event_id": f"door-{number}",
        "occurred_at": (WEEK + timedelta(minutes=number)).isoformat(),
        **{field: label() for field in ("app", "workflow", "task", "tenant", "locale")},
        **{field: label() for field in ("model", "prompt_version", "index_version", "app_version")},
        "session_id": planted.identifier(),
        "user_id": planted.identifier(),
        "question": text(),
        "answer": f"Yes [1] [{passage}]. {text()}",
        "retrieved": [
            {
                "id": passage,
                "text": text(),
                "class": label(),
                "version": label(),
                "effective_at": label(),
                "access": label(),
            },
            {"id": "kb-2", "text": text()},
        ],
        "citations": [{"id": passage, "quote": text(), "start": 0, "end": 9}, label()],
        "tool_calls": [
            {
                "name": label(),
                "input": {"q": text(), "deep": [{label(): label()}], "card": int(_digits(planted.card()))},
                "output": json.dumps({"x": None, "to": [text()], "inner": json.dumps([text()])}),
                "error": {"message": text()},
            }
        ],
        "finish_reason": label(),
        "risk_tags": [label(), "medical"],
        "attributes": {"note": text(), label(): label(), "plan": label()},
        label(): text(),
    }


def _digits(card: str) -> str:
    return "".join(character for character in card if character.isdigit())


def broken_lines(planted: Planted) -> list[bytes]:
    """Return lines that cannot be used, each with values in it."""
    text = planted.sentence
    lines = [
        '{"event_id": "cut", "answer": "' + text(),
        json.dumps({"event_id": "", "answer": text()}),
        json.dumps({"event_id": planted.email(), "answer": text()}),
        json.dumps({"event_id": planted.card(), "answer": text()}),
        json.dumps({"event_id": "wrong", "answer": {"text": text()}}),
        json.dumps({"event_id": "bad-time", "answer": "a", "occurred_at": text()}),
        json.dumps([text()]),
        json.dumps(text()),
        text(),
        json.dumps({"event_id": "many", "answer": "a", "retrieved": [{"id": 5, "text": text()}]}),
    ]
    return [line.encode() for line in lines] + [b"\xff\xfe" + text().encode()]


def label_line(planted: Planted, event_id: str) -> dict[str, Any]:
    """Return a label with values wherever it may hold a string."""
    return {
        "event_id": event_id,
        "annotator": planted.person(),
        "answered": True,
        "abstention": "none",
        "claims": [
            {"text": planted.sentence(), "label": "supported", "severity": None},
            {"text": planted.sentence(), "label": "contradicted", "severity": "low"},
        ],
        "citations": [{"id": planted.label(), "entails": True}],
        "comment": planted.sentence(),
        "guideline_version": planted.label(),
    }
