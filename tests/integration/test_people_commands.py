"""`sentinel people`, and a workbench off loopback: from the first person to the last token."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import Result
from typer.testing import CliRunner

from sentinel.cli.main import app
from sentinel.errors import ConfigurationError
from sentinel.store import audit
from sentinel.store.database import Database
from tests.integration.test_serve import arguments, serving
from tests.integration.test_serve_start import failed

TOKEN = re.compile(r"sentinel_[a-z2-7]{12}_[\w-]{43}")


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/sentinel.db"
    with Database(url) as database:
        database.upgrade()
    return url


def run(store: str, *command: str) -> Result:
    return CliRunner().invoke(app, ["people", *command, "--store", store])


def refused(store: str, *command: str) -> str:
    outcome = run(store, *command)
    assert isinstance(outcome.exception, ConfigurationError), outcome.output
    assert outcome.stdout == ""
    return str(outcome.exception)


def listed(store: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(store, "list").stdout.splitlines()]


def test_from_the_first_person_to_the_last_token(store: str) -> None:
    added = run(store, "add", "  Robin   Q ", "--role", "admin", "--days", "7")
    assert added.exit_code == 0, added.output
    assert TOKEN.fullmatch(added.stdout.strip())
    assert "shown this once" in added.stderr
    (person,) = listed(store)
    assert (person["name"], person["role"], person["removed_at"]) == ("Robin Q", "admin", None)
    assert person["id"].startswith("person-")
    assert [token["is_valid"] for token in person["tokens"]] == [True]
    another = run(store, "token", "new", "Robin Q").stdout.strip()
    assert another != added.stdout.strip()
    assert run(store, "role", person["id"], "reviewer").exit_code == 0
    assert run(store, "token", "revoke", "1").exit_code == 0
    (person,) = listed(store)
    assert person["role"] == "reviewer"
    assert [token["is_valid"] for token in person["tokens"]] == [False, True]
    assert run(store, "remove", "Robin Q").exit_code == 0
    (person,) = listed(store)
    assert not any(token["is_valid"] for token in person["tokens"])
    with Database(store) as database, database.read() as conn:
        trail = audit.audit_page(conn, 99)
    deeds = [record.deed for record in reversed(trail)]
    assert deeds == [
        "person_added", "token_made", "token_made", "role_changed", "token_revoked", "person_removed",
    ]  # fmt: skip
    assert not [record for record in trail if "Robin" in str(record) or "sentinel_" in str(record)]


def test_the_list_shows_no_token(store: str) -> None:
    token = run(store, "add", "Robin").stdout.strip()
    text = run(store, "list").stdout
    assert all(part not in text for part in token.split("_")[1:])


@pytest.mark.parametrize("name", ["", "   ", "x" * 101])
def test_a_name_that_is_none_is_refused(store: str, name: str) -> None:
    assert "1 to 100" in refused(store, "add", name)


def test_what_cannot_be_done_is_said(store: str) -> None:
    run(store, "add", "Robin")
    assert "taken" in refused(store, "add", "Robin")
    for command in (("role", "Nobody", "admin"), ("remove", "Nobody"), ("token", "new", "Nobody")):
        assert "people list" in refused(store, *command)
    assert "no token" in refused(store, "token", "revoke", "9")
    run(store, "remove", "Robin")
    assert "removed" in refused(store, "remove", "Robin")
    assert "removed" in refused(store, "token", "new", "Robin")
    assert run(store, "add", "Robin", "--role", "owner").exit_code == 2
    assert len(listed(store)) == 1


def own_address() -> str:
    """An address of this machine that is not loopback; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback")
        found: str = probe.getsockname()[0]
    return found


def test_off_loopback_it_starts_only_where_somebody_can_sign_in(store: str) -> None:
    host = own_address()
    code, line = failed(*arguments(store, "--host", host, "--port", "0"))
    assert code == 2
    for word in ("loopback", "sentinel people add", "oidc", "proxy"):
        assert word in line
    run(store, "add", "Gone")
    run(store, "token", "revoke", "1")
    assert failed(*arguments(store, "--host", host, "--port", "0"))[0] == 2, "a revoked token signs nobody in"
    token = run(store, "add", "Robin", "--role", "viewer").stdout.strip()
    with serving(store, "--host", host) as one:
        page = one.get("/", follow_redirects=False)
        assert (page.status_code, page.headers["location"]) == (303, "/sign-in")
        bearer = {"Authorization": f"Bearer {token}"}
        assert one.get("/api/v1/me", headers=bearer).json()["name"] == "Robin"
        assert one.get("/", headers={"Host": "evil.example"}).status_code == 421
        signed = httpx.post(f"{one.url}/sign-in", data={"token": token}, timeout=20)
        assert "Secure" in signed.headers["set-cookie"]
        assert signed.headers["set-cookie"].startswith("__Host-")


def test_a_proxy_without_a_lasting_secret_is_refused(store: str, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("review: {access: {proxy: {addresses: [10.0.0.2]}}}\n")
    code, line = failed(*arguments(store, "--config", str(config), "--port", "0"))
    assert code == 2
    assert "SENTINEL_REVIEW__ACCESS__KEY" in line
