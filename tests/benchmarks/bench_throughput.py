"""Records a second: the whole agent on Kafka and PostgreSQL against a bare loop, in turns.

Run as `python -m tests.benchmarks.bench_throughput [--records N] [--rounds N]`. The bare loop only polls
kafka-python and decodes with msgspec; the agent has every indicator on, redaction on, and draws 1 %. Both are
processes of their own, timed from their first records to the last; the topic's events are 4 KB, with passages
that repeat by Zipf's law.
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


def main() -> None:
    """Print both rates of each round, and their ratio with its spread."""
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=30_000)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    console = Console(stderr=True)
    rounds: list[tuple[float, float]] = []
    with broker() as bootstrap, databases() as database:
        console.print(f"filling a topic with {given.records:,} events ...")
        topic = fill_topic(bootstrap, RagTraffic().events(given.records))
        for number in range(given.rounds):
            console.print(f"round {number + 1} of {given.rounds} ...")
            bare = bare_rate(bootstrap, topic, given.records)
            store = database()
            with Agent(bootstrap, topic, store, group=f"bench-{number}") as agent:
                rate, _ = watch(store, [agent], given.records)
            rounds.append((bare, rate))
    table = Table("round", "bare loop /s", "agent /s", "ratio", title="Throughput, 4 KB events")
    for number, (bare, rate) in enumerate(rounds, 1):
        table.add_row(str(number), f"{bare:,.0f}", f"{rate:,.0f}", f"{rate / bare:.3f}")
    Console().print(table)
    ratios = [rate / bare for bare, rate in rounds]
    print(f"ratio: median {statistics.median(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f}")


def bare_rate(bootstrap: str, topic: str, count: int) -> float:
    """Run the bare loop in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.surroundings", bootstrap, topic, str(count)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(done.stdout)


if __name__ == "__main__":
    main()
