"""What a soak prints while it runs: one line for each step, with the time since it began."""

from __future__ import annotations

import time


class Progress:
    def __init__(self) -> None:
        self._began = time.monotonic()

    def show(self, what: str) -> None:
        passed = int(time.monotonic() - self._began)
        print(f"[{passed // 60:3d}:{passed % 60:02d}] {what}", flush=True)


class SoakError(Exception):
    """The product did not do what it promises."""


def check(holds: bool, what: str) -> None:
    if not holds:
        raise SoakError(what)
