"""Labels and answers as files through the API: JSONL, CSV, Label Studio, out and in again."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sentinel.review.api import label_files
from sentinel.review.api.label_csv import csv_header, csv_row, read_csv
from sentinel.review.label_import import MOST_REFUSED
from sentinel.store.annotations import StoredAnnotation, annotations_of_event, iter_annotations
from sentinel.store.database import Database
from tests.contract.workbench import Workbench, fill

ANSWER = "Parcel 0 takes two days [1]. Returns are free."


@pytest.fixture
def bench(database: Database) -> Workbench:
    fill(database)
    return Workbench(database)


@pytest.fixture
def admin(bench: Workbench) -> TestClient:
    return bench.of_role("admin")


def take_in(client: TestClient, content: str | bytes, form: str, **query: str) -> dict[str, Any]:
    answer = client.post("/api/v1/labels/import", params={"format": form} | query, content=content)
    assert answer.status_code == 200, answer.text
    counts: dict[str, Any] = answer.json()
    return counts


def labels_of(database: Database, event_id: str) -> list[StoredAnnotation]:
    with database.read() as conn:
        return list(annotations_of_event(conn, event_id))


def region(name: str, kind: str, value: Any, where: str = "", **more: Any) -> dict[str, Any]:
    result = {"from_name": name, "to_name": "answer", "type": kind, "origin": "manual"}
    return result | ({"id": where} if where else {}) | {"value": {kind: value} | more}


#: One annotation as Label Studio 1.x exports it in the form JSON.
RESULT = [
    region("claim", "labels", ["not_in_evidence"], "r2", start=29, end=45, text="Returns are free"),
    region("severity", "choices", ["low"], "r2", start=29, end=45),
    region("subtype", "text", ["INVENTED_POLICY"], "r2", start=29, end=45),
    region("claim", "labels", ["supported"], "r1", start=0, end=23, text="Parcel 0 takes two days"),
    region("answered", "choices", ["true"]),
    region("evidence_retrieved", "choices", ["hit"]),
    region("root_causes", "choices", ["GENERATION", "RETRIEVAL"]),
    region("entails_0", "choices", ["false"]) | {"to_name": "citation_0"},
    region("complete", "choices", ["false"]),
    region("comment", "text", ["Ask jane.roe@example.com", "twice"]),
]


def annotation(**changes: Any) -> dict[str, Any]:
    whole = {"id": 1001, "result": RESULT, "was_cancelled": False, "ground_truth": False, "task": 1}
    return whole | {"completed_by": 10, "lead_time": 4.288, "created_at": "2026-03-09T22:16:08.7Z"} | changes


def export_of(*annotations: dict[str, Any], **task: Any) -> str:
    data = {"unit_id": 1, "event_id": "event-0", "answer": ANSWER, "citations": [{"id": "p-1"}]}
    whole = {"id": 1, "project": 83, "data": data, "annotations": list(annotations)}
    prediction = {"model_version": "m", "result": RESULT, "score": 0.9}
    return json.dumps([whole | {"predictions": [prediction], "drafts": [{"result": RESULT}]} | task])


def test_an_annotation_of_label_studio_becomes_a_label(bench: Workbench, admin: TestClient) -> None:
    counts = take_in(admin, export_of(annotation()), "label-studio")
    assert (counts["accepted"], counts["refused"], counts["skipped"]) == (1, 0, 0)
    (stored,) = labels_of(bench.database, "event-0")
    label = stored.annotation
    assert [(c.text, c.label, c.severity, c.subtype) for c in label.claims] == [
        ("Parcel 0 takes two days", "supported", None, None),
        ("Returns are free", "not_in_evidence", "low", "INVENTED_POLICY"),
    ]
    assert (label.answered, label.abstention, label.role) == (True, "none", "annotator")
    assert (label.evidence_retrieved, label.complete) == ("hit", False)
    assert label.root_causes == ("GENERATION", "RETRIEVAL")
    assert label.citations == (("p-1", False),)
    assert label.comment == "Ask <EMAIL_1>\ntwice"
    assert stored.probability_sample


def test_a_second_import_of_the_same_file_changes_nothing(bench: Workbench, admin: TestClient) -> None:
    take_in(admin, export_of(annotation()), "label-studio")
    assert take_in(admin, export_of(annotation()), "label-studio")["reasons"] == {"duplicate": 1}
    assert len(labels_of(bench.database, "event-0")) == 1


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (10, 10, True),
        (10, {"id": 10}, True),
        ({"id": 10, "email": "a@example.com"}, {"id": 11, "email": "A@example.com "}, True),
        ("a@example.com", {"id": 3, "email": "a@example.com"}, True),
        (10, 11, False),
        ({"id": 10, "email": "a@example.com"}, {"id": 10, "email": "b@example.com"}, False),
    ],
)
def test_whose_annotation_it_is(
    bench: Workbench, admin: TestClient, first: Any, second: Any, same: bool
) -> None:
    take_in(admin, export_of(annotation(completed_by=first)), "label-studio")
    other = annotation(completed_by=second, result=RESULT[:4])
    counts = take_in(admin, export_of(other), "label-studio")
    assert counts["corrections"] == int(same)
    stored = labels_of(bench.database, "event-0")
    assert len({one.annotation.annotator for one in stored}) == (1 if same else 2)
    assert all("example" not in one.annotation.annotator for one in stored)


def test_skipped_annotations_predictions_and_drafts_are_no_labels(
    bench: Workbench, admin: TestClient
) -> None:
    counts = take_in(admin, export_of(annotation(was_cancelled=True)), "label-studio")
    assert (counts["accepted"], counts["skipped"], counts["refused"]) == (0, 1, 0)
    counts = take_in(admin, export_of(), "label-studio")
    assert (counts["accepted"], counts["skipped"], counts["refused"]) == (0, 0, 0)
    assert labels_of(bench.database, "event-0") == []


@pytest.mark.parametrize(
    ("truth", "decides", "role"),
    [(True, "false", "annotator"), (True, "true", "adjudicator"), (False, "true", "annotator")],
)
def test_ground_truth_decides_where_it_is_said_to(
    bench: Workbench, admin: TestClient, truth: bool, decides: str, role: str
) -> None:
    take_in(admin, export_of(annotation(ground_truth=truth)), "label-studio", ground_truth_decides=decides)
    assert labels_of(bench.database, "event-0")[0].annotation.role == role


def without_text(result: dict[str, Any]) -> dict[str, Any]:
    value = {name: part for name, part in result["value"].items() if name != "text"}
    return result | {"value": value}


def test_a_region_without_its_text_is_cut_out_of_the_answer_in_utf16(
    bench: Workbench, admin: TestClient
) -> None:
    answer = "😀 Fees are 5 €. More."
    marked = region("claim", "labels", ["supported"], "r", start=3, end=15)
    data = {"event_id": "event-0", "answer": answer}
    take_in(admin, export_of(annotation(result=[marked]), data=data), "label-studio")
    assert labels_of(bench.database, "event-0")[0].annotation.claims[0].text == "Fees are 5 €"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"result": None}, "wrong_type"),
        ({"result": []}, "missing_key"),
        ({"completed_by": None}, "missing_key"),
        ({"completed_by": True}, "missing_key"),
        ({"result": [region("answered", "choices", ["maybe"])]}, "unknown_value"),
        ({"result": [region("answered", "choices", ["true", "false"])]}, "too_many"),
        ({"result": [region("claim", "labels", ["Brand"], "r", text="x")]}, "unknown_value"),
        ({"result": [region("claim", "labels", [], "r", text="x")]}, "wrong_type"),
        ({"result": [region("claim", "labels", ["supported"], "r", start=9, end=3)]}, "wrong_type"),
        ({"result": [region("claim", "labels", ["supported"], "r", start=-1, end=3)]}, "wrong_type"),
        ({"result": [region("abstention", "choices", ["failed"]), region("answered", "choices", ["no"])]},
         "failed_abstention_not_answered"),
    ],
)  # fmt: skip
def test_an_annotation_that_says_nothing_usable_costs_only_itself(
    bench: Workbench, admin: TestClient, changes: dict[str, Any], reason: str
) -> None:
    good = annotation(completed_by=99)
    counts = take_in(admin, export_of(annotation(**changes), good), "label-studio")
    assert counts["reasons"] == {reason: 1}
    assert counts["refusals"][0]["number"] == 1
    assert counts["accepted"] == 1


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("label-studio", b""), ("label-studio", b"3"), ("label-studio", b'"x"'), ("label-studio", b"\xff"),
        ("label-studio", b"[" * 5000), ("label-studio", b"[{]"), ("csv", b"\xff"), ("csv", b""),
        ("csv", b"a,b\n1,2\n"), ("csv", b'event_id,annotator,answered,abstention,claims\n"x'),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_a_problem(admin: TestClient, form: str, content: bytes) -> None:
    answer = admin.post("/api/v1/labels/import", params={"format": form}, content=content)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["reason"]


@pytest.mark.parametrize("content", ["[]", "[3]", '[{"data": 3}]', '[{"annotations": [3]}]', "{}", "[null]"])
def test_tasks_of_odd_shapes_are_counted(admin: TestClient, content: str) -> None:
    counts = take_in(admin, content, "label-studio")
    assert counts["accepted"] == 0
    assert counts["refused"] == (0 if content == "[]" else 1)


def test_tasks_have_what_a_reviewer_sees_and_nothing_else(bench: Workbench) -> None:
    client = bench.of_role("reviewer")
    tasks = client.get("/api/v1/units/export", params={"format": "label-studio"}).json()
    assert [task["data"]["unit_id"] for task in tasks] == [1, 2, 3, 4, 5, 6]
    assert set(tasks[0]) == {"data"}
    assert tasks[0]["data"] == {
        "unit_id": 1,
        "event_id": "event-0",
        "question": "How long does parcel 0 take?",
        "answer": ANSWER,
        "passages": [{"id": "p-1", "text": "Parcels take two days."}],
        "citations": [{"id": "p-1"}],
    }


def test_the_interface_asks_for_everything_an_import_reads(bench: Workbench) -> None:
    text = bench.of_role("reviewer").get("/api/v1/label-studio/interface").text
    root = ElementTree.fromstring(text)
    names = {tag.get("name") for tag in root.iter() if tag.get("toName")}
    asked = {result["from_name"] for result in RESULT} - {"entails_0"}
    assert names == asked | {"abstention", "entails_{{idx}}"}
    objects = {tag.get("name") for tag in root.iter("Text")}
    assert {tag.get("toName") for tag in root.iter() if tag.get("toName")} <= objects


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_goes_out_can_come_in_again_elsewhere(
    bench: Workbench, admin: TestClient, form: str, tmp_path: Any
) -> None:
    take_in(admin, export_of(annotation(), annotation(completed_by=11, result=RESULT[:4])), "label-studio")
    take_in(admin, export_of(annotation(result=RESULT[:6])), "label-studio")
    out = bench.of_role("viewer").get("/api/v1/labels/export", params={"format": form})
    with Database(f"sqlite:///{tmp_path}/other.db") as other:
        other.upgrade()
        fill(other)
        counts = take_in(Workbench(other).of_role("admin"), out.content, form)
        assert (counts["accepted"], counts["refused"], counts["corrections"]) == (3, 0, 1)
        with bench.database.read() as one, other.read() as two:
            before, after = ([s.annotation for s in iter_annotations(conn)] for conn in (one, two))
        assert before == after


FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1+1",
    "|calc",
    "%x",
    "'=1",
    "'",
    "''=1",
    "'x",
    "x",
    "",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula_and_the_text_comes_back(text: str) -> None:
    label = {"event_id": "e", "annotator": "a", "answered": True, "abstention": "none", "claims": []}
    lines = csv_header() + csv_row(label | {"comment": text, "guideline_version": text})
    row = dict(zip(*csv.reader(io.StringIO(lines, newline="")), strict=True))
    assert row["comment"].lstrip(" ")[:1] not in tuple("=+-@\t\r＝|%")
    ((number, read),) = read_csv(lines.encode())
    assert number == 1
    assert isinstance(read, dict)
    assert read["comment"] == (text or None)


def test_a_csv_file_that_breaks_off_is_counted_up_to_there(bench: Workbench, admin: TestClient) -> None:
    rows = "".join(f"event-{n % 6},r{n},true,none,[]\n" for n in range(250))
    content = f'event_id,annotator,answered,abstention,claims\n{rows}event-0,"r1"x,true,none,[]\n'
    counts = take_in(admin, content, "csv")
    assert (counts["accepted"], counts["refused"]) == (250, 1)
    assert [(one["number"], one["reason"]) for one in counts["refusals"]] == [(251, "not_csv")]
    assert admin.get("/api/v1/audit").json()["items"][0]["about"] == "csv: 250 of 251"


def test_an_import_is_for_admins_and_leaves_its_trace(bench: Workbench, admin: TestClient) -> None:
    for role in ("viewer", "reviewer", "adjudicator"):
        assert bench.of_role(role).post("/api/v1/labels/import", content=b"").status_code == 403
    take_in(admin, export_of(annotation()), "label-studio")
    deeds = [row["deed"] for row in admin.get("/api/v1/audit").json()["items"]]
    assert deeds[0] == "labels_imported"


BAD = {"jsonl": b"{}\n", "csv": b",,,,\nx,\n", "label-studio": b"3,"}


@pytest.mark.parametrize("form", sorted(BAD))
def test_a_file_of_which_hardly_anything_can_be_used_is_not_read_to_its_end(
    admin: TestClient, form: str
) -> None:
    content = BAD[form] * 5000
    if form == "csv":
        content = b"event_id,annotator,answered,abstention,claims\n" + content
    elif form == "label-studio":
        content = b"[" + content + b"3]"
    counts = take_in(admin, content, form)
    assert counts["cut_short"]
    assert counts["refused"] == counts["lines"] == MOST_REFUSED + 1


def test_what_is_there_already_is_no_reason_to_stop(bench: Workbench, admin: TestClient) -> None:
    one = json.dumps(
        {"event_id": "event-0", "annotator": "r1", "answered": True, "abstention": "none", "claims": []}
    )
    counts = take_in(admin, f"{one}\n" * (MOST_REFUSED + 500), "jsonl")
    assert (counts["accepted"], counts["reasons"], counts["cut_short"]) == (
        1, {"duplicate": MOST_REFUSED + 499}, False,
    )  # fmt: skip


def test_an_export_that_breaks_off_is_counted_up_to_there(admin: TestClient) -> None:
    whole = export_of(annotation())
    counts = take_in(admin, whole.rstrip()[:-1] + ', {"annotations": [', "label-studio")
    assert (counts["accepted"], counts["reasons"]) == (1, {"not_json": 1})


def test_one_file_is_taken_in_at_a_time(admin: TestClient) -> None:
    with label_files._ONE_AT_A_TIME:
        refused = admin.post("/api/v1/labels/import", params={"format": "jsonl"}, content=b"")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
    assert take_in(admin, "", "jsonl")["lines"] == 0
