"""The weekly report and the shifts of its week: in every form, and unknown where nobody looked."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest

from sentinel.reporting.render import rendered
from sentinel.reporting.shifts import MOST_LISTED
from sentinel.store import shifts
from sentinel.store.database import Database
from sentinel.store.shifts import AlarmFindings
from tests.integration.label_store import MONDAY, claim, drawn, fill, import_lines, line
from tests.integration.label_store import database as database
from tests.integration.published_reports import document, report

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SIZE = {
    "unit": "share",
    "observed": 0.12,
    "lower": 0.09,
    "upper": 0.16,
    "usual": 0.05,
    "answers": 900,
    "level": 0.95,
}
SLICE = {"domain": "workflow", "value": "refunds", "share_of_shift": 0.8, "answers": 300}
FINDINGS = AlarmFindings(SIZE, SLICE, ("e1", "e2", "e3", "e4"))


def looked_to(store: Database, moment: datetime) -> None:
    with store.begin() as conn:
        assert shifts.move_progress(conn, shifts.evaluated_to(conn), moment)


def begin(store: Database, at: datetime, findings: AlarmFindings = FINDINGS, **named: Any) -> int:
    told = {"app": "shop", "version": "", "series": "abstained", "direction": "up"} | named
    with store.begin() as conn:
        return shifts.begin_alarm(conn, **told, onset_at=at - HOUR, begun_at=at, findings=findings)


def end(store: Database, alarm: int, at: datetime) -> None:
    with store.begin() as conn:
        shifts.end_alarm(conn, alarm, at, "back")


@pytest.fixture
def store(database: Database) -> Database:
    fill(database, [drawn(f"e{n}") for n in range(4)], events=8)
    import_lines(database, *[line(f"e{n}", claim("supported")) for n in range(4)])
    return database


def test_alarms_of_the_week_and_those_open_in_it_are_listed_in_every_form(store: Database) -> None:
    looked_to(store, MONDAY + 8 * DAY)
    end(store, begin(store, MONDAY - 2 * DAY, series="before"), MONDAY - DAY)
    end(store, begin(store, MONDAY - DAY, series="missing_citation"), MONDAY + HOUR)
    begin(store, MONDAY + 2 * DAY)
    words = AlarmFindings(SIZE | {"unit": "words", "observed": 180.0, "usual": 120.0}, None, ())
    end(
        store,
        begin(store, MONDAY + 6 * DAY, words, series="answer_words", direction="down"),
        MONDAY + 9 * DAY,
    )
    begin(store, MONDAY + 7 * DAY, series="after")
    found = document(store)
    alarms = found["alarms"]
    assert (alarms["status"], alarms["count"]) == ("ok", 3)
    assert [one["series"] for one in alarms["listed"]] == ["missing_citation", "abstained", "answer_words"]
    assert [one["open_at_end"] for one in alarms["listed"]] == [False, True, True]
    shown = alarms["listed"][1]
    assert (shown["app"], shown["direction"], shown["ended_at"]) == ("shop", "up", None)
    assert (shown["size"], shown["slice"]) == (SIZE, SLICE)
    assert shown["example_event_ids"] == ["e1", "e2", "e3", "e4"]
    assert datetime.fromisoformat(shown["onset_at"]) == MONDAY + 2 * DAY - HOUR
    for form in ("markdown", "html"):
        text = rendered(found, form)
        assert "Shifts" in text
        assert "workflow = refunds" in text
        assert "e1, e2, e3" in text
        assert "e4" not in text
        assert "2026-11-18 00:00" in text
        assert "before" not in [one["series"] for one in alarms["listed"]]
    markdown = rendered(found, "markdown").replace("\u202f", " ")
    (row,) = (r for r in markdown.splitlines() if r.startswith("| abstained ↑"))
    assert "| open | 12.0 % | 9.0 % to 16.0 % | 5.0 % |" in row
    assert "180.0 words" in markdown


def test_a_week_without_alarms_that_was_looked_at_says_so(store: Database) -> None:
    looked_to(store, MONDAY + 8 * DAY)
    found = document(store)
    assert found["alarms"] == {
        "status": "ok",
        "evaluated_to": (MONDAY + 8 * DAY).isoformat(),
        "count": 0,
        "listed": [],
    }
    assert "Looked at up to" not in rendered(found, "markdown")


@pytest.mark.parametrize("seen_to", [None, MONDAY - DAY, MONDAY])
def test_a_week_that_nobody_looked_at_is_unknown_and_not_quiet(
    store: Database, seen_to: datetime | None
) -> None:
    if seen_to is not None:
        looked_to(store, seen_to)
    found = document(store)
    assert found["alarms"] == {"status": "no_data", "evaluated_to": None, "count": None, "listed": []}
    for form in ("markdown", "html"):
        assert "nothing is known of shifts" in rendered(found, form)


def test_a_week_that_was_looked_at_in_part_says_up_to_when(store: Database) -> None:
    looked_to(store, MONDAY + 3 * DAY)
    assert "Looked at up to 2026-11-19 00:00." in rendered(document(store), "markdown")


def test_an_alarm_that_ends_or_settles_later_makes_no_revision(store: Database) -> None:
    looked_to(store, MONDAY + 8 * DAY)
    alarm = begin(store, MONDAY + 2 * DAY)
    first = report(store)
    with store.begin() as conn:
        shifts.update_alarm(conn, alarm, AlarmFindings(SIZE | {"observed": 0.11}, None, ("e9",)))
    end(store, alarm, MONDAY + 10 * DAY)
    assert report(store).revision == first.revision
    import_lines(store, line("e0", claim("contradicted"), annotator="second"))
    second = report(store)
    assert second.revision == first.revision + 1
    assert second.document["alarms"]["listed"][0]["end_reason"] == "back"


def test_a_flood_of_alarms_is_cut_and_counted(store: Database) -> None:
    looked_to(store, MONDAY + 8 * DAY)
    for number in range(MOST_LISTED + 5):
        begin(store, MONDAY + number * HOUR, app=f"app {number}")
    found = document(store)
    assert found["alarms"]["count"] == MOST_LISTED + 5
    assert len(found["alarms"]["listed"]) == MOST_LISTED
    assert "5 more are not listed" in rendered(found, "markdown")


@pytest.mark.parametrize(
    "value", ["<script>alert(1)</script>", "a | b\n# c", "[x](javascript:1)", "{{ 7 * 7 }}"]
)
def test_names_of_alarms_cannot_do_anything(store: Database, value: str) -> None:
    looked_to(store, MONDAY + 8 * DAY)
    hostile = AlarmFindings(
        SIZE, {"domain": "tenant", "value": value, "share_of_shift": None, "answers": 3}, (value,)
    )
    begin(store, MONDAY + DAY, hostile, app=value, version=value)
    found = document(store)
    page = rendered(found, "html")
    assert "<script" not in page
    assert "49" not in page.split('id="alarms"')[1].split("</table>")[0]
    rows = [row for row in rendered(found, "markdown").splitlines() if row.startswith("| abstained ↑")]
    (row,) = rows
    assert row.replace("\\|", "").count("|") == 10
    assert re.search(r"(?<!\\)[\[\]]", row) is None


def test_a_report_of_an_earlier_version_without_alarms_is_still_shown(store: Database) -> None:
    old = {key: value for key, value in document(store).items() if key != "alarms"}
    for form in ("markdown", "html"):
        assert "Shifts" not in rendered(old, form)
