"""Two workers on two partitions against one, in turns; the broker and the database are on the same machine.

Run as `python -m tests.benchmarks.bench_workers [--records N] [--rounds N] [--plain]`. `--plain` redacts by
exact patterns alone, in the consuming process: on two cores two language models leave no room for a second
worker, and then the models are measured, not the workers.

Both are looked at only while all are at work: start-up and the joining of the group are left out. Where
other work shares the cores, two workers wait for a processor more than one does; the second ratio takes the
time out in which they did.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks.agent_process import Agent, watch_together
from tests.benchmarks.rag_traffic import RagTraffic
from tests.benchmarks.surroundings import broker, databases, fill_topic

_MICRO = 1e6
_PLAIN: Mapping[str, Mapping[str, Any]] = {
    "redaction": {"entities": ["EMAIL_ADDRESS", "CREDIT_CARD", "IBAN_CODE", "PHONE_NUMBER"]},
    "redaction_pool": {"processes": 0},
}


def main() -> None:
    """Print both rates of each round and their ratios."""
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=60_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--plain", action="store_true")
    given = options.parse_args()
    settings = _PLAIN if given.plain else None
    console = Console(stderr=True)
    table = Table(
        "round", "one /s", "two /s", "ratio",
        "waiting, one", "waiting, two", "ratio without", "µs, one", "µs, two",
        title="Workers, two partitions; waiting for a processor; µs of processor a record",
    )  # fmt: skip
    ratios, without = [], []
    with broker() as bootstrap, databases() as database:
        console.print(f"filling two partitions with {given.records:,} events ...")
        topic = fill_topic(bootstrap, RagTraffic().events(given.records), partitions=2)
        for number in range(1, given.rounds + 1):
            seen = []
            for workers in (1, 2):
                console.print(f"round {number} of {given.rounds}, {workers} at work ...")
                store, group = database(), f"workers-{number}-{workers}"
                with ExitStack() as stack:
                    agents = [
                        stack.enter_context(Agent(bootstrap, topic, store, group=group, settings=settings))
                        for _ in range(workers)
                    ]
                    seen.append(watch_together(store, agents, given.records // 2))
            one, two = seen
            ratios.append(two.rate / one.rate)
            without.append(two.unqueued / one.unqueued)
            rates = [f"{one.rate:,.0f}", f"{two.rate:,.0f}", f"{ratios[-1]:.2f}"]
            waiting = [f"{one.queued:.0%}", f"{two.queued:.0%}", f"{without[-1]:.2f}"]
            micros = [f"{each.consuming * _MICRO:.0f}" for each in seen]
            table.add_row(str(number), *rates, *waiting, *micros)
    Console(width=120).print(table)
    for name, values in (("ratio", ratios), ("ratio without waiting for a processor", without)):
        print(f"{name}: median {statistics.median(values):.2f}, {min(values):.2f} to {max(values):.2f}")


if __name__ == "__main__":
    main()
