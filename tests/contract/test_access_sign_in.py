"""Signing in with a personal token: sessions, their ends, and what a stranger gets."""

from __future__ import annotations

import hashlib
import re
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from sentinel.review.identity.permission import Role
from sentinel.review.identity.tokens import SoughtToken, TokenVerifier
from sentinel.store import audit, people
from sentinel.store.access_tables import personal_tokens, sessions
from sentinel.store.database import Database
from tests.contract.workbench import HOST, Workbench, csrf_token, sign_in, with_access

#: A token that nobody has.
STRANGE = "sentinel_aaaaaaaaaaaa_" + "x" * 43


@pytest.fixture
def bench(database: Database) -> Workbench:
    return Workbench(database)


def test_without_anybody_a_loopback_workbench_asks_nobody_and_says_so(bench: Workbench) -> None:
    page = bench.browser().get("/")
    assert page.status_code == 200
    assert "Nobody signs in here" in page.text
    bench.add("person-abcd")
    assert bench.browser().get("/").headers["location"] == "/sign-in"


@pytest.mark.parametrize(
    "header", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via"]
)
def test_who_comes_through_a_proxy_is_not_the_local_person(bench: Workbench, header: str) -> None:
    assert bench.browser().get("/", headers={header: "10.0.0.9"}).status_code == 303


def test_a_session_begins_with_a_token_and_ends_with_sign_out(bench: Workbench) -> None:
    browser, token = bench.browser(), bench.add("person-abcd")
    assert browser.get("/units/3?x=1").headers["location"] == "/sign-in?next=%2Funits%2F3%3Fx%3D1"
    answer = sign_in(browser, token, next="/units/3?x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/units/3?x=1")
    cookie = answer.headers["set-cookie"]
    assert re.search(r"^sentinel_session=[\w-]{43};", cookie)
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie
    page = browser.get("/").text
    assert "person-abcd shown" in page
    out = browser.post(
        "/sign-out", data={"csrf_token": csrf_token(page)}, headers={"Origin": f"http://{HOST}"}
    )
    assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
    assert browser.get("/").status_code == 303
    with bench.database.read() as conn:
        assert [one.deed for one in audit.audit_page(conn, 9)] == ["signed_out", "signed_in"]


def test_the_store_holds_neither_tokens_nor_cookies(bench: Workbench) -> None:
    token = bench.add("person-abcd")
    browser = bench.browser()
    sign_in(browser, token)
    cookie = browser.cookies["sentinel_session"]
    with bench.database.read() as conn:
        (stored,) = conn.execute(sa.select(personal_tokens)).all()
        (session,) = conn.execute(sa.select(sessions)).all()
    assert stored.secret_hash.startswith("$argon2id$")
    assert token.rsplit("_", 1)[1] not in str(stored)
    assert session.id_hash == hashlib.sha256(cookie.encode()).hexdigest()
    assert cookie not in str(session)


def test_a_session_id_of_the_browser_is_never_taken_over(bench: Workbench) -> None:
    """Session fixation: what an attacker put there means nothing, before and after."""
    browser = bench.browser()
    browser.cookies.set("sentinel_session", "planted", domain="127.0.0.1")
    answer = sign_in(browser, bench.add("person-abcd"))
    assert "planted" not in answer.headers["set-cookie"]
    other = bench.browser()
    other.cookies.set("sentinel_session", "planted", domain="127.0.0.1")
    assert other.get("/").status_code == 303


def test_signing_in_anew_ends_the_session_before(bench: Workbench) -> None:
    browser = bench.browser()
    token = bench.add("person-abcd")
    sign_in(browser, token)
    before = browser.cookies["sentinel_session"]
    sign_in(browser, token)
    after = browser.cookies["sentinel_session"]
    assert before != after
    for value, status in ((before, 303), (after, 200)):
        other = bench.browser()
        other.cookies.set("sentinel_session", value, domain="127.0.0.1")
        assert other.get("/").status_code == status


@pytest.mark.parametrize("end", ["idle", "age", "revoked", "removed", "role"])
def test_a_session_ends_by_itself_or_with_what_it_hangs_on(bench: Workbench, end: str) -> None:
    browser = bench.signed_in()
    bench.pass_time(hours=7.9)
    assert browser.get("/").status_code == 200
    bench.pass_time(hours=7.9)
    assert browser.get("/").status_code == 200, "use keeps it alive"
    if end == "idle":
        bench.pass_time(hours=8)
    elif end == "age":
        for _ in range(11):
            bench.pass_time(hours=5.2)
            browser.get("/")
    with bench.database.begin() as conn:
        if end == "revoked":
            people.revoke_token(conn, 1, bench.clock.now())
        elif end == "removed":
            people.remove_person(conn, "person-abcd", bench.clock.now())
        elif end == "role":
            people.set_role(conn, "person-abcd", "viewer")
    page = browser.get("/")
    assert page.status_code == (200 if end == "role" else 303)
    assert end != "role" or ", viewer" in page.text


def test_a_session_is_over_when_its_token_is(bench: Workbench) -> None:
    browser = bench.browser()
    sign_in(browser, bench.add("person-abcd", days=0.25))
    bench.pass_time(hours=5.9)
    assert browser.get("/").status_code == 200
    bench.pass_time(hours=0.2)
    assert browser.get("/").status_code == 303


def test_a_session_survives_a_restart(bench: Workbench) -> None:
    browser = bench.signed_in()
    again = bench.restarted().browser()
    again.cookies = browser.cookies
    assert again.get("/").status_code == 200


@pytest.mark.parametrize(
    "wanted",
    [
        "//evil.example", "///evil.example", "/\\evil.example", "\\/evil.example", "https://evil.example",
        "http:evil.example", "/\t/evil.example", "/\n/evil.example", "javascript:alert(1)", "evil.example",
        "", " /units/1", "/sign-in?next=/sign-in", "/ /evil", "/%0d%0aset-cookie:a=b\r\n", "/" + "a" * 3000,
    ],
)  # fmt: skip
def test_sign_in_leads_nowhere_else(bench: Workbench, wanted: str) -> None:
    """Open redirect: by form and by link."""
    browser = bench.browser()
    answer = sign_in(browser, bench.add("person-abcd"), next=wanted)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    page = bench.browser().get(f"/sign-in?next={quote(wanted)}").text
    assert 'name="next" value="/"' in page


@pytest.mark.parametrize("wanted", ["/units/3", "/?status=all&app=a%20b", "/units/3?next=//x"])
def test_sign_in_leads_to_pages_of_ours(bench: Workbench, wanted: str) -> None:
    answer = sign_in(bench.browser(), bench.add("person-abcd"), next=wanted)
    assert answer.headers["location"] == wanted


def test_a_wrong_an_ended_and_a_revoked_token_get_the_same_answer(bench: Workbench) -> None:
    ended = bench.add("person-abcd", days=1)
    revoked = bench.add("person-abcd")
    bench.pass_time(days=2)
    with bench.database.begin() as conn:
        people.revoke_token(conn, 2, bench.clock.now())
    right = bench.add("person-abcd")
    wrong = right[:-4] + ("AAAA" if not right.endswith("AAAA") else "BBBB")
    answers = [
        sign_in(bench.browser(), text)
        for text in (ended, revoked, wrong, "sentinel_aaaaaaaaaaaa_" + "x" * 43, "nonsense", "", "é\ud7ff")
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    assert all("set-cookie" not in answer.headers for answer in answers)


def test_an_unknown_token_takes_as_long_as_a_wrong_one(bench: Workbench) -> None:
    verifier = TokenVerifier(bench.database, bench.clock, 60.0)
    token = bench.add("person-abcd")
    tried = {
        "wrong": token[:-8] + "AAAAAAAA",
        "unknown": "sentinel_aaaaaaaaaaaa_" + "x" * 43,
        "malformed": "no token at all",
    }
    taken: dict[str, list[float]] = {name: [] for name in tried}
    for _ in range(15):
        for name, text in tried.items():
            began = time.perf_counter()
            assert verifier.find(text) is None
            taken[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(times) for name, times in taken.items()}
    assert max(medians.values()) < 1.6 * min(medians.values()), medians


def test_a_verified_token_is_not_hashed_again_but_revoked_at_once(bench: Workbench) -> None:
    verifier = TokenVerifier(bench.database, bench.clock, 60.0)
    token = bench.add("person-abcd")
    assert verifier.find(token) is not None
    began = time.perf_counter()
    for _ in range(50):
        assert verifier.find(token) is not None
    per_call = (time.perf_counter() - began) / 50
    bench.pass_time(seconds=61)
    began = time.perf_counter()
    assert verifier.find(token) is not None
    assert time.perf_counter() - began > 3 * per_call, "after the time it is hashed once more"
    with bench.database.begin() as conn:
        people.revoke_token(conn, 1, bench.clock.now())
    assert verifier.find(token) is None


def test_attempts_to_sign_in_are_limited_by_address(database: Database) -> None:
    bench = Workbench(database, with_access(sign_ins_per_minute=3))
    token = bench.add("person-abcd")
    browser = bench.browser()
    assert [sign_in(browser, "wrong").status_code for _ in range(3)] == [401] * 3
    limited = sign_in(browser, "wrong")
    assert limited.status_code == 429
    assert 1 <= int(limited.headers["retry-after"]) <= 21
    assert bench.program(STRANGE).get("/").status_code == 429, "guessing by header counts too"
    assert sign_in(bench.browser("127.0.0.2"), "wrong").status_code == 401, "another address is free"
    bench.pass_time(seconds=21)
    assert [sign_in(browser, text).status_code for text in ("wrong", "wrong", token)] == [401, 429, 303]


def test_a_right_token_passes_however_many_wrong_ones_its_address_sends(database: Database) -> None:
    bench = Workbench(database, with_access(sign_ins_per_minute=3))
    known, new = bench.add("person-abcd"), bench.add("person-bcda")
    session = bench.signed_in("person-cdab")
    assert bench.program(known).get("/").status_code == 200
    for _ in range(20):
        bench.program(STRANGE).get("/")
    assert bench.program(STRANGE).get("/").status_code == 429
    assert bench.program(known).get("/").status_code == 200, "believed"
    assert bench.program(new).get("/").status_code == 200, "never seen before"
    assert sign_in(bench.browser(), new).status_code == 303
    assert session.get("/").status_code == 200
    wrong = new[:-8] + ("AAAAAAAA" if not new.endswith("A" * 8) else "BBBBBBBB")
    guesses = [bench.program(wrong).get("/").status_code for _ in range(5)]
    assert guesses == [401, 401, 401, 429, 429], "who knows the prefix guesses no more often"
    assert bench.program(known).get("/").status_code == 200


def test_wrong_tokens_cost_few_hashes_wherever_they_come_from(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Workbench(database, with_access(sign_ins_per_minute=2))
    right = bench.add("person-abcd")
    hashed: list[str] = []
    is_right = TokenVerifier.is_right

    def counted(self: TokenVerifier, sought: SoughtToken) -> bool:
        hashed.append(sought.secret)
        return is_right(self, sought)

    monkeypatch.setattr(TokenVerifier, "is_right", counted)
    for number in range(60):
        bench.program(STRANGE, f"10.0.0.{number}").get("/")
    assert len(hashed) == 24, "of all addresses together as many as twelve may send"
    assert bench.program(right, "10.0.0.1").get("/").status_code == 200


def test_a_right_token_sent_many_times_at_once_is_hashed_once_and_always_passes(database: Database) -> None:
    bench = Workbench(database, with_access(sign_ins_per_minute=2))
    program = bench.program(bench.add("person-abcd"))
    with ThreadPoolExecutor(12) as pool:
        assert set(pool.map(lambda _: program.get("/api/v1/me").status_code, range(24))) == {200}


def test_a_right_token_begins_few_sessions_a_minute(database: Database) -> None:
    bench = Workbench(database, with_access(sign_ins_per_minute=2))
    token, other = bench.add("person-abcd"), bench.add("person-bcda")
    assert [sign_in(bench.browser(), token).status_code for _ in range(3)] == [303, 303, 429]
    assert sign_in(bench.browser(), other).status_code == 303


def test_wrong_bearer_tokens_are_limited_and_right_ones_are_not(database: Database) -> None:
    bench = Workbench(database, with_access(sign_ins_per_minute=3))
    right = bench.program(bench.add("person-abcd", Role.VIEWER))
    assert [right.get("/").status_code for _ in range(8)] == [200] * 8
    wrong = bench.program("sentinel_aaaaaaaaaaaa_" + "x" * 43)
    assert [wrong.get("/").status_code for _ in range(4)] == [401, 401, 401, 429]


@pytest.mark.parametrize("given", ["Basic abc", "Bearer", "Bearer  ", "bearer x y", "Token x", ""])
def test_an_authorization_that_is_none_is_refused_and_no_session_helps(bench: Workbench, given: str) -> None:
    browser = bench.signed_in()
    assert browser.get("/", headers={"Authorization": given}).status_code == 401
