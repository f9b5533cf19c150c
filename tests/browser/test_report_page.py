"""The HTML report in a browser: on a phone nothing of it stands beyond the edge of the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from sentinel.reporting.render import rendered
from tests.integration.test_report_render import store_with


@pytest.mark.parametrize("width", [360, 390])
def test_the_report_fits_a_phone(chromium: Browser, tmp_path: Path, width: int) -> None:
    document = store_with(tmp_path, tuple("abcdefghij"))
    page = chromium.new_page(viewport={"width": width, "height": 844})
    page.set_content(rendered(document, "html"))
    assert page.locator("table.narrow").count() > 5
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
