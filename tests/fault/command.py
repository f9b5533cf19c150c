"""The `sentinel` command in a forked process: everything but the interpreter's start and the imports.

`TEST_CLOCK` names a file with the seconds by which the process's clock is off, read at each look.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import sentinel.cli.demo
import sentinel.cli.report
import sentinel.cli.run
import sentinel.redaction.presidio
from sentinel.cli.main import main
from sentinel.clock import SystemClock

CLOCK_VARIABLE = "TEST_CLOCK"


def run_command(
    arguments: Sequence[str], environment: Mapping[str, str], folder: str, out: str, err: str
) -> None:
    """Become the command: its own environment, folder, output files; ends the process."""
    import sys

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for path, descriptor in ((out, 1), (err, 2)):
        target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, descriptor)
        os.close(target)
    if CLOCK_VARIABLE in environment:
        off_by = Path(environment[CLOCK_VARIABLE])

        class SteppingClock(SystemClock):
            """The machine's clock, off by what the test has written last."""

            def now(self) -> datetime:
                return super().now() + timedelta(seconds=float(off_by.read_text() or 0))

        sentinel.cli.run.SystemClock = SteppingClock  # type: ignore[misc]
    sys.argv = ["sentinel", *arguments]
    main()
