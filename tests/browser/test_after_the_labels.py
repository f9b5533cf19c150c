"""Reports, alarms, histories: what could sway a reviewer is shown once the labels are in, not before."""

from __future__ import annotations

import pytest

from tests.browser.axe import axe_source
from tests.browser.conftest import SignIn
from tests.browser.decided_case import an_alarm, live_a_little
from tests.browser.test_labelling import press
from tests.browser.test_pages import violations
from tests.browser.workbench import Bench
from tests.services.missing import MissingServiceError, skip_or_fail

EXAMPLES = ".how ul a"
WHY = ("Inclusion probability", "Random number", "Predicted risk")


def test_an_alarms_examples_and_a_history_open_with_the_label(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(3)
    an_alarm(bench, "e00000", "e00001")
    ben = sign_in("ben")
    ben.page.goto("/alarms")
    assert "17.3%" in ben.page.inner_text("main")
    assert ben.page.locator(EXAMPLES).count() == 0
    assert "once their labels are in" in ben.page.inner_text("main")
    assert "e00000" not in ben.page.content()
    ben.page.goto("/units/1/history")
    assert [word for word in WHY if word in ben.page.content()] == []
    ann = sign_in("ann")
    ann.page.goto("/units/1")
    ann.ready()
    press(ann.page, "1", "1", "2", "e", "Shift+S", "c")
    ann.page.keyboard.type("The list says 15.")
    press(ann.page, "Escape", "Control+Enter")
    ann.page.wait_for_url("**/units/2")
    ben.page.goto("/alarms")
    assert [link.get_attribute("href") for link in ben.page.locator(EXAMPLES).all()] == ["/units/1"]
    ben.page.click(EXAMPLES)
    ben.page.click("text=History")
    shown = ben.page.inner_text("main")
    assert [word for word in WHY if word not in shown] == []
    assert "Drawn for" in shown
    assert "The list says 15." in shown
    assert "guideline built-in-1" in shown
    assert "Provisional, out of 1 opinion" in shown
    ben.page.goto("/units/2/history")
    assert [word for word in WHY if word in ben.page.content()] == [], "nobody has labelled this one"


def test_who_never_labels_sees_the_examples_at_once(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(3)
    bench.add("vic", "viewer")
    an_alarm(bench, "e00000", "e00001")
    page = sign_in("vic").page
    page.goto("/alarms")
    assert page.locator(EXAMPLES).count() == 2


def test_a_history_waits_for_the_second_opinion_and_the_decision(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(12)
    live_a_little(bench)
    fay = "fay"
    bench.add(fay, "reviewer")
    page = sign_in(fay).page
    for unit_id, is_over in ((7, False), (8, False), (9, False), (11, False)):
        page.goto(f"/units/{unit_id}/history")
        assert ("Drawn for" in page.inner_text("main")) == is_over, unit_id
    dora = sign_in("dora").page
    dora.goto("/units/8/history")
    shown = dora.inner_text("main")
    assert "Final, out of 3 opinions" in shown
    assert "Second review: random, with probability 1" in shown
    for name in ("ann", "ben", "dora"):
        assert name in shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 390])
def test_a_report_shows_its_rates_with_their_counts(
    bench: Bench, sign_in: SignIn, scheme: str, width: int
) -> None:
    try:
        axe = axe_source()
    except MissingServiceError as error:
        skip_or_fail(str(error))
    bench.fill(12)
    live_a_little(bench)
    bench.add("vic", "viewer")
    page = sign_in("vic", viewport={"width": width, "height": 844}, color_scheme=scheme).page
    page.goto("/reports")
    assert violations(page, axe) == []
    page.click("main a >> nth=0")
    page.wait_for_url("**/reports/*")
    shown = page.inner_text("main")
    for figure in ("8.4%", "5.1% to 12.7%", "17", "206"):
        assert figure in shown
    assert violations(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
