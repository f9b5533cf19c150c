"""Trials by request: whose, of which answers, and what of them is shown before they are labelled."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from sentinel.review.calibration.trials import make_batch, trial_of
from sentinel.review.params import ReviewParams
from sentinel.store.calibration import batch_items
from sentinel.store.database import Database
from tests.contract.store_samples import NOW
from tests.contract.test_api_labels import UNSUPPORTED, a_label, send
from tests.contract.workbench import Workbench, fill

DRAFT = {"claims": [{"text": "Parcel 0 takes two days", "label": "supported", "severity": None}]}
STRANGE = ["zoe@corp.example", "%00", "x" * 500, "first%20weeks"]


@pytest.fixture
def bench(database: Database) -> Workbench:
    fill(database)
    bench = Workbench(database, replace(ReviewParams(), second_review_share=1.0))
    for person in ("person-aaaa", "person-bbbb"):
        label = a_label("event-0", UNSUPPORTED, comment="zebra")
        assert send(bench.program(bench.add(person)), label).status_code == 201
    with database.begin() as conn:
        assert make_batch(conn, "first week", 5, "person-dddd", NOW) == 1
    return bench


@pytest.fixture
def new(bench: Workbench) -> TestClient:
    return bench.program(bench.add("person-cccc"))


def answered(client: TestClient, batch: str, unit: int) -> set[int]:
    root, sent = f"/calibration/{batch}/{unit}", {"draft": DRAFT, "base_revision": 0, "save_id": "s"}
    return {
        client.get(root).status_code,
        client.post(f"{root}/lease").status_code,
        client.put(f"{root}/draft", json=sent).status_code,
        client.post(f"{root}/answer", json=sent | {"base_revision": 1}).status_code,
    }


def test_only_the_answers_of_a_batch_are_tried_and_each_once(bench: Workbench, new: TestClient) -> None:
    for batch in STRANGE:
        assert answered(new, batch, 1) == {404}
    assert answered(new, "first week", 2) == {404}, "not of this batch"
    assert answered(bench.program(bench.add("person-aaaa")), "first week", 1) == {404}, "labelled in earnest"
    with bench.database.read() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM drafts").scalar() == 0
    assert answered(new, "first week", 1) == {200}
    root = "/calibration/first week/1"
    other = {"draft": {"claims": [DRAFT["claims"][0] | {"label": "unverifiable"}]}, "base_revision": 2}
    assert new.get(root).headers["location"] == "/calibration"
    assert new.post(f"{root}/lease").status_code == 410
    assert new.put(f"{root}/draft", json=other | {"save_id": "t"}).status_code == 410
    assert new.post(f"{root}/answer", json=other).status_code == 410, "said is said"
    assert new.post(f"{root}/answer", json={"draft": DRAFT}).status_code == 200, "its receipt was lost"
    with bench.database.read() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM calibration_answers").scalar() == 1


def test_an_older_page_says_nothing_in_the_place_of_a_newer_one(bench: Workbench, new: TestClient) -> None:
    root, sent = "/calibration/first week/1", {"draft": DRAFT, "base_revision": 0, "save_id": "s"}
    assert new.put(f"{root}/draft", json=sent).json() == {"revision": 1}
    older = new.post(f"{root}/answer", json=sent)
    assert (older.status_code, older.headers["content-type"][:9]) == (409, "text/html")
    with bench.database.read() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM calibration_answers").scalar() == 0


def test_a_batch_can_be_finished_when_some_of_its_answers_are_purged(database: Database) -> None:
    fill(database)
    bench = Workbench(database, replace(ReviewParams(), second_review_share=1.0))
    for person in ("person-aaaa", "person-bbbb"):
        program = bench.program(bench.add(person))
        for event in ("event-0", "event-2"):
            assert send(program, a_label(event, UNSUPPORTED)).status_code == 201
    with database.begin() as conn:
        assert make_batch(conn, "first week", 5, "person-dddd", NOW) == 2
        (first, second) = [item.unit_id for item in batch_items(conn, "first week")]
        conn.exec_driver_sql(f"DELETE FROM unit_contents WHERE unit_id = {first}")
        assert trial_of(conn, "first week", "person-cccc").next_unit == second
    new = bench.program(bench.add("person-cccc"))
    assert answered(new, "first week", first) == {404, 410}
    assert answered(new, "first week", second) == {200}
    with database.read() as conn:
        trial = trial_of(conn, "first week", "person-cccc")
    assert (trial.items, trial.is_done, trial.next_unit) == (1, True, None)


def test_the_known_label_is_not_shown_before_the_trial(bench: Workbench, new: TestClient) -> None:
    paths = (
        "/units/1", "/units/1/history", "/api/v1/units/1/history", "/api/v1/units/1/labels",
        "/api/v1/labels/export", "/api/v1/calibration/first week/1",
    )  # fmt: skip

    def seen(client: TestClient) -> set[str]:
        return {path for path in paths if "zebra" in (text := client.get(path).text) or "/history" in text}

    assert seen(new) == set()
    assert seen(bench.of_role("adjudicator")) == set(paths[:-1]), "who makes batches"
    assert answered(new, "first week", 1) == {200}
    assert seen(new) == set(paths[:-1])


def test_a_trial_by_api_is_the_one_of_the_page(bench: Workbench, new: TestClient) -> None:
    root = "/api/v1/calibration"
    (before,) = new.get(root).json()["yours"]
    assert before == {
        "batch": "first week", "answers": 1, "answered": 0, "next_unit": 1, "equal": None, "claims": None,
    }  # fmt: skip
    item = new.get(f"{root}/first week/1").json()
    assert item["unit"]["content"]["question"] == "How long does parcel 0 take?"
    assert (item["trial"]["revision"], item["trial"]["corrects"]) == (0, False)
    draft = {"base_revision": 0, "save_id": "a", "draft": DRAFT}
    assert new.put(f"{root}/first week/1/draft", json=draft).json() == {"revision": 1, "missing": []}
    stale = new.put(f"{root}/first week/1/draft", json=draft | {"save_id": "b"})
    assert (stale.status_code, stale.json()["facts"]["revision"]) == (409, 1)
    assert "takes two days" in new.get("/calibration/first week/1").text
    given = new.post(f"{root}/first week/1/answer", json={"draft": DRAFT})
    assert (given.status_code, given.json()) == (200, {"next_unit": None})
    assert new.post(f"{root}/first week/1/answer", json={"draft": DRAFT}).json() == {"next_unit": None}
    other_words = {"draft": DRAFT | {"comment": "no"}, "base_revision": 1}
    said = new.post(f"{root}/first week/1/answer", json=other_words)
    assert (said.status_code, said.json()["reason"]) == (410, "said")
    assert new.get(f"{root}/first week/1").json()["reason"] == "said"
    (after,) = new.get(root).json()["yours"]
    assert (after["answered"], after["equal"], after["claims"]["pairs"]) == (1, 0, 0)
    assert new.get(root).json()["of_others"] == []
    (other,) = bench.of_role("adjudicator").get(root).json()["of_others"]
    assert (other["person_id"], other["equal"]) == ("person-cccc", 0)
    assert bench.of_role("reviewer").post(root, json={"name": "mine"}).status_code == 403
    made = bench.of_role("adjudicator").post(root, json={"name": "second week", "most": 5})
    assert (made.status_code, made.json()) == (201, {"name": "second week", "answers": 1})
    again = bench.of_role("adjudicator").post(root, json={"name": "second week"})
    assert (again.status_code, again.json()["reason"]) == (409, "nothing_decided")


@pytest.mark.parametrize("batch", STRANGE)
def test_a_trial_of_nobody_is_not_there_by_api_either(new: TestClient, batch: str) -> None:
    root, draft = f"/api/v1/calibration/{batch}/1", {"base_revision": 0, "save_id": "a", "draft": DRAFT}
    answers = [
        new.get(root),
        new.put(f"{root}/draft", json=draft),
        new.post(f"{root}/answer", json={"draft": DRAFT}),
    ]
    assert {answer.status_code for answer in answers} <= {404, 422}
