"""People by page and by API: tokens shown once, the last admin kept, every change in the audit trail."""

from __future__ import annotations

import re
import threading
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from sentinel.review.identity.params import OidcParams
from sentinel.review.people import managing
from sentinel.review.people.managing import Acting
from sentinel.review.refusals import RefusedError
from sentinel.store import people
from sentinel.store.audit import audit_page
from sentinel.store.database import Database
from tests.contract.workbench import Workbench, csrf_token, sign_in, with_access

TOKEN = re.compile(r"sentinel_[a-z2-7]{12}_[\w-]{43}")
ORIGIN = {"Origin": "http://127.0.0.1:8080"}
HOSTILE = ("<script>alert(1)</script>", "{{7*7}}", "\u202eevil\u202c", "x\u200by", "' OR 1=1 --", "=1+1")


@pytest.fixture
def bench(database: Database) -> Workbench:
    return Workbench(database, with_access(sign_ins_per_minute=1000))


@pytest.fixture
def admin(bench: Workbench) -> TestClient:
    return bench.program(bench.add("person-aaaa", "admin"))


def post(browser: TestClient, path: str, **form: str) -> httpx.Response:
    """Post a form of a page as its browser does."""
    token = csrf_token(browser.get("/people").text)
    return browser.post(path, data=form | {"csrf_token": token}, headers=ORIGIN)


def deeds(bench: Workbench) -> list[tuple[str, str]]:
    with bench.database.read() as conn:
        return [(one.person_id, one.deed) for one in reversed(audit_page(conn, 100))]


def own_token(client: TestClient, person: str = "person-aaaa") -> int:
    tokens = client.get(f"/api/v1/people/{person}").json()["tokens"]
    return int(next(one["id"] for one in tokens if one["used_at"]))


def test_the_first_person_is_an_admin_and_ends_the_trial(bench: Workbench) -> None:
    browser = bench.browser()
    refused = post(browser, "/people", name="Robin", role="reviewer")
    assert refused.status_code == 409
    assert "has to be an admin" in refused.text
    made = post(browser, "/people", name="  Robin   Q ", role="admin", days="7")
    assert made.status_code == 200
    assert "From now on everybody has to sign in" in made.text
    (token,) = set(TOKEN.findall(made.text))
    assert browser.get("/people").status_code == 303, "nobody is the local person any more"
    assert sign_in(browser, token).status_code == 303
    page = browser.get("/people").text
    assert "Robin Q" in page
    assert not TOKEN.search(page), "shown once"
    assert deeds(bench)[:2] == [("local", "person_added"), ("local", "token_made")]


def test_who_there_is_with_tokens_by_prefix(bench: Workbench, admin: TestClient) -> None:
    made = admin.post("/api/v1/people", json={"name": "Ben", "role": "viewer", "days": 3})
    assert made.status_code == 201
    token, person = made.json()["token"], made.json()["person_id"]
    assert token.startswith(made.json()["prefix"] + "_")
    (listed,) = [one for one in admin.get("/api/v1/people").json() if one["id"] == person]
    (shown,) = listed["tokens"]
    assert (listed["name"], listed["role"], shown["used_at"], shown["is_valid"]) == (
        "Ben",
        "viewer",
        None,
        True,
    )
    everything = admin.get("/api/v1/people").text + admin.get(f"/people/{person}").text
    # The secret itself may hold the sign between.
    assert token.removeprefix(made.json()["prefix"] + "_") not in everything
    assert "argon2" not in everything
    assert shown["prefix"] in admin.get(f"/people/{person}").text
    bench.pass_time(minutes=1)
    assert bench.program(token).get("/api/v1/me").json()["name"] == "Ben"
    (used,) = admin.get(f"/api/v1/people/{person}").json()["tokens"]
    assert used["used_at"] is not None
    bench.pass_time(minutes=5)
    bench.program(token).get("/api/v1/me")
    assert admin.get(f"/api/v1/people/{person}").json()["tokens"] == [used], "noted now and then"
    bench.pass_time(minutes=6)
    bench.program(token).get("/api/v1/me")
    assert admin.get(f"/api/v1/people/{person}").json()["tokens"][0]["used_at"] > used["used_at"]


def test_use_in_a_browser_is_use_of_its_token(bench: Workbench, admin: TestClient) -> None:
    browser = bench.signed_in("person-bbbb", "viewer")
    begun = admin.get("/api/v1/people/person-bbbb").json()["tokens"][0]["used_at"]
    bench.pass_time(minutes=30)
    browser.get("/")
    assert admin.get("/api/v1/people/person-bbbb").json()["tokens"][0]["used_at"] > begun


@pytest.mark.parametrize("by", ["page", "api"])
def test_every_change_works_at_once_and_is_in_the_audit_trail(bench: Workbench, by: str) -> None:
    boss: Any = bench.signed_in("person-boss", "admin") if by == "page" else None
    program = bench.program(bench.add("person-boss", "admin"))
    token = bench.add("person-bbbb", "viewer")
    client = bench.program(token)
    ben = "/people/person-bbbb" if by == "page" else "/api/v1/people/person-bbbb"

    def change(method: str, path: str, page_path: str, **body: str) -> httpx.Response:
        if by == "page":
            return post(boss, f"{ben}{page_path}", **body)
        return program.request(method, f"{ben}{path}", **({"json": body} if method != "DELETE" else {}))

    assert change("PUT", "/role", "/role", role="reviewer").status_code in (204, 303)
    assert client.get("/api/v1/me").json()["role"] == "reviewer"
    made = change("POST", "/tokens", "/tokens")
    (another,) = set(TOKEN.findall(made.text))
    assert bench.program(another).get("/api/v1/me").status_code == 200
    (first, _) = program.get("/api/v1/people/person-bbbb").json()["tokens"]
    path = f"/tokens/{first['id']}"
    assert change("DELETE", path, f"{path}/revoke").status_code in (204, 303)
    assert client.get("/api/v1/me").status_code == 401
    assert change("DELETE", path, f"{path}/revoke").status_code == 404, "revoked before"
    assert change("DELETE", "", "/remove").status_code in (204, 303)
    assert bench.program(another).get("/api/v1/me").status_code == 401
    assert change("POST", "/tokens", "/tokens").status_code == 409, "removed for good"
    assert change("PUT", "/role", "/role", role="admin").status_code == 409
    done = [deed for person, deed in deeds(bench) if person == "person-boss" and deed != "signed_in"]
    assert done == ["role_changed", "token_made", "token_revoked", "person_removed"]


def test_what_ends_ones_own_access_has_to_be_meant(bench: Workbench, admin: TestClient) -> None:
    bench.add("person-bbbb", "admin")
    number = own_token(admin)
    me = "/api/v1/people/person-aaaa"
    asked = (
        ("DELETE", f"/tokens/{number}", None),
        ("PUT", "/role", {"role": "viewer"}),
        ("DELETE", "", None),
    )
    for method, path, body in asked:
        refused = admin.request(method, me + path, json=body)
        assert (refused.status_code, refused.json()["reason"]) == (409, "yourself"), path
    assert admin.get("/api/v1/me").json()["role"] == "admin", "nothing was changed"
    assert admin.delete(f"{me}/tokens/{number}?sure=true").status_code == 204
    assert admin.get("/api/v1/me").status_code == 401
    other = bench.program(bench.add("person-aaaa"))
    assert other.put(f"{me}/role?sure=true", json={"role": "viewer"}).status_code == 204
    assert other.get("/api/v1/people").status_code == 403


def test_a_page_asks_before_it_ends_ones_own_access(bench: Workbench) -> None:
    browser = bench.signed_in("person-aaaa", "admin")
    bench.add("person-bbbb", "admin")
    with bench.database.read() as conn:
        number = people.tokens_of(conn, "person-aaaa")[0].id
    path = f"/people/person-aaaa/tokens/{number}/revoke"
    asked = post(browser, path)
    assert asked.status_code == 409
    assert "Revoke it and sign out" in asked.text
    assert 'name="sure" value="yes"' in asked.text
    assert browser.get("/people").status_code == 200
    assert post(browser, path, sure="yes").status_code == 303
    assert browser.get("/people").headers["location"].startswith("/sign-in")


@pytest.mark.parametrize("end", ["token", "role", "remove"])
def test_the_last_admin_who_could_sign_in_stays_one(bench: Workbench, admin: TestClient, end: str) -> None:
    expired = bench.add("person-bbbb", "admin", days=1)
    number = own_token(admin)
    me = "/api/v1/people/person-aaaa"
    request: dict[str, Any] = {
        "token": {"method": "DELETE", "url": f"{me}/tokens/{number}?sure=true"},
        "role": {"method": "PUT", "url": f"{me}/role?sure=true", "json": {"role": "viewer"}},
        "remove": {"method": "DELETE", "url": f"{me}?sure=true"},
    }[end]
    bench.pass_time(days=2)
    assert bench.program(expired).get("/api/v1/me").status_code == 401
    refused = admin.request(**request)
    assert (refused.status_code, refused.json()["reason"]) == (409, "last_admin")
    assert "No admin could sign in" in refused.json()["detail"]
    assert admin.get("/api/v1/me").json()["role"] == "admin", "nothing was changed"
    bench.add("person-bbbb", "admin")
    assert admin.request(**request).status_code == 204


def test_two_admins_who_end_each_other_at_once_leave_one(bench: Workbench) -> None:
    for name in ("aaaa", "bbbb"):
        bench.add(f"person-{name}", "admin")
    refused: list[str] = []

    def second() -> None:
        with pytest.raises(RefusedError) as caught, bench.database.begin() as conn:
            managing.remove(conn, Acting("person-bbbb", bench.clock.now()), "person-aaaa")
        refused.append(caught.value.code)

    thread = threading.Thread(target=second)
    with bench.database.begin() as conn:
        managing.remove(conn, Acting("person-aaaa", bench.clock.now()), "person-bbbb")
        thread.start()
        # Where nothing had it wait it would be done in this time, and nobody would be left.
        thread.join(1.0)
    thread.join()
    assert refused == ["last_admin"]
    with bench.database.read() as conn:
        assert people.admin_can_enter(conn, bench.clock.now(), vouched=False)


def test_who_a_provider_vouches_for_needs_no_token(database: Database) -> None:
    oidc = OidcParams(issuer="http://127.0.0.1:9", client_id="sentinel")
    bench = Workbench(database, with_access(oidc=oidc, sign_ins_per_minute=1000))
    admin = bench.program(bench.add("person-aaaa", "admin"))
    number = own_token(admin)
    path = f"/api/v1/people/person-aaaa/tokens/{number}?sure=true"
    assert admin.delete(path).json()["reason"] == "last_admin"
    with database.begin() as conn:
        people.add_person(conn, "person-oooo", "Ottilie", "admin", bench.clock.now(), "a keyed hash")
    assert admin.delete(path).status_code == 204


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_text(bench: Workbench, admin: TestClient, name: str) -> None:
    added = admin.post("/api/v1/people", json={"name": name, "role": "viewer"})
    assert added.status_code in (201, 422), added.text
    for path in ("/people", f"/people/{added.json().get('person_id', 'person-aaaa')}"):
        page = admin.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "49" not in re.sub(r"\d{4}-\d\d-\d\d|person-\w+|sentinel_\w+|[\d:]+\d", "", page.text)
    again = admin.post("/people", data={"name": name, "role": "viewer"})
    assert again.status_code in (409, 422)
    assert "<script>alert" not in again.text


@pytest.mark.parametrize(
    "form",
    [
        {"name": ""}, {"name": "x" * 101}, {"name": "Ben", "role": "root"}, {"name": "Ben", "days": "-1"},
        {"name": "Ben", "days": "nan"}, {"name": "Ben", "days": "1e9"}, {"name": "Ben", "days": "abc"},
        {"name": "\u0007"},
    ],
)  # fmt: skip
def test_a_form_that_breaks_a_rule_is_shown_again_with_the_rule(
    bench: Workbench, admin: TestClient, form: dict[str, str]
) -> None:
    answer = admin.post("/people", data={"role": "viewer"} | form)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert len(admin.get("/api/v1/people").json()) == 1


def test_only_admins_are_led_there_and_only_their_own_page_may_post(bench: Workbench) -> None:
    boss = bench.signed_in("person-boss", "admin")
    assert 'href="/people"' in boss.get("/").text
    for role in ("viewer", "reviewer", "adjudicator"):
        assert 'href="/people"' not in bench.of_role(role).get("/").text
    assert 'href="/people"' not in bench.browser().get("/sign-in").text
    for headers in ({}, ORIGIN, {"Origin": "http://evil.example"}):
        forged = boss.post("/people", data={"name": "Eve", "role": "admin"}, headers=headers)
        assert forged.status_code == 403
    assert post(boss, "/people/person-nobody/role", role="viewer").status_code == 404
    assert post(boss, "/people/person-boss/tokens/999/revoke").status_code == 404


def test_a_token_is_revoked_under_its_own_person_alone(bench: Workbench, admin: TestClient) -> None:
    bench.add("person-bbbb", "viewer")
    (token,) = admin.get("/api/v1/people/person-bbbb").json()["tokens"]
    assert admin.delete(f"/api/v1/people/person-aaaa/tokens/{token['id']}").status_code == 404
    assert admin.get("/api/v1/people/person-bbbb").json()["tokens"][0]["is_valid"]


def test_one_person_holds_no_endless_number_of_tokens(database: Database) -> None:
    bench = Workbench(database, with_access(submits_per_minute=1000))
    admin = bench.program(bench.add("person-aaaa", "admin"))
    person = admin.post("/api/v1/people", json={"name": "Ben"}).json()["person_id"]
    with database.begin() as conn:
        now = bench.clock.now()
        for number in range(49):
            people.add_token(conn, person, f"prefix{number}", "hash", now, now.replace(year=now.year + 1))
    refused = admin.post(f"/api/v1/people/{person}/tokens", json={})
    assert (refused.status_code, refused.json()["reason"]) == (409, "too_many")
