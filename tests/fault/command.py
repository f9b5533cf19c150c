"""The `sentinel` command in a forked process: everything but the interpreter's start and the imports."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import sentinel.cli.demo
import sentinel.cli.run
import sentinel.redaction.presidio  # noqa: F401 - what the agent loads late
from sentinel.cli.main import main


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
    sys.argv = ["sentinel", *arguments]
    main()
