"""Agreement, drift and time on task of labels given by keyboard, against the packages of the field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median

import numpy as np
import pytest
from krippendorff import alpha as reference_alpha
from playwright.sync_api import Page, Route
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from tests.browser.conftest import Desk, SignIn
from tests.browser.test_labelling import press
from tests.browser.workbench import Bench, Served, served_bench

ALL_WELL = ("Shift+S",)
FEE_WRONG = ("1", "1", "2", "e", "Shift+S")
FORM_MISSING = ("1", "1", "1", "1", "3", "q", "Shift+S")
#: What each of the two presses on each answer.
WORK = {
    "ann": (ALL_WELL, FEE_WRONG, FEE_WRONG, FORM_MISSING, ALL_WELL, FORM_MISSING),
    "ben": (ALL_WELL, FEE_WRONG, ALL_WELL, FORM_MISSING, FORM_MISSING, ALL_WELL),
}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Bench, Served]]:
    with served_bench(tmp_path, second_review_share=1.0) as both:
        yield both


def label_all(desk: Desk, work: tuple[tuple[str, ...], ...]) -> None:
    page = desk.page
    for number, keys in enumerate(work, 1):
        page.goto(f"/units/{number}")
        desk.ready()
        press(page, *keys, "Control+Enter")
        page.wait_for_url(lambda url, here=page.url: url != here)


def claims_of(bench: Bench, name: str) -> list[list[str]]:
    """What a person said of the claims of each answer, in the order of the answers."""
    rows = bench.rows(
        f"SELECT claims FROM annotations WHERE annotator = '{bench.ids[name]}' ORDER BY event_id"
    )
    return [[claim["label"] for claim in json.loads(claims)] for (claims,) in rows]


def table(page: Page, caption: str) -> dict[str, list[str]]:
    """The rows of a table by their first cell."""
    rows = page.locator("table", has=page.locator("caption", has_text=caption)).locator("tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}


def alpha(ann: list[str], ben: list[str]) -> float:
    kinds = sorted({*ann, *ben})
    data = [[kinds.index(said) for said in rater] for rater in (ann, ben)]
    return float(reference_alpha(reliability_data=data, level_of_measurement="nominal"))


def kappa(ann: list[str], ben: list[str]) -> list[str]:
    kinds = sorted({*ann, *ben})
    pairs = np.array([[kinds.index(one), kinds.index(other)] for one, other in zip(ann, ben, strict=True)])
    found = cohens_kappa(to_table(pairs)[0])
    lower, upper = max(-1.0, found.kappa_low), min(1.0, found.kappa_upp)
    return [f"{found.kappa:.2f}", f"{lower:.2f} to {upper:.2f}"]


def equal(ann: list[str], ben: list[str]) -> str:
    return f"{sum(one == other for one, other in zip(ann, ben, strict=True))} of {len(ann)}"


def test_the_figures_are_those_of_the_packages_and_of_the_api(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(6)
    for name, work in WORK.items():
        label_all(sign_in(name), work)
    page = sign_in("dora").page
    page.goto("/agreement")
    said = {name: claims_of(bench, name) for name in WORK}
    bad = {"contradicted", "not_in_evidence"}
    wholes = {
        name: ["unsupported" if bad & set(claims) else "supported" for claims in answers]
        for name, answers in said.items()
    }
    flat = {name: [label for answer in answers for label in answer] for name, answers in said.items()}
    shown = table(page, "All")
    assert "6 answers have been labelled" in page.inner_text("main")
    assert (shown["whole answers"][0], shown["whole answers"][2]) == (
        f"{alpha(**wholes):.2f}", equal(**wholes)
    )  # fmt: skip
    assert (shown["claims"][0], shown["claims"][2]) == (f"{alpha(**flat):.2f}", equal(**flat))
    by_label = table(page, "By label")
    for label in ("supported", "contradicted", "not_in_evidence"):
        only = {name: [str(one == label) for one in labels] for name, labels in flat.items()}
        assert by_label[label.replace("_", " ")][::2] == [f"{alpha(**only):.2f}", equal(**only)]
    pairs = table(page, "By pair of people")
    both = " and ".join(sorted(WORK, key=bench.ids.__getitem__))
    assert pairs[f"{both}, answers"] == [*kappa(**wholes), equal(**wholes)]
    assert pairs[f"{both}, claims"] == [*kappa(**flat), equal(**flat)]
    api = page.request.get("/api/v1/agreement").json()
    assert api["answers"] == 6
    assert (api["pairs"], api["agreeing"]) == (6, sum(a == b for a, b in zip(*wholes.values(), strict=True)))
    assert api["krippendorff_alpha"] == pytest.approx(alpha(**wholes), abs=1e-12)


def test_drift_and_time_on_task_are_those_of_the_labels(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(6)
    for name, work in WORK.items():
        label_all(sign_in(name), work)
    page = sign_in("dora").page
    page.goto("/agreement")

    def share(claims: list[str]) -> float:
        return sum(one in ("contradicted", "not_in_evidence") for one in claims) / len(claims)

    shares = {name: [share(claims) for claims in claims_of(bench, name)] for name in WORK}
    stricter = mean(a - b for a, b in zip(shares["ann"], shares["ben"], strict=True))
    rows = table(page, "Drift")
    assert (rows["ann"][1], rows["ann"][3]) == (f"{100 * stricter:+.1f} points", "6")
    assert rows["ben"][1] == f"{-100 * stricter:+.1f} points"
    times = table(page, "Time on task")
    for name in WORK:
        seconds = [
            row[0]
            for row in bench.rows(f"SELECT seconds FROM submissions WHERE annotator = '{bench.ids[name]}'")
        ]
        assert times[name][:2] == ["6", f"{median(seconds):.0f} s"]
        assert all(0 < one < 60 for one in seconds)


def at_a_standing_clock(sign_in: SignIn) -> Desk:
    """The first answer, on a page whose clock goes on only when it is told to."""
    desk = sign_in("ann")
    desk.page.clock.install(time=0)
    desk.page.clock.pause_at(10_000)
    desk.page.goto("/units/1")
    desk.ready()
    return desk


def test_pauses_of_over_a_minute_are_left_out_of_time_on_task(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    desk = at_a_standing_clock(sign_in)
    page = desk.page
    for seconds, key in ((20, "1"), (60, "1"), (61, "2"), (7, "e"), (3600, "Shift+S")):
        page.clock.fast_forward(1000 * seconds)
        press(page, key)
    page.clock.run_for(1000)  # the draft is saved within a second of the last step
    desk.saved()
    ((saved,),) = bench.rows("SELECT seconds FROM drafts")
    assert saved == pytest.approx(20 + 60 + 7, abs=0.01)
    page.clock.fast_forward(24_000)
    press(page, "Control+Enter")
    page.wait_for_url("**/?done=1")
    ((stored,),) = bench.rows("SELECT seconds FROM submissions")
    assert stored == pytest.approx(saved + 1 + 24, abs=0.01)
    judge = sign_in("dora").page
    judge.goto("/agreement")
    assert table(judge, "Time on task")["ann"][:2] == ["1", f"{stored:.0f} s"]
    (api,) = judge.request.get("/api/v1/quality").json()["times"]
    assert (api["labels"], api["median_seconds"]) == (1, stored)


def test_a_slow_connection_takes_nothing_off_time_on_task(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    desk = at_a_standing_clock(sign_in)
    page = desk.page
    held: list[Route] = []
    page.route("**/draft", lambda route: route.fallback() if held else held.append(route))
    for key in ("1", "1"):
        page.clock.fast_forward(20_000)
        press(page, key)
        page.clock.run_for(1000)  # the first save is under way, the second waits for it
    assert len(held) == 1
    with page.expect_response("**/draft"):
        held[0].continue_()
    desk.saved()
    page.clock.fast_forward(20_000)
    press(page, "Shift+S", "Control+Enter")
    page.wait_for_url("**/?done=1")
    ((stored,),) = bench.rows("SELECT seconds FROM submissions")
    assert stored == pytest.approx(20 + 21 + 21, abs=0.01)


def test_agreement_is_for_those_who_oversee(bench: Bench, sign_in: SignIn) -> None:
    bench.fill(1)
    page = sign_in("ann").page
    assert page.goto("/agreement").status == 403  # type: ignore[union-attr]
    assert page.request.get("/api/v1/agreement").status == 403
