"""A review workshop for tests: real redaction of exact patterns, people, units, a clock that can be moved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sentinel.clock import FixedClock
from sentinel.labelling.claim_splitter import split_claims
from sentinel.labelling.draft import draft_document, first_draft
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.records import Signals
from sentinel.redaction import RedactionParams
from sentinel.review.identity.permission import Person, Role
from sentinel.review.label_redaction import LabelRedaction, OneAtATime
from sentinel.review.labelling_page.opinions import Given, Sent, give
from sentinel.review.params import ReviewParams
from sentinel.review.text_door import TextDoor
from sentinel.review.workshop import Workshop
from sentinel.store.database import Database
from sentinel.store.units import insert_units
from tests.contract.store_samples import a_unit
from tests.harness import PATTERNS

NOW = datetime(2026, 11, 25, 10, 0, tzinfo=UTC)
KEY = b"a key of the tests, thirty-two b"
ANSWER = "Refunds take 30 days [1]. The fee is 12 euro. You pay by card."
PASSAGES = [
    {"id": "fees", "text": "The fee is 15 euro."},
    {"id": "refunds", "text": "Refunds take 30 days after the parcel has arrived."},
]
ANN, BEN, CEM = (Person(name, name.title(), Role.REVIEWER) for name in ("ann", "ben", "cem"))
DORA = Person("dora", "Dora", Role.ADJUDICATOR)
ERIN = Person("erin", "Erin", Role.ADMIN)


def redaction() -> LabelRedaction:
    pool = RedactionPool(RedactionParams(entities=PATTERNS), RedactionPoolParams(processes=0))
    return LabelRedaction(OneAtATime(pool.redact_texts), KEY)


def workshop(database: Database, **params: Any) -> Workshop:
    values: dict[str, Any] = {"second_review_share": 0.0} | params
    return Workshop(database, ReviewParams(**values), FixedClock(NOW), TextDoor(redaction()))


def fill(database: Database, number: int, **changes: Any) -> list[int]:
    """Write units that wait for a label and return their row ids in the order of the queue."""
    content = {"question": "What is the fee?", "answer": ANSWER, "retrieved": PASSAGES}
    drawn = [
        a_unit(
            f"e{count:05d}",
            event_time=NOW - timedelta(days=1) + timedelta(minutes=count),
            signals=Signals(),
            **({"content": content} | changes),
        )
        for count in range(number)
    ]
    with database.begin() as conn:
        insert_units(conn, drawn, NOW)
        rows = conn.exec_driver_sql("SELECT id FROM units ORDER BY priority, event_time, id")
        return [row[0] for row in rows]


def document(
    labels: Sequence[str] = ("supported", "supported", "supported"), severity: str = "low", **more: Any
) -> dict[str, Any]:
    """A finished draft of `ANSWER`."""
    found = draft_document(first_draft(split_claims(ANSWER), ["fees"]))
    for claim, label in zip(found["claims"], labels, strict=True):
        claim["label"] = label
        claim["severity"] = severity if label in ("contradicted", "not_in_evidence") else None
    return found | more


def label(shop: Workshop, person: Person, unit_id: int, *labels: str, **more: Any) -> Given:
    """Have a person label a unit without a page."""
    wanted = labels or ("supported", "supported", "supported")
    return give(shop, person, unit_id, "opinion", Sent(document(wanted, **more)))
