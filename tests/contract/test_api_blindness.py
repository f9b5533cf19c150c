"""Nobody who may still give an opinion sees what others said, by any route of the API."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from sentinel.review.api.unit_files import WITHHELD
from sentinel.review.identity.permission import Role
from sentinel.review.params import ReviewParams
from sentinel.store.database import Database
from sentinel.store.schema import shift_alarms
from sentinel.store.units import insert_units
from tests.contract.store_samples import NOW, a_unit
from tests.contract.test_api_labels import SUPPORTED, UNSUPPORTED, a_label, send
from tests.contract.workbench import Workbench, fill

#: Words that only the first opinion holds.
MARK = "zebra"


@pytest.fixture
def bench(database: Database) -> Workbench:
    fill(database)
    return Workbench(database, replace(ReviewParams(), second_review_share=1.0))


@pytest.fixture
def people(bench: Workbench) -> dict[str, TestClient]:
    roles = {"first": "reviewer", "second": "reviewer", "third": "reviewer", "judge": "adjudicator"}
    roles |= {"judge2": "adjudicator", "viewer": "viewer", "admin": "admin"}
    return {
        name: bench.program(bench.add(f"person-{'abcdefg'[place] * 4}", role))
        for place, (name, role) in enumerate(roles.items())
    }


#: Every route that could tell of a label, and its answer as text.
ROUTES: dict[str, Callable[[TestClient], str]] = {
    path: (lambda client, path=path: client.get(path).text)  # type: ignore[misc]
    for path in (
        "/api/v1/units",
        "/api/v1/units/1",
        "/api/v1/units/1/labels",
        "/api/v1/units/1/history",
        "/api/v1/units/export?format=jsonl",
        "/api/v1/units/export?format=csv",
        "/api/v1/units/export?format=label-studio",
        "/api/v1/labels/export?format=jsonl",
        "/api/v1/labels/export?format=csv",
        "/api/v1/alarms",
        "/api/v1/reports",
        "/api/v1/me",
        "/api/v1/queue",
        "/api/v1/queue?tab=all",
        "/api/v1/units/1/draft",
        "/api/v1/adjudication",
        "/api/v1/adjudication/1",
        "/api/v1/calibration",
        "/api/v1/calibration/first%20week/1",
        "/api/v1/assignments",
        "/api/v1/overview",
        "/api/v1/quality",
        "/units/1",
        "/?status=all",
    )
}


def sees(client: TestClient) -> set[str]:
    return {path for path, read in ROUTES.items() if MARK in read(client)}


def first_opinion(people: dict[str, TestClient]) -> None:
    label = a_label("event-0", UNSUPPORTED | {"text": f"a {MARK}"}, comment=f"seen by a {MARK}")
    assert send(people["first"], label).status_code == 201


def test_a_first_opinion_is_seen_by_its_author_and_by_who_never_labels(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    first_opinion(people)
    for name in ("second", "third", "judge", "admin"):
        assert sees(people[name]) == set(), name
    own = {"/api/v1/units/1/labels", "/api/v1/labels/export?format=jsonl", "/api/v1/labels/export?format=csv"}
    assert sees(people["first"]) == own | {"/units/1", "/api/v1/units/1/draft"}, "their own, to correct it"
    assert sees(people["viewer"]) == own


def test_the_answer_to_a_label_is_the_same_whatever_others_said(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    first_opinion(people)
    agreeing = send(people["second"], a_label("event-0", UNSUPPORTED))
    alone = send(people["second"], a_label("event-1", UNSUPPORTED))
    assert set(agreeing.json()) == set(alone.json())
    assert agreeing.json()["corrects"] is None
    assert agreeing.status_code == alone.status_code


def test_two_that_agree_are_seen_by_all(bench: Workbench, people: dict[str, TestClient]) -> None:
    first_opinion(people)
    assert send(people["second"], a_label("event-0", UNSUPPORTED)).status_code == 201
    for name in ("first", "second", "third", "judge", "viewer", "admin"):
        assert "/api/v1/units/1/history" in sees(people[name]), name
    third = send(people["third"], a_label("event-0", SUPPORTED))
    assert (third.status_code, third.json()["reason"]) == (409, "closed")


def test_a_disagreement_is_for_an_adjudicator_who_gave_no_opinion(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    first_opinion(people)
    verdict = a_label("event-0", SUPPORTED, role="adjudicator")
    assert send(people["judge"], verdict).json()["reason"] == "closed"
    assert send(people["judge2"], a_label("event-0", SUPPORTED)).status_code == 201
    for name in ("second", "third", "judge2"):
        assert sees(people[name]) == set(), name
    for name, status in (("second", 403), ("third", 403), ("judge2", 403), ("judge", 204)):
        assert people[name].post("/api/v1/adjudication/1/lease").status_code == status, name
    opened = {"/api/v1/units/1/labels", "/api/v1/adjudication/1"}
    assert sees(people["judge"]) == opened, "to decide it, without why it was drawn"
    case = people["judge"].get("/api/v1/adjudication/1").json()
    assert [one["letter"] for one in case["opinions"]] == ["A", "B"]
    shown = json.dumps(case)
    assert not [name for name in ("first", "judge2") if people[name].get("/api/v1/me").json()["id"] in shown]
    opinions = people["judge"].get("/api/v1/units/1/labels").json()
    assert [one["annotator"] for one in opinions] == ["A", "B"], "nor whose opinions they are"
    (case,) = people["judge"].get("/api/v1/adjudication").json()["items"]
    assert (case["unit_id"], case["state"]) == (1, "disagreed")
    assert people["judge2"].get("/api/v1/adjudication").json() == {"items": [], "total": 0}
    assert send(people["second"], verdict).status_code == 403
    assert send(people["judge2"], verdict).status_code == 403, "they gave one of the two"
    decided = send(people["judge"], verdict)
    assert decided.status_code == 201
    for name in ("first", "second", "judge2"):
        assert "/api/v1/units/1/history" in sees(people[name]), name
    again = send(people["judge"], a_label("event-0", UNSUPPORTED, role="adjudicator"))
    assert again.json()["corrects"] == decided.json()["record_id"]
    with bench.database.read() as conn:
        from sentinel.store.annotations import annotations_of_event

        assert len(annotations_of_event(conn, "event-0")) == 4, "all opinions stay"


def test_why_an_answer_was_drawn_is_withheld_from_who_may_label_it(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    first_opinion(people)
    send(people["second"], a_label("event-0", UNSUPPORTED))
    send(people["first"], a_label("event-1", SUPPORTED))
    for name, seen in (("third", {0}), ("first", {0}), ("admin", {0}), ("viewer", set(range(6)))):
        rows = [json.loads(line) for line in people[name].get("/api/v1/units/export").text.splitlines()]
        assert len(rows) == 6
        for place, row in enumerate(rows):
            design = [row[field] for field in WITHHELD if row[field] is not None]
            assert bool(design) == (place in seen), (name, place)
    for name in ("third", "admin"):
        page = people[name].get("/api/v1/units/3").text + people[name].get("/api/v1/units").text
        assert not [word for word in ("inclusion", "0.25", "uniform", "predicted", "reasons") if word in page]
    assert people["third"].get("/api/v1/units?reason=uniform").status_code == 403
    assert people["viewer"].get("/api/v1/units/5/history").status_code == 403, "before any label, nobody"


def test_examples_of_alarms_are_withheld_from_who_may_label_them(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    first_opinion(people)
    send(people["second"], a_label("event-0", UNSUPPORTED))
    send(people["second"], a_label("event-1", UNSUPPORTED))
    values = {"app": "shop", "version": "", "series": "abstained", "direction": "up", "onset_at": NOW}
    values |= {"begun_at": NOW, "size": {}, "slice": None, "example_event_ids": ["event-0", "event-1"]}
    with bench.database.begin() as conn:
        conn.execute(shift_alarms.insert().values(values))
    for name, examples in (
        ("viewer", ["event-0", "event-1"]),
        ("third", ["event-0"]),
        ("admin", ["event-0"]),
    ):
        (alarm,) = people[name].get("/api/v1/alarms").json()["items"]
        assert alarm["example_event_ids"] == examples, name
        page = people[name].get("/alarms").text
        shown = [event for place, event in enumerate(("event-0", "event-1"), 1) if f'"/units/{place}' in page]
        assert shown == examples, name


def test_counts_and_reasons_tell_a_reviewer_of_nobody_elses_labels(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    def pages(name: str) -> list[str]:
        read = people[name].get
        lost = read("/?status=lost&reason=uniform").text
        by_api = [read(f"/api/v1/{path}").text for path in ("queue", "queue?tab=all", "overview")]
        return [read("/overview").text, read("/?status=open").text, lost, *by_api]

    before = pages("third")
    first_opinion(people)
    assert pages("third") == before
    week = people["third"].get("/api/v1/overview").json()
    assert {week[name] for name in ("labelled", "pending", "coverage", "waiting", "to_decide")} == {None}
    assert people["viewer"].get("/api/v1/overview").json()["waiting"] == 1
    assert "coverage" in people["viewer"].get("/overview").text
    assert 'value="uniform"' not in people["first"].get("/").text, "they can still correct their label"
    assert "parcel 0" not in pages("first")[2]
    send(people["second"], a_label("event-0", UNSUPPORTED))
    assert "parcel 0" in pages("first")[2]


def test_figures_about_reviewers_are_not_for_reviewers(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    first_opinion(people)
    send(people["second"], a_label("event-0", SUPPORTED))
    for path in ("agreement", "quality"):
        assert people["first"].get(f"/api/v1/{path}").status_code == 403
    query = {"answered_from": "2026-11-20T00:00:00Z", "answered_before": "2026-12-01T00:00:00Z"}
    figures = people["viewer"].get("/api/v1/agreement", params=query).json()
    assert (figures["answers"], figures["pairs"], figures["agreeing"]) == (1, 1, 0)
    assert figures["share"] == 0.0


def test_work_is_given_out_by_the_filter_and_to_who_may_label(
    bench: Workbench, people: dict[str, TestClient]
) -> None:
    def give(name: str, **body: object) -> tuple[int, object]:
        answer = people[name].post("/api/v1/assignments", json=body)
        return answer.status_code, answer.json().get("given", answer.json().get("reason"))

    second = people["second"].get("/api/v1/me").json()["id"]
    viewer = people["viewer"].get("/api/v1/me").json()["id"]
    assert give("first", person_id=second)[0] == 403
    assert give("judge", person_id=viewer) == (422, "person")
    assert give("judge", person_id="nobody") == (422, "person")
    assert give("judge", person_id=second, slices={"app": "shop"}, most=2) == (200, 2)
    assert give("judge", person_id=second, slices={"app": "shop"}) == (200, 1)
    assert give("judge", person_id=second, slices={"app": "shop"}) == (200, 0)
    taken = people["third"].post("/api/v1/units/1/lease")
    assert (taken.status_code, taken.json()["reason"]) == (409, "taken")
    assert people["second"].post("/api/v1/units/next").json() == {"unit_id": 1}


def test_paging_meets_every_answer_once(bench: Workbench) -> None:
    with bench.database.begin() as conn:
        tied = [a_unit(f"tied-{n}", event_time=NOW, domains={"app": "shop"}) for n in range(7)]
        insert_units(conn, tied, NOW)
    client = bench.of_role(Role.REVIEWER)
    for query, expected in (({}, 13), ({"app": "shop"}, 10), ({"app": "bank"}, 3), ({"status": "lost"}, 0)):
        met: list[str] = []
        cursor: str | None = None
        while True:
            more = {} if cursor is None else {"cursor": cursor}
            page = client.get("/api/v1/units", params=query | more | {"limit": "4"}).json()
            met += [row["event_id"] for row in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert len(met) == len(set(met)) == expected


@pytest.mark.parametrize("cursor", ["x", "MTow", "MTo5OTk5OTk5OTk5OTk5OTk5OTk5OQ", "é", "MjoxMg", "' OR 1=1"])
def test_a_cursor_of_nobody_is_refused(bench: Workbench, cursor: str) -> None:
    client = bench.of_role(Role.ADMIN)
    for path in ("units", "queue", "reports", "alarms", "audit"):
        assert client.get(f"/api/v1/{path}", params={"cursor": cursor}).status_code == 422
