"""Resident size of the consuming process over events of fresh random words, of which no memory ever helps.

Run as `python -m tests.benchmarks.bench_memory [--records N] [--every N]`. For the whole curve give --records
1000000 --every 100000. Every passage and every answer is new, so that each bounded memory fills up.
"""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tests.benchmarks.agent_process import Agent, watch
from tests.benchmarks.rag_traffic import RagTraffic
from tests.benchmarks.surroundings import broker, databases, fill_topic

_MEGABYTE = 1e6
#: So many at a time are put into the topic: the broker's disk holds little of a million.
_PART = 20_000


def main() -> None:
    """Print the resident size after each part, and the peak."""
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=20_000)
    options.add_argument("--every", type=int, default=5_000)
    given = options.parse_args()
    traffic = RagTraffic(fresh_words=True)
    table = Table("events", "resident MB", "against the first", title="Memory of the consuming process")
    first = 0.0
    with (
        broker() as bootstrap,
        databases() as database,
        Progress(console=Console(stderr=True), transient=True) as progress,
    ):
        bar = progress.add_task("events", total=given.records)
        topic = fill_topic(bootstrap, (), settings={"retention.bytes": str(256 * 1024 * 1024)})
        store = database()
        with Agent(bootstrap, topic, store) as agent:
            for start in range(0, given.records, given.every):
                for part in range(start, start + given.every, _PART):
                    count = min(_PART, start + given.every - part)
                    fill_topic(bootstrap, traffic.events(count, part), topic=topic)
                    watch(store, [agent], part + count, lambda done: progress.update(bar, completed=done))
                size = agent.resident_bytes() / _MEGABYTE
                first = first or size
                table.add_row(f"{start + given.every:,}", f"{size:.1f}", f"{size / first - 1:+.1%}")
                progress.console.print(f"{start + given.every:,} events: {size:.1f} MB")
            peak = agent.peak_bytes() / _MEGABYTE
    Console().print(table)
    print(f"peak {peak:.1f} MB, the redaction process left out")


if __name__ == "__main__":
    main()
