"""Signing in with an OpenID Connect provider: a real exchange with real signatures, and what must fail."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient
from joserfc.jwk import OctKey, RSAKey

from sentinel.review.identity.params import OidcParams
from sentinel.store import people
from sentinel.store.database import Database
from tests.contract.openid_provider import CLIENT_ID, CLIENT_SECRET, Provider, running_provider
from tests.contract.store_samples import NOW
from tests.contract.workbench import HOST, Workbench, with_access


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        yield running


def with_provider(database: Database, provider: Provider, **changes: Any) -> Workbench:
    oidc = OidcParams(issuer=provider.url, client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
    return Workbench(database, with_access(oidc=replace(oidc, **changes)))


@pytest.fixture
def bench(database: Database, provider: Provider) -> Workbench:
    return with_provider(database, provider)


def to_provider(browser: TestClient, following: str = "/units/3") -> str:
    answer = browser.get("/sign-in/oidc", params={"next": following})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def sign_in(browser: TestClient, provider: Provider, following: str = "/units/3") -> httpx.Response:
    back = provider.authorize(to_provider(browser, following))
    assert back.startswith(f"http://{HOST}/sign-in/oidc/return?")
    answer: httpx.Response = browser.get(back)
    return answer


def test_a_person_of_the_provider_signs_in_and_is_known_again(bench: Workbench, provider: Provider) -> None:
    page = bench.browser().get("/sign-in").text
    assert 'href="/sign-in/oidc?next=%2F"' in page
    browser = bench.browser()
    answer = sign_in(browser, provider)
    assert (answer.status_code, answer.headers["location"]) == (303, "/units/3")
    shown = browser.get("/").text
    assert "Robin" in shown
    assert "viewer" in shown
    (exchanged,) = provider.seen
    assert exchanged["client_id"] == CLIENT_ID
    assert len(exchanged["code_verifier"]) >= 43
    again = bench.restarted().browser()
    assert sign_in(again, provider).status_code == 303
    with bench.database.read() as conn:
        (person,) = people.all_people(conn)
    assert "user-1" not in str(person)


def test_a_sign_in_may_end_in_another_process_than_it_began_in(bench: Workbench, provider: Provider) -> None:
    browser = bench.browser()
    back = provider.authorize(to_provider(browser))
    other = bench.restarted().browser()
    other.cookies = browser.cookies
    assert other.get(back).status_code == 303


def test_state_nonce_and_verifier_are_new_each_time(bench: Workbench) -> None:
    seen = [parse_qs(urlsplit(to_provider(bench.browser())).query) for _ in range(3)]
    for name in ("state", "nonce", "code_challenge"):
        assert len({query[name][0] for query in seen}) == 3, name


@pytest.mark.parametrize("wanted", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_it_leads_nowhere_else(bench: Workbench, provider: Provider, wanted: str) -> None:
    assert sign_in(bench.browser(), provider, wanted).headers["location"] == "/"


def refused(bench: Workbench, provider: Provider, status: int = 403) -> str:
    browser = bench.browser()
    answer = sign_in(browser, provider)
    assert answer.status_code == status, answer.text
    assert "sentinel_session" not in answer.headers.get("set-cookie", "")
    assert browser.get("/").status_code == 303
    return answer.text


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "http://127.0.0.1:1"}, {"iss": None}, {"aud": "another"}, {"aud": None}, {"aud": []},
        {"nonce": "another"}, {"nonce": None}, {"exp": 1_000_000}, {"exp": None}, {"iat": None},
        {"iat": int(time.time()) + 3600}, {"nbf": int(time.time()) + 3600}, {"sub": None}, {"sub": ""},
        {"azp": "another"}, {"exp": "tomorrow"},
    ],
)  # fmt: skip
def test_an_id_token_for_somebody_or_something_else_is_refused(
    bench: Workbench, provider: Provider, claims: dict[str, Any]
) -> None:
    provider.claims = claims
    refused(bench, provider)


def with_the_public_key_as_secret(provider: Provider) -> None:
    """By hand: the library refuses to sign like that."""

    def forged(claims: dict[str, Any]) -> str:
        def encoded(part: bytes) -> str:
            return base64.urlsafe_b64encode(part).decode().rstrip("=")

        head = {"alg": "HS256", "kid": provider.key.kid}
        signed = f"{encoded(json.dumps(head).encode())}.{encoded(json.dumps(claims).encode())}"
        public = provider.key.as_pem(private=False)
        return f"{signed}.{encoded(hmac.digest(public, signed.encode(), 'sha256'))}"

    provider.forged_with = forged


def with_the_client_secret(provider: Provider) -> None:
    provider.forged_with = ({"alg": "HS256"}, OctKey.import_key(CLIENT_SECRET))


def with_another_key(provider: Provider) -> None:
    provider.forged_with = ({"alg": "RS256", "kid": provider.key.kid}, RSAKey.generate_key(2048))


def with_a_key_in_the_header(provider: Provider) -> None:
    own = RSAKey.generate_key(2048)
    provider.forged_with = ({"alg": "RS256", "jwk": own.as_dict(private=False)}, own)


def unsigned(provider: Provider) -> None:
    provider.is_unsigned = True


@pytest.mark.parametrize(
    "forge",
    [
        with_the_public_key_as_secret, with_the_client_secret, with_another_key, with_a_key_in_the_header,
        unsigned,
    ],
)  # fmt: skip
def test_a_forged_id_token_is_refused(
    bench: Workbench, provider: Provider, forge: Callable[[Provider], None]
) -> None:
    forge(provider)
    assert "signature" in refused(bench, provider)


def test_keys_of_the_provider_may_change(bench: Workbench, provider: Provider) -> None:
    assert sign_in(bench.browser(), provider).status_code == 303
    provider.rotate_key()
    assert sign_in(bench.browser(), provider).status_code == 303


@pytest.mark.parametrize(
    "spoilt",
    ["state", "odd state", "code", "no state", "no cookie", "other cookie", "forged cookie", "error", "iss"],
)
def test_an_answer_to_another_sign_in_is_refused(bench: Workbench, provider: Provider, spoilt: str) -> None:
    browser = bench.browser()
    back = provider.authorize(to_provider(browser))
    query = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    if spoilt == "state":
        query["state"] += "x"
    elif spoilt == "odd state":
        query["state"] = "ſtate"
    elif spoilt == "code":
        query["code"] = "guessed"
    elif spoilt == "no state":
        del query["state"]
    elif spoilt == "no cookie":
        browser = bench.browser()
    elif spoilt == "other cookie":
        other = bench.browser()
        to_provider(other)
        browser.cookies = other.cookies
    elif spoilt == "forged cookie":
        kept = browser.cookies["sentinel_flow"]
        head, body, signature = kept.split(".")
        claims = json.loads(base64.urlsafe_b64decode(body + "=="))
        body = base64.urlsafe_b64encode(json.dumps(claims | {"exp": 2**31}).encode()).decode().rstrip("=")
        browser.cookies.clear()
        browser.cookies.set("sentinel_flow", f"{head}.{body}.{signature}", domain="127.0.0.1")
    elif spoilt == "error":
        query = {"state": query["state"], "error": "access_denied", "error_description": "<script>"}
    elif spoilt == "iss":
        query["iss"] = "https://another.example"
    answer = browser.get("/sign-in/oidc/return", params=query)
    assert answer.status_code == 403
    assert "<script>" not in answer.text
    assert "sentinel_session" not in answer.headers.get("set-cookie", "")


def test_a_code_is_good_once(bench: Workbench, provider: Provider) -> None:
    browser = bench.browser()
    back = provider.authorize(to_provider(browser))
    kept = browser.cookies["sentinel_flow"]
    assert browser.get(back).status_code == 303
    again = bench.browser()
    again.cookies.set("sentinel_flow", kept, domain="127.0.0.1")
    assert again.get(back).status_code == 403


@pytest.mark.parametrize(
    ("claim", "given", "role"),
    [
        ("groups", ["staff", "quality"], "adjudicator"),
        ("groups", "admin", "admin"),
        ("groups", ["reviewer", "admin", 7], "admin"),
        ("realm.roles", {"roles": ["reviewer"]}, "reviewer"),
        ("groups", ["staff"], None),
        ("groups", None, None),
        ("realm.roles", ["reviewer"], None),
    ],
)
def test_a_claim_gives_the_role(
    database: Database, provider: Provider, claim: str, given: Any, role: str | None
) -> None:
    bench = with_provider(database, provider, role_claim=claim, roles={"quality": "adjudicator"})
    provider.claims = {claim.partition(".")[0]: given}
    if role is None:
        assert "no role" in refused(bench, provider)
        return
    assert sign_in(bench.browser(), provider).status_code == 303
    with database.read() as conn:
        assert people.all_people(conn)[0].role == role


def test_without_a_claim_the_role_is_what_an_admin_gave(bench: Workbench, provider: Provider) -> None:
    sign_in(bench.browser(), provider)
    with bench.database.begin() as conn:
        (person,) = people.all_people(conn)
        people.set_role(conn, person.id, "reviewer")
    sign_in(bench.browser(), provider)
    with bench.database.begin() as conn:
        assert people.all_people(conn)[0].role == "reviewer"
        people.remove_person(conn, person.id, NOW)
    assert "ended this access" in refused(bench, provider)


def test_a_provider_that_is_away_or_another_is_said(bench: Workbench, provider: Provider) -> None:
    provider.metadata = {"issuer": "https://another.example"}
    assert bench.browser().get("/sign-in/oidc").status_code == 503
    provider.answers_nothing = True
    assert bench.browser().get("/sign-in/oidc").status_code == 503
    assert bench.browser().get("/sign-in").status_code == 200, "tokens still work"
