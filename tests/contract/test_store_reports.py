"""Reports: immutable revisions."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from sentinel.errors import StopError
from sentinel.store import reports
from sentinel.store.database import Database
from sentinel.store.reports import Period
from tests.contract.store_samples import DAY, NOON, NOW

WEEK = Period(NOON, NOON + 7 * DAY, "Europe/Berlin")
DOCUMENT = {
    "schema": "sentinel.report/v1",
    "rates": {"claim": {"estimate": 0.1 + 0.2, "lower": 1e-22, "upper": None, "status": "ok"}},
    "notes": ["é 😀", ""],
    "population": {"events": 2**60},
}


def test_revisions_count_from_one_and_stay(database: Database) -> None:
    with database.begin() as conn:
        assert reports.latest_report(conn, WEEK) is None
        first = reports.save_report(conn, WEEK, DOCUMENT, NOW, 0)
        second = reports.save_report(conn, WEEK, DOCUMENT | {"revision": 77, "notes": []}, NOW + DAY, 1)
    assert first is not None
    assert second is not None
    assert (first.revision, second.revision) == (1, 2)
    assert first.document == DOCUMENT | {"revision": 1}
    assert list(first.document)[:4] == list(DOCUMENT)
    with database.read() as conn:
        stored = reports.report_revisions(conn, WEEK)
        assert [item.report for item in stored] == [first, second]
        assert reports.latest_report(conn, WEEK) == stored[1]
        assert (stored[1].period, stored[1].created_at) == (WEEK, NOW + DAY)
        assert reports.recent_reports(conn) == (stored[1], stored[0])
        assert reports.recent_reports(conn, limit=1) == (stored[1],)


@pytest.mark.parametrize(
    "other",
    [
        Period(NOON, NOON + 7 * DAY, "UTC"),
        Period(NOON, NOON + 7 * DAY + timedelta(microseconds=1), "Europe/Berlin"),
        Period(NOON - DAY, NOON + 7 * DAY, "Europe/Berlin"),
    ],
)
def test_another_period_has_revisions_of_its_own(database: Database, other: Period) -> None:
    with database.begin() as conn:
        reports.save_report(conn, WEEK, DOCUMENT, NOW, 0)
        first = reports.save_report(conn, other, DOCUMENT, NOW, 0)
    assert first is not None
    assert first.revision == 1


def test_of_writers_at_once_that_saw_the_same_revision_one_writes_the_next(database: Database) -> None:
    gate = threading.Barrier(4)

    def save(_worker: int) -> list[int]:
        gate.wait(timeout=30)
        written = []
        for after in range(20):
            with database.begin() as conn:
                report = reports.save_report(conn, WEEK, DOCUMENT, NOW, after)
            if report is not None:
                written.append(report.revision)
        return written

    with ThreadPoolExecutor(4) as pool:
        taken = [revision for revisions in pool.map(save, range(4)) for revision in revisions]
    assert sorted(taken) == list(range(1, 21))
    with database.read() as conn:
        stored = [item.report.document["revision"] for item in reports.report_revisions(conn, WEEK)]
    assert stored == list(range(1, 21))


def test_a_revision_that_is_there_is_not_written_again(database: Database) -> None:
    with database.begin() as conn:
        reports.save_report(conn, WEEK, DOCUMENT, NOW, 0)
        assert reports.save_report(conn, WEEK, {"notes": ["late"]}, NOW, 0) is None
        stored = reports.report_revisions(conn, WEEK)
    assert [item.report.document for item in stored] == [DOCUMENT | {"revision": 1}]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_none_never_enters(database: Database, number: float) -> None:
    with pytest.raises(StopError), database.begin() as conn:
        reports.save_report(conn, WEEK, {"rates": {"claim": {"estimate": number}}}, NOW, 0)
    with database.read() as conn:
        assert reports.latest_report(conn, WEEK) is None
