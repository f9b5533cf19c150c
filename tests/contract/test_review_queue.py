"""The pages of the review queue on both databases: exact filters, every unit once, in order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sentinel.review.queue import (
    QueueFilter,
    known_reasons,
    queue_page,
    status_totals,
)
from sentinel.review.unit_access import unit_by_id
from sentinel.store import units
from sentinel.store.database import Database
from tests.contract.store_samples import NOW, a_unit

APPS = ("shop", "Shop", 'sh"op', "sh\\op", "s%p", "läden", "", '","app":"shop"')


@pytest.fixture
def filled(database: Database) -> Database:
    drawn = [
        a_unit(
            f"e{number}",
            event_time=NOW + timedelta(minutes=number // 3),  # three at one moment
            domains={"app": APPS[number % len(APPS)], "workflow": "app"},
            reasons=("low_overlap", "new_model") if number % 2 else ("low",),
            content={"question": f"Question {number}"},
        )
        for number in range(32)
    ]
    with database.begin() as conn:
        units.insert_units(conn, drawn, NOW)
        units.set_status(conn, [f"e{number}" for number in range(8)], "labelled")
    return database


@pytest.mark.parametrize("app", APPS[:6] + APPS[7:])
def test_an_app_is_met_exactly(filled: Database, app: str) -> None:
    with filled.read() as conn:
        rows = queue_page(conn, QueueFilter(app=app), 100).rows
    assert [row.app for row in rows] == [app] * 4


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (QueueFilter(), 32),
        (QueueFilter("pending"), 24),
        (QueueFilter("labelled"), 8),
        (QueueFilter("lost"), 0),
        (QueueFilter(reason="low"), 4),
        (QueueFilter("pending", reason="low_overlap"), 4),
        (QueueFilter(reason="overlap"), 0),
        (QueueFilter(app="app"), 0),
        (QueueFilter("labelled", "shop"), 1),
        (QueueFilter(app="shop", reason="new_model"), 0),
    ],
)
def test_filters_combine(filled: Database, wanted: QueueFilter, count: int) -> None:
    with filled.read() as conn:
        assert len(queue_page(conn, wanted, 100).rows) == count


@pytest.mark.parametrize("size", [1, 2, 5, 8, 31, 32, 33])
@pytest.mark.parametrize("wanted", [QueueFilter(), QueueFilter("pending")])
def test_pages_meet_every_unit_once_there_and_back(filled: Database, wanted: QueueFilter, size: int) -> None:
    with filled.read() as conn:
        whole = [row.id for row in queue_page(conn, wanted, 100).rows]
        pages = [queue_page(conn, wanted, size)]
        assert pages[0].before is None
        while pages[-1].after is not None:
            pages.append(queue_page(conn, wanted, size, after=pages[-1].after))
        back = [pages[-1]]
        while back[-1].before is not None:
            back.append(queue_page(conn, wanted, size, before=back[-1].before))
    assert [row.id for page in pages for row in page.rows] == whole
    assert sorted(row.id for page in back for row in page.rows) == sorted(whole)


def test_totals_reasons_and_single_units(filled: Database) -> None:
    with filled.read() as conn:
        assert status_totals(conn) == {"pending": 24, "labelled": 8}
        assert known_reasons(conn) == ["low", "low_overlap", "new_model"]
        first = queue_page(conn, QueueFilter(), 1).rows[0]
        found = unit_by_id(conn, first.id)
        assert found is not None
        assert found.unit.facts.event_id == "e0"
        assert found.content == {"question": "Question 0"}
        assert unit_by_id(conn, 2**63 - 1) is None
        assert queue_page(conn, QueueFilter(), 5, after=2**63 - 1).rows == ()
