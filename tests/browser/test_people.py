"""The pages of people in a real browser: by keyboard alone, accessible in each state, nobody locked out."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.browser.axe import axe_source
from tests.browser.conftest import SignIn
from tests.browser.test_pages import SIZES, photograph, violations
from tests.browser.workbench import Bench
from tests.services.missing import MissingServiceError, skip_or_fail

TOKEN = re.compile(r"sentinel_[a-z2-7]{12}_[\w-]{43}")


@pytest.fixture(scope="module")
def axe() -> str:
    try:
        return axe_source()
    except MissingServiceError as error:
        skip_or_fail(str(error))


def tab_to(page: Page, tag: str, words: str, name: str = "") -> None:
    """Move the focus with the Tab key alone until it is on an element of a tag, with words, with a name."""
    for _ in range(60):
        page.keyboard.press("Tab")
        at = page.evaluate(
            "(({tagName, innerText, name}) => [tagName, innerText, name])(document.activeElement)"
        )
        if at[0] == tag and at[1].startswith(words) and (not name or at[2] == name):
            return
    raise AssertionError(f"the Tab key does not lead to {words or name!r}")


def opened(page: Page, name: str) -> None:
    page.goto("/people")
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_selector(f"h1:has-text('{name}')")


def test_an_admin_adds_somebody_by_keyboard_alone(bench: Bench, sign_in: SignIn) -> None:
    page = sign_in("erin").page
    tab_to(page, "A", "People")
    page.keyboard.press("Enter")
    page.wait_for_url("**/people")
    tab_to(page, "INPUT", "", name="name")
    page.keyboard.type("Fay Q")
    page.keyboard.press("Tab")
    page.keyboard.press("v")  # viewer
    tab_to(page, "BUTTON", "Add")
    page.keyboard.press("Enter")
    page.wait_for_selector(".made")
    assert "shown this once" in page.evaluate("document.activeElement.innerText")
    found = TOKEN.search(page.inner_text(".made"))
    assert found
    bench.tokens["fay"] = found[0]
    other = sign_in("fay").page
    assert "Fay Q, viewer" in other.inner_text(".who")
    assert other.get_by_role("link", name="People").count() == 0
    page.goto("/people")
    assert not TOKEN.search(page.content())
    opened(page, "Fay Q")
    tab_to(page, "BUTTON", "Revoke")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=The token was revoked")
    other.goto("/overview")
    assert "/sign-in" in other.url


def test_ones_own_token_is_asked_about_and_the_last_one_kept(bench: Bench, sign_in: SignIn) -> None:
    page = sign_in("erin").page
    opened(page, "erin")
    page.get_by_role("button", name=re.compile("^Revoke")).click()
    page.wait_for_selector("[role=alert]")
    page.get_by_role("button", name="Revoke it and sign out").click()
    page.wait_for_selector("text=No admin could sign in any more after this")
    page.goto("/people")
    assert page.inner_text("h1") == "People", "still signed in"
    bench.add("gus", "admin")
    opened(page, "erin")
    page.get_by_label("Role").select_option("viewer")
    page.get_by_role("button", name="Change role").click()
    page.get_by_role("button", name="Become viewer").click()
    page.wait_for_url(f"{bench.url}/")
    assert page.get_by_role("link", name="People").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", sorted(SIZES))
def test_each_state_is_accessible(bench: Bench, sign_in: SignIn, axe: str, size: str, scheme: str) -> None:
    width, height = SIZES[size]
    page = sign_in("erin", viewport={"width": width, "height": height}, color_scheme=scheme).page

    def look(name: str) -> None:
        assert violations(page, axe) == [], name
        photograph(page, name, size, scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), name

    page.goto("/people")
    page.get_by_label("Name").fill("erin")
    page.get_by_role("button", name="Add").click()
    page.wait_for_selector("[role=alert]")
    look("people-refused")
    page.get_by_label("Name").fill("A name that somebody with a long name of many parts might really bear")
    page.get_by_role("button", name="Add").click()
    page.wait_for_selector(".made")
    look("people-made")
    opened(page, "erin")
    page.get_by_role("button", name="Make a new token").click()
    page.wait_for_selector(".made")
    page.get_by_role("button", name=re.compile("^Revoke")).first.click()
    page.wait_for_selector("[role=alert]")
    look("person-asked")
    opened(page, "ben")
    page.get_by_text("End the access of").click()
    look("person-ending")
    page.get_by_role("button", name="End access for good").click()
    page.wait_for_selector("text=Their access has ended")
    look("person-removed")
