"""Every page: no violation of WCAG 2.2 AA that axe finds, no script refused, readable on a phone.

With `SENTINEL_TEST_SCREENSHOTS=FOLDER` each page is also photographed, light and dark, desktop and phone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import axe_source
from tests.browser.conftest import Desk
from tests.browser.decided_case import live_a_little
from tests.browser.workbench import Bench, served_bench
from tests.services.missing import MissingServiceError, skip_or_fail

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PAGES = {
    "queue": "/?status=pending", "open": "/?status=open", "label": "/units/11", "correct": "/units/8",
    "lost": "/units/10", "history": "/units/8/history", "assign": "/assign", "adjudication": "/adjudication",
    "decide": "/adjudication/7", "overview": "/overview", "reports": "/reports",
    "report": "/reports/20261116T0000-20261123T0000-1", "alarms": "/alarms",
    "agreement": "/agreement", "calibration": "/calibration", "trial": "/calibration/first%20week/1",
    "guideline": "/guideline", "people": "/people", "person": "/people", "missing": "/units/9999",
}  # fmt: skip
#: Pages whose address is another in each store: the link that leads there.
LINKS = {"person": "ben"}
SIZES = {"desktop": (1360, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with served_bench(tmp_path_factory.mktemp("pages")) as (bench, _):
        bench.fill(30)
        live_a_little(bench)
        yield bench


@pytest.fixture(scope="module")
def axe() -> str:
    try:
        return axe_source()
    except MissingServiceError as error:
        skip_or_fail(str(error))


@pytest.fixture(scope="module")
def desks(chromium: Browser, lived: Bench) -> Iterator[dict[tuple[str, str], Desk]]:
    """A browser of the admin for each size and scheme."""
    found: dict[tuple[str, str], Desk] = {}
    state: Any = None
    for size, (width, height) in SIZES.items():
        for scheme in ("light", "dark"):
            context = chromium.new_context(
                base_url=lived.url,
                viewport={"width": width, "height": height},
                color_scheme=scheme,  # type: ignore[arg-type]
                storage_state=state,
            )
            desk = Desk(context, context.new_page())
            desk.watch(desk.page)
            if state is None:
                desk.page.goto("/sign-in")
                desk.page.fill("input[name=token]", lived.tokens["erin"])
                desk.page.keyboard.press("Enter")
                desk.page.wait_for_url(f"{lived.url}/")
                state = context.storage_state()
            found[size, scheme] = desk
    yield found
    for desk in found.values():
        desk.context.close()


def look_at(page: Page, name: str, extra: str = "") -> None:
    page.goto(PAGES[name])
    if name in LINKS:
        page.get_by_role("link", name=LINKS[name], exact=True).click()
        page.wait_for_selector("h1:has-text('ben')")
    if page.locator("#label-page").count():
        page.wait_for_selector("html[data-ready=yes]")
    if extra:
        page.keyboard.press(extra)
        page.wait_for_timeout(100)


def photograph(page: Page, name: str, size: str, scheme: str) -> None:
    folder = os.environ.get("SENTINEL_TEST_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}-{size}-{scheme}.png"), full_page=name != "label")


def violations(page: Page, axe: str) -> list[str]:
    page.wait_for_load_state("load")  # what a test waited for may be there before the style sheet is
    page.evaluate(axe)
    found = page.evaluate("tags => axe.run(document, {runOnly: tags})", TAGS)
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for one in found["violations"]
        for node in one["nodes"][:2]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", sorted(SIZES))
@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_is_accessible(
    desks: dict[tuple[str, str], Desk], axe: str, name: str, size: str, scheme: str
) -> None:
    desk = desks[size, scheme]
    look_at(desk.page, name)
    photograph(desk.page, name, size, scheme)
    assert violations(desk.page, axe) == []
    assert desk.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    assert (desk.violations, desk.errors) == ([], [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("key", "name"), [("?", "keys"), ("2", "severity"), ("Enter", "editing"), ("Shift+P", "personal")]
)
def test_what_opens_by_a_key_is_accessible_too(
    desks: dict[tuple[str, str], Desk], axe: str, key: str, name: str, scheme: str
) -> None:
    desk = desks["desktop", scheme]
    look_at(desk.page, "label", key)
    photograph(desk.page, f"label-{name}", "desktop", scheme)
    assert violations(desk.page, axe) == []
    assert (desk.violations, desk.errors) == ([], [])


def test_on_a_phone_each_figure_of_a_table_has_its_name(desks: dict[tuple[str, str], Desk]) -> None:
    page = desks["phone", "light"].page
    look_at(page, "report")
    shown = page.evaluate(
        "[...document.querySelectorAll('td')].slice(0, 3)"
        ".map(cell => getComputedStyle(cell, '::before').content)"
    )
    assert shown == ['"Estimate"', '"95 % interval"', '"Sample counts"']
