"""What the pages do the API does, too: each route of a page names its counterpart, or why it has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sentinel.review.api.problems import API
from sentinel.review.identity.params import OidcParams
from sentinel.store.database import Database
from tests.contract.test_access_matrix import routes_of
from tests.contract.workbench import Workbench, with_access

DOCUMENT = Path(__file__).parents[2] / "docs" / "api.md"
ROUTE = re.compile(r"`([A-Z]+) (/\S*)`")
Route = tuple[str, str]


def table() -> dict[Route, str]:
    """The rows of the table: a route of a page → the cell that names its counterparts."""
    section = DOCUMENT.read_text(encoding="utf-8").partition("## Pages and their counterparts")[2]
    rows: dict[Route, str] = {}
    for line in section.partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and (route := ROUTE.fullmatch(cells[0])):
            assert cells[1], line
            assert (route[1], route[2]) not in rows, line
            rows[route[1], route[2]] = cells[2]
    return rows


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> set[Route]:
    provider = with_access(oidc=OidcParams(issuer="http://127.0.0.1:9", client_id="sentinel"))
    with Database(f"sqlite:///{tmp_path_factory.mktemp('routes')}/store.db") as database:
        database.upgrade()
        return {route for route in routes_of(Workbench(database, provider).app) if route[0] != "HEAD"}


@pytest.fixture(scope="module")
def api(routes: set[Route]) -> set[Route]:
    return {(method, path.removeprefix(API)) for method, path in routes if path.startswith(API)}


def test_every_route_of_a_page_stands_in_the_table(routes: set[Route]) -> None:
    assert set(table()) == {route for route in routes if not route[1].startswith(API)}


def test_every_counterpart_is_there_or_its_lack_has_a_reason(api: set[Route]) -> None:
    for page, cell in table().items():
        named = {(found[1], found[2]) for found in ROUTE.finditer(cell)}
        if not named:
            assert re.fullmatch(r"none: \w+( \S+){3,}", cell), f"{page} names no counterpart and no reason"
        assert named <= api, f"{page} names what the API does not have: {named - api}"


def test_every_route_of_the_api_is_named_in_its_document(api: set[Route]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    named = {(found[1], found[2].replace("{id}", "{unit_id}")) for found in ROUTE.finditer(text)}
    beside = {("GET", "/openapi.json"), ("GET", "/label-studio/interface")}
    deleted = {("DELETE", "/units/{unit_id}/draft"), ("DELETE", "/adjudication/{unit_id}/draft")}
    assert api - beside - deleted <= named
    assert "`DELETE …/draft`" in text
