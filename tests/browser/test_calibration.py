"""A new reviewer tries themselves on a batch by keyboard alone, and sees how it went when it is done."""

from __future__ import annotations

import json

import pytest
from krippendorff import alpha as reference_alpha
from playwright.sync_api import Error, Page, Response

from tests.browser.axe import axe_source
from tests.browser.conftest import Desk, SignIn
from tests.browser.decided_case import live_a_little
from tests.browser.lost_receipts import LostReceipt
from tests.browser.test_labelling import press, tab_to
from tests.browser.test_pages import violations
from tests.browser.workbench import Bench, Served
from tests.services.missing import MissingServiceError, skip_or_fail

#: Words of the opinions that the known labels were made of: no page may hold them before the batch is done.
KNOWN_WORDS = ("The leaflet is of no help.", "Looks right.")
TRIAL = "/calibration/first%20week"


@pytest.fixture
def newcomer(bench: Bench, sign_in: SignIn) -> Desk:
    bench.fill(12)
    live_a_little(bench)
    bench.add("fay", "reviewer")
    return sign_in("fay")


def known_labels(bench: Bench) -> dict[int, list[str]]:
    rows = bench.rows("SELECT unit_id, known FROM calibration_items ORDER BY unit_id")
    return {unit: [claim["label"] for claim in json.loads(known)["claims"]] for unit, known in rows}


def said_labels(bench: Bench) -> dict[int, list[str]]:
    rows = bench.rows("SELECT unit_id, document FROM calibration_answers ORDER BY unit_id")
    return {unit: [claim["label"] for claim in json.loads(document)["claims"]] for unit, document in rows}


def begin(desk: Desk) -> None:
    """Go from the queue to the first answer of the batch with the Tab key."""
    for words, place in (("Calibration", "**/calibration"), ("first week", f"**{TRIAL}/*")):
        tab_to(desk.page, words, "A")
        desk.page.keyboard.press("Enter")
        desk.page.wait_for_url(place)
    desk.ready()


def give(desk: Desk, page: Page | None = None) -> None:
    page = page or desk.page
    before = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != before)


def rightly(page: Page) -> None:
    press(page, "1", "1", "2", "e", "Shift+S")


def row(page: Page) -> list[str]:
    return page.locator("main table").first.locator("tbody td").all_inner_texts()


def test_a_batch_by_keyboard_alone_until_its_result(bench: Bench, newcomer: Desk) -> None:
    page = newcomer.page
    heard: list[str] = []

    def hear(answer: Response) -> None:
        is_page = answer.url.startswith(bench.url) and "/static/" not in answer.url
        if is_page and answer.request.redirected_to is None and answer.status != 303:
            heard.append(answer.text())

    begin(newcomer)
    page.context.on("response", hear)
    known = known_labels(bench)
    page.reload()
    for number in range(len(known)):
        newcomer.ready()
        draft = json.loads(page.get_attribute("#label-page", "data-state") or "")["draft"]
        assert {(claim["label"], claim["severity"], claim["subtype"]) for claim in draft["claims"]} == {
            (None, None, None)
        }
        assert draft["comment"] == ""
        if number == 1:
            press(page, "Shift+S")  # wrong: the fee is not what the passage says
        else:
            rightly(page)
        give(newcomer)
        if number < len(known) - 1:
            assert page.url.startswith(f"{bench.url}{TRIAL}/")
    page.wait_for_url("**/calibration")
    assert heard
    assert [words for words in KNOWN_WORDS for text in heard if words in text] == []
    said = said_labels(bench)
    pairs = [(one, other) for unit in known for one, other in zip(known[unit], said[unit], strict=True)]
    kinds = sorted({kind for pair in pairs for kind in pair})
    data = [[kinds.index(pair[rater]) for pair in pairs] for rater in (0, 1)]
    theirs = reference_alpha(reliability_data=data, level_of_measurement="nominal")
    assert row(page) == ["5 of 5", "4 of 5", f"{theirs:.2f}"]
    assert bench.rows(f"SELECT count(*) FROM annotations WHERE annotator = '{bench.ids['fay']}'") == [(0,)]
    ((seconds,),) = bench.rows("SELECT min(seconds) FROM calibration_answers")
    assert seconds > 0


def test_the_result_is_shown_to_who_oversees_and_not_before_the_batch_is_done(
    bench: Bench, newcomer: Desk, sign_in: SignIn
) -> None:
    begin(newcomer)
    rightly(newcomer.page)
    give(newcomer)
    newcomer.page.goto("/calibration")
    assert row(newcomer.page) == ["1 of 5", "–", "–"]
    dora = sign_in("dora").page
    dora.goto("/calibration")
    others = dora.locator("main table").nth(1)
    assert others.locator("tbody th").all_inner_texts() == ["fay, first week"]
    assert others.locator("tbody td").all_inner_texts() == ["1 of 5", "–", "–"]


def test_a_crash_in_the_middle_loses_nothing(bench: Bench, newcomer: Desk) -> None:
    begin(newcomer)
    place = newcomer.page.url
    press(newcomer.page, "1", "1", "2", "e")
    newcomer.saved()
    with pytest.raises(Error, match="crash"):
        newcomer.page.goto("chrome://crash")
    again = newcomer.new_page()
    again.goto(place)
    newcomer.ready(again)
    said = again.locator("#claims .said").all_inner_texts()
    assert said[:3] == ["supported", "supported", "contradicted, high"]
    press(again, "Shift+S")
    give(newcomer, again)
    assert next(iter(said_labels(bench).values()))[:3] == ["supported", "supported", "contradicted"]


def test_a_tab_closed_while_offline_and_a_label_whose_receipt_was_lost(
    served: tuple[Bench, Served], newcomer: Desk
) -> None:
    bench, server = served
    begin(newcomer)
    place = newcomer.page.url
    press(newcomer.page, "1")
    newcomer.saved()
    server.stop()
    press(newcomer.page, "3", "r")
    newcomer.page.wait_for_selector("#saved[data-kind=offline]")
    newcomer.page.close()
    server.start()
    page = newcomer.new_page()
    page.goto(place)
    newcomer.ready(page)
    newcomer.saved(page)
    assert page.locator("#claims .said").all_inner_texts()[:2] == ["supported", "not in evidence, critical"]
    press(page, "Shift+S")
    newcomer.saved(page)

    receipt = LostReceipt(page, "**/answer")
    page.keyboard.press("Control+Enter")
    receipt.wait_until_told()
    receipt.restore()
    page.wait_for_url(lambda url: url != place)
    assert len(said_labels(bench)) == 1


def test_the_back_button_leads_to_no_second_try(bench: Bench, newcomer: Desk) -> None:
    begin(newcomer)
    page = newcomer.page
    rightly(page)
    give(newcomer)
    newcomer.ready()
    page.go_back()
    page.wait_for_url("**/calibration")
    assert row(page) == ["1 of 5", "–", "–"]
    assert [words for words in KNOWN_WORDS if words in page.content()] == []
    assert len(said_labels(bench)) == 1


def test_two_tabs_on_one_trial_never_overwrite_each_other(bench: Bench, newcomer: Desk) -> None:
    begin(newcomer)
    one, other = newcomer.page, newcomer.new_page()
    other.goto(one.url)
    newcomer.ready(other)
    rightly(one)
    newcomer.saved(one)
    press(other, "Shift+N", "r")
    other.wait_for_selector("#banner:has-text('another page')")
    other.keyboard.press("Control+Enter")
    other.wait_for_timeout(500)
    assert said_labels(bench) == {}, "an older tab says nothing in the place of a newer one"
    give(newcomer, one)
    other.reload()
    other.wait_for_url("**/calibration")
    ((said),) = said_labels(bench).values()
    assert said[:3] == ["supported", "supported", "contradicted"]


def test_a_tab_left_open_on_a_trial_that_was_given_elsewhere_says_so(bench: Bench, newcomer: Desk) -> None:
    begin(newcomer)
    one, other = newcomer.page, newcomer.new_page()
    other.goto(one.url)
    newcomer.ready(other)
    rightly(one)
    give(newcomer, one)
    press(other, "2")
    other.wait_for_selector("#saved[data-kind=failed]:has-text('what is said of it stays')")
    press(other, "q", "Shift+S", "Control+Enter")
    other.wait_for_selector("#banner:has-text('what is said of it stays')")
    other.get_by_role("button", name="Back to the list").click()
    other.wait_for_url("**/calibration")
    assert len(said_labels(bench)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 390])
def test_a_trial_and_its_result_are_accessible(bench: Bench, newcomer: Desk, scheme: str, width: int) -> None:
    try:
        axe = axe_source()
    except MissingServiceError as error:
        skip_or_fail(str(error))
    page = newcomer.page
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{TRIAL}/{min(known_labels(bench))}")
    newcomer.ready()
    press(page, "1", "2")
    assert violations(page, axe) == []
    with bench.database.begin() as conn:
        conn.exec_driver_sql(
            "INSERT INTO calibration_answers SELECT batch, unit_id, ?, known, 9.0, created_at"
            " FROM calibration_items",
            (bench.ids["fay"],),
        )
    page.goto("/calibration")
    assert row(page) == ["5 of 5", "5 of 5", "1.00"]
    assert violations(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
