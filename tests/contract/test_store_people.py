"""People, tokens, sessions, the audit trail and kept answers, on both databases."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa

from sentinel.errors import StopError
from sentinel.store import audit, kept_answers, people, sessions
from sentinel.store.database import Database
from sentinel.store.kept_answers import KeptAnswer
from tests.contract.store_samples import DAY, NOW


def add(database: Database, person_id: str = "person-a", role: str = "reviewer") -> people.StoredPerson:
    with database.begin() as conn:
        person = people.add_person(conn, person_id, f"name of {person_id}", role, NOW)
    assert person is not None
    return person


def add_token(database: Database, person_id: str = "person-a", prefix: str = "abc", days: int = 1) -> int:
    with database.begin() as conn:
        return people.add_token(conn, person_id, prefix, "hash", NOW, NOW + days * DAY)


def test_a_name_an_id_and_a_subject_belong_to_one_person(database: Database) -> None:
    with database.begin() as conn:
        assert not people.any_person(conn)
        assert people.add_person(conn, "p1", "one", "viewer", NOW, "subject")
        for taken in (("p1", "two", None), ("p2", "one", None), ("p2", "two", "subject")):
            assert people.add_person(conn, taken[0], taken[1], "viewer", NOW, taken[2]) is None
        assert people.add_person(conn, "p2", "two", "admin", NOW)
        assert people.add_person(conn, "p3", "three", "admin", NOW)
        assert people.any_person(conn)
        found = people.person_of_subject(conn, "subject")
        assert found == people.person_by_id(conn, "p1") == people.person_named(conn, "one")
        assert people.person_of_subject(conn, "another") is None
        assert [one.name for one in people.all_people(conn)] == ["one", "three", "two"]
        assert people.set_role(conn, "p1", "admin")
        assert not people.set_role(conn, "nobody", "admin")
        assert people.person_by_id(conn, "p1").role == "admin"  # type: ignore[union-attr]


def test_another_role_than_the_four_is_refused(database: Database) -> None:
    with pytest.raises(StopError), database.begin() as conn:
        people.add_person(conn, "p1", "one", "root", NOW)


@pytest.mark.parametrize("end", ["revoked", "expired", "removed"])
def test_a_token_ends_in_three_ways(database: Database, end: str) -> None:
    add(database)
    token_id = add_token(database)
    with database.begin() as conn:
        token = people.token_of_prefix(conn, "abc")
        assert token is not None
        assert token == people.token_by_id(conn, token_id)
        assert (token.person.id, token.person.role) == ("person-a", "reviewer")
        assert token.is_valid(NOW + DAY - timedelta(microseconds=1))
        assert people.any_valid_token(conn, NOW)
        later = NOW
        if end == "revoked":
            assert people.revoke_token(conn, token_id, NOW)
            assert not people.revoke_token(conn, token_id, NOW)
        elif end == "removed":
            assert people.remove_person(conn, "person-a", NOW)
            assert not people.remove_person(conn, "person-a", NOW)
        else:
            later = NOW + DAY
        ended = people.token_by_id(conn, token_id)
        assert ended is not None
        assert not ended.is_valid(later)
        assert not people.any_valid_token(conn, later)
        assert people.token_of_prefix(conn, "ab") is None
        assert [one.id for one in people.tokens_of(conn, "person-a")] == [token_id]


@pytest.mark.parametrize("end", ["end", "token", "person", "forget"])
def test_a_session_ends_in_four_ways(database: Database, end: str) -> None:
    add(database)
    token_id = add_token(database)
    with database.begin() as conn:
        sessions.begin_session(conn, "hash", "person-a", token_id, NOW, NOW + DAY)
        sessions.touch_session(conn, "hash", NOW + timedelta(hours=1))
        found = sessions.find_session(conn, "hash")
        assert found is not None
        assert (found.person.id, found.seen_at, found.expires_at) == (
            "person-a",
            NOW + timedelta(hours=1),
            NOW + DAY,
        )
        if end == "end":
            sessions.end_session(conn, "hash")
        elif end == "token":
            people.revoke_token(conn, token_id, NOW)
        elif end == "person":
            people.remove_person(conn, "person-a", NOW)
        else:
            assert sessions.forget_sessions(conn, NOW + DAY - timedelta(seconds=1)) == 0
            assert sessions.forget_sessions(conn, NOW + DAY) == 1
        assert sessions.find_session(conn, "hash") is None


def test_the_audit_trail_is_read_newest_first_a_page_at_a_time(database: Database) -> None:
    with database.begin() as conn:
        for number in range(7):
            audit.record_deed(conn, "p", "labelled", NOW, unit_id=number % 2, about=str(number))
        first = audit.audit_page(conn, 3)
        assert [one.about for one in first] == ["6", "5", "4"]
        assert [one.about for one in audit.audit_page(conn, 3, first[-1].id)] == ["3", "2", "1"]
        assert [one.about for one in audit.audit_page(conn, 9, unit_id=1)] == ["5", "3", "1"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit_records SET deed = 'x'",
        "DELETE FROM audit_records",
        "TRUNCATE audit_records",
        "INSERT OR REPLACE INTO audit_records SELECT * FROM audit_records",
    ],
)
def test_the_audit_trail_is_append_only(database: Database, change: str) -> None:
    with database.begin() as conn:
        audit.record_deed(conn, "p", "labelled", NOW)
        dialect = conn.dialect.name
    if change.startswith("TRUNCATE" if dialect == "sqlite" else "INSERT OR REPLACE"):
        pytest.skip(f"not a statement of {dialect}")
    with pytest.raises(StopError, match="append-only"), database.begin() as conn:
        conn.execute(sa.text(change))


def test_a_key_is_bound_to_one_request_of_one_person_and_answered_once(database: Database) -> None:
    answer, other = KeptAnswer("h1", {"id": 1}), KeptAnswer("h2", {"id": 2})
    with database.begin() as conn:
        assert kept_answers.claim_key(conn, "p", "key", "h1", NOW)
        assert not kept_answers.claim_key(conn, "p", "key", "h2", NOW)
        assert kept_answers.claim_key(conn, "q", "key", "h2", NOW)
        assert kept_answers.kept_answer(conn, "p", "key") == KeptAnswer("h1", None)
        assert not kept_answers.keep_answer(conn, "p", "key", other), "bound to another request"
        assert kept_answers.keep_answer(conn, "p", "key", answer)
        assert not kept_answers.keep_answer(conn, "p", "key", KeptAnswer("h1", {"id": 3}))
        assert kept_answers.kept_answer(conn, "p", "key") == answer
        assert kept_answers.kept_answer(conn, "p", "Key") is None
        kept_answers.release_key(conn, "p", "key")
        kept_answers.release_key(conn, "q", "key")
        assert kept_answers.kept_answer(conn, "p", "key") == answer, "what was answered stays"
        assert kept_answers.kept_answer(conn, "q", "key") is None
        assert kept_answers.forget_answers(conn, NOW) == 0
        assert kept_answers.forget_answers(conn, NOW + DAY) == 1


def test_of_many_requests_with_one_key_at_once_one_binds_it(database: Database) -> None:
    bound: list[bool] = []

    def claim(number: int) -> None:
        with database.begin() as conn:
            bound.append(kept_answers.claim_key(conn, "p", "key", str(number), NOW))

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(bound) == [False] * 5 + [True]


def test_an_admin_can_enter_with_a_valid_token_or_where_somebody_vouches(database: Database) -> None:
    add(database, "person-a", "admin")
    token_id = add_token(database)
    with database.begin() as conn:
        people.add_person(conn, "person-b", "b", "admin", NOW, "subject")
        people.lock_admins(conn)
        assert people.admin_can_enter(conn, NOW, vouched=False)
        assert not people.admin_can_enter(conn, NOW + 2 * DAY, vouched=False), "ended"
        assert people.admin_can_enter(conn, NOW + 2 * DAY, vouched=True)
        people.revoke_token(conn, token_id, NOW)
        assert not people.admin_can_enter(conn, NOW, vouched=False)
        people.set_role(conn, "person-b", "viewer")
        assert not people.admin_can_enter(conn, NOW, vouched=True)


def test_the_use_of_a_token_and_of_its_sessions_is_noted(database: Database) -> None:
    add(database)
    token_id = add_token(database)
    other = add_token(database, prefix="other")
    with database.begin() as conn:
        sessions.begin_session(conn, "hash", "person-a", token_id, NOW, NOW + DAY)
        people.note_use(conn, other, NOW)
        sessions.touch_session(conn, "hash", NOW + timedelta(hours=1))
        found = people.all_tokens(conn)
    assert [token.used_at for token in found["person-a"]] == [NOW + timedelta(hours=1), NOW]
    assert list(found) == ["person-a"]
