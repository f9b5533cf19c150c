"""The overview's figures are those of the store's rows: of this week alone, and what waits can be opened."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
import sqlalchemy as sa

from sentinel.clock import FixedClock
from sentinel.records import Partition
from sentinel.review.params import ReviewParams
from sentinel.store import frame
from sentinel.store.database import Database
from sentinel.store.review_schema import submissions
from sentinel.store.schema import units
from sentinel.store.units import insert_units, purge_contents
from tests.contract.store_samples import a_unit
from tests.contract.test_api_labels import SUPPORTED, UNSUPPORTED, a_label, send
from tests.contract.workbench import Workbench

#: A Sunday: the week is nearly over.
TODAY = datetime(2026, 11, 29, 15, 30, tzinfo=UTC)
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
WEEK = timedelta(days=7)
#: The contents of all answers before this are purged in the end.
KEPT_FROM = MONDAY + timedelta(days=3)
#: By week, counted from this one: what becomes of its answers, and how many of each.
WEEKS = {
    -2: {"pending": 1, "lost": 1, "agreed": 2, "waiting": 1, "disagreed": 1},
    -1: {"pending": 2, "lost": 3, "agreed": 1, "waiting": 2, "disagreed": 1},
    0: {"pending": 5, "lost": 4, "agreed": 3, "waiting": 4, "disagreed": 5},
    1: {"pending": 1},
}


@dataclass(frozen=True)
class Planned:
    event_id: str
    moment: datetime
    kind: str

    @property
    def is_kept(self) -> bool:
        return self.moment >= KEPT_FROM

    @property
    def status(self) -> str:
        """What the store must call it in the end."""
        if self.kind in ("pending", "lost"):
            return "purged" if self.kind == "pending" and not self.is_kept else self.kind
        return "labelled"


def planned() -> Iterator[Planned]:
    """Answers from the first moment of each week and from its last, by turns, inwards."""
    numbers = count()
    for week, kinds in WEEKS.items():
        begin = MONDAY + week * WEEK
        last = begin + WEEK - timedelta(microseconds=1)
        for place, kind in enumerate(one for one, number in kinds.items() for _ in range(number)):
            inwards = timedelta(hours=place)
            yield Planned(f"event-{next(numbers)}", last - inwards if place % 2 else begin + inwards, kind)


PLAN = tuple(planned())


@pytest.fixture
def bench(database: Database) -> Workbench:
    """Answers of four weeks, those of earlier weeks labelled in their own; the older contents are purged."""
    params = replace(ReviewParams(), second_review_share=1.0)
    bench = Workbench(database, params, FixedClock(MONDAY - 3 * WEEK), budget=(500.0, "week"))
    first, second = (bench.program(bench.add(f"person-{4 * letter}", days=90)) for letter in "ab")
    for one in PLAN:
        draw(database, one)
        bench.clock.set(TODAY + min((one.moment - MONDAY) // WEEK, 0) * WEEK)
        if one.kind in ("agreed", "waiting", "disagreed"):
            assert send(first, a_label(one.event_id, SUPPORTED)).status_code == 201
        if one.kind in ("agreed", "disagreed"):
            said = UNSUPPORTED if one.kind == "disagreed" else SUPPORTED
            assert send(second, a_label(one.event_id, said)).status_code == 201
    with database.begin() as conn:
        purge_contents(conn, KEPT_FROM)
    bench.clock.set(TODAY)
    return bench


def draw(database: Database, one: Planned) -> None:
    """Write a drawn answer, and the counts of ten answers that it was drawn from."""
    unit = a_unit(one.event_id, event_time=one.moment)
    counted = frame.CellCounts(events=10, answered=9, abstained=1, expected_micros=1_250_000)
    cell = frame.CellKey(frame.window_of(one.moment), Partition("answers", 0), "design-1")
    with database.begin() as conn:
        insert_units(conn, [replace(unit, answer=None) if one.kind == "lost" else unit], one.moment)
        frame.add_cells(conn, {cell: counted, replace(cell, domain="app", value="billing"): counted})


def test_the_overviews_figures_are_those_of_the_stores_rows(bench: Workbench) -> None:
    week = bench.of_role("viewer").get("/api/v1/overview").json()
    with bench.database.read() as conn:
        rows = [tuple(row) for row in conn.execute(sa.select(units.c.event_time, units.c.status))]
        today = conn.scalars(sa.select(submissions.c.created_at)).all()
    stored = Counter(status for moment, status in rows if MONDAY <= moment < MONDAY + WEEK)
    of_week = [one for one in PLAN if MONDAY <= one.moment < MONDAY + WEEK]
    assert stored == Counter(one.status for one in of_week)
    assert {name: week[name] for name in ("pending", "labelled", "lost", "purged")} == stored
    assert (week["drawn"], stored["labelled"]) == (21, 12)
    assert week["drawn"] == sum(stored.values())
    assert week["coverage"] == pytest.approx(12 / 21)
    assert (week["answers"], week["expected"]) == (210, pytest.approx(1.25 * 21))
    assert (week["budget"], week["budget_per"]) == (500.0, "week")
    given = sum(moment.date() == TODAY.date() for moment in today)
    assert week["labels_today"] == given == 2 * 3 + 4 + 2 * 5


def test_what_waits_on_the_overview_can_be_opened(bench: Workbench) -> None:
    def kept(kind: str) -> list[str]:
        return sorted(one.event_id for one in PLAN if one.kind == kind and one.is_kept)

    third = bench.of_role("reviewer")
    judge = bench.of_role("adjudicator")
    week = judge.get("/api/v1/overview").json()
    assert week["waiting"] == len(kept("waiting")) == 2
    cases = judge.get("/api/v1/adjudication").json()["total"]
    assert week["to_decide"] == len(kept("disagreed")) == cases == 2
    queue = third.get("/api/v1/queue").json()
    assert len(queue["items"]) == len(kept("waiting")) + len(kept("pending"))


def test_the_page_shows_the_figures_of_the_api(bench: Workbench) -> None:
    for role in ("viewer", "reviewer"):
        client = bench.of_role(role)
        week = client.get("/api/v1/overview").json()
        page = client.get("/overview").text
        panels = dict(re.findall(r"<div><dt>([^<]+)</dt><dd>(.*?)</dd></div>", page))
        shown = {name: re.sub(r"<[^>]+>", " ", value).split() for name, value in panels.items()}
        expected = {
            "Answers counted": ["210"],
            "Reviews to expect": ["26", "budget", "500", "a", "week"],
            "Drawn": ["21"],
            "Lost": [str(week["lost"]), str(week["purged"]), "purged"],
        }
        if role == "viewer":
            expected |= {
                "Labelled": [str(week["labelled"]), "coverage", "57.1%"],
                "Pending": [str(week["pending"])],
                "Labels today": [str(week["labels_today"])],
                "Wait for a second opinion": [str(week["waiting"])],
                "To decide": [str(week["to_decide"])],
            }
        assert shown == expected, role
