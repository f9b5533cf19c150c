"""What a second reviewer can observe tells nothing of the first opinion: neither what it said nor when."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from sentinel.review.params import ReviewParams
from sentinel.store.database import Database
from tests.contract.conftest import emptied
from tests.contract.store_samples import NOW
from tests.contract.test_access_matrix import DECISIONS
from tests.contract.test_api_labels import SUPPORTED, a_label, send
from tests.contract.workbench import Workbench, fill

CRITICAL = {"text": "Parcel 0 takes two days", "label": "contradicted", "severity": "critical"}
OTHERS = [{"text": "Returns are free", "label": "not_in_evidence", "severity": "low"}] * 3
#: Two times that differ in every part: day, hour, minute, second, microsecond.
EARLY = NOW + timedelta(hours=1, minutes=6, seconds=7, microseconds=11)
LATE = NOW + timedelta(days=1, hours=3, minutes=17, seconds=29, microseconds=222_222)
LOOKED = NOW + timedelta(days=2)
#: Of the process and not of an answer; refused to who labels blind where others can reach it (decision 80).
_NOT_OF_ANSWERS = {"/metrics", "/static/{name}"}
_PARTS = {"unit_id": "1", "batch": "first", "name": "x", "report_id": "1", "person_id": "person-aaaa"}
PATHS = tuple(
    re.sub(r"\{(\w+)\}", lambda part: _PARTS[part[1]], path)
    for method, path in DECISIONS
    if method == "GET" and path not in _NOT_OF_ANSWERS
)
QUERIES = (
    *(f"/?status={tab}" for tab in ("open", "yours", "pending", "labelled", "lost", "all")),
    "/?after=0_0_0", "/?before=9_9999999999999999_9", "/?age=day", "/?app=shop", "/?reason=uniform",
    "/?reason=uniform&status=all", "/api/v1/queue?tab=all", "/api/v1/queue?tab=yours",
    "/api/v1/units?limit=1",
    "/api/v1/units?status=pending", "/api/v1/units?status=labelled", "/api/v1/units/export?format=csv",
    "/api/v1/units/export?format=label-studio", "/api/v1/labels/export?format=csv", "/units/2",
)  # fmt: skip


@dataclass(frozen=True)
class First:
    """A first opinion: what it says, when it comes, and how likely a second one was to be asked for."""

    claims: tuple[dict[str, Any], ...]
    given: datetime
    share: float
    more: dict[str, Any] = field(default_factory=dict)


HARMLESS = First((SUPPORTED,), EARLY, 1.0)
GRAVE = First((CRITICAL, *OTHERS), LATE, 1.0, {"comment": "zebra", "root_causes": ["GENERATION"]})
#: Brought back by the rule of critical cases alone.
GRAVE_BY_RULE = replace(GRAVE, share=0.0)


@pytest.fixture
def stores(
    store_url: str, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[], Database]]:
    """Make new stores, one after the other; each ends the one before it."""
    with ExitStack() as stack:

        def new() -> Database:
            stack.close()
            if store_url.startswith("sqlite"):
                path = tmp_path / "copies" / f"{len(list(tmp_path.glob('copies/*')))}.db"
                path.parent.mkdir(exist_ok=True)
                shutil.copy(request.getfixturevalue("sqlite_template"), path)
                return stack.enter_context(Database(f"sqlite:///{path}"))
            url: str = request.getfixturevalue("postgresql_migrated")
            emptied(url)
            return stack.enter_context(Database(url))

        yield new


def begun(database: Database, first: First) -> tuple[Workbench, TestClient, TestClient]:
    """A workbench with six answers, and the first and the second reviewer of the first of them."""
    fill(database)
    bench = Workbench(database, replace(ReviewParams(), second_review_share=first.share))
    one, two = (bench.program(bench.add(f"person-{4 * letter}")) for letter in "ab")
    for client in (one, two):
        client.get("/")  # the first request of a token hashes it
    return bench, one, two


def give_first(bench: Workbench, one: TestClient, first: First) -> None:
    bench.clock.set(first.given)
    assert one.post("/api/v1/units/next").json() == {"unit_id": 1}
    draft = {"base_revision": 0, "save_id": "f", "draft": {"claims": first.claims}, "seconds": 9.0}
    assert one.put("/units/1/draft", json=draft).status_code == 200
    assert send(one, a_label("event-0", *first.claims, **first.more)).status_code == 201
    with bench.database.read() as conn:
        assert conn.exec_driver_sql("SELECT state FROM second_reviews").scalar_one() == "waiting"


@contextmanager
def statements() -> Iterator[list[str]]:
    """Collect every statement that any engine executes."""
    found: list[str] = []

    def take(_conn: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        found.append(text)

    sa.event.listen(sa.Engine, "before_cursor_execute", take)
    try:
        yield found
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", take)


def seen(answer: Any) -> str:
    """All that an answer of the server consists of, without what is drawn anew for each session or page."""
    headers = sorted((name, value) for name, value in answer.headers.items())
    return re.sub(r"\b[0-9a-f]{32}\b", "TOKEN", f"{answer.status_code} {headers}\n{answer.text}")


def steps_of(two: TestClient) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Everything a second reviewer does up to their label, and the label itself."""
    draft = {"base_revision": 0, "save_id": "s", "draft": {"claims": [SUPPORTED]}, "seconds": 3.0}
    again = draft | {"base_revision": 1, "save_id": "t"}
    for path in (*PATHS, *QUERIES):
        yield f"GET {path}", lambda path=path: two.get(path)  # type: ignore[misc]
    yield "take", lambda: two.post("/api/v1/units/next")
    yield "lease by page", lambda: two.post("/units/1/lease")
    yield "lease by API", lambda: two.post("/api/v1/units/1/lease")
    yield "draft by page", lambda: two.put("/units/1/draft", json=draft)
    yield "draft by API", lambda: two.put("/api/v1/units/1/draft", json=again)
    for path in ("/", "/units/1", "/api/v1/units/1/draft", "/api/v1/queue"):
        yield f"GET {path}, begun", lambda path=path: two.get(path)  # type: ignore[misc]
    yield "adjudicate", lambda: two.post("/api/v1/adjudication/1/lease")
    words = {"words": "Parcel", "kind": "PERSON"}
    yield "remove", lambda: two.post("/api/v1/units/1/personal-data", json=words)
    yield "skip", lambda: two.post("/api/v1/units/1/skip", json={"reason": "later"})
    yield "take another", lambda: two.post("/next")
    yield "label", lambda: send(two, a_label("event-0", SUPPORTED), key="k")


def observed(database: Database, first: First) -> tuple[dict[str, str], dict[str, list[str]]]:
    """What the second reviewer gets to see, and the statements that the server ran for it, by step."""
    bench, one, two = begun(database, first)
    give_first(bench, one, first)
    bench.clock.set(LOOKED)
    shown, work = {}, {}
    for name, step in steps_of(two):
        with statements() as ran:
            shown[name] = seen(step())
        work[name] = ran
    return shown, work


def times_in(moment: datetime) -> set[str]:
    """A time as it could be written: whole and in part, for people and machines."""
    seconds = int(moment.timestamp())
    return {
        moment.isoformat(), f"{moment:%H:%M:%S}", f"{moment:%H:%M}", f"{moment:%M:%S}", str(seconds),
        str(moment.microsecond), hex(seconds)[2:], format_datetime(moment), f"{moment:%H%M%S}",
    }  # fmt: skip


@pytest.mark.parametrize("other", [GRAVE, GRAVE_BY_RULE], ids=["drawn", "by rule"])
def test_a_second_reviewer_gets_the_same_whatever_the_first_said_and_when(
    stores: Callable[[], Database], other: First
) -> None:
    shown, work = observed(stores(), HARMLESS)
    shown_after, work_after = observed(stores(), other)
    assert "201" in shown["label"][:3]
    assert shown["draft by API"][:3] == shown["lease by page"][:3] == "200"
    for name, text in shown.items():
        assert text == shown_after[name], name
        assert work[name] == work_after[name], f"other statements: {name}"
    assert work["label"], "the statements were counted"
    for text in shown.values():
        assert not [part for part in times_in(EARLY) | times_in(LATE) if part in text]


def test_who_oversees_and_may_label_sees_that_there_is_a_label_not_what_it_says(
    stores: Callable[[], Database],
) -> None:
    found = []
    for first in (HARMLESS, replace(GRAVE, given=EARLY), replace(GRAVE_BY_RULE, given=EARLY)):
        bench, one, _ = begun(stores(), first)
        give_first(bench, one, first)
        judge = bench.program(bench.add("person-jjjj", "adjudicator"))
        judge.get("/")
        looked = {}
        for path in (*PATHS, *QUERIES):
            with statements() as ran:
                text = seen(judge.get(path))
            looked[path] = (text, len(ran))
        found.append(looked)
    for path, one_look in found[0].items():
        assert one_look == found[1][path] == found[2][path], path


@pytest.mark.parametrize("first", [HARMLESS, GRAVE, GRAVE_BY_RULE], ids=["harmless", "grave", "by rule"])
def test_an_answer_comes_back_at_once_and_to_its_old_place(
    stores: Callable[[], Database], first: First
) -> None:
    bench, one, two = begun(stores(), replace(first, given=EARLY))

    def queue() -> list[str]:
        return [seen(two.get(path)) for path in ("/", "/api/v1/queue", "/api/v1/units", "/overview")]

    def work() -> list[int]:
        return [row["id"] for row in two.get("/api/v1/queue").json()["items"]]

    bench.clock.set(EARLY)
    before, order = queue(), work()
    assert one.post("/api/v1/units/next").json() == {"unit_id": 1}
    assert work() == order[1:], "somebody has it open"
    give_first(bench, one, replace(first, given=EARLY))
    assert (queue(), work()) == (before, order), "the clock has not moved since the first label"
    bench.pass_time(hours=9)
    assert work() == order
    assert two.post("/api/v1/units/next").json() == {"unit_id": 1}
