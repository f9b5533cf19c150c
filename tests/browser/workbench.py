"""A workbench with people who sign in, served on a loopback port by threads of the test's own process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import uvicorn

from sentinel.clock import SystemClock
from sentinel.records import Signals
from sentinel.review.app import create_app
from sentinel.review.connections import Patience
from sentinel.review.identity.tokens import new_person_id, new_token
from sentinel.review.params import ReviewParams
from sentinel.review.server import server_config
from sentinel.store import known_values
from sentinel.store.database import Database
from sentinel.store.people import add_person, add_token
from sentinel.store.units import insert_units
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.contract.store_samples import a_unit
from tests.review_bench import redaction
from tests.services.ports import free_port

EIGHT_CLAIMS = """You can return the kettle within 30 days of delivery [1], as long as it is unused [2]. The \
refund is paid within 5 working days [1]. Opened boxes cost a fee of 12 euro, and the fee is deducted from \
the refund [3].

- Returns from outside the EU need a customs form [4].
- The warranty lasts 24 months and covers the heating element, but not lime scale.
- You do not pay for the return label unless the item is heavier than 30 kg.

Is there anything else I can help with?"""
_TEXTS = {
    "archive": "An old leaflet about kettles.",
    "fees-2026": "Opened boxes are charged 15 euro, deducted from the refund.",
    "returns-eu": "Unused items can be returned within 30 days. Refunds are paid within 5 working days.",
    "warranty": "The warranty is 24 months. It covers the heating element. Lime scale is excluded.",
}
PASSAGES = [{"id": name, "text": text, "class": "policy"} for name, text in _TEXTS.items()]


@dataclass
class Bench:
    """A served workbench. `tokens` are by name of a person."""

    url: str
    database: Database
    tokens: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, role: str) -> None:
        token, person_id = new_token(), new_person_id()
        now = datetime.now(UTC)
        with self.database.begin() as conn:
            add_person(conn, person_id, name, role, now)
            add_token(conn, person_id, token.prefix, token.secret_hash, now, now + timedelta(days=1))
        self.tokens[name], self.ids[name] = token.text, person_id

    def fill(self, number: int, **content: Any) -> None:
        now = datetime.now(UTC)
        shown = {
            "question": "Can I return my kettle, and what does it cost?",
            "answer": EIGHT_CLAIMS,
            "retrieved": PASSAGES,
            "tool_calls": [{"name": "order", "input": {"id": 7}, "output": {"weight_kg": 1.2}}],
        }
        units = [
            a_unit(
                f"e{count:05d}",
                event_time=now - timedelta(hours=2) + timedelta(seconds=count),
                signals=Signals(),
                domains={"app": ("shop", "bank")[count % 2], "workflow": "returns"},
                content=shown | content,
            )
            for count in range(number)
        ]
        with self.database.begin() as conn:
            insert_units(conn, units, now)
            known_values.note_values(conn, {("app", "shop"): now, ("app", "bank"): now})

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.database.read() as conn:
            return [tuple(row) for row in conn.exec_driver_sql(query)]


class Served:
    """The server, which a test can stop and start again on the same port."""

    def __init__(self, bench: Bench, params: ReviewParams, patience: Patience | None = None) -> None:
        self._bench, self._params, self._patience = bench, params, patience
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        health = Health(("store",), Metrics())
        app = create_app(self._bench.database, self._params, Metrics(), health, SystemClock(), redaction())
        self._server = uvicorn.Server(server_config(app, self._patience, port=self._params.port))
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 30
        while not self._server.started:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = self._server.force_exit = True
            self._thread.join(30)


@contextmanager
def served_bench(
    folder: Path, patience: Patience | None = None, **params: Any
) -> Iterator[tuple[Bench, Served]]:
    """Serve a new store with a reviewer, a second one, an adjudicator and an admin."""
    port = free_port()
    with Database(f"sqlite:///{folder / 'store.db'}") as database:
        database.upgrade()
        bench = Bench(f"http://127.0.0.1:{port}", database)
        for name, role in (
            ("ann", "reviewer"),
            ("ben", "reviewer"),
            ("dora", "adjudicator"),
            ("erin", "admin"),
        ):
            bench.add(name, role)
        served = Served(bench, ReviewParams(port=port, **({"second_review_share": 0.0} | params)), patience)
        served.start()
        try:
            yield bench, served
        finally:
            served.stop()
