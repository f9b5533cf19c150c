"""Labels that come, change or are missing: what a report makes of them, and when it is revised."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from sentinel.records import Report
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.render import rendered
from sentinel.store import units
from sentinel.store.database import Database
from sentinel.store.reports import Period, report_revisions
from tests.integration.label_store import LATER, MONDAY, claim, database, drawn, fill, import_lines, line
from tests.integration.published_reports import WEEK, document, report

__all__ = ["database"]


def test_labels_of_answers_never_drawn_change_no_figure(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    before = document(database)
    import_lines(database, *(line(f"picked-{n}", claim("contradicted", "critical")) for n in range(50)))
    assert document(database) == before
    # A period nobody asked for before shows them.
    six_days = ReportPeriod(WEEK.first_day, WEEK.end_day - timedelta(days=1), "UTC")
    after = report(database, six_days).document
    assert after["rates"] == before["rates"]
    assert after["coverage"]["non_probability"] == 50
    assert after["slices"] == before["slices"]
    assert any("were picked, not drawn" in note for note in after["notes"])


def test_a_label_outside_the_sample_makes_no_revision_by_itself(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")))
    first = report(database)
    for number in range(2):
        import_lines(database, line(f"picked-{number}", claim("contradicted")))
        again = report(database, now=LATER + timedelta(hours=1 + number))
        assert (again.revision, again.document) == (1, first.document)
    import_lines(database, line("e2", claim()))
    second = report(database, now=LATER + timedelta(hours=5))
    assert second.revision == 2
    assert second.document["coverage"]["non_probability"] == 2
    import_lines(database, line("picked-3", claim()))
    assert report(database, now=LATER + timedelta(hours=6)).revision == 2


def test_processes_that_publish_at_once_write_one_revision(database: Database) -> None:
    fill(database, [drawn(f"e{number}") for number in range(6)])
    for revision in range(1, 6):
        import_lines(database, line(f"e{revision}", claim()))
        gate = threading.Barrier(4)

        def look(_worker: int, gate: threading.Barrier = gate) -> Report:
            gate.wait(timeout=30)
            return report(database)

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(look, range(4)))
        assert {one.revision for one in found} == {revision}
        assert all(one.document == found[0].document for one in found)
    with database.read() as conn:
        kept = report_revisions(conn, Period(WEEK.start, WEEK.end, "UTC"))
    assert [one.report.document["coverage"]["labelled"] for one in kept] == [1, 2, 3, 4, 5]


def test_labels_from_before_the_draw_enter_no_rate(database: Database) -> None:
    import_lines(database, line("e1", claim("contradicted")))
    fill(database, [drawn("e1")])
    found = document(database)
    assert found["rates"]["case"]["status"] == "no_data"
    assert found["coverage"]["pending"] == 1


def test_second_opinions_and_adjudication_whoever_comes_first(database: Database) -> None:
    fill(database, [drawn("early"), drawn("late")])
    decision = {"annotator": "chief", "role": "adjudicator"}
    import_lines(
        database,
        line("early", claim(), **decision),
        line("early", claim("contradicted")),
        line("early", claim("contradicted"), annotator="ann-2"),
        line("late", claim("contradicted")),
        line("late", claim("contradicted"), annotator="ann-2"),
        line("late", claim(), **decision),
    )
    found = document(database)
    assert found["rates"]["case"]["numerator"] == 0
    assert (found["coverage"]["adjudicated"], found["coverage"]["provisional"]) == (2, 0)


def test_a_first_opinion_counts_provisionally_until_a_second_agrees(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    first = report(database)
    assert first.document["coverage"]["provisional"] == 2
    import_lines(database, line("e1", claim(), annotator="ann-2"), line("e2", claim(), annotator="ann-2"))
    second = report(database)
    coverage = second.document["coverage"]
    assert (coverage["provisional"], coverage["adjudicated"], coverage["disputed"]) == (1, 1, 1)
    assert second.document["rates"]["case"]["numerator"] == 1


def test_a_correction_changes_the_rate_and_makes_a_revision_that_says_so(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim("contradicted")), line("e2", claim()))
    first = report(database)
    again = report(database, now=LATER + timedelta(hours=5))
    assert (first.revision, again.revision) == (1, 1)
    assert again.document == first.document
    import_lines(database, line("e1", claim()))
    second = report(database, now=LATER + timedelta(hours=6))
    assert (second.revision, second.document["revision"]) == (2, 2)
    changes = second.document["changes"]
    assert changes["since_revision"] == 1
    assert any(moved.startswith("case rate: 50.0") for moved in changes["moved"])
    assert second.document["rates"]["case"]["numerator"] == 0
    assert report(database, now=LATER + timedelta(hours=7)).revision == 2
    with database.read() as conn:
        kept = report_revisions(conn, Period(WEEK.start, WEEK.end, "UTC"))
    assert [one.report.document for one in kept] == [first.document, second.document]
    for form in ("html", "markdown"):
        assert "What changed since revision 1" in rendered(second.document, form)


def test_missing_labels_are_counted_by_kind_and_bounded(database: Database) -> None:
    answers = [drawn(f"e{n}", 0.5) for n in range(10)]
    fill(database, answers, events=20)
    import_lines(database, line("e0", claim("contradicted")), *(line(f"e{n}", claim()) for n in range(1, 7)))
    with database.begin() as conn:
        units.set_status(conn, ["e7"], "lost")
        units.set_status(conn, ["e8"], "purged")
    found = document(database)
    coverage, case = found["coverage"], found["rates"]["case"]
    assert [coverage[key] for key in ("drawn", "labelled", "pending", "lost", "purged")] == [10, 7, 1, 1, 1]
    assert coverage["labelled_share_weighted"] == pytest.approx(0.7)
    assert case["estimate"] == pytest.approx(1 / 7)
    assert (case["worst_case_lower"], case["worst_case_upper"]) == (pytest.approx(0.1), pytest.approx(0.4))
    assert any("without a label" in note for note in found["notes"])
    assert any("preliminary" in note for note in found["notes"])


def test_the_delay_of_labels_runs_from_the_queue(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2"), drawn("e3")])
    queued = MONDAY + timedelta(hours=13)
    for number, hours in enumerate((1, 2, 10), start=1):
        import_lines(database, line(f"e{number}", claim()), now=queued + timedelta(hours=hours))
    import_lines(database, line("e1", claim("contradicted")), now=queued + timedelta(hours=90))
    delay = document(database)["coverage"]["label_delay_hours"]
    assert (delay["median"], delay["p90"]) == (pytest.approx(2.0), pytest.approx(8.4))
