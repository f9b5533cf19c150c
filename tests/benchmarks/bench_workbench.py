"""Server time of queue and labelling page at 100,000 units and 300,000 labels, while others write.

On SQLite, and on PostgreSQL where it is. Beside the measured pages a consumer writes 50 units a second and
four reviewers label one answer after the other; nothing may be refused because the store is busy, and what
was written has to be there at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import sqlalchemy as sa
import uvicorn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from sentinel.clock import SystemClock
from sentinel.review.app import create_app
from sentinel.review.params import ReviewParams
from sentinel.store.database import Database
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.benchmarks.workbench_store import APPS, add_reviewers, fill, settle
from tests.review_bench import redaction
from tests.services.missing import MissingServiceError
from tests.services.ports import free_port
from tests.services.postgres import PostgresServer

REVIEWERS = 4
WRITTEN_PER_SECOND = 50


class Timed:
    """ASGI middleware: how long the server took for each answer, by kind of page."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.failed: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        kind = dict(scope.get("headers", ())).get(b"x-kind", b"").decode()
        began = time.perf_counter()

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                if kind:
                    self.seconds[kind].append(time.perf_counter() - began)
                if message["status"] >= 400:
                    self.failed.append(f"{message['status']} {scope['path']}")
            await send(message)

        await self._app(scope, receive, sending)


def measure(url: str, token: str, unit_ids: list[int], seconds: float, note: str = "") -> None:
    """Ask for the measured pages, one after the other, for a time."""
    ends = time.monotonic() + seconds
    bearer = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=bearer, timeout=60) as client:
        number = 0
        while time.monotonic() < ends:
            app, unit = APPS[number % len(APPS)], unit_ids[number % len(unit_ids)]
            for kind, path in (
                ("queue", "/"),
                ("queue, one app", f"/?app={app}"),
                ("queue, 7 days", "/?age=week"),
                ("labelling page", f"/units/{unit}"),
            ):
                client.get(path, headers={"x-kind": kind + note})
            number += 1
            time.sleep(0.05)


def run(url: str, units: int, seconds: float) -> None:
    """Fill a store, serve it, load it, print what it took."""
    began = time.perf_counter()
    port = free_port()
    with Database(url) as database:
        database.upgrade()
        open_ids = fill(database, units)
        settle(url)
        tokens = add_reviewers(database, REVIEWERS + 1)
        print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
        params = ReviewParams(port=port, second_review_share=0.15)
        health = Health(("store",), Metrics())
        timed = Timed(create_app(database, params, Metrics(), health, SystemClock(), redaction()))
        server = uvicorn.Server(uvicorn.Config(timed, port=port, log_config=None, lifespan="off"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        here = f"http://127.0.0.1:{port}"
        measure(here, tokens[0], open_ids[-2000:], seconds / 3, ", nobody else")
        before = _counts(database)
        writers = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.benchmarks.workbench_load", *words, str(seconds)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for words in (["consume", url, str(WRITTEN_PER_SECOND)], ["label", here, ",".join(tokens[1:])])
        ]
        measure(here, tokens[0], open_ids[-2000:], seconds)
        told = [json.loads(writer.communicate(timeout=120)[0]) for writer in writers]
        server.should_exit = True
        thread.join(30)
        after = _counts(database)
    load = " ".join(f"{number:.1f}" for number in os.getloadavg())
    print(f"units written {told[0]['units']}, labels given {told[1]['labels']}; load of the machine {load}")
    for kind, found in timed.seconds.items():
        p50, p95 = np.percentile(found, [50, 95]) * 1000
        print(f"{kind:<32} {len(found):>5} answers, p50 {p50:6.1f} ms, p95 {p95:6.1f} ms", flush=True)
    print(f"refused: {sorted(set(timed.failed)) or 'nothing'}")
    lost = (before[0] + told[0]["units"] - after[0], before[1] + told[1]["labels"] - after[1])
    print(f"lost: {lost[0]} units, {lost[1]} labels")


def _counts(database: Database) -> tuple[int, int]:
    with database.read() as conn:
        return tuple(  # type: ignore[return-value]
            conn.scalar(sa.text(f"SELECT count(*) FROM {table}")) for table in ("units", "annotations")
        )


def main() -> None:
    """Run on both databases."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--units", type=int, default=100_000, help="with three times as many labels")
    options.add_argument("--seconds", type=float, default=40.0, help="of load on each database")
    given = options.parse_args()
    units, seconds = given.units, given.seconds
    with tempfile.TemporaryDirectory() as folder:
        print("SQLite", flush=True)
        run(f"sqlite:///{folder}/store.db", units, seconds)
    try:
        server = PostgresServer()
    except MissingServiceError as error:
        print(error)
        return
    server.start()
    try:
        print("PostgreSQL", flush=True)
        run(server.url(), units, seconds)
    finally:
        server.close()


if __name__ == "__main__":
    main()
