"""What queue and opinions cost, without a clock: how many statements, and that none reads a whole table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from sentinel.review.identity.permission import Role
from sentinel.review.labelling_page.reserving import take_next
from sentinel.store.database import Database
from tests.benchmarks.workbench_store import APPS, fill, settle
from tests.contract.workbench import Workbench
from tests.review_bench import ANN, BEN, label, workshop

PAGES = (
    "/",
    f"/?app={APPS[0]}",
    f"/?app={APPS[1]}&locale=l3",
    "/?age=week",
    "/?age=older&tenant=none",
    "/?after=0_0_0",
)
#: Who asks; the counts; the rows; the values to filter by; the reasons to filter by.
_MOST_STATEMENTS = 5
_UNITS = 3_000
#: Of these a page may read any part, but not the whole.
_LARGE = ("units", "unit_contents", "annotations", "second_reviews")
_KEYS = ("(rowid=?)", "(unit_id=?", "(event_id=?")


@contextmanager
def statements() -> Iterator[list[tuple[str, Any]]]:
    """Collect the statements, with their parameters, that any engine executes."""
    found: list[tuple[str, Any]] = []

    def take(_conn: Any, _cursor: Any, text: str, parameters: Any, _context: Any, _many: bool) -> None:
        if text.split()[0] in ("SELECT", "UPDATE"):
            found.append((text, parameters))

    sa.event.listen(sa.Engine, "before_cursor_execute", take)
    try:
        yield found
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", take)


def plan_nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for inner in node.get("Plans", ()):
        yield from plan_nodes(inner)


def whole_reads(conn: sa.Connection, text: str, parameters: Any) -> list[str]:
    """The large tables that the plan of a statement reads from one end to the other."""
    if conn.dialect.name == "postgresql":
        (plan,) = conn.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {text}", parameters).scalar_one()
        nodes = plan_nodes(plan["Plan"])
        return [
            json.dumps(node)
            for node in nodes
            if node["Node Type"] in ("Seq Scan", "Bitmap Heap Scan") and node["Relation Name"] in _LARGE
        ]
    steps = [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters)]
    return [step for step in steps if _is_read_of_many(step)]


def _is_read_of_many(step: str) -> bool:
    """Whether a step of SQLite's plan reads rows of a large table by anything but their key."""
    words = step.split()
    if words[0] not in ("SCAN", "SEARCH") or words[1] not in _LARGE or step == "SEARCH units":
        return False  # the last is the lowest id
    return "COVERING" not in words and not any(key in step for key in _KEYS)


def test_no_filter_makes_the_queue_page_dearer(database: Database, store_url: str) -> None:
    fill(database, _UNITS)
    settle(store_url)
    program = Workbench(database).of_role(Role.REVIEWER)
    program.get("/")  # the first request of a token hashes it
    for path in PAGES:
        with statements() as found:
            answer = program.get(path)
        assert answer.status_code == 200
        assert len(found) <= _MOST_STATEMENTS
        with database.read() as conn:
            assert [whole_reads(conn, *one) for one in found] == [[]] * len(found)


def test_an_opinion_is_given_without_reading_a_table(database: Database, store_url: str) -> None:
    open_ids = fill(database, _UNITS)
    settle(store_url)
    shop = workshop(database, second_review_share=1.0)
    with statements() as found:
        assert take_next(shop, ANN) is not None
        label(shop, ANN, open_ids[-1])
        label(shop, BEN, open_ids[-1], "supported", "contradicted", "supported")
    with database.read() as conn:
        assert [whole_reads(conn, *one) for one in found] == [[]] * len(found)


@pytest.mark.postgres
def test_postgresql_is_told_to_vacuum_units_early(database: Database) -> None:
    with database.read() as conn:
        if conn.dialect.name != "postgresql":
            pytest.skip("only PostgreSQL vacuums by itself")
        options = conn.scalar(sa.text("SELECT reloptions FROM pg_class WHERE relname = 'units'"))
    assert set(options) == {
        "autovacuum_vacuum_scale_factor=0.02",
        "autovacuum_vacuum_insert_scale_factor=0.02",
    }
