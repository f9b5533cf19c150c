"""Where the process begins: from here on Ctrl-C and SIGTERM end it quietly, with one exit code.

Importing the rest takes seconds, and Python's own answer to Ctrl-C is an exception, which code that is
half imported may print, wrap or lose. So signals are answered before anything else is imported.
"""

from __future__ import annotations

import os
import signal

from sentinel.cli.heap import settle_heap
from sentinel.cli.leaving import SIGNALS, leave

#: Read by NumPy's matrix products when they are first imported.
_THREADS = "OPENBLAS_NUM_THREADS"


def main() -> None:
    """Run the `sentinel` command and end the process."""
    for number in SIGNALS:
        # A shell has what it starts in the background, or under nohup, ignore Ctrl-C: so it stays.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)
    # A second thread for them would spin between two products, on the core of another worker. Whoever wants
    # more says so in the environment.
    os.environ.setdefault(_THREADS, "1")
    settle_heap()
    from sentinel.cli.main import main as command

    command()
