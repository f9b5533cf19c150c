"""Everything a label holds, given by keyboard; what stands beside it; undo; the steps that are no label."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Desk, SignIn
from tests.browser.test_labelling import press, tab_to
from tests.browser.workbench import EIGHT_CLAIMS, Bench

COLUMNS = (
    "claims", "citations", "root_causes", "evidence_retrieved", "abstention", "answered", "complete",
    "comment", "guideline_version", "replaces",
)  # fmt: skip


@pytest.fixture
def desk(bench: Bench, sign_in: SignIn) -> Desk:
    bench.fill(3)
    desk = sign_in("ann")
    desk.page.goto("/units/1")
    desk.ready()
    return desk


def records(bench: Bench) -> list[dict[str, Any]]:
    rows = bench.rows(f"SELECT {', '.join(COLUMNS)} FROM annotations ORDER BY id")
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def given(desk: Desk) -> None:
    here = desk.page.url
    desk.page.keyboard.press("Control+Enter")
    desk.page.wait_for_url(lambda url: url != here)


def labels_shown(page: Page) -> list[str]:
    classes = page.locator("#claims .claim").all()
    return [(one.get_attribute("class") or "").split()[1] for one in classes]


def test_every_part_of_a_label_is_given_by_keyboard_and_stored(bench: Bench, desk: Desk) -> None:
    page = desk.page
    press(page, "1", "1", "2", "r", "k", "t")
    page.keyboard.type("wrong n")  # a list is chosen from by its first letters
    press(page, "Escape", "Shift+S", "i", "f", "l")
    for number, key in enumerate(("s", "d", "s")):
        page.focus(f"#citation-{number}")
        page.keyboard.press(key)
    press(page, "Escape", "o", "Space", "Tab", "Space", "Escape", "c")
    page.keyboard.type("The fee differs.")
    page.keyboard.press("Escape")
    given(desk)
    (record,) = records(bench)
    claims = json.loads(record["claims"])
    assert (claims[2]["label"], claims[2]["severity"], claims[2]["subtype"]) == (
        "contradicted", "critical", "wrong number",
    )  # fmt: skip
    assert [one["label"] for one in claims[3:]] == ["supported"] * 5
    assert [entails for _, entails in json.loads(record["citations"])[:3]] == [True, False, True]
    assert json.loads(record["root_causes"]) == ["GENERATION", "RETRIEVAL"]
    assert (record["evidence_retrieved"], record["complete"]) == ("hit", 1)
    assert (record["abstention"], record["answered"]) == ("none", 1)
    assert record["comment"] == "The fee differs."
    assert record["guideline_version"] == "built-in-1"
    assert bench.rows("SELECT splitter_version FROM submissions") == [("claims-1",)]


def test_the_second_reviews_probability_is_recorded(bench: Bench, desk: Desk) -> None:
    press(desk.page, "Shift+S")
    given(desk)
    desk.ready()
    press(desk.page, "2", "r", "Shift+S")
    given(desk)
    assert bench.rows("SELECT reason, probability, state FROM second_reviews ORDER BY unit_id") == [
        ("not_drawn", 0.0, "single"),
        ("critical", 1.0, "waiting"),
    ]


def test_passages_that_are_cited_stand_first_in_the_order_of_the_answer(
    bench: Bench, sign_in: SignIn
) -> None:
    passages = [{"id": name, "text": f"Words of {name}."} for name in ("one", "two", "three", "four")]
    bench.fill(1, answer="It is free [3]. It is fast [2].", retrieved=passages)
    page = sign_in("ann").page
    page.goto("/units/1")
    assert page.locator(".passages h3 bdi").all_inner_texts() == [
        "[3] three",
        "[2] two",
        "[1] one",
        "[4] four",
    ]
    assert page.locator(".passages .tag").count() == 2


def test_a_click_and_a_key_show_where_a_claims_words_stand(desk: Desk) -> None:
    page = desk.page
    read = "() => [...CSS.highlights.get('evidence')].map(range => range.toString())"
    page.locator("#claims .words").nth(5).click()  # the warranty
    assert {"warranty", "24", "months", "heating", "element"} <= {one.lower() for one in page.evaluate(read)}
    page.keyboard.press("v")
    assert "warranty" in page.inner_text("#live")
    page.keyboard.press("k")
    press(page, "k", "k", "k", "k", "v")  # the first claim
    assert "returns-eu" in page.inner_text("#live")


def test_proposed_claims_keep_negations_numbers_units_and_qualifiers(desk: Desk) -> None:
    texts = desk.page.locator("#claims .words").all_inner_texts()
    joined = " ".join(" ".join(texts).split())
    for words in ("within 30 days", "as long as it is unused", "12 euro", "but not lime scale", "do not pay",
                  "unless the item is heavier than 30 kg", "24 months"):  # fmt: skip
        assert words in joined
    assert [text for text in texts if " ".join(text.split()) not in " ".join(EIGHT_CLAIMS.split())] == []


def test_undo_and_redo_lead_back_step_by_step(desk: Desk) -> None:
    page = desk.page
    begun = page.locator("#claims .words").all_inner_texts()
    press(page, "1", "2", "q", "m", "x", "Shift+N")
    assert page.locator("#claims .claim").count() == len(begun) - 2
    changed = labels_shown(page)
    for _ in range(6):
        press(page, "u")
    assert labels_shown(page) == ["unjudged"] * len(begun)
    assert page.locator("#claims .words").all_inner_texts() == begun
    assert page.locator("#undo").is_disabled()
    for _ in range(5):
        press(page, "Shift+U")
    press(page, "Control+Shift+z")
    assert labels_shown(page) == changed
    press(page, "Control+z", "Control+z")
    desk.saved()
    page.reload()
    desk.ready()
    assert page.locator("#claims .claim").count() == len(begun) - 1


@pytest.mark.parametrize(
    ("key", "labels", "abstention", "answered"),
    [
        ("Shift+S", {"supported"}, "none", 1),
        ("Shift+N", {"not_in_evidence"}, "none", 1),
        ("Shift+A", {"nonfactual"}, "correct", 0),
        ("Shift+F", {"supported"}, "failed", 1),
    ],
)
def test_whole_case_shortcuts(
    bench: Bench, desk: Desk, key: str, labels: set[str], abstention: str, answered: int
) -> None:
    page = desk.page
    press(page, key)
    if key == "Shift+N":
        for _ in range(8):
            press(page, "q")
    if key == "Shift+F":
        press(page, "Shift+S")
    given(desk)
    (record,) = records(bench)
    assert {claim["label"] for claim in json.loads(record["claims"])} == labels
    assert (record["abstention"], record["answered"]) == (abstention, answered)


def test_a_correction_is_a_new_record_under_the_guideline_of_its_day(
    bench: Bench, desk: Desk, sign_in: SignIn
) -> None:
    press(desk.page, "Shift+S")
    given(desk)
    erin = sign_in("erin").page
    erin.goto("/guideline")
    erin.fill("input[name=version]", "2026-12")
    erin.fill("textarea[name=text]", "# Fees\n+ The fee is the same.\n- Another fee is given.")
    erin.click("main button[type=submit]")
    erin.wait_for_load_state()
    page = desk.page
    page.goto("/units/1")
    desk.ready()
    press(page, "g")
    beside = page.inner_text("#guideline")
    assert "Yes: The fee is the same." in beside
    assert "No: Another fee is given." in beside
    press(page, "k", "k", "k", "k", "k", "k", "k", "k", "2", "w")
    given(desk)
    first, second = records(bench)
    assert (first["guideline_version"], second["guideline_version"]) == ("built-in-1", "2026-12")
    assert (first["replaces"], second["replaces"]) == (None, 1)
    assert {claim["label"] for claim in json.loads(first["claims"])} == {"supported"}


def test_skip_escalate_and_left_over_data_by_keyboard(bench: Bench, desk: Desk, sign_in: SignIn) -> None:
    page = desk.page
    press(page, "Shift+K")
    page.keyboard.type("not my field")
    press(page, "Enter")
    page.wait_for_url("**/units/2")
    desk.ready()
    press(page, "Shift+X")
    page.keyboard.type("Two price lists.")
    tab_to(page, "Hand over")
    press(page, "Enter")
    page.wait_for_url("**/units/3")
    desk.ready()
    press(page, "c")
    page.keyboard.type("The leaflet again.")
    press(page, "Escape")
    desk.saved()
    press(page, "Shift+P")
    page.keyboard.type("leaflet about kettles")
    tab_to(page, "Remove")
    press(page, "Enter")
    page.wait_for_selector(".passages .text:has-text('<PERSON_1>')")
    desk.ready()
    assert "leaflet about kettles" not in page.content()
    ((stored,),) = bench.rows("SELECT content FROM unit_contents WHERE unit_id = 3")
    assert "leaflet about kettles" not in stored
    assert page.input_value("#comment") == "The leaflet again."
    events = bench.rows(
        "SELECT unit_id, kind FROM unit_events WHERE kind IN ('skipped', 'escalated', 'cleaned')"
    )
    assert sorted(events) == [(1, "skipped"), (2, "escalated"), (3, "cleaned")]
    dora = sign_in("dora").page
    dora.goto("/adjudication/2")
    assert "Two price lists." in dora.inner_text("main")
