"""A store for the workbench's benchmark: most units labelled by two people who corrected themselves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sentinel.review.identity.tokens import new_person_id, new_token
from sentinel.store import known_values
from sentinel.store.database import Database
from sentinel.store.people import add_person, add_token
from sentinel.store.review_schema import second_reviews
from sentinel.store.schema import annotation_records, unit_contents, units
from sentinel.store.unit_rows import to_row
from tests.browser.workbench import EIGHT_CLAIMS, PASSAGES
from tests.contract.store_samples import a_unit

APPS = tuple(f"app-{number}" for number in range(8))
_CHUNK = 5_000
#: Of 100 units so many are labelled, each by two people in two records.
_LABELLED = 75


def fill(database: Database, number: int) -> list[int]:
    """Write `number` units and three times as many labels; return the ids of those that are open."""
    now = datetime.now(UTC)
    for start in range(0, number, _CHUNK):
        places = range(start, min(start + _CHUNK, number))
        with database.begin() as conn:
            conn.execute(sa.insert(units), [_unit(place, number, now) for place in places])
            rows = conn.execute(
                sa.select(units.c.event_id, units.c.id).where(
                    units.c.event_id.between(f"u{places[0]:07d}", f"u{places[-1]:07d}")
                )
            )
            ids = {row.event_id: row.id for row in rows}
            content = {"question": "Can I return my kettle?", "answer": EIGHT_CLAIMS, "retrieved": PASSAGES}
            conn.execute(
                sa.insert(unit_contents), [{"unit_id": one, "content": content} for one in ids.values()]
            )
            done = [place for place in places if place % 100 < _LABELLED]
            conn.execute(
                sa.insert(annotation_records), [row for place in done for row in _labels(place, now)]
            )
            conn.execute(
                sa.insert(second_reviews), [_course(place, ids[f"u{place:07d}"], now) for place in done]
            )
    with database.begin() as conn:
        known_values.note_values(conn, {("app", app): now for app in APPS})
        if conn.dialect.name == "postgresql":
            conn.exec_driver_sql(
                "SELECT setval(pg_get_serial_sequence('annotations', 'id'), max(id)) FROM annotations"
            )
        open_ids = sa.select(units.c.id).where(units.c.status == "pending").order_by(units.c.id)
        return list(conn.scalars(open_ids))


def settle(url: str) -> None:
    """Have PostgreSQL do at once what it does by itself within minutes. SQLite does nothing of the kind."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    if engine.dialect.name == "postgresql":
        with engine.connect() as conn:
            conn.exec_driver_sql("VACUUM (ANALYZE)")
    engine.dispose()


def add_reviewers(database: Database, number: int) -> list[str]:
    """Add people who may label and return their tokens."""
    found = []
    now = datetime.now(UTC)
    for count in range(number):
        token, person_id = new_token(), new_person_id()
        with database.begin() as conn:
            add_person(conn, person_id, f"reviewer {count}", "reviewer", now)
            add_token(conn, person_id, token.prefix, token.secret_hash, now, now + timedelta(days=1))
        found.append(token.text)
    return found


def _unit(place: int, number: int, now: datetime) -> dict[str, Any]:
    unit = a_unit(
        f"u{place:07d}",
        0.1,
        offset=place,
        event_time=now - timedelta(days=60) + timedelta(days=60) * place / number,
        domains={"app": APPS[place * 7 % len(APPS)], "workflow": "returns", "locale": f"l{place % 11}"},
    )
    row = to_row(unit, now)
    labelled = place % 100 < _LABELLED
    return row | {
        "status": "labelled" if labelled else "pending",
        "awaits_opinion": not labelled or place % 40 == 0,
        "first_annotator": "person-0" if labelled and place % 40 == 0 else "",
    }


def _labels(place: int, now: datetime) -> Iterator[dict[str, Any]]:
    for step in range(4):
        claims = [{"text": "a claim", "label": "supported", "severity": None, "subtype": None}] * 8
        yield {
            "id": 4 * place + step + 1,
            "event_id": f"u{place:07d}",
            "annotator": f"person-{step % 2}",
            "role": "annotator",
            "replaces": 4 * place + step - 1 if step > 1 else None,
            "probability_sample": True,
            "answered": True,
            "abstention": "none",
            "claims": claims,
            "evidence_retrieved": "hit",
            "root_causes": [],
            "citations": [],
            "complete": True,
            "comment": None,
            "guideline_version": "built-in-1",
            "created_at": now,
        }


def _course(place: int, unit_id: int, now: datetime) -> dict[str, Any]:
    return {
        "unit_id": unit_id,
        "state": "waiting" if place % 40 == 0 else "settled",
        "reason": "random",
        "probability": 0.15,
        "random_number": 0.1,
        "created_at": now,
        "changed_at": now,
    }
