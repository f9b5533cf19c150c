"""Records a second: the whole agent on Kafka and PostgreSQL against a bare loop, in turns.

Run as `python -m tests.benchmarks.bench_throughput [--records N] [--rounds N]`. The bare loop only polls
kafka-python and decodes with msgspec; the agent has every indicator on, redaction on, and draws 1 %. Both are
processes of their own, timed from their first records to the last; the topic's events are 4 KB, with passages
that repeat by Zipf's law. On a machine that does other work as well, the processor time a record says more
than the rate.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

from rich.console import Console
from rich.table import Table

from tests.benchmarks.agent_process import ROOT, Agent, watch
from tests.benchmarks.rag_traffic import RagTraffic
from tests.benchmarks.surroundings import broker, databases, fill_topic

_MICRO = 1e6


def main() -> None:
    """Print both rates of each round, and their ratio with its spread."""
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    console = Console(stderr=True)
    table = Table(
        "round", "bare loop /s", "agent /s", "ratio", "bare µs", "agent µs", "redaction µs", "ratio of µs",
        title="Throughput, 4 KB events; µs of processor time a record",
    )  # fmt: skip
    ratios, costs = [], []
    with broker() as bootstrap, databases() as database:
        console.print(f"filling a topic with {given.records:,} events ...")
        topic = fill_topic(bootstrap, RagTraffic().events(given.records))
        for number in range(1, given.rounds + 1):
            console.print(f"round {number} of {given.rounds} ...")
            bare, bare_cost = bare_rate(bootstrap, topic, given.records)
            store = database()
            with Agent(bootstrap, topic, store, group=f"bench-{number}") as agent:
                seen = watch(store, [agent], given.records)
            ratios.append(seen.rate / bare)
            costs.append(bare_cost / seen.consuming)
            micros = [f"{cost * _MICRO:.0f}" for cost in (bare_cost, seen.consuming, seen.redacting)]
            rates = [f"{bare:,.0f}", f"{seen.rate:,.0f}", f"{ratios[-1]:.3f}"]
            table.add_row(str(number), *rates, *micros, f"{costs[-1]:.3f}")
    Console(width=120).print(table)
    for name, values in (("of rates", ratios), ("of processor time", costs)):
        print(f"ratio {name}: median {statistics.median(values):.3f}, {min(values):.3f} to {max(values):.3f}")


def bare_rate(bootstrap: str, topic: str, count: int) -> tuple[float, float]:
    """Run the bare loop in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.surroundings", bootstrap, topic, str(count)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    rate, cost = map(float, done.stdout.split())
    return rate, cost


if __name__ == "__main__":
    main()
