"""A report of many labels, slices and values: what it asks and looks at grows with one of them at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from sentinel.reporting.gather import gather
from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.params import ReportParams
from sentinel.reporting.slices import slices
from sentinel.reporting.weighing import weigh
from sentinel.store.annotations import iter_period
from sentinel.store.database import Database
from tests.integration.label_store import MONDAY, claim, database, drawn, fill, import_lines, line
from tests.integration.published_reports import WEEK, report

__all__ = ["database"]

FIELDS = (
    "app", "workflow", "task", "tenant", "locale", "model", "prompt_version", "index_version", "app_version",
    "attributes.team",
)  # fmt: skip


class Watched(dict[str, str]):
    """Domains that count how often anybody looks at them."""

    looks = 0

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
        type(self).looks += 1
        return super().get(key, default)  # type: ignore[arg-type]

    def items(self):  # type: ignore[no-untyped-def]
        type(self).looks += 1
        return super().items()


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """The statements that any engine runs while the test does."""
    seen: list[str] = []

    def note(_conn: object, _cursor: object, statement: str, *_rest: object) -> None:
        seen.append(statement)

    sa.event.listen(Engine, "before_cursor_execute", note)
    yield seen
    sa.event.remove(Engine, "before_cursor_execute", note)


def filled(store: Database, number: int) -> PeriodInputs:
    values = [{name: f"v{(n * 7 + k * 13) % 50}" for k, name in enumerate(FIELDS)} for n in range(number)]
    fill(store, [drawn(f"e{n}", 0.5, **values[n]) for n in range(number)])
    import_lines(
        store, *(line(f"e{n}", claim("contradicted" if n % 5 == 0 else "supported")) for n in range(number))
    )
    with store.read() as conn:
        return gather(conn, WEEK)


def test_a_unit_is_looked_at_as_often_for_five_hundred_slices_as_for_one(database: Database) -> None:
    inputs = filled(database, 600)
    for unit in inputs.units:
        object.__setattr__(unit, "domains", Watched(unit.domains))
    weighed = weigh(inputs)
    Watched.looks = 0
    found = slices(inputs, weighed, ReportParams(minimum_labelled_per_slice=1))
    listed = found.listed
    assert (len(listed), found.unlisted) == (200, 300)
    assert Watched.looks <= 4 * len(inputs.units)
    for one in listed[:20]:
        among = [
            n for n, unit in enumerate(inputs.units) if dict(unit.domains)[one["domain"]] == one["value"]
        ]
        labels = [inputs.units[n].adjudication for n in among]
        bad = sum(label.annotation.unsupported_claims > 0 for label in labels if label)
        assert (one["labelled"], one["drawn"]) == (len(among), len(among))
        assert (one["case"]["numerator"], one["case"]["denominator"]) == (bad, len(among))


def test_the_labels_of_a_period_are_one_question(database: Database, statements: list[str]) -> None:
    filled(database, 1203)
    with database.read() as conn:
        statements.clear()
        found = list(iter_period(conn, WEEK.start, WEEK.end))
        asked = [text for text in statements if "annotations" in text]
        assert list(iter_period(conn, WEEK.end, WEEK.end + timedelta(days=7))) == []
    assert len(found) == 1203
    assert [record.id for record in found] == sorted(record.id for record in found)
    assert len(asked) == 1


def test_fifty_values_in_each_of_ten_domains_make_a_report(database: Database) -> None:
    filled(database, 200)
    document = report(database, most_slices=1000).document
    assert len(document["slices"]) == 500
    assert MONDAY.date().isoformat() == document["period"]["from"]
