"""Personal data in what reviewers write, and what redaction left over: it goes from all that can change."""

from __future__ import annotations

from pathlib import Path

from sentinel.review.labelling_page.leftover_data import remove_left_over
from sentinel.review.labelling_page.opinions import Sent, give, save
from sentinel.review.labelling_page.reserving import take_next
from sentinel.review.unit_access import unit_by_id
from sentinel.store.annotations import annotations_of_event
from sentinel.store.database import Database
from sentinel.store.drafts import DraftKey, find_draft
from tests.contract.test_review_work import refused
from tests.review_bench import ANN, BEN, DORA, document, fill, label, workshop


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
    assert remove_left_over(shop, DORA, unit_id, "behind the blue door", "ADDRESS").in_labels == 1


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
