"""How long `sentinel run` takes until it is ready, on an empty PostgreSQL and on one that is there.

Run as `python -m tests.benchmarks.bench_startup [--rounds N]`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks.agent_process import Agent
from tests.benchmarks.surroundings import broker, databases, fill_topic

_LONGEST_SECONDS = 60.0


def main() -> None:
    """Print seconds to readiness, and processor seconds and size at that moment."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    columns = ("round", "store", "ready after s", "processor s", "resident MB", "spaCy loaded")
    table = Table(*columns, title="Start-up")
    with broker() as bootstrap, databases() as database:
        topic = fill_topic(bootstrap, ())
        for number in range(1, given.rounds + 1):
            store = database()
            for state in ("empty", "there"):
                with Agent(bootstrap, topic, store, group=f"start-{number}-{state}") as agent:
                    seconds = _ready(agent)
                    used, _ = agent.processor_seconds()
                    size = agent.resident_bytes() / 1e6
                    figures = (f"{seconds:.1f}", f"{used:.1f}", f"{size:.0f}", str(_has_model(agent)))
                    table.add_row(str(number), state, *figures)
    Console().print(table)


def _ready(agent: Agent) -> float:
    while not agent.is_ready():
        agent.check()
        if time.perf_counter() - agent.started > _LONGEST_SECONDS:
            sys.exit(f"not ready after a minute: {agent.log}")
        time.sleep(0.02)
    return time.perf_counter() - agent.started


def _has_model(agent: Agent) -> bool:
    """Whether the consuming process has mapped a compiled module of spaCy or of its matrix library."""
    return any(name in Path(f"/proc/{agent.pid}/maps").read_text() for name in ("/spacy/", "/thinc/"))


if __name__ == "__main__":
    main()
