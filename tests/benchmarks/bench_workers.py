"""Two workers on two partitions against one, in turns; the broker and the database are on the same machine.

Run as `python -m tests.benchmarks.bench_workers [--records N] [--rounds N] [--plain]`. `--plain` redacts by
exact patterns alone, in the consuming process: on two cores two language models leave no room for a second
worker, and then the models are measured, not the workers.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks.agent_process import Agent, watch
from tests.benchmarks.rag_traffic import RagTraffic
from tests.benchmarks.surroundings import broker, databases, fill_topic

_PLAIN: Mapping[str, Mapping[str, Any]] = {
    "redaction": {"entities": ["EMAIL_ADDRESS", "CREDIT_CARD", "IBAN_CODE", "PHONE_NUMBER"]},
    "redaction_pool": {"processes": 0},
}


def main() -> None:
    """Print both rates of each round and their ratio."""
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--plain", action="store_true")
    given = options.parse_args()
    settings = _PLAIN if given.plain else None
    console = Console(stderr=True)
    table = Table("round", "one worker /s", "two workers /s", "ratio", title="Workers, two partitions")
    ratios = []
    with broker() as bootstrap, databases() as database:
        console.print(f"filling two partitions with {given.records:,} events ...")
        topic = fill_topic(bootstrap, RagTraffic().events(given.records), partitions=2)
        for number in range(1, given.rounds + 1):
            rates = []
            for workers in (1, 2):
                console.print(f"round {number} of {given.rounds}, {workers} at work ...")
                store, group = database(), f"workers-{number}-{workers}"
                with ExitStack() as stack:
                    agents = [
                        stack.enter_context(Agent(bootstrap, topic, store, group=group, settings=settings))
                        for _ in range(workers)
                    ]
                    rates.append(watch(store, agents, given.records).rate)
            ratios.append(rates[1] / rates[0])
            table.add_row(str(number), f"{rates[0]:,.0f}", f"{rates[1]:,.0f}", f"{ratios[-1]:.2f}")
    Console().print(table)
    print(f"ratio: median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
