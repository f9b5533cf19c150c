"""Words taken out of labels are whole words: what a label says in fixed terms stays, and can be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sentinel.review.calibration.trials import trial_of
from sentinel.review.labelling_page.leftover_data import remove_left_over
from sentinel.review.labelling_page.marked_words import pattern_of
from sentinel.review.labelling_page.opinions import save
from sentinel.review.params import ReviewParams
from sentinel.store.calibration import CalibrationAnswer, add_answer, add_batch, answers_of, batch_items
from sentinel.store.database import Database
from sentinel.store.drafts import DraftKey, find_draft
from tests.contract.test_api_labels import UNSUPPORTED, a_label, send
from tests.contract.test_calibration_requests import DRAFT
from tests.contract.workbench import Workbench
from tests.contract.workbench import fill as fill_bench
from tests.review_bench import DORA, NOW, document, fill, workshop

LABELS = ("supported", "contradicted", "not_in_evidence")


@pytest.mark.parametrize("words", ["Ed", "Al", "ort", "medium", "none", "hit", "generation", "supported"])
def test_fixed_terms_of_trials_and_drafts_stay(database: Database, words: str) -> None:
    shop = workshop(database)
    content = {"question": "Who?", "answer": f"Ask {words} at the mill.", "retrieved": []}
    (unit_id,) = fill(database, 1, content=content)
    said = document(
        LABELS, "medium", comment=f"so says {words}, not {words}x", evidence_retrieved="hit",
        root_causes=["GENERATION", f"by {words}"],
    )  # fmt: skip
    said["claims"][0] |= {"text": f"{words}'s supported mill", "subtype": f"of {words}"}
    save(shop, DORA, unit_id, "opinion", 0, "s1", said, 1.0)
    with database.begin() as conn:
        add_batch(conn, "week", {unit_id: said}, "dora", NOW)
        add_answer(conn, CalibrationAnswer("week", unit_id, "cem", said, 4.0, NOW))
    assert remove_left_over(shop, DORA, unit_id, words, "PERSON").in_answer == 1
    with database.read() as conn:
        trial = trial_of(conn, "week", "cem")
        (known,), (answer,) = batch_items(conn, "week"), answers_of(conn, "week")
        draft = find_draft(conn, DraftKey(unit_id, "dora", "opinion"))
    assert draft is not None
    assert (trial.answered, trial.equal) == (1, 1)
    for stored in (known.known, answer.document, draft.document):
        assert [(one["label"], one["severity"]) for one in stored["claims"]] == [
            ("supported", None), ("contradicted", "medium"), ("not_in_evidence", "medium"),
        ]  # fmt: skip
        assert (stored["abstention"], stored["evidence_retrieved"]) == ("none", "hit")
        assert stored["comment"] == f"so says <PERSON_1>, not {words}x"
        assert stored["root_causes"] == ["GENERATION", "by <PERSON_1>"]
        assert stored["claims"][0]["subtype"] == "of <PERSON_1>"
        assert stored["claims"][0]["text"].startswith("<PERSON_1>'s")


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        ("Ed", "ed, Ed's, ed_quill, supported, Edna, ed2", 3),
        ("ed ed", "bed ed ed", 1),
        ("Zoe Quill", "zoe \n QUILL", 1),
        ("+49 30", "call +49 30.", 1),
        ("王伟", "我叫王伟吗", 1),
        ("Ed", "我叫Ed吗", 1),
        ("김철수", "김철수가", 1),
    ],
)
def test_whole_words_are_found_where_a_script_divides_them(words: str, text: str, found: int) -> None:
    assert len(pattern_of(words).findall(text)) == found


def test_a_trial_that_cannot_be_read_takes_no_page_down(database: Database) -> None:
    fill_bench(database)
    bench = Workbench(database, replace(ReviewParams(), second_review_share=1.0))
    reader = bench.program(bench.add("person-cccc"))
    broken = {"claims": [{"text": "x", "label": "support<PERSON_1>"}]}
    with database.begin() as conn:
        add_batch(conn, "week", {1: broken, 2: DRAFT}, "person-dddd", NOW)
    for path in ("/api/v1/calibration", "/calibration"):
        assert reader.get(path).status_code == 200, path
    with database.read() as conn:
        trial = trial_of(conn, "week", "person-cccc")
    assert (trial.items, trial.next_unit) == (1, 2)


def test_what_cannot_be_read_in_the_store_does_not_make_the_store_away(database: Database) -> None:
    fill_bench(database)
    bench = Workbench(database)
    ann = bench.program(bench.add("person-aaaa"))
    body = {"base_revision": 0, "save_id": "a", "draft": DRAFT}
    assert ann.post("/api/v1/units/1/lease").status_code == 200
    assert ann.put("/api/v1/units/1/draft", json=body).status_code == 200
    with database.begin() as conn:
        conn.exec_driver_sql("""UPDATE drafts SET document = '{"claims": 7}'""")
    failed = ann.put("/api/v1/units/1/draft", json=body)
    assert (failed.status_code, failed.json()["type"]) == (500, "urn:sentinel:problem:failed")
    assert ann.get("/readyz").status_code == 200
    assert send(ann, a_label("event-0", UNSUPPORTED)).status_code == 201
