"""Labels by file into a store: kept, corrected, refused, redacted, marked, and out again."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from sentinel.clock import FixedClock
from sentinel.errors import DeadLetterError
from sentinel.labelling.annotators import annotator_pseudonym
from sentinel.review.label_export import label_lines
from sentinel.review.label_import import BATCH_LINES, LabelImport, NumberedLine, numbered_lines
from sentinel.review.queue import status_totals
from sentinel.store.annotations import annotations_of_event, iter_annotations
from sentinel.store.database import Database
from sentinel.store.schema import metadata
from tests.integration.label_store import (
    KEY,
    LATER,
    claim,
    database,
    drawn,
    fill,
    import_lines,
    line,
    redact_texts,
)

__all__ = ["database"]


def everything(store: Database) -> str:
    """Every cell of every table, as one text."""
    with store.read() as conn:
        return "\n".join(
            str(list(row)) for table in metadata.sorted_tables for row in conn.execute(sa.select(table))
        )


def test_a_label_of_a_drawn_answer_is_kept_and_its_unit_labelled(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    outcome = import_lines(database, line("e1", claim("contradicted", "high")))
    assert (outcome.lines, outcome.accepted, outcome.outside_sample, outcome.refused.total()) == (1, 1, 0, 0)
    with database.read() as conn:
        assert status_totals(conn) == {"labelled": 1, "pending": 1}
        (stored,) = annotations_of_event(conn, "e1")
    assert stored.probability_sample
    assert stored.annotation.claims[0].severity == "high"


def test_a_label_of_an_answer_that_was_never_drawn_is_kept_and_marked(database: Database) -> None:
    fill(database, [drawn("e1")])
    outcome = import_lines(database, line("stranger", claim("contradicted")))
    assert (outcome.accepted, outcome.outside_sample) == (1, 1)
    with database.read() as conn:
        (stored,) = iter_annotations(conn)
    assert not stored.probability_sample


def test_the_same_line_again_is_a_duplicate_and_a_changed_one_a_correction(database: Database) -> None:
    fill(database, [drawn("e1")])
    first, changed = line("e1", claim()), line("e1", claim("contradicted"))
    import_lines(database, first)
    again = import_lines(database, first)
    assert (again.accepted, dict(again.refused)) == (0, {"duplicate": 1})
    corrected = import_lines(database, changed)
    assert (corrected.accepted, corrected.corrections) == (1, 1)
    back = import_lines(database, first)
    assert (back.accepted, back.corrections) == (1, 1)
    with database.read() as conn:
        records = annotations_of_event(conn, "e1")
    assert [record.replaces for record in records] == [None, records[0].id, records[1].id]


def test_two_annotators_and_an_adjudicator_do_not_replace_each_other(database: Database) -> None:
    fill(database, [drawn("e1")])
    import_lines(
        database,
        line("e1", claim()),
        line("e1", claim(), annotator="ann-2"),
        line("e1", claim(), annotator="ann-1", role="adjudicator"),
    )
    with database.read() as conn:
        assert [record.replaces for record in annotations_of_event(conn, "e1")] == [None, None, None]


def test_a_label_that_came_before_the_draw_enters_the_sample_when_said_again(database: Database) -> None:
    import_lines(database, line("e1", claim()))
    assert dict(import_lines(database, line("e1", claim())).refused) == {"duplicate": 1}
    fill(database, [drawn("e1")])
    assert import_lines(database, line("e1", claim())).accepted == 1
    with database.read() as conn:
        assert [r.probability_sample for r in annotations_of_event(conn, "e1")] == [False, True]
        assert status_totals(conn) == {"labelled": 1}


def test_a_bad_line_costs_itself_alone_and_is_named_by_number(database: Database) -> None:
    fill(database, [drawn(f"e{n}") for n in range(4)])
    outcome = import_lines(
        database,
        line("e0", claim()),
        b"not json",
        line("e1", claim("wrong")),
        line("e0", claim()),
        line("e2", claim(), answered=False, abstention="failed"),
        line("e3", claim()),
    )
    assert (outcome.lines, outcome.accepted) == (6, 2)
    assert [(refusal.number, refusal.reason) for refusal in outcome.refusals] == [
        (2, "not_json"),
        (3, "unknown_value"),
        (4, "duplicate"),
        (5, "failed_abstention_not_answered"),
    ]


def test_the_first_twenty_refusals_are_shown_and_all_are_counted(database: Database) -> None:
    fill(database, [drawn("e0")])
    lines = [line("e0", claim()), line("e0", claim()), *[b"{"] * (BATCH_LINES + 50)]
    outcome = import_lines(database, *lines)
    assert outcome.refused == {"not_json": BATCH_LINES + 50, "duplicate": 1}
    assert [refusal.number for refusal in outcome.refusals] == list(range(2, 22))


def test_more_lines_than_a_batch(database: Database) -> None:
    number = 2 * BATCH_LINES + 7
    fill(database, [drawn(f"e{n}") for n in range(number)])
    outcome = import_lines(database, *(line(f"e{n}", claim()) for n in range(number)))
    assert outcome.accepted == number
    with database.read() as conn:
        assert status_totals(conn) == {"labelled": number}


PLANTED = {
    "zoe.marsh@corp.test": "marsh",
    "4111 1111 1111 1111": "1111 1111",
    "DE89 3704 0044 0532 0130 00": "0044 0532",
}


@pytest.mark.parametrize("secret", PLANTED)
@pytest.mark.parametrize(
    "change",
    [
        {"claims": [claim(text="ask {} today")]},
        {"claims": [claim(subtype="seen by {}")]},
        {"comment": "see {} below"},
        {"root_causes": ["told by {}"]},
        {"citations": [{"id": "mail-{}", "entails": True}]},
        {"guideline_version": "by {}"},
        {"annotator": "{}"},
        {"comment": "\u200b{}\x00", "claims": [claim(text="🙂🙂 {} 👨‍👩‍👧")]},
    ],
)
def test_personal_data_in_any_text_of_a_label_is_not_stored(
    database: Database, change: dict[str, object], secret: str
) -> None:
    fill(database, [drawn("e1")])
    planted = json.loads(json.dumps(change).replace("{}", secret))
    outcome = import_lines(database, line("e1", claim()) | planted)
    assert outcome.accepted == 1
    stored = everything(database)
    assert secret not in stored
    assert PLANTED[secret] not in stored


def test_an_annotator_keeps_one_pseudonym_over_files(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    import_lines(database, line("e1", claim(), annotator="Zoe.Marsh@corp.test"))
    import_lines(database, line("e2", claim(), annotator="zoe.marsh@corp.test"))
    with database.read() as conn:
        names = {record.annotation.annotator for record in iter_annotations(conn)}
    assert len(names) == 1
    assert next(iter(names)).startswith("annotator-")


OPAQUE = ("ann-1", "a", "7", "u_19.b:c-2", "ANN", "alice", "reviewer-07", "A" * 64, "p.3", "id:4f")
PERSONAL = (
    "Zoe Marsh", " ann-1", "ann 1", "zoé", "Ян", "山田", "a" * 65, "-ann", "zoe@corp.test", "o'hara",
    "zoe/marsh", "+49-170-1234567", "123-45-6789", "4111111111111111", "DE89370400440532013000",
)  # fmt: skip


@pytest.mark.parametrize("says", ["nothing", "everything"])
def test_whether_a_name_is_replaced_does_not_hang_on_the_model(database: Database, says: str) -> None:
    def model(texts: Sequence[str]) -> list[str | DeadLetterError]:
        return list(texts) if says == "nothing" else ["<PERSON_1>" for _ in texts]

    taking = LabelImport(database, model, KEY, FixedClock(LATER))
    names = [*OPAQUE, *PERSONAL]
    lines = [line("e1", claim(), annotator=name) for name in names]
    outcome = taking.run(NumberedLine(n, json.dumps(one).encode()) for n, one in enumerate(lines, start=1))
    assert outcome.accepted == len(names)
    with database.read() as conn:
        stored = [record.annotation.annotator for record in iter_annotations(conn)]
    assert stored[: len(OPAQUE)] == list(OPAQUE)
    assert stored[len(OPAQUE) :] == [annotator_pseudonym(name, KEY) for name in PERSONAL]


def test_an_address_as_event_id_is_refused(database: Database) -> None:
    outcome = import_lines(database, line("case of zoe@corp.test", claim()))
    assert dict(outcome.refused) == {"personal_data_in_id": 1}
    assert "zoe" not in everything(database)


def test_a_text_that_cannot_be_redacted_is_not_stored_and_costs_its_line_alone(database: Database) -> None:
    fill(database, [drawn("e1"), drawn("e2")])

    def failing(texts: Sequence[str]) -> list[str | DeadLetterError]:
        return [
            DeadLetterError("redaction_failed", "the detector raised") if "poison" in text else text
            for text in texts
        ]

    taking = LabelImport(database, failing, KEY, FixedClock(LATER))
    lines = [line("e1", claim(), comment="poison here"), line("e2", claim(), comment="fine")]
    outcome = taking.run(NumberedLine(n, json.dumps(one).encode()) for n, one in enumerate(lines, start=1))
    assert (outcome.accepted, dict(outcome.refused)) == (1, {"redaction_failed": 1})
    assert "poison" not in everything(database)


def test_a_redactor_that_loses_texts_stores_none(database: Database) -> None:
    taking = LabelImport(database, lambda texts: [], KEY, FixedClock(LATER))
    outcome = taking.run([NumberedLine(1, json.dumps(line("e1", claim())).encode())])
    assert (outcome.accepted, dict(outcome.refused)) == (0, {"redaction_failed": 1})


def test_known_names_of_failures_are_not_taken_for_persons(database: Database) -> None:
    fill(database, [drawn("e1")])
    taking = LabelImport(database, lambda texts: ["<PERSON_1>" for _ in texts], KEY, FixedClock(LATER))
    label = line("e1", claim("contradicted", subtype="INVENTED_PERSON"), root_causes=["GENERATION"])
    taking.run([NumberedLine(1, json.dumps(label).encode())])
    with database.read() as conn:
        (stored,) = annotations_of_event(conn, "e1")
    assert stored.annotation.claims[0].subtype == "INVENTED_PERSON"
    assert stored.annotation.root_causes == ("GENERATION",)


def test_an_export_makes_the_same_labels_in_another_store(database: Database, tmp_path: object) -> None:
    fill(database, [drawn("e1"), drawn("e2")])
    hard = "line\u2028break \x85 \U0001f642 \ud800"
    import_lines(
        database,
        line("e1", claim(), comment=hard, annotator="zoe@corp.test"),
        line("e1", claim("contradicted", "critical", subtype="wrong number"), annotator="zoe@corp.test"),
        line("e2", annotator="ann-2", answered=False, abstention="correct"),
        line("never-drawn", claim()),
    )
    with database.read() as conn:
        before = list(iter_annotations(conn))
        exported = "".join(label_lines(conn))
    assert len(exported.splitlines()) == len(before) == 4
    with Database(f"sqlite:///{tmp_path}/second.db") as second:
        second.upgrade()
        fill(second, [drawn("e1"), drawn("e2")])
        taking = LabelImport(second, redact_texts, KEY, FixedClock(LATER))
        outcome = taking.run(numbered_lines(io.BytesIO(exported.encode()), 1_000_000))
        assert (outcome.accepted, outcome.unknown_keys) == (4, 0)
        with second.read() as conn:
            after = list(iter_annotations(conn))
    assert [record.annotation for record in after] == [record.annotation for record in before]
    assert [record.probability_sample for record in after] == [record.probability_sample for record in before]


@pytest.mark.parametrize("most_bytes", [1, 3, 5, 8, 100])
def test_lines_are_numbered_as_an_editor_numbers_them(most_bytes: int) -> None:
    text = b"a\r\n\n  \nbbbbbb\ncccc\r\n\r\nlast"
    found = {one.number: one.value for one in numbered_lines(io.BytesIO(text), most_bytes)}
    expected = {1: b"a", 4: b"bbbbbb", 5: b"cccc", 7: b"last"}
    assert {n: v for n, v in found.items() if v is not None} == {
        n: v for n, v in expected.items() if len(v) <= most_bytes
    }
    assert {n for n, v in found.items() if v is None} >= {
        n for n, v in expected.items() if len(v) > most_bytes
    }
