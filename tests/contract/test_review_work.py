"""Work on the queue on both databases: who may label what, what is stored, what nobody is told."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from itertools import permutations

import pytest

from sentinel.clock import FixedClock
from sentinel.labelling.adjudication import derive
from sentinel.review.blindness import review_of
from sentinel.review.identity.permission import Person
from sentinel.review.label_import import LabelImport, NumberedLine
from sentinel.review.labelling_page.opinions import Given, Sent, give, save
from sentinel.review.labelling_page.reserving import escalate, keep_open, skip, take_next
from sentinel.review.labelling_page.standing import standing_of
from sentinel.review.queueing.assigning import assign
from sentinel.review.queueing.selection import Position, WorkFilter, count_work, work_page
from sentinel.review.refusals import RefusedError
from sentinel.review.unit_access import unit_by_id
from sentinel.review.workshop import Workshop
from sentinel.store.annotations import annotations_of_event
from sentinel.store.database import Database
from sentinel.store.drafts import DraftKey, find_draft
from sentinel.store.people import add_person
from sentinel.store.second_reviews import find_course
from sentinel.store.units import set_status
from tests.review_bench import ANN, BEN, CEM, DORA, ERIN, KEY, NOW, document, fill, label, redaction, workshop


def refused(act: object, *arguments: object) -> str:
    with pytest.raises(RefusedError) as caught:
        act(*arguments)  # type: ignore[operator]
    return caught.value.code


def move(shop: Workshop, **parts: float) -> None:
    assert isinstance(shop.clock, FixedClock)
    shop.clock.set(shop.clock.now() + timedelta(**parts))


def records(database: Database, event_id: str) -> list[tuple[str, str, int]]:
    with database.read() as conn:
        found = annotations_of_event(conn, event_id)
    return [
        (one.annotation.annotator, one.annotation.role, one.annotation.unsupported_claims) for one in found
    ]


def seen_by(shop: Workshop, person: Person, wanted: WorkFilter | None = None) -> list[int]:
    """All that the person's queue lists, page by page; it must be what is counted and what can be opened."""
    found: list[int] = []
    after: Position | None = None
    with shop.database.read() as conn:
        while True:
            page = work_page(conn, person.id, wanted or WorkFilter(), 7, shop.clock.now(), after=after)
            found += [row.id for row in page.rows]
            if page.after is None:
                break
            after = Position.parse(page.after)
        assert count_work(conn, person.id, wanted or WorkFilter(), shop.clock.now()) == len(found)
    return found


@pytest.mark.parametrize("needed", [1, 2])
def test_of_three_who_submit_at_once_the_server_takes_those_it_needs(database: Database, needed: int) -> None:
    shop = workshop(database, second_review_share=float(needed - 1))
    (unit_id,) = fill(database, 1)
    outcomes: list[Given | str] = []
    gate = threading.Barrier(3)

    def submit(person: Person) -> None:
        gate.wait()
        for _ in range(10):  # a second opinion may only come after the first
            try:
                outcomes.append(label(shop, person, unit_id))
                return
            except RefusedError as error:
                last = error.code
        outcomes.append(last)

    threads = [threading.Thread(target=submit, args=(person,)) for person in (ANN, BEN, CEM)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(one, Given) for one in outcomes) == needed
    assert [one for one in outcomes if isinstance(one, str)] == ["closed"] * (3 - needed)
    assert len(records(database, "e00000")) == needed


def test_the_final_label_does_not_depend_on_who_came_first(database: Database) -> None:
    shop = workshop(database, second_review_share=1.0)
    orders = list(permutations((ANN, BEN)))
    unit_ids = fill(database, len(orders))
    said = {ANN: ("supported",) * 3, BEN: ("supported", "contradicted", "supported")}
    finals = []
    for number, (unit_id, order) in enumerate(zip(unit_ids, orders, strict=True)):
        for person in order:
            label(shop, person, unit_id, *said[person])
        give(shop, DORA, unit_id, "adjudication", Sent(document(said[BEN])))
        with database.read() as conn:
            found = derive(annotations_of_event(conn, f"e{number:05d}"))
        assert found is not None
        finals.append((found.final, found.annotation.unsupported_claims, found.annotation.role))
    assert finals == [(True, 1, "adjudicator")] * len(orders)


def test_all_opinions_stay_and_corrections_are_new_records(database: Database) -> None:
    shop = workshop(database, second_review_share=1.0)
    (unit_id,) = fill(database, 1)
    first = label(shop, ANN, unit_id)
    label(shop, BEN, unit_id, "supported", "contradicted", "supported")
    move(shop, days=3)
    corrected = label(shop, ANN, unit_id, "supported", "contradicted", "supported")
    assert corrected.corrects == first.annotation_id
    again = label(shop, ANN, unit_id, "supported", "contradicted", "supported")
    assert (again.repeated, again.annotation_id) == (True, corrected.annotation_id)
    assert [who for who, _, _ in records(database, "e00000")] == ["ann", "ben", "ann"]
    with database.read() as conn:
        course = find_course(conn, unit_id)
        label_there = derive(annotations_of_event(conn, "e00000"))
    assert course is not None
    assert (course.state, course.probability) == ("settled", 1.0)
    assert label_there is not None
    assert (label_there.final, label_there.annotation.unsupported_claims) == (True, 1)


def test_ones_own_label_can_be_corrected_long_after_the_lease(database: Database) -> None:
    shop = workshop(database, lease_minutes=1.0)
    (unit_id,) = fill(database, 1)
    label(shop, ANN, unit_id)
    for hours in (0, 1, 100):
        move(shop, hours=hours)
        assert keep_open(shop, ANN, unit_id) is None
        save(
            shop, ANN, unit_id, "opinion", 0 if hours == 0 else hours // 99 + 1, f"s{hours}", document(), 1.0
        )
    assert label(shop, ANN, unit_id, "supported", "contradicted", "supported").corrects is not None


def test_a_lease_that_ended_harms_nobody(database: Database) -> None:
    shop = workshop(database, lease_minutes=30.0)
    (unit_id,) = fill(database, 1)
    save(shop, ANN, unit_id, "opinion", 0, "s1", document(), 10.0)
    assert refused(keep_open, shop, BEN, unit_id) == "taken"
    assert seen_by(shop, BEN) == []
    move(shop, minutes=31)
    assert label(shop, ANN, unit_id).repeated is False  # nobody took it: the work is not lost
    (other,) = fill(database, 2)[1:]
    save(shop, ANN, other, "opinion", 0, "s2", document(), 10.0)
    move(shop, minutes=31)
    assert keep_open(shop, BEN, other) is not None
    assert refused(label, shop, ANN, other) == "expired"
    with database.read() as conn:
        assert find_draft(conn, DraftKey(other, "ann", "opinion")) is not None
    move(shop, minutes=31)
    assert label(shop, ANN, other).repeated is False


def test_leases_outlive_a_restart(database: Database) -> None:
    shop = workshop(database)
    unit_ids = fill(database, 3)
    assert [take_next(shop, person) for person in (ANN, BEN, CEM)] == unit_ids
    again = workshop(database)
    assert [take_next(again, person) for person in (ANN, BEN, CEM)] == unit_ids
    assert take_next(again, DORA) is None


def test_the_same_request_sent_again_writes_once(database: Database) -> None:
    shop = workshop(database)
    unit_ids = fill(database, 2)
    sent = Sent(document(), idempotency_key="key-1")
    first = give(shop, ANN, unit_ids[0], "opinion", sent)
    second = give(shop, ANN, unit_ids[0], "opinion", sent)
    assert (second.annotation_id, second.repeated) == (first.annotation_id, True)
    assert refused(give, shop, ANN, unit_ids[1], "opinion", sent) == "key_reused"
    assert give(shop, BEN, unit_ids[1], "opinion", sent).repeated is False
    assert len(records(database, "e00000")) == 1


def test_two_pages_of_one_person_never_overwrite_each_other(database: Database) -> None:
    shop = workshop(database)
    (unit_id,) = fill(database, 1)
    assert save(shop, ANN, unit_id, "opinion", 0, "a1", document(comment="one"), 5.0).draft.revision == 1
    assert save(shop, ANN, unit_id, "opinion", 0, "a1", document(comment="one"), 5.0).draft.revision == 1
    assert refused(save, shop, ANN, unit_id, "opinion", 0, "b1", document(comment="two"), 5.0) == "conflict"
    assert save(shop, ANN, unit_id, "opinion", 1, "a2", document(comment="three"), 5.0).draft.revision == 2
    with pytest.raises(RefusedError) as caught:
        give(shop, ANN, unit_id, "opinion", Sent(document(comment="two"), base_revision=1))
    assert caught.value.facts["draft"]["comment"] == "three"
    given = give(shop, ANN, unit_id, "opinion", Sent(document(comment="three"), base_revision=2))
    assert given.repeated is False
    assert refused(save, shop, ANN, unit_id, "opinion", 2, "b2", document(comment="late"), 1.0) == "conflict"
    with database.read() as conn:
        stored = find_draft(conn, DraftKey(unit_id, "ann", "opinion"))
    assert stored is not None
    assert (stored.seconds, stored.submitted) == (10.0, True)


def test_a_second_opinion_looks_like_a_first_one(database: Database) -> None:
    shop = workshop(database, second_review_share=1.0)
    unit_ids = fill(database, 20)
    before = seen_by(shop, BEN)
    for unit_id in unit_ids[4:9]:
        label(shop, ANN, unit_id)
        move(shop, hours=1)
    assert seen_by(shop, BEN) == before == unit_ids  # neither order nor number tells
    assert seen_by(shop, ANN) == [one for one in unit_ids if one not in unit_ids[4:9]]
    label(shop, BEN, unit_ids[4])
    assert unit_ids[4] not in seen_by(shop, CEM)
    assert refused(label, shop, CEM, unit_ids[4]) == "closed"


def test_critical_cases_go_to_a_second_reviewer_with_their_probability(database: Database) -> None:
    shop = workshop(database)
    plain, critical, later = fill(database, 3)
    label(shop, ANN, plain)
    label(shop, ANN, critical, "supported", "contradicted", "supported", severity="critical")
    label(shop, ANN, later)
    assert seen_by(shop, BEN) == [critical]
    label(shop, ANN, later, "supported", "contradicted", "supported", severity="critical")
    assert seen_by(shop, BEN) == [critical, later]
    with database.read() as conn:
        courses = [find_course(conn, unit_id) for unit_id in (plain, critical, later)]
    found = [(one.state, one.reason, one.probability) for one in courses if one]
    assert found == [("single", "not_drawn", 0.0), *[("waiting", "critical", 1.0)] * 2]


def test_only_an_adjudicator_who_gave_no_opinion_decides(database: Database) -> None:
    shop = workshop(database, second_review_share=1.0)
    (unit_id,) = fill(database, 1)
    assert refused(give, shop, DORA, unit_id, "adjudication", Sent(document())) == "closed"
    label(shop, DORA, unit_id)
    label(shop, BEN, unit_id, "supported", "contradicted", "supported")
    assert refused(give, shop, ANN, unit_id, "adjudication", Sent(document())) == "forbidden"
    assert refused(give, shop, DORA, unit_id, "adjudication", Sent(document())) == "forbidden"
    assert give(shop, ERIN, unit_id, "adjudication", Sent(document())).state == "settled"
    assert [role for _, role, _ in records(database, "e00000")] == ["annotator", "annotator", "adjudicator"]


def test_skipping_and_escalating(database: Database) -> None:
    shop = workshop(database)
    one, other = fill(database, 2)
    assert take_next(shop, ANN) == one
    skip(shop, ANN, one, "write to zoe@corp.example")
    assert take_next(shop, ANN) == other
    assert seen_by(shop, BEN) == [one]  # the other one is open elsewhere
    assert refused(escalate, shop, ANN, other, " ") == "no_reason"
    escalate(shop, ANN, other, "two policies contradict each other")
    assert refused(label, shop, BEN, other) == "escalated"
    assert seen_by(shop, BEN) == [one]
    give(shop, DORA, other, "adjudication", Sent(document()))
    assert records(database, "e00001") == [("dora", "adjudicator", 0)]
    with database.read() as conn:
        notes = conn.exec_driver_sql("SELECT kind, detail FROM unit_events ORDER BY id").all()
    assert [tuple(note) for note in notes] == [
        ("skipped", "write to <EMAIL_1>"),
        ("escalated", "two policies contradict each other"),
    ]


@pytest.mark.parametrize("status", ["lost", "purged"])
def test_what_has_no_content_is_not_counted_and_cannot_be_opened(database: Database, status: str) -> None:
    shop = workshop(database)
    one, other = fill(database, 2)
    with database.begin() as conn:
        conn.exec_driver_sql(f"DELETE FROM unit_contents WHERE unit_id = {one}")
        set_status(conn, ["e00000"], status)  # type: ignore[arg-type]
    assert seen_by(shop, ANN) == [other]
    assert refused(keep_open, shop, ANN, one) == "gone"
    assert refused(label, shop, ANN, one) == "gone"
    assert refused(keep_open, shop, ANN, 10**12) == "not_found"


@pytest.mark.parametrize(
    ("total", "german", "page_size"), [(60, 25, 20), (7, 7, 5), (30, 0, 10), (41, 1, 40)]
)
def test_bulk_assignment_gives_out_exactly_what_the_filter_finds(
    database: Database, total: int, german: int, page_size: int
) -> None:
    shop = workshop(database, page_size=page_size)
    locales = ["de"] * german + ["en"] * (total - german)
    fill(database, total)
    with database.begin() as conn:
        for number, locale in enumerate(locales):
            conn.exec_driver_sql(f"UPDATE units SET locale = '{locale}' WHERE event_id = 'e{number:05d}'")
        for name, role in (("ben", "reviewer"), ("cem", "reviewer"), ("vera", "viewer")):
            add_person(conn, name, name.title(), role, NOW)
    wanted = WorkFilter({"locale": "de"})
    assert len(seen_by(shop, ANN, wanted)) == german
    for nobody in ("", "vera", "Zoe Quill, zq@corp.example"):
        assert refused(assign, shop, DORA, nobody, wanted) == "no_annotator"
    assert assign(shop, DORA, "ben", wanted).given == german
    assert len(seen_by(shop, ANN)) == total - german
    assert len(seen_by(shop, BEN, wanted)) == german
    assert assign(shop, DORA, "cem", wanted).given == 0
    move(shop, days=8)
    assert len(seen_by(shop, ANN)) == total  # an assignment ends by itself


@pytest.mark.parametrize("after", ["own label", "agreed", "decided"])
def test_ones_own_labelled_answer_cannot_be_handed_on(database: Database, after: str) -> None:
    shop = workshop(database, second_review_share=1.0)
    (unit_id,) = fill(database, 1)
    label(shop, ANN, unit_id)
    if after != "own label":
        label(shop, BEN, unit_id, *(["supported"] * 2), "supported" if after == "agreed" else "contradicted")
    if after == "decided":
        give(shop, DORA, unit_id, "adjudication", Sent(document()))
    with database.read() as conn:
        before = find_course(conn, unit_id)
    assert refused(escalate, shop, ANN, unit_id, "I see it otherwise") == "closed"
    with database.read() as conn:
        assert find_course(conn, unit_id) == before


def test_labels_from_before_the_draw_are_not_shown_to_who_labels_it(database: Database) -> None:
    shop = workshop(database)
    claims = [{"text": "x", "label": "contradicted"}]
    line = {"event_id": "e00000", "annotator": "r9", "answered": True, "abstention": "none", "claims": claims}
    taking = LabelImport(database, redaction().texts, KEY, shop.clock)
    assert taking.run([NumberedLine(1, json.dumps(line).encode())]).outside_sample == 1
    (unit_id,) = fill(database, 1)
    assert seen_by(shop, BEN) == [unit_id]
    with database.read() as conn:
        stored = unit_by_id(conn, unit_id)
        assert stored is not None
        assert not standing_of(conn, BEN, stored, NOW).is_over
        review = review_of(conn, "e00000", BEN)
    assert not review.is_over
    assert review.seen(BEN) == []
    label(shop, BEN, unit_id)
    with database.read() as conn:
        assert review_of(conn, "e00000", BEN).is_over
        assert standing_of(conn, BEN, stored, NOW).is_over


def test_the_age_of_an_answer_filters(database: Database) -> None:
    shop = workshop(database)
    fill(database, 10)
    edge = NOW - timedelta(days=1) + timedelta(minutes=4)
    assert len(seen_by(shop, ANN, WorkFilter(answered_before=edge))) == 4
    assert len(seen_by(shop, ANN, WorkFilter(answered_after=edge))) == 6


def test_opinions_by_file_go_the_same_way(database: Database) -> None:
    shop = workshop(database, second_review_share=1.0)
    one, other = fill(database, 2)
    label(shop, ANN, one)
    lines = [
        {"event_id": event, "annotator": who, "answered": True, "abstention": "none", "claims": claims}
        for event, who, claims in (
            ("e00000", "r9", [{"text": "x", "label": "contradicted"}]),
            ("e00001", "r8", [{"text": "x", "label": "contradicted", "severity": "critical"}]),
            ("e00001", "r9", [{"text": "x", "label": "supported"}]),
        )
    ]
    numbered = [NumberedLine(n, json.dumps(line).encode()) for n, line in enumerate(lines, 1)]
    taking = LabelImport(database, redaction().texts, KEY, shop.clock)
    assert taking.run(numbered).accepted == 3
    with database.read() as conn:
        courses = [find_course(conn, unit_id) for unit_id in (one, other)]
    assert [course.state for course in courses if course] == ["disagreed", "disagreed"]
    assert seen_by(shop, BEN) == []
