"""Fifteen reviewers as fast as they can: each answer gets its one label, no button dies."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from sentinel.review.identity.params import AccessParams
from tests.browser.conftest import chromium_path
from tests.browser.workbench import Bench, served_bench

REVIEWERS = 15
ANSWERS = 200


async def review_all(browser: Browser, bench: Bench, name: str) -> int:
    """Label until nothing is left; return how many labels the person gave."""
    context = await browser.new_context(base_url=bench.url)
    context.set_default_timeout(120_000)
    page = await context.new_page()
    await page.goto("/sign-in")
    await page.fill("input[name=token]", bench.tokens[name])
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"{bench.url}/")
    await page.click("text=Take the next answer")
    given = 0
    while True:
        await page.wait_for_selector("html[data-ready=yes], p.banner:has-text('Nothing is left')")
        if "/units/" not in page.url:
            await context.close()
            return given
        here = page.url
        await page.keyboard.press("Shift+S")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_function("here => location.href !== here && document.body", arg=here)
        given += 1


async def all_at_once(bench: Bench) -> list[int]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        names = [name for name in bench.tokens if name.startswith("reviewer")]
        counts = await asyncio.gather(*(review_all(browser, bench, name) for name in names))
        await browser.close()
    return list(counts)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_fifteen_reviewers_on_two_hundred_answers(tmp_path: Path) -> None:
    with served_bench(tmp_path, access=AccessParams(sign_ins_per_minute=1000)) as (bench, _):
        for number in range(REVIEWERS):
            bench.add(f"reviewer{number}", "reviewer")
        bench.fill(ANSWERS, answer="It is free. It is fast.", tool_calls=[])
        counts: list[int] = []
        failures: list[BaseException] = []

        def work() -> None:
            try:
                counts.extend(asyncio.run(all_at_once(bench)))
            except BaseException as error:
                failures.append(error)

        # A loop of its own: the other tests' browser keeps one in the main thread.
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert not failures, failures[0]
        labels = Counter(row[0] for row in bench.rows("SELECT event_id FROM annotations"))
        assert len(labels) == ANSWERS
        assert set(labels.values()) == {1}
        assert sum(counts) == ANSWERS
        assert min(counts) > 0
        assert bench.rows("SELECT count(*) FROM units WHERE status = 'labelled'") == [(ANSWERS,)]
        assert bench.rows("SELECT count(*) FROM reservations") == [(0,)]
