"""Where a command's result goes: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from sentinel.errors import ConfigurationError

#: What the umask is taken from, as for any file a program makes.
_PUBLIC = 0o666
#: Answers and opinions are personal data with most of it taken out, so nobody else reads them.
_PRIVATE = 0o600


@contextmanager
def written(out: Path | None, *, private: bool = False) -> Iterator[TextIO]:
    """Yield a UTF-8 stream with `\\n` line ends; a file is put in place when the block ends well.

    The file has the permissions the umask leaves, a `private` one those of its owner alone. What is there
    and is no file (`/dev/null`, a pipe) is written to as it is.

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
        if out.exists() and not out.is_file():
            with out.open("w", encoding="utf-8", newline="") as opened:
                yield opened
            return
        with _in_place_at_end(out, _PRIVATE if private else _PUBLIC) as opened:
            yield opened
    except OSError as error:
        message = f"{out}: cannot be written ({error.strerror})"
        raise ConfigurationError(message) from None


@contextmanager
def _in_place_at_end(out: Path, mode: int) -> Iterator[TextIO]:
    draft = out.with_name(f".{out.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            yield stream
        draft.replace(out)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
