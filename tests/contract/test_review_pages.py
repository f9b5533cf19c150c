"""What the pages say: numbers with their unit, periods by their days, and only links that open."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from sentinel.store.database import Database
from sentinel.store.reports import Period, save_report
from sentinel.store.shifts import AlarmFindings, begin_alarm
from tests.contract.store_samples import NOW
from tests.contract.workbench import Workbench, fill

SIZE = {"observed": 0.173, "lower": 0.156, "upper": 0.191, "usual": 0.049, "answers": 1840}


@pytest.fixture
def bench(database: Database) -> Workbench:
    return Workbench(database)


def words(html: str) -> str:
    return re.sub(r" (?=[;,)])", "", " ".join(re.sub(r"<[^>]+>", " ", html).split()))


def links(html: str) -> set[str]:
    nav = html.split('<nav class="rooms"')[1].split("</nav>")[0]
    return set(re.findall(r'href="([^"]+)"', nav))


@pytest.mark.parametrize("role", ["viewer", "reviewer", "adjudicator", "admin"])
def test_every_page_of_the_row_of_links_opens(bench: Workbench, role: str) -> None:
    somebody = bench.of_role(role)
    offered = links(somebody.get("/").text)
    assert {"/", "/overview", "/reports", "/alarms", "/guideline"} <= offered
    assert {address: somebody.get(address).status_code for address in offered} == dict.fromkeys(offered, 200)
    assert ("/adjudication" in offered) == (role in ("adjudicator", "admin"))


def test_the_page_one_is_on_is_marked_among_the_links(bench: Workbench) -> None:
    marked = re.findall(r'<a href="([^"]+)" aria-current="page">', bench.browser().get("/reports").text)
    assert marked == ["/reports"]


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (SIZE | {"unit": "share"}, "17.3% (95 % interval 15.6% to 19.1%) of 1,840 answers, usually 4.9%"),
        (
            {"unit": "words", "observed": 61.2, "lower": 58, "upper": 64.7, "usual": 44.1, "answers": 90},
            "61.2 (95 % interval 58 to 64.7) words, usually 44.1",
        ),
    ],
)
def test_an_alarm_is_shown_in_its_unit(bench: Workbench, size: dict[str, object], said: str) -> None:
    part = {"domain": "workflow", "value": "refunds", "share_of_shift": 0.98}
    with bench.database.begin() as conn:
        late = NOW + timedelta(minutes=6)
        begin_alarm(conn, "shop", "", "abstained", "up", NOW, late, AlarmFindings(size, part, ()))
    shown = words(bench.browser().get("/alarms").text)
    assert said in shown
    assert f"Since about {NOW:%Y-%m-%d %H:%M}; the alarm began at {late:%Y-%m-%d %H:%M} (UTC)." in shown
    assert "Mostly workflow = refunds (98% of the shift)" in shown


def test_a_report_has_its_days_in_its_own_time_zone_and_its_status_in_words(bench: Workbench) -> None:
    begins, ends = (datetime(2026, 11, day, 23, tzinfo=UTC) for day in (15, 22))
    rate = {
        "estimate": 0.1,
        "lower": 0.05,
        "upper": 0.2,
        "numerator": 3,
        "denominator": 28,
        "status": "too_small",
    }
    nothing = {"estimate": None, "lower": None, "upper": None, "status": "no_data"}
    document = {
        "period": {"from": "2026-11-16", "to": "2026-11-23", "timezone": "Europe/Berlin"},
        "rates": {"claim": nothing, "case": rate},
        "coverage": {"drawn": 30, "labelled": 28, "labelled_share": 28 / 30},
    }
    with bench.database.begin() as conn:
        save_report(conn, Period(begins, ends, "Europe/Berlin"), document, NOW, 0)
    browser = bench.browser()
    listed = browser.get("/reports").text
    assert "2026-11-16 to 2026-11-22" in listed
    page = words(browser.get(re.findall(r'href="(/reports/[^"]+)"', listed)[0]).text)
    assert "2026-11-16 to 2026-11-22 Europe/Berlin, revision 1" in page
    assert "Answers with a hallucination too small to rely on 10.0% 5.0% to 20.0% 3 of 28" in page
    assert "Unsupported claims no data – –" in page
    assert "Labelled of the drawn 93.3%" in page
    assert "--from 2026-11-16 --to 2026-11-23 --timezone Europe/Berlin" in page


def test_agreement_writes_labels_as_the_labelling_page_does(bench: Workbench) -> None:
    fill(bench.database)
    assert "not_in_evidence" not in bench.browser().get("/agreement").text
