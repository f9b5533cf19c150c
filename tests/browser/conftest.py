"""Debian's Chromium, and pages that keep count of what the Content-Security-Policy had to forbid."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.workbench import Bench, Served, served_bench
from tests.services.missing import skip_or_fail


def chromium_path() -> str:
    """Return where Chromium is; `SENTINEL_TEST_CHROMIUM` names another one."""
    found = os.environ.get("SENTINEL_TEST_CHROMIUM") or shutil.which("chromium")
    if not found:
        skip_or_fail("chromium is not installed (Debian: apt-get install chromium)")
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Desk:
    """A browser of one person: what its pages said on the console, and what the policy forbade."""

    context: BrowserContext
    page: Page
    violations: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> Page:
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog {dialog.message}"))
        return page

    def _hear(self, message: Any) -> None:
        if "Content Security Policy" in message.text or "Content-Security-Policy" in message.text:
            self.violations.append(message.text)

    def new_page(self) -> Page:
        return self.watch(self.context.new_page())

    def ready(self, page: Page | None = None) -> Page:
        """Wait until the labelling page takes keys."""
        page = page or self.page
        page.wait_for_selector("html[data-ready=yes]")
        return page

    def saved(self, page: Page | None = None) -> None:
        (page or self.page).wait_for_selector("#saved[data-kind=saved]")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Bench, Served]]:
    with served_bench(tmp_path) as both:
        yield both


@pytest.fixture
def bench(served: tuple[Bench, Served]) -> Bench:
    return served[0]


SignIn = Callable[..., Desk]


@pytest.fixture
def sign_in(chromium: Browser, bench: Bench) -> Iterator[SignIn]:
    """Return a browser in which a person has signed in with their token."""
    desks: list[Desk] = []

    def signed_in(name: str, **options: Any) -> Desk:
        context = chromium.new_context(base_url=bench.url, **options)
        context.set_default_timeout(20_000)
        desk = Desk(context, context.new_page())
        desk.watch(desk.page)
        desks.append(desk)
        desk.page.goto("/sign-in")
        desk.page.fill("input[name=token]", bench.tokens[name])
        desk.page.keyboard.press("Enter")
        desk.page.wait_for_url(f"{bench.url}/")
        return desk

    yield signed_in
    for desk in desks:
        desk.context.close()
    assert [one for desk in desks for one in desk.violations] == []
    assert [one for desk in desks for one in desk.errors] == []
