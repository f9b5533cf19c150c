"""Every route has a decision, every role gets what it says, and a new route without one fails here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.routing import Mount, Route

from sentinel.review.identity.params import OidcParams
from sentinel.review.identity.permission import PERMITTED, Action, Role, open_to_all
from sentinel.store.database import Database
from tests.contract.workbench import Workbench, fill, with_access

OPEN = "open"
#: Route → what it takes to use it. A route that is missing here has no decision.
DECISIONS: dict[tuple[str, str], Action | str] = {
    ("GET", "/"): Action.VIEW,
    ("GET", "/units/{unit_id}"): Action.VIEW,
    ("POST", "/next"): Action.LABEL,
    ("POST", "/units/{unit_id}/lease"): Action.LABEL,
    ("PUT", "/units/{unit_id}/draft"): Action.LABEL,
    ("POST", "/units/{unit_id}/opinion"): Action.LABEL,
    ("POST", "/units/{unit_id}/skip"): Action.LABEL,
    ("POST", "/units/{unit_id}/escalate"): Action.LABEL,
    ("POST", "/units/{unit_id}/personal-data"): Action.LABEL,
    ("GET", "/units/{unit_id}/history"): Action.VIEW,
    ("GET", "/assign"): Action.ASSIGN,
    ("POST", "/assign"): Action.ASSIGN,
    ("GET", "/adjudication"): Action.ADJUDICATE,
    ("GET", "/adjudication/{unit_id}"): Action.ADJUDICATE,
    ("POST", "/adjudication/{unit_id}/lease"): Action.ADJUDICATE,
    ("PUT", "/adjudication/{unit_id}/draft"): Action.ADJUDICATE,
    ("POST", "/adjudication/{unit_id}/decision"): Action.ADJUDICATE,
    ("GET", "/calibration"): Action.LABEL,
    ("POST", "/calibration"): Action.ASSIGN,
    ("GET", "/calibration/{batch}/{unit_id}"): Action.LABEL,
    ("POST", "/calibration/{batch}/{unit_id}/lease"): Action.LABEL,
    ("PUT", "/calibration/{batch}/{unit_id}/draft"): Action.LABEL,
    ("POST", "/calibration/{batch}/{unit_id}/answer"): Action.LABEL,
    ("GET", "/overview"): Action.VIEW,
    ("GET", "/reports"): Action.VIEW,
    ("GET", "/reports/{name}"): Action.VIEW,
    ("GET", "/alarms"): Action.VIEW,
    ("GET", "/agreement"): Action.MEASURE,
    ("GET", "/guideline"): Action.VIEW,
    ("POST", "/guideline"): Action.MANAGE,
    ("GET", "/people"): Action.MANAGE,
    ("POST", "/people"): Action.MANAGE,
    ("GET", "/people/{person_id}"): Action.MANAGE,
    ("POST", "/people/{person_id}/tokens"): Action.MANAGE,
    ("POST", "/people/{person_id}/tokens/{token_id}/revoke"): Action.MANAGE,
    ("POST", "/people/{person_id}/role"): Action.MANAGE,
    ("POST", "/people/{person_id}/remove"): Action.MANAGE,
    ("GET", "/sign-in"): OPEN,
    ("POST", "/sign-in"): OPEN,
    ("GET", "/sign-in/oidc"): OPEN,
    ("GET", "/sign-in/oidc/return"): OPEN,
    ("POST", "/sign-out"): Action.VIEW,
    ("GET", "/static/{name}"): OPEN,
    ("GET", "/metrics"): Action.MEASURE,
    ("HEAD", "/metrics"): Action.MEASURE,
    ("GET", "/healthz"): OPEN,
    ("HEAD", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("HEAD", "/readyz"): OPEN,
    ("GET", "/api/v1/openapi.json"): OPEN,
    ("GET", "/api/v1/me"): Action.VIEW,
    ("GET", "/api/v1/units"): Action.VIEW,
    ("GET", "/api/v1/units/export"): Action.EXPORT,
    ("GET", "/api/v1/units/{unit_id}"): Action.VIEW,
    ("GET", "/api/v1/units/{unit_id}/labels"): Action.VIEW,
    ("GET", "/api/v1/units/{unit_id}/history"): Action.VIEW,
    ("POST", "/api/v1/units/next"): Action.LABEL,
    ("POST", "/api/v1/units/{unit_id}/lease"): Action.LABEL,
    ("POST", "/api/v1/units/{unit_id}/skip"): Action.LABEL,
    ("POST", "/api/v1/units/{unit_id}/escalate"): Action.LABEL,
    ("POST", "/api/v1/units/{unit_id}/personal-data"): Action.LABEL,
    ("POST", "/api/v1/labels"): Action.LABEL,
    ("GET", "/api/v1/labels/export"): Action.EXPORT,
    ("POST", "/api/v1/labels/import"): Action.IMPORT,
    ("GET", "/api/v1/label-studio/interface"): Action.VIEW,
    ("GET", "/api/v1/reports"): Action.VIEW,
    ("GET", "/api/v1/reports/{report_id}"): Action.VIEW,
    ("GET", "/api/v1/alarms"): Action.VIEW,
    ("GET", "/api/v1/agreement"): Action.MEASURE,
    ("GET", "/api/v1/quality"): Action.MEASURE,
    ("GET", "/api/v1/queue"): Action.VIEW,
    ("GET", "/api/v1/units/{unit_id}/draft"): Action.LABEL,
    ("PUT", "/api/v1/units/{unit_id}/draft"): Action.LABEL,
    ("DELETE", "/api/v1/units/{unit_id}/draft"): Action.LABEL,
    ("GET", "/api/v1/adjudication"): Action.ADJUDICATE,
    ("GET", "/api/v1/adjudication/{unit_id}"): Action.ADJUDICATE,
    ("POST", "/api/v1/adjudication/{unit_id}/lease"): Action.ADJUDICATE,
    ("PUT", "/api/v1/adjudication/{unit_id}/draft"): Action.ADJUDICATE,
    ("DELETE", "/api/v1/adjudication/{unit_id}/draft"): Action.ADJUDICATE,
    ("GET", "/api/v1/calibration"): Action.LABEL,
    ("POST", "/api/v1/calibration"): Action.ASSIGN,
    ("GET", "/api/v1/calibration/{batch}/{unit_id}"): Action.LABEL,
    ("PUT", "/api/v1/calibration/{batch}/{unit_id}/draft"): Action.LABEL,
    ("POST", "/api/v1/calibration/{batch}/{unit_id}/answer"): Action.LABEL,
    ("GET", "/api/v1/assignments"): Action.ASSIGN,
    ("POST", "/api/v1/assignments"): Action.ASSIGN,
    ("GET", "/api/v1/guideline"): Action.VIEW,
    ("POST", "/api/v1/guideline"): Action.MANAGE,
    ("GET", "/api/v1/overview"): Action.VIEW,
    ("GET", "/api/v1/people"): Action.MANAGE,
    ("POST", "/api/v1/people"): Action.MANAGE,
    ("GET", "/api/v1/people/{person_id}"): Action.MANAGE,
    ("DELETE", "/api/v1/people/{person_id}"): Action.MANAGE,
    ("POST", "/api/v1/people/{person_id}/tokens"): Action.MANAGE,
    ("DELETE", "/api/v1/people/{person_id}/tokens/{token_id}"): Action.MANAGE,
    ("PUT", "/api/v1/people/{person_id}/role"): Action.MANAGE,
    ("GET", "/api/v1/audit"): Action.MANAGE,
}
#: Routes that take a form, or nothing.
FORMS = {
    path
    for method, path in DECISIONS
    if method == "POST"
    and (
        path in ("/sign-in", "/sign-out", "/next", "/assign", "/calibration", "/guideline")
        or path[:7] == "/people"
    )
}
#: What may be refused to a role that is permitted, because of what others said of the answer.
BLIND = (
    "/history", "/decision", "/adjudication/{unit_id}", "/adjudication/{unit_id}/lease",
    "/adjudication/{unit_id}/draft",
)  # fmt: skip
#: Everything there is: a provider adds routes of its own. Off loopback: there `/metrics` asks who scrapes.
PARAMS = replace(
    with_access(oidc=OidcParams(issuer="http://127.0.0.1:9", client_id="sentinel"), sign_ins_per_minute=1000),
    host="0.0.0.0",
)


def leaves(routes: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every route with its whole path, however deep it is included."""
    for route in routes:
        if isinstance(route, Mount):
            yield from leaves(route.routes, prefix + route.path)
        elif isinstance(route, Route):
            yield prefix + route.path, route
        else:
            below = getattr(route, "original_router", None)
            assert below is not None, f"a route of a kind this test does not know: {route!r}"
            yield from leaves(below.routes, prefix + route.include_context.prefix)


def routes_of(app: FastAPI) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    for path, route in leaves(app.routes):
        for method in route.methods or ():
            assert (method, path) not in found
            found[(method, path)] = route
    return found


def decisions_of(route: Any, above: tuple[Any, ...] = ()) -> list[Action | str]:
    """What the dependencies of a route say; a good one has exactly one."""
    calls = [one.call for one in route.dependant.dependencies] + list(above)
    found: list[Action | str] = [call.action for call in calls if hasattr(call, "action")]
    return found + [OPEN for call in calls if call is open_to_all]


@pytest.fixture
def bench(database: Database) -> Workbench:
    fill(database, 2)
    return Workbench(database, PARAMS)


def test_every_route_is_decided_upon_here(bench: Workbench) -> None:
    assert set(routes_of(bench.app)) == set(DECISIONS)


def test_a_new_route_would_be_noticed(bench: Workbench) -> None:
    @bench.app.get("/new")
    def new() -> str:
        return "no decision"

    assert set(routes_of(bench.app)) - set(DECISIONS) == {("GET", "/new")}


def test_every_route_bears_its_decision_itself(bench: Workbench) -> None:
    """In the code as in the table, once."""
    for key, route in routes_of(bench.app).items():
        assert decisions_of(route) == [DECISIONS[key]], key


def request(client: TestClient, method: str, path: str) -> int:
    concrete = path.format(unit_id=1, report_id=1, name="icon.svg", batch="first", person_id="x", token_id=1)
    takes_json = method in ("POST", "PUT") and path not in FORMS
    sends: dict[str, Any] = {"json": {"token": "x"}} if takes_json else {}
    status: int = client.request(method, concrete, **sends).status_code
    return status


@pytest.mark.parametrize("role", [None, *Role])
def test_every_route_answers_its_roles_and_no_others(bench: Workbench, role: Role | None) -> None:
    bench.add("person-first")  # from here on nobody is the local person
    client = bench.browser() if role is None else bench.of_role(role)
    for (method, path), decision in DECISIONS.items():
        status = request(client, method, path)
        where = f"{method} {path} as {role}: {status}"
        if decision == OPEN:
            assert status in (200, 303, 401, 403, 503), where  # a wrong token, a provider that is away
            assert path in ("/sign-in", "/sign-in/oidc", "/sign-in/oidc/return") or status == 200, where
        elif role is None:
            assert status == (401 if path.startswith(("/api", "/metrics")) or method != "GET" else 303), where
        elif decision in PERMITTED[role]:
            # Permitted, and then perhaps not possible: no such report, no label yet, not a label.
            assert status in (200, 204, 303, 404, 409, 422) or (status == 403 and path.endswith(BLIND)), where
        else:
            assert status == 403, where


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST", "OPTIONS", "TRACE"])
def test_no_route_takes_a_method_that_is_not_decided_upon(bench: Workbench, method: str) -> None:
    client = bench.of_role(Role.ADMIN)
    for _, path in DECISIONS:
        if (method, path) not in DECISIONS:
            assert request(client, method, path) == 405, path


@pytest.mark.parametrize(("host", "is_open"), [("127.0.0.1", True), ("0.0.0.0", False)])
def test_metrics_ask_who_scrapes_unless_only_this_machine_can(
    database: Database, host: str, is_open: bool
) -> None:
    bench = Workbench(database, replace(PARAMS, host=host))
    anybody = bench.browser()
    assert anybody.get("/metrics").status_code == (200 if is_open else 401)
    by_proxy = anybody.get("/metrics", headers={"X-Forwarded-For": "10.0.0.7"})
    assert (by_proxy.status_code, by_proxy.text) == (401, "refused\n")
    assert "Bearer" in by_proxy.headers["www-authenticate"]
    assert bench.of_role(Role.VIEWER).get("/metrics").status_code == 200
    assert bench.of_role(Role.REVIEWER).get("/metrics", headers={"Via": "a"}).status_code == 403
    opened = Workbench(database, replace(with_access(open_metrics=True), host=host))
    assert opened.browser().get("/metrics").status_code == 200
