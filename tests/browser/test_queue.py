"""The queue in a browser: filters, bulk assignment, counts that equal what opens, lost and purged answers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import Page

from sentinel.store.units import set_status
from tests.browser.conftest import SignIn
from tests.browser.test_labelling import press
from tests.browser.workbench import Bench

ANSWERS = 24
OLD = {unit for unit in range(1, ANSWERS + 1) if unit > 10}
SHOP = {unit for unit in range(1, ANSWERS + 1) if unit % 2 == 1}
CITED_WRONGLY = {unit for unit in range(1, ANSWERS + 1) if unit % 3 == 0}


@pytest.fixture
def filled(bench: Bench) -> Bench:
    """Answers of two apps, some of them ten days old, some drawn for an invalid citation."""
    bench.fill(ANSWERS)
    days = int(timedelta(days=10).total_seconds() * 1e6)
    with bench.database.begin() as conn:
        conn.exec_driver_sql(f"UPDATE units SET event_time = event_time - {days} WHERE id > 10")
        reasons = '["uniform", "invalid_citation"]'
        conn.exec_driver_sql("UPDATE units SET reasons = ? WHERE id % 3 = 0", (reasons,))
    return bench


def listed(page: Page) -> set[int]:
    links = page.locator("#listed tbody a").all()
    return {int((link.get_attribute("href") or "").rsplit("/", 1)[1]) for link in links}


def count_of(page: Page, words: str) -> int:
    return int(page.locator(".counts a", has_text=words).locator("strong").inner_text())


def test_slice_and_age_narrow_the_list_the_count_and_what_is_taken(filled: Bench, sign_in: SignIn) -> None:
    desk = sign_in("ann")
    page = desk.page
    wanted = SHOP & OLD
    page.select_option("select[name=app]", "shop")
    page.wait_for_url("**app=shop**")
    page.select_option("select[name=age]", "older")
    page.wait_for_selector(f"#listed:has-text('{len(wanted)} answers for you to label are like this')")
    assert listed(page) == wanted
    page.reload()
    assert listed(page) == wanted, "the address holds the filter"
    taken: set[int] = set()
    page.click("text=Take the next answer")
    for _ in wanted:
        desk.ready()
        assert "app=shop" in page.url
        taken.add(int(page.url.rsplit("/", 1)[1].partition("?")[0]))
        press(page, "Shift+S", "Control+Enter")
        page.wait_for_url(lambda url, here=page.url: url != here)
    assert taken == wanted, "who goes on stays within the filter"
    assert "done=1" in page.url
    assert "0 answers for you to label are like this" in page.inner_text("#listed")


def test_bulk_assignment_obeys_slice_reason_and_age(filled: Bench, sign_in: SignIn) -> None:
    page = sign_in("dora").page
    wanted = SHOP & OLD & CITED_WRONGLY
    assert 0 < len(wanted) < len(SHOP & OLD)
    page.goto("/assign")
    for name, value in (("app", "shop"), ("age", "older"), ("reason", "invalid_citation")):
        page.select_option(f"select[name={name}]", value)
        page.wait_for_url(f"**{name}={value}**")
    page.wait_for_selector(f"#chosen-title:has-text('{len(wanted)} open answers are like this')")
    page.select_option("select[name=annotator]", filled.ids["ben"])
    page.click("#chosen button[type=submit]")
    page.wait_for_selector(f"[role=status]:has-text('{len(wanted)} answers are kept for ben.')")
    rows = filled.rows("SELECT unit_id FROM reservations WHERE expires_at > 0")
    assert {row[0] for row in rows} == wanted
    ben, ann = sign_in("ben").page, sign_in("ann").page
    for other in (ben, ann):
        other.goto("/?status=open")
    reserved = ben.locator("tr", has_text="reserved for you").locator("a").all()
    assert {int((one.get_attribute("href") or "").rsplit("/", 1)[1]) for one in reserved} == wanted
    assert count_of(ben, "for you to label") == ANSWERS
    assert count_of(ann, "for you to label") == ANSWERS - len(wanted)
    assert listed(ann) == set(range(1, ANSWERS + 1)) - wanted


def test_every_answer_that_is_counted_opens_and_no_other(filled: Bench, sign_in: SignIn) -> None:
    with filled.database.begin() as conn:
        conn.exec_driver_sql("DELETE FROM unit_contents WHERE unit_id IN (3, 4, 5)")
        set_status(conn, ["e00002", "e00003"], "lost")
        set_status(conn, ["e00004"], "purged")
    desk = sign_in("ann")
    page = desk.page
    assert count_of(page, "for you to label") == len(listed(page)) == ANSWERS - 3
    for unit in sorted(listed(page)):
        page.goto(f"/units/{unit}")
        desk.ready()
    page.goto("/?status=lost")
    assert count_of(page, "lost") == 2
    assert listed(page) == {3, 4}
    assert page.locator("#listed .status").all_inner_texts() == ["lost", "lost"]
    page.goto("/?status=purged")
    assert count_of(page, "purged") == 1
    assert page.locator("#listed .status").all_inner_texts() == ["purged"]
    page.goto("/units/3")
    assert "could not be redacted, so it was not kept" in page.inner_text("main")
    page.goto("/units/5")
    assert "no longer kept" in page.inner_text("main")
    assert page.locator("#label-page").count() == 0


def test_urgent_answers_stand_first(filled: Bench, sign_in: SignIn) -> None:
    with filled.database.begin() as conn:
        conn.exec_driver_sql("UPDATE units SET priority = -1 WHERE id = 20")
    desk = sign_in("ann")
    desk.page.click("text=Take the next answer")
    desk.ready()
    assert desk.page.url.endswith("/units/20")
