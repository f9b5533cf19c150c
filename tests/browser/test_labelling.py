"""Labelling in a real browser, by keyboard alone, and what may go wrong on the way."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import SignIn
from tests.browser.workbench import Bench, Served


def annotations(bench: Bench) -> list[dict[str, Any]]:
    names = ("event_id", "annotator", "role", "claims", "comment", "abstention", "citations", "root_causes")
    rows = bench.rows(f"SELECT {', '.join(names)} FROM annotations ORDER BY id")
    return [dict(zip(names, row, strict=True)) for row in rows]


def labels(row: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(claim["label"], claim["severity"]) for claim in json.loads(row["claims"])]


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def tab_to(page: Page, words: str, tag: str = "BUTTON") -> None:
    """Move the focus with the Tab key alone until it is on a button (or a link: `A`) with these words."""
    for _ in range(60):
        page.keyboard.press("Tab")
        at, shown = page.evaluate("[document.activeElement.tagName, document.activeElement.innerText || '']")
        if at == tag and words in shown:
            return
    raise AssertionError(f"the Tab key does not lead to {words!r}")


def test_the_whole_path_by_keyboard_alone(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(2)
    desk = sign_in("ann")
    page = desk.page
    tab_to(page, "Take the next answer")
    page.keyboard.press("Enter")
    desk.ready()
    assert page.locator("#claims .claim").count() == 8
    press(page, "1", "1", "2", "e", "1")  # the fee is contradicted, high
    press(page, "3", "q")  # the customs form is not in evidence, low
    press(page, "s", "Control+Enter")  # split at the joint
    assert page.locator("#claims .claim").count() == 9
    press(page, "u")
    assert page.locator("#claims .claim").count() == 8
    press(page, "v")
    assert "of its words in" in page.inner_text("#live")
    press(page, "Shift+S", "i", "f", "c")
    page.keyboard.type("The leaflet is old.")
    press(page, "Escape", "?")
    page.wait_for_selector("#keys-dialog[open]")
    press(page, "Escape", "g")
    assert page.locator("#guideline[open]").count() == 1
    desk.saved()
    first = page.url
    press(page, "Control+Enter")
    page.wait_for_url(lambda url: url != first)
    desk.ready()
    (row,) = annotations(bench)
    assert labels(row)[:5] == [
        ("supported", None), ("supported", None), ("contradicted", "high"), ("supported", None),
        ("not_in_evidence", "low"),
    ]  # fmt: skip
    assert row["comment"] == "The leaflet is old."
    assert row["annotator"] == bench.ids["ann"]
    press(page, "Shift+A", "Control+Enter")
    page.wait_for_url("**/?done=1")
    assert annotations(bench)[1]["abstention"] == "correct"
    (seconds,) = {row[0] is not None and row[0] > 0 for row in bench.rows("SELECT seconds FROM submissions")}
    assert seconds


def test_editing_merging_adding_and_removing_claims(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    desk = sign_in("ann")
    page = desk.page
    page.goto("/units/1")
    desk.ready()
    before = page.locator("#claims .claim").count()
    press(page, "m")
    assert page.locator("#claims .claim").count() == before - 1
    press(page, "Enter")
    page.keyboard.type(" More.")
    press(page, "Enter", "a")
    page.keyboard.type("A claim nobody proposed.")
    press(page, "Enter", "1", "k", "x")
    desk.saved()
    page.reload()
    desk.ready()
    texts = page.locator("#claims .words").all_inner_texts()
    assert len(texts) == before - 1
    assert "A claim nobody proposed." in texts or "More." in " ".join(texts)


def test_a_lost_connection_loses_nothing(served: tuple[Bench, Served], sign_in: SignIn) -> None:
    bench, server = served
    bench.fill(1)
    desk = sign_in("ann")
    page = desk.page
    page.goto("/units/1")
    desk.ready()
    press(page, "1", "1")
    desk.saved()
    server.stop()
    press(page, "2", "w")
    page.wait_for_selector("#saved[data-kind=offline]")
    press(page, "Shift+S", "Control+Enter")
    page.wait_for_selector("#banner:has-text('No connection')")
    assert annotations(bench) == []
    server.start()
    page.wait_for_url("**/?done=1")
    (row,) = annotations(bench)
    assert labels(row)[:3] == [("supported", None), ("supported", None), ("contradicted", "medium")]


def test_a_tab_closed_while_offline_loses_nothing(served: tuple[Bench, Served], sign_in: SignIn) -> None:
    bench, server = served
    bench.fill(1)
    desk = sign_in("ann")
    desk.page.goto("/units/1")
    desk.ready()
    press(desk.page, "1")
    desk.saved()
    server.stop()
    press(desk.page, "3", "r")
    desk.page.wait_for_selector("#saved[data-kind=offline]")
    desk.page.close()
    server.start()
    page = desk.new_page()
    page.goto("/units/1")
    desk.ready(page)
    desk.saved(page)
    assert page.locator("#claims .said").all_inner_texts()[:2] == ["supported", "not in evidence, critical"]


def test_the_back_button_shows_the_label_and_never_an_old_draft(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(2)
    desk = sign_in("ann")
    page = desk.page
    page.goto("/units/1")
    desk.ready()
    press(page, "2", "q", "Shift+S", "Control+Enter")
    page.wait_for_url("**/units/2")
    desk.ready()
    page.go_back()
    desk.ready()
    assert "your label, to correct" in page.inner_text("h1")
    assert page.locator("#claims .claim.contradicted").count() == 1
    press(page, *"kkkkkkkk", "1", "Control+Enter")
    page.wait_for_url("**/units/2")
    first, second = annotations(bench)
    assert (labels(first)[0][0], labels(second)[0][0]) == ("contradicted", "supported")
    assert bench.rows("SELECT replaces FROM annotations WHERE id = 2") == [(1,)]


def test_two_tabs_never_overwrite_each_other_in_silence(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    desk = sign_in("ann")
    one, other = desk.page, desk.new_page()
    for page in (one, other):
        page.goto("/units/1")
        desk.ready(page)
    press(one, "1", "1")
    desk.saved(one)
    press(other, "2", "r")
    other.wait_for_selector("#banner:has-text('another page')")
    assert "Nothing was overwritten" in other.inner_text("#banner")
    other.get_by_role("button", name="Take the other version").click()
    assert other.locator("#claims .claim.supported").count() == 2
    press(other, "3", "q", "Shift+S", "Control+Enter")
    other.wait_for_url("**/?done=1")
    press(one, "2")
    one.wait_for_selector("#banner:has-text('given as a label')")
    assert len(annotations(bench)) == 1


def test_two_reviewers_who_do_not_see_each_other_and_an_adjudicator(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    ann, ben = sign_in("ann"), sign_in("ben")
    ben_before = ben.page.inner_text("main")
    ann.page.goto("/units/1")
    ann.ready()
    press(ann.page, "2", "r", "c")  # critical: always seen twice
    ann.page.keyboard.type("A secret reason.")
    press(ann.page, "Escape", "Shift+S", "Control+Enter")
    ann.page.wait_for_url("**/?done=1")
    ben.page.reload()
    assert ben.page.inner_text("main") == ben_before  # neither queue nor counts tell
    ben.page.goto("/units/1/history")
    assert "once all its labels are in" in ben.page.inner_text("main")
    ben.page.goto("/units/1")
    ben.ready()
    assert "secret" not in ben.page.content()
    assert ben.page.locator("#claims .unjudged").count() == 8
    press(ben.page, "Shift+S", "Control+Enter")
    ben.page.wait_for_url("**/?done=1")
    ben.page.goto("/adjudication/1")
    assert "A secret reason" not in ben.page.content()
    dora = sign_in("dora")
    dora.page.goto("/adjudication")
    dora.page.click("text=Can I return my kettle")
    dora.ready()
    assert "A secret reason." in dora.page.inner_text("main")
    assert dora.page.locator(".opinion").count() == 2
    assert dora.page.locator(".opinion .differs").count() == 2
    assert dora.page.locator("#claims .unjudged").count() == 1
    press(dora.page, "2", "e", "Control+Enter")
    dora.page.wait_for_url("**/adjudication")
    assert [(row["annotator"], row["role"]) for row in annotations(bench)] == [
        (bench.ids["ann"], "annotator"), (bench.ids["ben"], "annotator"), (bench.ids["dora"], "adjudicator"),
    ]  # fmt: skip
    dora.page.goto("/units/1/history")
    assert "Final, out of 3 opinions" in dora.page.inner_text("main")


def test_marks_cover_exactly_the_words_also_after_emoji(bench: Bench, sign_in: SignIn) -> None:
    text = "🙂🙂 Der Preis für 👨‍👩‍👧 beträgt 12,50 Euro, naïve Straße 𝒳 inklusive."
    bench.fill(1, answer=f"🙂 {text}", retrieved=[{"id": "p", "text": f"👨‍👩‍👧🙂 {text}"}])
    desk = sign_in("ann")
    desk.page.goto("/units/1")
    desk.ready()
    read = "name => [...CSS.highlights.get(name)].map(range => range.toString())"
    assert desk.page.evaluate(read, "claim") == [f"🙂 {text}"]
    assert set(desk.page.evaluate(read, "evidence")) >= {
        "Preis",
        "beträgt",
        "12,50",
        "Euro",
        "Straße",
        "inklusive",
    }
