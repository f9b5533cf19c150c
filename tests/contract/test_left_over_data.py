"""Personal data in what reviewers write, and what redaction left over: it goes from all that can change."""

from __future__ import annotations

from pathlib import Path

import pytest

from sentinel.errors import StopError
from sentinel.review.labelling_page.leftover_data import remove_left_over
from sentinel.review.labelling_page.opinions import Sent, give, save
from sentinel.review.labelling_page.reserving import escalate, take_next
from sentinel.review.unit_access import unit_by_id
from sentinel.store.annotations import annotations_of_event
from sentinel.store.calibration import CalibrationAnswer, add_answer, add_batch, answers_of, batch_items
from sentinel.store.database import Database
from sentinel.store.drafts import DraftKey, find_draft
from sentinel.store.unit_events import events_of_unit
from tests.contract.test_review_work import refused
from tests.review_bench import ANN, BEN, DORA, NOW, document, fill, label, workshop

#: Tables that hold words about an answer besides its content, its drafts and its labels.
WORDS = {"unit_events": "detail", "calibration_items": "known", "calibration_answers": "document"}


def test_words_of_reviewers_are_stored_redacted(database: Database) -> None:
    shop = workshop(database)
    (unit_id,) = fill(database, 1)
    hostile = "ask zoe@corp.example\x00 about alpha\u0000beta"
    found = document(comment=hostile, root_causes=["GENERATION", "zoe@corp.example"])
    found["claims"][0]["text"] = "Write to zoe@corp.example."
    found["claims"][0]["subtype"] = "zoe@corp.example"
    save(shop, ANN, unit_id, "opinion", 0, "s1", found, 1.0)
    give(shop, ANN, unit_id, "opinion", Sent(found, base_revision=1))
    with database.read() as conn:
        stored = annotations_of_event(conn, "e00000")[0].annotation
        draft = find_draft(conn, DraftKey(unit_id, "ann", "opinion"))
        everything = conn.exec_driver_sql("SELECT document FROM drafts").scalar_one()
    assert draft is not None
    assert stored.comment == "ask <EMAIL_1> about alphabeta"
    assert stored.claims[0].text == "Write to <EMAIL_1>."
    assert stored.root_causes == ("GENERATION", "<EMAIL_1>")
    assert "zoe" not in everything
    assert stored.guideline_version == "built-in-1"


def test_left_over_personal_data_goes_from_everything_that_can_change(database: Database) -> None:
    shop = workshop(database)
    answer = "Ask Zoe  Quill. zoe quill knows, mail her at zq@corp.example."
    passage = {"id": "p", "text": "Zoe Quill"}
    content = {"question": "Who is ZOE QUILL?", "answer": answer, "retrieved": [passage]}
    (unit_id,) = fill(database, 1, content=content)
    save(shop, ANN, unit_id, "opinion", 0, "s1", document(comment="Zoe Quill again"), 1.0)
    assert refused(remove_left_over, shop, ANN, unit_id, "Nobody Here", "PERSON") == "not_there"
    assert refused(remove_left_over, shop, ANN, unit_id, "Zoe Quill", "NOBODY") == "unknown_kind"
    done = remove_left_over(shop, ANN, unit_id, " Zoe \n Quill ", "PERSON")
    assert (done.in_answer, done.in_labels) == (4, 0)
    with database.read() as conn:
        stored = unit_by_id(conn, unit_id)
        tables = ("unit_contents", "drafts", "unit_events", "units")
        dump = " ".join(str(conn.exec_driver_sql(f"SELECT * FROM {table}").all()) for table in tables)
    assert stored is not None
    assert stored.content == {
        "question": "Who is <PERSON_1>?",
        "answer": "Ask <PERSON_1>. <PERSON_1> knows, mail her at <EMAIL_1>.",
        "retrieved": [{"id": "p", "text": "<PERSON_1>"}],
    }
    assert "quill" not in dump.lower()


def test_whoever_labels_blind_is_not_told_that_others_labels_hold_the_words(database: Database) -> None:
    shop = workshop(database, second_review_share=1.0)
    content = {
        "question": "Where?",
        "answer": "A flat above the mill, behind the blue door.",
        "retrieved": [],
    }
    (unit_id,) = fill(database, 1, content=content)
    label(shop, ANN, unit_id, comment="above the mill, behind the blue door")
    assert remove_left_over(shop, BEN, unit_id, "above the mill", "ADDRESS").in_labels == 0
    assert remove_left_over(shop, DORA, unit_id, "behind the blue door", "ADDRESS").in_labels == 0, (
        "an adjudicator may label it, too"
    )
    label(shop, BEN, unit_id)
    assert remove_left_over(shop, DORA, unit_id, "A flat", "ADDRESS").in_labels == 0
    with database.read() as conn:
        details = [event.detail for event in events_of_unit(conn, unit_id)]
    assert details == [
        "ADDRESS: 1 in the answer, 1 in labels",
        "ADDRESS: 1 in the answer, 1 in labels",
        "ADDRESS: 1 in the answer, 0 in labels",
    ]


def test_all_are_told_of_once_all_labels_are_in(database: Database) -> None:
    shop = workshop(database)
    content = {"question": "Where?", "answer": "A flat above the mill.", "retrieved": []}
    (unit_id,) = fill(database, 1, content=content)
    label(shop, ANN, unit_id, comment="above the mill")
    assert remove_left_over(shop, DORA, unit_id, "above the mill", "ADDRESS").in_labels == 1


def test_left_over_words_go_from_trials_and_notes(database: Database) -> None:
    shop = workshop(database)
    content = {"question": "Who?", "answer": "Ask Quillfeather at the mill.", "retrieved": []}
    first, other = fill(database, 2, content=content)
    said = document(comment="Quillfeather, of the mill")
    escalate(shop, ANN, first, "Is Quillfeather allowed here?")
    with database.begin() as conn:
        add_batch(conn, "week", {first: said, other: said}, "dora", NOW)
        for unit_id in (first, other):
            add_answer(conn, CalibrationAnswer("week", unit_id, "cem", said, 4.0, NOW))
    for table, column in WORDS.items():
        change = f"UPDATE {table} SET {column} = {column} WHERE unit_id = {first}"
        with pytest.raises(StopError, match="append-only"), database.begin() as conn:
            conn.exec_driver_sql(change)
    assert remove_left_over(shop, DORA, first, "Quillfeather", "PERSON").in_answer == 1
    with database.read() as conn:
        for table, column in WORDS.items():
            query = f"SELECT {column} FROM {table} WHERE unit_id = {{}}"
            assert "Quillfeather" not in str(conn.exec_driver_sql(query.format(first)).all()), table
        assert "<PERSON_1>, of the mill" in str(batch_items(conn, "week")[0].known)
        assert "Quillfeather" in str(batch_items(conn, "week")[1].known), "another answer's is its own matter"
        (kept,) = (one for one in answers_of(conn, "week", "cem") if one.unit_id == first)
    assert (kept.seconds, kept.created_at) == (4.0, NOW)
    for change in ("UPDATE calibration_answers SET seconds = 9", "DELETE FROM unit_events"):
        with pytest.raises(StopError, match="append-only"), database.begin() as conn:
            conn.exec_driver_sql(f"{change} WHERE unit_id = {first}")


def test_what_was_left_over_stands_in_no_file_of_sqlite(tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 'store.db'}") as database:
        database.upgrade()
        shop = workshop(database)
        content = {"question": "Who?", "answer": "Ask Quillfeather. " * 300, "retrieved": []}
        (unit_id,) = fill(database, 1, content=content)
        database.empty_log()
        assert remove_left_over(shop, DORA, unit_id, "Quillfeather", "PERSON").in_answer == 300
        held = {file.name for file in tmp_path.iterdir() if b"Quillfeather" in file.read_bytes()}
    assert held == set()


def test_who_has_nothing_to_do_with_an_answer_changes_nothing_in_it(database: Database) -> None:
    shop = workshop(database)
    settled, held = fill(database, 2)
    label(shop, ANN, settled)
    assert take_next(shop, ANN) == held
    for unit_id in (settled, held):
        assert refused(remove_left_over, shop, BEN, unit_id, "30 days", "OTHER") == "forbidden"
    assert remove_left_over(shop, ANN, settled, "30 days", "OTHER").in_answer == 2, "their own label"
    assert remove_left_over(shop, ANN, held, "30 days", "OTHER").in_answer == 2, "their own work"
    assert remove_left_over(shop, DORA, held, "12 euro", "OTHER").in_answer == 1, "who oversees"
