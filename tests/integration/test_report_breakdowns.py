"""What a report breaks down: slices, indicators of all traffic, attribution, versions."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sentinel.reporting.render import rendered
from sentinel.store import frame
from sentinel.store.database import Database
from tests.integration.label_store import MONDAY, PARTITION, claim, database, drawn, fill, import_lines, line
from tests.integration.published_reports import document

__all__ = ["database"]


def test_a_slice_with_one_unit_is_suppressed(database: Database) -> None:
    blue = drawn("blue-1", 0.2, tenant="blue")
    fill(database, [blue, *(drawn(f"e{n}", 0.5, tenant="red") for n in range(40))], events=85)
    import_lines(database, line("blue-1", claim()), *(line(f"e{n}", claim()) for n in range(39)))
    import_lines(database, line("e39", claim("contradicted")))
    slices = {one["value"]: one for one in document(database)["slices"]}
    assert slices["blue"]["suppressed"]
    for rate in (slices["blue"]["case"], slices["blue"]["claim"]):
        assert (rate["estimate"], rate["lower"], rate["upper"], rate["status"]) == (
            None,
            None,
            None,
            "too_small",
        )
        assert (rate["numerator"], rate["denominator"]) == (0, 1)
    assert not slices["red"]["suppressed"]
    assert slices["red"]["case"]["estimate"] == pytest.approx(1 / 40)
    assert slices["red"]["labelled"] == 40


def test_a_small_slice_shown_on_demand_has_an_interval_with_a_width(database: Database) -> None:
    fill(database, [drawn("blue-1", 0.2, tenant="blue"), drawn("e1", tenant="red")], events=9)
    import_lines(database, line("blue-1", claim()), line("e1", claim("contradicted")))
    for one in document(database, minimum_labelled_per_slice=1)["slices"]:
        assert one["case"]["lower"] < one["case"]["upper"]
        assert one["case"]["status"] == "too_small"


def test_indicators_are_of_all_traffic(database: Database) -> None:
    fill(database, [drawn("e1")], events=200)
    cell = frame.CellKey(frame.window_of(MONDAY), PARTITION, "design-1", "indicator", "missing_citation")
    with database.begin() as conn:
        frame.add_cells(conn, {cell: frame.CellCounts(events=30)})
    indicators = document(database)["indicators"]
    assert indicators["missing_citation"] == {"events": 30, "known": 200, "share": 0.15}
    assert indicators["unknown_retrieval"] == {"events": 0, "known": 200, "share": 0.0}
    # Nobody counted of how many answers retrieval is known: the windows are of an older version.
    assert indicators["empty_retrieval"] == {"events": None, "known": None, "share": None}


UNTOLD = {"events": None, "known": 0, "share": None}


@pytest.mark.parametrize(
    ("known", "name", "expected"),
    [
        ({"retrieval": 80}, "empty_retrieval", {"events": 20, "known": 80, "share": 0.25}),
        ({"distance": 40}, "high_distance", {"events": 20, "known": 40, "share": 0.5}),
        ({"evidence": 50}, "ungrounded_number", {"events": 20, "known": 50, "share": 0.4}),
        ({"evidence": 50}, "ungrounded_name", {"events": 20, "known": 50, "share": 0.4}),
        ({"evidence": 50}, "low_overlap", {"events": 20, "known": 50, "share": 0.4}),
        ({"evidence": 50}, "unknown_retrieval", {"events": 20, "known": 200, "share": 0.1}),
        ({"evidence": 50}, "abstained", {"events": 20, "known": 200, "share": 0.1}),
        ({"retrieval": 50}, "high_distance", UNTOLD),
        ({"retrieval": 50, "distance": 50}, "low_overlap", UNTOLD),
        ({"distance": 50}, "empty_retrieval", UNTOLD),
        ({"retrieval": 19}, "empty_retrieval", {"events": None, "known": 19, "share": None}),
        ({}, "low_overlap", {"events": None, "known": None, "share": None}),
    ],
)
def test_a_share_is_of_the_answers_of_which_it_is_known(
    database: Database, known: dict[str, int], name: str, expected: dict[str, Any]
) -> None:
    fill(database, [drawn("e1")], events=200)
    cells = {("indicator", name): 20} | {("known", what): events for what, events in known.items()}
    with database.begin() as conn:
        window = frame.window_of(MONDAY)
        frame.add_cells(
            conn,
            {
                frame.CellKey(window, PARTITION, "design-1", *cell): frame.CellCounts(events=events)
                for cell, events in cells.items()
            },
        )
    found = document(database)
    assert found["indicators"][name] == expected
    assert {one["domain"] for one in found["slices"]} == {"app"}
    for form in ("html", "markdown"):
        (row,) = (one for one in rows_of(rendered(found, form)) if one.startswith(name.replace("_", " ")))
        cells_shown = ["–" if value is None else str(value) for value in list(expected.values())[:2]]
        shown = "–" if expected["share"] is None else f"{100 * expected['share']:.1f}\u202f%"
        assert row.split("|")[1:] == [*cells_shown, shown]


def rows_of(text: str) -> list[str]:
    """Table rows of a rendered report as `first|second|…`."""
    if "<table" in text:
        found = re.findall(r"<tr[^>]*>(.*?)</tr>", text, re.DOTALL)
        cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in found)
    else:
        cells = (row.strip("|").split("|") for row in text.splitlines() if row.startswith("|"))
    return ["|".join(re.sub(r"<[^>]+>", "", cell).strip() for cell in row) for row in cells]


def test_attribution_completeness_citations_and_versions(database: Database) -> None:
    fill(database, [drawn("e1", 0.5), drawn("e2", 0.25), drawn("e3", 1.0)])
    import_lines(
        database,
        line("e1", claim("contradicted", subtype="wrong number"), evidence_retrieved="hit",
             root_causes=["GENERATION", "GENERATION"], complete=True, guideline_version="rubric-3"),
        line("e2", claim(), evidence_retrieved="miss", complete=False, guideline_version="rubric-2",
             citations=[{"id": "d1", "entails": True}, {"id": "d2", "entails": False}]),
        line("e3", answered=False, abstention="correct", evidence_retrieved="miss"),
    )  # fmt: skip
    found = document(database)
    table = found["attribution"]["evidence_by_grounding"]
    assert table["hit"]["ungrounded"] == {"count": 1, "share": pytest.approx(2 / 7)}
    assert table["miss"]["grounded"] == {"count": 1, "share": pytest.approx(4 / 7)}
    assert table["miss"]["abstained"]["count"] == 1
    assert found["attribution"]["root_causes"] == {"GENERATION": {"count": 1, "share": pytest.approx(2 / 7)}}
    assert found["completeness"]["share"] == pytest.approx(2 / 6)
    assert (found["citations"]["judged"], found["citations"]["entailing"]) == (2, 1)
    assert found["subtypes"] == {"wrong number": {"count": 1, "share": 1.0}}
    assert found["versions"]["rubric"] == ["rubric-2", "rubric-3"]
    assert (found["versions"]["design"], found["versions"]["redactor"]) == (["design-1"], ["rules-1"])
    assert found["versions"]["indicators"] == ["7"]
