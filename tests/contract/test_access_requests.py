"""What a request must bring besides a person (origin, page token, host, size), and whom proxies name."""

from __future__ import annotations

import pytest

from sentinel.clock import FixedClock
from sentinel.review.identity.limits import RateLimit
from sentinel.store import audit, people
from sentinel.store.database import Database
from tests.contract.store_samples import NOW
from tests.contract.workbench import HOST, Workbench, csrf_token, sign_in, with_access

OWN = f"http://{HOST}"
PROXY = {"addresses": ("10.1.0.0/16", "::1"), "header": "X-Remote-User"}


@pytest.fixture
def bench(database: Database) -> Workbench:
    return Workbench(database)


def with_proxy(database: Database, **proxy: object) -> Workbench:
    from sentinel.review.identity.params import ProxyParams

    return Workbench(database, with_access(proxy=ProxyParams(**(PROXY | proxy))))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": OWN, "X-CSRF-Token": "0" * 32},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8081"},
        {"Origin": "http://localhost:8080"},
        {"Origin": f"{OWN}.evil.example"},
        {"Origin": f"{OWN}/path"},
        {"Origin": "http://[bad"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_others_cannot_use_a_session(bench: Workbench, headers: dict[str, str]) -> None:
    browser = bench.signed_in()
    right = csrf_token(browser.get("/").text)
    answer = browser.post(
        "/sign-out", data={} if headers in ({}, {"Origin": OWN}) else {"x": "y"}, headers=headers
    )
    assert answer.status_code == 403
    if headers.get("Origin") != OWN and headers:
        # Not even with the token, which it cannot know.
        assert browser.post("/sign-out", data={"csrf_token": right}, headers=headers).status_code == 403
    assert browser.get("/").status_code == 200, "the session is still there"


def test_the_token_of_one_session_is_nothing_in_another(bench: Workbench) -> None:
    one, other = bench.signed_in("person-aaaa"), bench.signed_in("person-bbbb")
    token = csrf_token(one.get("/").text)
    assert other.post("/sign-out", headers={"Origin": OWN, "X-CSRF-Token": token}).status_code == 403
    assert one.post("/sign-out", headers={"Origin": OWN, "X-CSRF-Token": token}).status_code == 303


def test_a_page_of_others_cannot_sign_somebody_in(bench: Workbench) -> None:
    token = bench.add("person-abcd")
    for origin in ("http://evil.example", "null", "http://localhost:8080"):
        answer = bench.browser().post("/sign-in", data={"token": token}, headers={"Origin": origin})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_a_page_of_others_cannot_act_as_the_local_person(bench: Workbench) -> None:
    browser = bench.browser()
    assert browser.get("/").status_code == 200
    for headers in ({"Origin": "http://evil.example"}, {"Origin": OWN}, {"Sec-Fetch-Site": "cross-site"}):
        assert browser.post("/sign-out", headers=headers).status_code == 403
    assert browser.post("/sign-out").status_code == 303, "a program on this machine needs no token"


def test_behind_tls_the_public_address_counts_and_cookies_are_secure(database: Database) -> None:
    bench = Workbench(database, with_access(public_url="https://review.example"))
    token = bench.add("person-abcd")
    browser = bench.browser(host="review.example")
    browser.base_url = "https://review.example"
    answer = sign_in(browser, token)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-sentinel=")
    for part in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"):
        assert part in cookie
    assert "Domain" not in cookie
    page = browser.get("/")
    assert page.headers["strict-transport-security"] == "max-age=31536000"
    data = {"csrf_token": csrf_token(page.text)}
    for origin in ("http://review.example.evil", "https://evil.example"):
        assert browser.post("/sign-out", data=data, headers={"Origin": origin}).status_code == 403
    assert (
        browser.post("/sign-out", data=data, headers={"Origin": "https://review.example"}).status_code == 303
    )


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8080", 200), ("localhost", 200), ("[::1]:8080", 200), ("review.example", 200),
        ("REVIEW.example:443", 200), ("evil.example", 421), ("review.example.evil", 421),
        ("10.0.0.1", 421), ("127.0.0.1.nip.io", 421), ("review.example@evil.example", 421), ("", 421),
        ("evil.example\\@127.0.0.1", 421), ("127.0.0.1/evil.example", 421), ("[::1]@localhost", 421),
    ],
)  # fmt: skip
def test_only_names_of_its_own_are_answered_to(database: Database, host: str, status: int) -> None:
    bench = Workbench(database, with_access(public_url="https://review.example"))
    answer = bench.browser().get("/sign-in", headers={"Host": host})
    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_trusted_proxy_says_who_somebody_is(database: Database) -> None:
    bench = with_proxy(database, name_header="X-Remote-Name")
    headers = {"X-Remote-User": "robin@corp.example", "X-Remote-Name": "Robin"}
    page = bench.browser("10.1.2.3").get("/", headers=headers)
    assert page.status_code == 200
    assert "Robin" in page.text
    assert "viewer" in page.text
    with database.read() as conn:
        (person,) = people.all_people(conn)
        assert [one.deed for one in audit.audit_page(conn, 9)] == ["person_vouched_for"]
    assert "robin@corp" not in str(person), "the subject is kept as a keyed hash alone"
    again = bench.restarted().browser("::1").get("/", headers=headers)
    assert again.status_code == 200
    other = bench.browser("10.1.2.3").get("/", headers=headers | {"X-Remote-User": "another"})
    assert "Robin (" in other.text, "somebody else of the same name is told apart"


@pytest.mark.parametrize(
    "address", ["10.2.0.1", "127.0.0.1", "::2", "192.168.0.1", "::ffff:10.2.0.1", "testclient"]
)
def test_from_elsewhere_the_header_means_nothing(database: Database, address: str) -> None:
    bench = with_proxy(database)
    answer = bench.browser(address).get("/", headers={"X-Remote-User": "admin"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    with database.read() as conn:
        assert not people.any_person(conn)


@pytest.mark.parametrize("values", [["robin", "admin"], [""], ["  "]])
def test_a_header_twice_or_empty_is_refused(database: Database, values: list[str]) -> None:
    bench = with_proxy(database)
    headers = [("X-Remote-User", value) for value in values]
    answer = bench.browser("10.1.2.3").get("/", headers=headers)
    assert answer.status_code == 303
    with database.read() as conn:
        assert not people.any_person(conn)


@pytest.mark.parametrize("word", ["X-Remote-Groups", "X-Remote-Name"])
def test_a_role_or_name_twice_is_refused(database: Database, word: str) -> None:
    bench = with_proxy(database, role_header="X-Remote-Groups", name_header="X-Remote-Name")
    once = [("X-Remote-User", "robin"), ("X-Remote-Groups", "viewer"), ("X-Remote-Name", "Robin")]
    browser = bench.browser("10.1.2.3")
    assert browser.get("/", headers=[(word, "admin"), *once]).status_code == 303
    with database.read() as conn:
        assert not people.any_person(conn)
    assert browser.get("/", headers=once).status_code == 200


@pytest.mark.parametrize("path", ["/sign-in", "/next", "/api/v1/labels", "/api/v1/labels/import"])
def test_a_form_in_parts_is_not_read(bench: Workbench, path: str) -> None:
    # Its parts name codecs: a megabyte of `punycode` takes half a minute to decode.
    part = 'Content-Disposition: form-data; name="token"\r\n\r\n\\ud800'
    for codec in ("unicode_escape", "punycode", "utf-8"):
        answer = bench.browser().post(
            path,
            content=f"--b\r\n{part}\r\n--b--\r\n",
            headers={"Content-Type": f" Multipart/Form-Data; boundary=b; charset={codec}"},
        )
        assert answer.status_code == 415
        assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("path", ["/sign-in", "/api/v1/units/next"])
def test_a_request_of_two_lengths_is_not_read(bench: Workbench, path: str) -> None:
    headers = {"Content-Length": "5", "Transfer-Encoding": "chunked"}
    answer = bench.browser().post(path, content=b"0\r\n\r\n", headers=headers)
    assert (answer.status_code, answer.headers["connection"]) == (400, "close")


def test_roles_of_a_proxy_follow_its_header_each_time(database: Database) -> None:
    bench = with_proxy(database, role_header="X-Remote-Groups", roles={"quality": "adjudicator"})

    def role(groups: str) -> str | int:
        headers = {"X-Remote-User": "robin", "X-Remote-Groups": groups}
        answer = bench.browser("10.1.2.3").get("/", headers=headers)
        if answer.status_code != 200:
            return answer.status_code
        with database.read() as conn:
            return people.all_people(conn)[0].role

    assert role("staff, quality") == "adjudicator"
    assert role("viewer,staff") == "viewer"
    assert role("viewer, admin") == "admin"
    assert role("staff") == 403
    assert role("") == 403
    with database.begin() as conn:
        people.remove_person(conn, people.all_people(conn)[0].id, NOW)
    assert role("admin") == 403, "who was removed stays so, whoever vouches"


def test_a_page_of_others_cannot_use_a_proxys_word(database: Database) -> None:
    bench = with_proxy(database)
    browser = bench.browser("10.1.2.3")
    browser.headers["X-Remote-User"] = "robin"
    assert browser.post("/sign-out").status_code == 403
    assert browser.post("/sign-out", headers={"Origin": OWN}).status_code == 403


def test_rates_behind_a_proxy_are_those_of_the_address_it_saw_last(database: Database) -> None:
    from sentinel.review.identity.params import ProxyParams

    bench = Workbench(
        database, with_access(sign_ins_per_minute=2, proxy=ProxyParams(addresses=("10.1.0.0/16",)))
    )

    def statuses(address: str, *forwarded: str) -> list[int]:
        browser = bench.browser(address)
        return [
            browser.post("/sign-in", data={"token": "x"}, headers={"X-Forwarded-For": value}).status_code
            for value in forwarded
        ]

    assert statuses("10.1.0.1", "9.9.9.1, 1.1.1.1", "9.9.9.2, 1.1.1.1", "9.9.9.3, 1.1.1.1") == [401, 401, 429]
    assert statuses("10.1.0.1", "2.2.2.2") == [401]
    assert statuses("3.3.3.3", "4.4.4.1", "4.4.4.2", "4.4.4.3") == [401, 401, 429], (
        "a stranger's header is none"
    )


def test_buckets_fill_again_and_are_not_too_many() -> None:
    clock = FixedClock(NOW)
    limit = RateLimit(60, clock)
    assert [limit.take("a") for _ in range(60)] == [0.0] * 60
    assert limit.take("a") == pytest.approx(1.0)
    assert limit.take("b") == 0.0
    for number in range(20_000):
        limit.take(f"stranger {number}")
    assert len(limit._buckets) <= 10_000


@pytest.mark.parametrize("path", ["/sign-in", "/units/1", "/api/v1/labels", "/nothing"])
def test_a_body_over_the_limit_is_refused_told_or_not(database: Database, path: str) -> None:
    bench = Workbench(database, with_access(body_bytes=1000))
    browser = bench.browser()
    assert browser.post(path, content=b"x" * 1001).status_code == 413
    lied = browser.post(path, content=iter([b"token=" + b"x" * 600] * 3), headers=FORM)
    assert lied.status_code in (413, 404, 405), "what nobody reads needs no limit"
    assert path != "/sign-in" or lied.status_code == 413
    assert "default-src 'none'" in lied.headers["content-security-policy"]


FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_a_fault_of_ours_is_answered_with_the_headers_and_tells_nothing(bench: Workbench) -> None:
    @bench.app.get("/broken")
    @bench.app.get("/api/v1/broken")
    def broken() -> None:
        raise ValueError("a secret detail")

    page, api = bench.browser().get("/broken"), bench.browser().get("/api/v1/broken")
    assert (page.status_code, api.status_code) == (500, 500)
    assert api.headers["content-type"] == "application/problem+json"
    for answer in (page, api):
        assert "secret detail" not in answer.text
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
