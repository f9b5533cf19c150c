"""A workbench in the test's own process, and browsers and programs that use it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sentinel.clock import FixedClock
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.redaction import RedactionParams
from sentinel.review.app import create_app
from sentinel.review.identity.params import AccessParams
from sentinel.review.identity.permission import Role
from sentinel.review.identity.tokens import new_token
from sentinel.review.label_redaction import LabelRedaction, OneAtATime
from sentinel.review.params import ReviewParams
from sentinel.store import people, units
from sentinel.store.database import Database
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.contract.store_samples import NOW, a_unit

KEY = b"key of the workbench's tests"
#: The real detector, in this process: its model is loaded by the first test that redacts something.
POOL = RedactionPool(RedactionParams(), RedactionPoolParams(processes=0))
HOST = "127.0.0.1:8080"


@dataclass
class Workbench:
    database: Database
    params: ReviewParams = field(default_factory=ReviewParams)
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW))
    budget: tuple[float, str] | None = None

    def __post_init__(self) -> None:
        self.app: FastAPI = create_app(
            self.database,
            self.params,
            Metrics(),
            Health(("store",), Metrics()),
            self.clock,
            LabelRedaction(OneAtATime(POOL.redact_texts), KEY),
            budget=self.budget,
        )

    def restarted(self) -> Workbench:
        return Workbench(self.database, self.params, self.clock)

    def pass_time(self, **time: float) -> None:
        self.clock.set(self.clock.now() + timedelta(**time))

    def browser(self, address: str = "127.0.0.1", host: str = HOST) -> TestClient:
        return TestClient(
            self.app,
            f"http://{host}",
            raise_server_exceptions=False,
            follow_redirects=False,
            client=(address, 50000),
        )

    def program(self, token: str, address: str = "127.0.0.1") -> TestClient:
        client = self.browser(address)
        client.headers["Authorization"] = f"Bearer {token}"
        return client

    def of_role(self, role: Role | str) -> TestClient:
        """A program with the token of somebody new in this role."""
        with self.database.read() as conn:
            number = len(people.all_people(conn))
        person = person_id(f"{role}-{number}")
        return self.program(self.add(person, str(role)))

    def add(self, person: str, role: str = "reviewer", days: float = 30) -> str:
        """Enter somebody, who may be there already, and return a token of theirs."""
        token = new_token()
        now = self.clock.now()
        with self.database.begin() as conn:
            if people.person_by_id(conn, person) is None:
                people.add_person(conn, person, f"{person} shown", role, now)
            people.add_token(conn, person, token.prefix, token.secret_hash, now, now + timedelta(days=days))
        return token.text

    def signed_in(self, person: str = "person-abcd", role: str = "reviewer") -> TestClient:
        """A browser in which somebody has signed in."""
        browser = self.browser()
        answer = sign_in(browser, self.add(person, role))
        assert answer.status_code == 303, answer.text
        return browser


def person_id(name: str) -> str:
    """An id of letters alone, as real ones are."""
    return "person-" + "".join(chr(ord("a") + ord(mark) % 16) for mark in name)


def with_access(**access: object) -> ReviewParams:
    return replace(ReviewParams(), access=AccessParams(**access))  # type: ignore[arg-type]


def sign_in(browser: TestClient, token: str, **form: str) -> httpx.Response:
    origin = str(browser.base_url).rstrip("/")
    return browser.post("/sign-in", data={"token": token} | form, headers={"Origin": origin})


def csrf_token(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([0-9a-f]{32})"', page)
    assert found, page
    return found[1]


def fill(database: Database, number: int = 6, when: datetime = NOW) -> list[str]:
    """Put drawn answers into the store and return their event ids, in the order of the queue."""
    drawn = [
        a_unit(
            f"event-{place}",
            event_time=when + timedelta(minutes=place),
            domains={"app": ("shop", "bank")[place % 2], "workflow": "refunds"},
            content={
                "question": f"How long does parcel {place} take?",
                "answer": f"Parcel {place} takes two days [1]. Returns are free.",
                "retrieved": [{"id": "p-1", "text": "Parcels take two days."}],
                "citations": [{"id": "p-1"}],
            },
        )
        for place in range(number)
    ]
    with database.begin() as conn:
        units.insert_units(conn, drawn, when)
    return [unit.facts.event_id for unit in drawn]
