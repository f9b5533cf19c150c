"""The pictures of the workbench that the documentation shows: `python -m tests.browser.photographs`.

Real pages of a real workbench over the store of `decided_case`, taken at a size that stays readable when a
page of documentation shows them at half of it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import chromium_path
from tests.browser.decided_case import live_a_little
from tests.browser.workbench import Bench, served_bench

FOLDER = Path(__file__).parents[2] / "docs" / "images"
#: Name of the picture → address, width, height, and the keys pressed before it is taken.
PICTURES: Mapping[str, tuple[str, int, int, tuple[str, ...]]] = {
    "labelling": ("/units/11", 1280, 780, ("1", "1", "2", "e")),
    "deciding": ("/adjudication/7", 1280, 620, ()),
    "alarm": ("/alarms", 1280, 440, ()),
    "phone": ("/units/12", 390, 844, ("1",)),
}


def photograph(browser: Browser, bench: Bench, folder: Path) -> None:
    """Write every picture as PNG into the folder; the last one in the colours of a dark screen."""
    context = browser.new_context(base_url=bench.url)
    page = context.new_page()
    page.goto("/sign-in")
    page.fill("input[name=token]", bench.tokens["dora"])
    page.keyboard.press("Enter")
    page.wait_for_url(f"{bench.url}/")
    for name, (address, width, height, keys) in PICTURES.items():
        page.emulate_media(color_scheme="dark" if name == "phone" else "light")
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address)
        if page.locator("#label-page").count():
            page.wait_for_selector("html[data-ready=yes]")
        for key in keys:
            page.keyboard.press(key)
        if keys:
            page.wait_for_selector("#saved[data-kind=saved]")
        page.screenshot(path=str(folder / f"{name}.png"))
    context.close()


def main() -> None:
    """Take the pictures anew; the folder may be given as the only argument."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as store, served_bench(Path(store)) as (bench, _):
        bench.fill(30)
        live_a_little(bench)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
            photograph(browser, bench, folder)
            browser.close()


if __name__ == "__main__":
    main()
