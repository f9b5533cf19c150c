"""The report as a page and as text: complete, the same each time, and inert whatever events hold."""

from __future__ import annotations

import html as html_text
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sentinel.clock import FixedClock
from sentinel.reporting.charts import charts
from sentinel.reporting.params import ReportParams
from sentinel.reporting.render import rendered
from sentinel.reporting.revisions import publish
from sentinel.store.database import Database
from tests.integration.label_store import LATER, claim, drawn, fill, import_lines, line
from tests.integration.published_reports import WEEK

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</svg><script>x</script>",
    "</style><script>x</script>",
    "{{ 7 * 7 }}{% raw %}",
    "a | b\n\n# head\r\n![x](javascript:alert(1))",
    "[x](https://evil.test) `code` *b* ~~s~~",
    "$\\frac{1}{2}$ _{x}",
    "\u202egnp.exe \u2066 אבג",
    "&lt;b&gt; &amp; ]]> <!--",
    "日本語 🙂 ﷽",
    "x" * 128,
)


def store_with(path: Path, values: tuple[str, ...], **labels: Any) -> Mapping[str, Any]:
    """A published report over slices with the given names."""
    with Database(f"sqlite:///{path / 's.db'}") as database:
        database.upgrade()
        answers = [drawn(f"e{n}-{k}", 0.5, tenant=value) for n, value in enumerate(values) for k in range(4)]
        fill(database, answers, events=2 * len(answers))
        lines = [
            line(unit.facts.event_id, claim("contradicted" if number % 4 == 0 else "supported", **labels))
            for number, unit in enumerate(answers)
        ]
        import_lines(database, *lines)
        params = ReportParams(minimum_labelled_per_slice=2)
        return publish(database, WEEK, params, FixedClock(LATER)).document


class Elements(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def elements(page: str) -> Elements:
    parser = Elements()
    parser.feed(page)
    parser.close()
    return parser


def test_hostile_values_are_text_and_nothing_else(tmp_path: Path) -> None:
    document = store_with(tmp_path, HOSTILE, subtype="<i onmouseover=x>kind</i>")
    parser = elements(rendered(document, "html"))
    assert not {"script", "img", "iframe", "object", "embed", "link", "base", "form", "i", "b"} & set(
        parser.tags
    )
    assert not [name for name, _ in parser.attributes if name.startswith("on")]
    links = [
        value or "" for name, value in parser.attributes if name in ("href", "src", "xlink:href", "action")
    ]
    assert all(value.startswith("#") for value in links)
    text = "".join(parser.text)
    assert "tenant = <script>alert(1)</script>" in text
    assert "{{ 7 * 7 }}" in text
    assert parser.tags.count("html") == parser.tags.count("body") == parser.tags.count("style") == 1


def test_a_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = rendered(store_with(tmp_path, ("red", "blue")), "html")
    without_namespaces = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(r"https?://|url\((?!#)|@import|@font-face|<script|<link", without_namespaces)
    assert "default-src 'none'" in page
    for needed in ("prefers-color-scheme: dark", "@media print", 'name="viewport"', 'lang="en"'):
        assert needed in page


def test_ids_are_unique_and_every_reference_has_its_target(tmp_path: Path) -> None:
    page = rendered(store_with(tmp_path, ("red", "blue")), "html")
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    targets = re.findall(r'(?:xlink:href="#|url\(#|aria-labelledby=")([^")]+)', page)
    assert targets
    assert set(targets) <= set(ids)


def test_charts_are_drawings_with_a_description_and_the_pages_colours(tmp_path: Path) -> None:
    document = store_with(tmp_path, ("red", "$blue_{1}$"))
    drawings = charts(document)
    assert [chart.key for chart in drawings] == ["rates", "traffic", "indicators", "slices"]
    page = rendered(document, "html")
    for chart in drawings:
        ElementTree.fromstring(chart.svg)
        assert "var(--" in chart.svg
        assert not re.search(r"fill: (#fff|white)", chart.svg), "a background would be wrong in the dark"
        assert not re.search(r"#(?:101112|606162|c0c1c2|205080|a05010)", chart.svg)
        assert chart.description[:40] in html_text.unescape(page)
    slices = next(chart for chart in drawings if chart.key == "slices")
    assert "tenant = $blue_{1}$" in html_text.unescape(slices.svg)
    assert "25.0" in slices.description


def test_the_same_document_gives_the_same_bytes(tmp_path: Path) -> None:
    document = store_with(tmp_path, ("red", "blue"))
    for form in ("json", "html", "markdown"):
        assert rendered(document, form) == rendered(document, form)


def test_a_page_of_a_week_without_data_has_no_chart_and_no_good_news(tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 's.db'}") as database:
        database.upgrade()
        document = publish(database, WEEK, ReportParams(), FixedClock(LATER)).document
    page = rendered(document, "html")
    assert "<svg" not in page
    assert page.count("card no_data") == 3
    assert "green" not in page


@pytest.mark.parametrize("value", HOSTILE)
def test_markdown_cells_hold_their_values(tmp_path: Path, value: str) -> None:
    text = rendered(store_with(tmp_path, (value,)), "markdown")
    assert "<" not in text.replace("&lt;", "")
    assert "\n# head" not in text
    assert "](" not in text.replace("\\](", "")
    table = text.split("## Slices")[1].split("## Change")[0]
    rows = [row for row in table.splitlines() if row.startswith("|")]
    assert len(rows) == 3
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {11}


def test_every_form_tells_the_same_rate(tmp_path: Path) -> None:
    document = store_with(tmp_path, ("red", "blue"))
    for form in ("json", "html", "markdown"):
        assert "25.0\u202f%" in rendered(document, form)


def test_there_is_no_other_form() -> None:
    with pytest.raises(ValueError, match="json, html or markdown"):
        rendered({}, "pdf")
