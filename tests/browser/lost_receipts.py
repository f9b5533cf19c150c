"""A network that carries one request to the server, loses its receipt, and then carries nothing."""

from __future__ import annotations

from playwright.sync_api import Page, Route


class LostReceipt:
    """The next request to `pattern` arrives, the page hears nothing of it; later ones fail until `restore`.

    The page tries again by itself after seconds, which on a slow machine may be before a test has looked.
    """

    def __init__(self, page: Page, pattern: str) -> None:
        self._page = page
        self._pattern = pattern
        self._has_arrived = False
        page.route(pattern, self._lose)

    def _lose(self, route: Route) -> None:
        if not self._has_arrived:
            self._has_arrived = True
            route.fetch()
        route.abort()

    def wait_until_told(self) -> None:
        """Wait until the page says that there is no connection."""
        self._page.wait_for_selector("#banner:has-text('No connection')")

    def restore(self) -> None:
        """Let everything through again."""
        self._page.unroute(self._pattern)
