"""Where a command's result goes: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from sentinel.errors import ConfigurationError


@contextmanager
def written(out: Path | None) -> Iterator[TextIO]:
    """Yield a UTF-8 stream with `\\n` line ends; a file is put in place when the block ends well.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    if out is None or str(out) == "-":
        sys.stdout.flush()
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
        try:
            yield stream
        finally:
            stream.detach()  # flushes, and leaves standard output open
        return
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
    except OSError as error:
        message = f"{out}: cannot be written ({error.strerror})"
        raise ConfigurationError(message) from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            yield stream
        Path(name).chmod(0o644)
        Path(name).replace(out)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
