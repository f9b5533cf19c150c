"""What commits cost: rows written, by table, for ten minutes of stream time at two rates of traffic.

Run as `python -m tests.benchmarks.bench_commits [--records N]`. The second topic holds four times as
many in the same ten minutes. Writes are PostgreSQL's own counts of rows inserted, updated and deleted.
"""

from __future__ import annotations

import argparse
import time

import psycopg
from rich.console import Console
from rich.table import Table

from tests.benchmarks.agent_process import Agent, watch
from tests.benchmarks.rag_traffic import RagTraffic
from tests.benchmarks.surroundings import broker, conninfo, databases, fill_topic

_MINUTES = 10
_TIMES = 4
_PER = 100_000
_COUNTS = """
    SELECT relname, n_tup_ins + n_tup_upd + n_tup_del, n_live_tup FROM pg_stat_user_tables ORDER BY relname
"""


def main() -> None:
    """Print writes and standing rows of each table at both rates."""
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=5_000, help="records of the slower topic")
    given = options.parse_args()
    console = Console(stderr=True)
    sizes = (given.records, _TIMES * given.records)
    found = []
    with broker() as bootstrap, databases() as database:
        for count in sizes:
            console.print(f"{count:,} events in {_MINUTES} minutes of stream time ...")
            events = RagTraffic().events(count)
            topic = fill_topic(bootstrap, events, spread_seconds=60.0 * _MINUTES, count=count)
            store = database()
            with Agent(bootstrap, topic, store, group=f"commits-{count}") as agent:
                watch(store, [agent], count)
            found.append(_rows(store))
    table = Table("table", title=f"Rows written in {_MINUTES} minutes of stream time (rows standing)")
    for count in sizes:
        table.add_column(f"{count:,} events", justify="right")
        table.add_column(f"a {_PER:,}", justify="right")
    for name in sorted(found[1]):
        cells = []
        for count, rows in zip(sizes, found, strict=True):
            written, standing = rows.get(name, (0, 0))
            cells += [f"{written:,} ({standing:,})", f"{written * _PER / count:,.0f}"]
        if any(rows.get(name, (0, 0))[0] for rows in found):
            table.add_row(name, *cells)
    Console(width=120).print(table)


def _rows(store: str) -> dict[str, tuple[int, int]]:
    time.sleep(2.0)  # PostgreSQL sums up its counts a second after a connection has ended
    with psycopg.connect(conninfo(store)) as connection:
        connection.execute("ANALYZE")
        return {name: (int(written), int(live)) for name, written, live in connection.execute(_COUNTS)}


if __name__ == "__main__":
    main()
