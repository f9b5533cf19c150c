"""What redacting, and publishing, every answer costs against redacting what is drawn, in turns.

Run as `python -m tests.benchmarks.bench_publication [--records N] [--rounds N]`. Kafka and PostgreSQL, one
worker with one redaction process, answers of 4 KB whose passages repeat by Zipf's law, 1 % drawn. Rates are
taken from the first commit to the last; the processor time a record is that of the consuming process and of
the process that redacts.
"""

from __future__ import annotations

import argparse
import statistics
import uuid
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks.agent_process import Agent, Watched, watch
from tests.benchmarks.rag_traffic import RagTraffic
from tests.benchmarks.surroundings import broker, databases, fill_topic
from tests.services.topics import make_topic

_MICRO = 1e6
_WAYS = ("what is drawn", "every answer", "every answer, published")


def main() -> None:
    """Print rate and cost of each way, and the ratios to redacting what is drawn."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=4_000)
    options.add_argument("--rounds", type=int, default=2)
    given = options.parse_args()
    console = Console(stderr=True)
    seen: dict[str, list[Watched]] = {way: [] for way in _WAYS}
    with broker() as bootstrap, databases() as database:
        console.print(f"filling a topic with {given.records:,} events ...")
        topic = fill_topic(bootstrap, RagTraffic().events(given.records))
        for number in range(1, given.rounds + 1):
            for way in _WAYS:
                console.print(f"round {number} of {given.rounds}, {way} ...")
                store = database()
                group = f"publication-{uuid.uuid4().hex[:8]}"
                with Agent(bootstrap, topic, store, group=group, settings=_settings(bootstrap, way)) as agent:
                    seen[way].append(watch(store, [agent], given.records))
    table = Table(
        "redacted", "answers /s", "times", "consuming µs", "redacting µs", title="Medians of the rounds"
    )
    usual = statistics.median(one.rate for one in seen[_WAYS[0]])
    for way in _WAYS:
        rate, consuming, redacting = (
            statistics.median(getattr(one, name) for one in seen[way])
            for name in ("rate", "consuming", "redacting")
        )
        costs = (f"{cost * _MICRO:,.0f}" for cost in (consuming, redacting))
        table.add_row(way, f"{rate:,.0f}", f"{rate / usual:.3f}", *costs)
    Console(width=100).print(table)


def _settings(bootstrap: str, way: str) -> Mapping[str, Mapping[str, Any]]:
    if way == _WAYS[0]:
        return {}
    redacted: dict[str, Mapping[str, Any]] = {"redaction": {"scope": "all"}}
    if way == _WAYS[2]:
        copies = f"copies-{uuid.uuid4().hex[:8]}"
        make_topic(bootstrap, copies, 1, None)
        redacted["publication"] = {"topic": copies}
    return redacted


if __name__ == "__main__":
    main()
