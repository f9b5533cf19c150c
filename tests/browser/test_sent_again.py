"""A label whose receipt was lost on the way, in a real browser: sent again it is one, changed it is told."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.conftest import SignIn
from tests.browser.lost_receipts import LostReceipt
from tests.browser.workbench import Bench


def label(desk_page: Page) -> LostReceipt:
    desk_page.keyboard.press("Shift+S")
    desk_page.wait_for_selector("#saved[data-kind=saved]")
    receipt = LostReceipt(desk_page, "**/opinion")
    desk_page.keyboard.press("Control+Enter")
    receipt.wait_until_told()
    return receipt


def test_the_same_words_sent_again_are_one_label(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    desk = sign_in("ann")
    desk.page.goto("/units/1")
    desk.ready()
    label(desk.page).restore()
    desk.page.wait_for_url("**/?done=1")
    assert len(bench.rows("SELECT id FROM annotations")) == 1


def test_other_words_are_not_taken_for_the_label_that_was_kept(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    desk = sign_in("ann")
    page = desk.page
    page.goto("/units/1")
    desk.ready()
    receipt = label(page)
    page.keyboard.press("c")
    page.keyboard.type("one word more")
    receipt.restore()
    page.wait_for_selector("#banner:has-text('given as a label')")
    assert len(bench.rows("SELECT id FROM annotations")) == 1
    page.get_by_role("button", name="Keep what is on this page").click()
    page.wait_for_selector("#saved[data-kind=saved]")
    page.get_by_role("button", name="Give label").click()
    page.wait_for_url("**/?done=1")
    (first, second) = bench.rows("SELECT comment, replaces FROM annotations ORDER BY id")
    assert first == (None, None)
    assert second[0] == "one word more"
    assert second[1] is not None
