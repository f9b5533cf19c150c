"""`sentinel serve` over real HTTP: pages, counters, what a hostile answer can do, how it begins and ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from sentinel import __version__
from sentinel.store import known_values, units
from sentinel.store.database import Database
from sentinel.store.reports import Period, save_report
from tests.contract.store_samples import a_unit

ROOT = Path(__file__).parents[2]
BEGAN = datetime(2026, 3, 2, tzinfo=UTC)
ROWS = 23
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{7*7}}{% raw %}\u202e</div>"
#: Anything that begins a script but one of our own files.
STRANGE_SCRIPT = re.compile(
    r'<script(?! (?:type="module" )?src="/static/[a-z.]+"(?: defer)?></script>)', re.IGNORECASE
)
SWAYING = ("0.015625", "64.0", "ungrounded_number", "ungrounded number", "0.8642", "predicted", "prompt-9")


@dataclass
class Served:
    process: subprocess.Popen[str]
    url: str
    stderr: list[str]

    def get(self, path: str, **more: Any) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=10, **more)


def environment() -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SENTINEL_")}
    return {**clean, "PYTHONPATH": str(ROOT)}


def arguments(store: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "sentinel", "serve", "--store", store, *more]


@contextmanager
def serving(store: str, *more: str) -> Iterator[Served]:
    process = subprocess.Popen(
        arguments(store, "--port", "0", *more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        match = re.search(r"(http://\S+)/ ", line)
        assert match, line
        served = Served(process, match[1], [])
        for _ in range(100):
            try:
                served.get("/healthz")
                break
            except httpx.ConnectError:
                time.sleep(0.1)
        yield served
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def filled(path: Path) -> str:
    """A store of 23 units: two at one moment, one hostile, one lost, the last five labelled."""
    url = f"sqlite:///{path}"
    with Database(url) as database:
        database.upgrade()
        drawn = [
            a_unit(
                f"event-{number}",
                0.015625,
                event_time=BEGAN + timedelta(hours=number - (number == 7)),
                domains={
                    "app": ("shop", "bank", 'sh"op')[number % 3],
                    "workflow": "refunds",
                    "prompt_version": "prompt-9",
                },
                reasons=("ungrounded_number",) if number % 2 else ("missing_citation",),
                predicted_risk=0.8642,
                content={
                    "question": f"How long does parcel {number} take?",
                    "answer": f"Parcel {number} takes two days [1].",
                    "retrieved": [{"id": "p-1", "text": "Parcels take two days.", "class": "policy"}],
                },
            )
            for number in range(ROWS - 2)
        ]
        passage = {"id": HOSTILE, "text": HOSTILE, "class": HOSTILE}
        drawn.append(
            a_unit(
                HOSTILE[:80],
                event_time=BEGAN + timedelta(days=2),
                domains={"app": HOSTILE, "workflow": HOSTILE},
                content={
                    "question": HOSTILE,
                    "answer": HOSTILE,
                    "retrieved": [passage, {"id": "no-text"}],
                    "citations": [{"id": HOSTILE}],
                    "tool_calls": [{"name": HOSTILE, "input": {"a": HOSTILE}, "output": HOSTILE}],
                },
            )
        )
        drawn.append(replace(a_unit("gone", event_time=BEGAN + timedelta(days=3), domains={}), answer=None))
        with database.begin() as conn:
            units.insert_units(conn, drawn, BEGAN + timedelta(days=4))
            known_values.note_values(conn, {("app", "shop"): BEGAN, ("app", 'sh"op'): BEGAN})
            units.set_status(conn, [f"event-{number}" for number in range(16, 21)], "labelled")
    return url


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return filled(tmp_path_factory.mktemp("store") / "sentinel.db")


@pytest.fixture(scope="module")
def served(store: str) -> Iterator[Served]:
    with serving(store) as one:
        yield one


def unit_ids(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'href="/units/(\d+)"', page)]


def test_the_queue_shows_what_waits_and_counts_all(served: Served) -> None:
    page = served.get("/").text
    assert len(unit_ids(page)) == 17
    for number, word in ((17, "pending"), (5, "labelled"), (1, "lost"), (ROWS, "all")):
        assert f"<strong>{number}</strong> {word}" in page
    assert "How long does parcel 3 take?" in page
    assert 'datetime="2026-03-02T03:00:00+00:00"' in page


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ({"status": "all"}, ROWS),
        ({"status": "labelled"}, 5),
        ({"status": "lost"}, 1),
        ({"status": "purged"}, 0),
        ({"status": "nonsense"}, 17),
        ({"status": "all", "app": "shop"}, 7),
        ({"status": "all", "app": "SHOP"}, 0),
        ({"status": "all", "app": 'sh"op'}, 7),
        ({"status": "all", "app": "%"}, 0),
        ({"status": "all", "app": "sh_op"}, 0),
        ({"status": "all", "app": HOSTILE}, 1),
        ({"status": "all", "app": "refunds"}, 0),
        ({"reason": "ungrounded_number"}, 2),
        ({"reason": "missing_citation", "status": "pending"}, 3),
        ({"reason": "ungrounded"}, 0),
        ({"status": "pending", "app": "bank"}, 5),
        ({"after": "x", "before": "-1"}, 17),
        ({"after": "9" * 30}, 17),
    ],
)
def test_filters_are_exact(served: Served, query: dict[str, str], rows: int) -> None:
    answer = served.get("/", params=query)
    assert answer.status_code == 200
    assert len(unit_ids(answer.text)) == rows


def test_paging_meets_every_unit_once_in_order_and_back_again(store: str, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("review: {page_size: 4}\n")
    with serving(store, "--config", str(config)) as one:
        everything = unit_ids(one.get("/?status=all").text)
        assert len(everything) == 4
        pages, path = [everything], "/?status=all"
        while following := re.search(r'rel="next" href="([^"]+)"', one.get(path).text):
            path = following[1].replace("&amp;", "&")
            pages.append(unit_ids(one.get(path).text))
        walked = [unit for page in pages for unit in page]
        assert len(walked) == len(set(walked)) == ROWS
        assert [len(page) for page in pages] == [4, 4, 4, 4, 4, 3]
        back = []
        while earlier := re.search(r'rel="prev" href="([^"]+)"', one.get(path).text):
            path = earlier[1].replace("&amp;", "&")
            back.append(unit_ids(one.get(path).text))
        assert back == pages[-2::-1]


def test_an_answer_stands_beside_its_evidence(served: Served) -> None:
    first = unit_ids(served.get("/").text)[0]
    page = served.get(f"/units/{first}").text
    assert "How long does parcel 0 take?" in page
    assert "Parcel 0 takes two days [1]." in page
    assert "[1] p-1" in page
    assert "Parcels take two days." in page
    assert "sentinel labels import" in page


def test_no_page_shows_what_could_sway_a_reviewer(served: Served) -> None:
    queue = served.get("/?status=pending").text
    table = queue[queue.index("<table") : queue.index("</table>")]
    for text in (table, *(served.get(f"/units/{number}").text for number in unit_ids(queue)[:5])):
        assert [word for word in SWAYING if word in text] == []


def test_a_hostile_answer_is_only_text(served: Served) -> None:
    for query in ({"status": "all", "app": HOSTILE}, {"status": "all"}, {"reason": HOSTILE}):
        page = served.get("/", params=query).text
        assert STRANGE_SCRIPT.search(page) is None
        assert "<img" not in page
        assert "{{7*7}}" in page or query == {"reason": HOSTILE}
        # Times, and the token of the form, which is another at each start, may hold the digits.
        assert "49" not in re.sub(r"\d{4}-\d\d-\d\d[T ][^\"<]*|\b[0-9a-f]{32}\b", "", page)
    number = unit_ids(served.get("/", params={"status": "all", "app": HOSTILE}).text)[0]
    page = served.get(f"/units/{number}").text
    assert STRANGE_SCRIPT.search(page) is None
    assert "<img" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 7
    assert page.count("</div>") == page.count("<div")


def test_a_unit_without_content_says_so(served: Served) -> None:
    number = unit_ids(served.get("/?status=lost").text)[0]
    page = served.get(f"/units/{number}").text
    assert "could not be redacted" in page
    assert "labels import" not in page


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200), ("/units/1", 200), ("/units/0", 404), ("/units/99999", 404), ("/units/x", 404),
        ("/units/-1", 404), ("/units/" + "9" * 19, 404), ("/units/1%20or%201", 404),
        ("/static/workbench.css", 200), ("/static/icon.svg", 200), ("/static/..%2Fparams.py", 404),
        ("/static/params.py", 404), ("/docs", 404),
        ("/openapi.json", 404), ("/metrics", 200), ("/healthz", 200), ("/readyz", 200), ("/nothing", 404),
    ],
)  # fmt: skip
def test_every_response_forbids_strange_scripts_and_frames(served: Served, path: str, status: int) -> None:
    answer = served.get(path)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert re.search(r"script-src ([^;]*)", policy)[1] == "'self'"  # type: ignore[index]
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers


def test_pages_fetch_nothing_from_elsewhere(served: Served) -> None:
    for path in ("/", "/units/1", "/static/workbench.css"):
        text = served.get(path).text
        assert re.findall(r"(?:src|href|action)=\"(?!/)[^\"#]", text) == []
        assert "url(" not in text
        assert "@import" not in text
        assert "style=" not in text


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1:80", "[::2]", "", "[bad"]
)
def test_another_host_name_is_turned_away(served: Served, host: str) -> None:
    answer = served.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert "queue" not in answer.text


@pytest.mark.parametrize("host", ["localhost", "localhost:9", "127.0.0.1", "127.9.9.9:1", "[::1]:8080"])
def test_names_of_this_machine_are_not(served: Served, host: str) -> None:
    assert served.get("/", headers={"Host": host}).status_code == 200


def test_nothing_can_be_posted(served: Served) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert httpx.request(method, f"{served.url}/units/1").status_code == 405


def test_metrics_tell_of_the_queue_and_the_report_of_the_latest_period(tmp_path: Path) -> None:
    url = filled(tmp_path / "sentinel.db")
    with serving(url) as one:
        text = one.get("/metrics").text
        assert "sentinel_review_pending_units 17.0" in text
        assert f'sentinel_build_info{{version="{__version__}"}} 1.0' in text
        age = float(re.search(r"^sentinel_review_oldest_pending_seconds (\S+)", text, re.M)[1])  # type: ignore[index]
        assert age == pytest.approx(time.time() - (BEGAN + timedelta(days=4)).timestamp(), abs=60)
        assert "sentinel_audited_rate{" not in text
        with Database(url) as database, database.begin() as conn:
            for week, estimate in ((2, 0.25), (1, 0.5)):
                rate = {"estimate": estimate, "lower": 0.1, "upper": None, "anytime_lower": estimate / 5}
                document = {"rates": {"case": rate}, "coverage": {"drawn": 8, "labelled": 6}}
                period = Period(BEGAN + timedelta(weeks=week), BEGAN + timedelta(weeks=week + 1))
                save_report(conn, period, document, BEGAN + timedelta(weeks=9 - week), 0)
        text = one.get("/metrics").text
        assert 'sentinel_audited_rate{bound="estimate",level="case"} 0.25' in text
        assert 'sentinel_audited_rate{bound="lower",level="case"} 0.1' in text
        assert 'bound="upper"' not in text
        assert "sentinel_audited_rate_anytime_lower 0.05" in text
        assert "sentinel_label_coverage_ratio 0.75" in text
        written = (BEGAN + timedelta(weeks=8)).timestamp()
        found = float(re.search(r"^sentinel_report_last_success_timestamp_seconds (\S+)", text, re.M)[1])  # type: ignore[index]
        assert found == written


def test_a_store_that_fails_is_said_and_comes_back(tmp_path: Path) -> None:
    url = filled(tmp_path / "sentinel.db")
    engine = sa.create_engine(url)
    with serving(url) as one:
        assert one.get("/readyz").status_code == 200
        with engine.begin() as conn:
            conn.exec_driver_sql("ALTER TABLE units RENAME TO elsewhere")
        assert one.get("/").status_code == 503
        assert one.get("/readyz").status_code == 503
        assert "store" in one.get("/readyz").json()["not_ready"]
        assert one.get("/healthz").status_code == 200
        metrics = one.get("/metrics")
        assert metrics.status_code == 200
        assert "sentinel_review_pending_units" not in metrics.text.replace("# ", "")
        with engine.begin() as conn:
            conn.exec_driver_sql("ALTER TABLE elsewhere RENAME TO units")
        assert one.get("/").status_code == 200
        assert one.get("/readyz").status_code == 200
    engine.dispose()


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/sentinel.db"
    with Database(url) as database:
        database.upgrade()
    with serving(url) as one:
        assert "No answer has been drawn yet" in one.get("/").text
        assert "sentinel_review_pending_units 0.0" in one.get("/metrics").text
