"""Builds the extension modules of the hot path: words in C, indicators compiled by mypyc.

Without them everything works and gives the same values, at about half the speed. They are left out where
there is no C compiler, no mypy, or SENTINEL_EXTENSIONS=none; SENTINEL_EXTENSIONS=required fails instead.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from setuptools import Extension, setup

WANTED = os.environ.get("SENTINEL_EXTENSIONS", "optional")
INDICATORS = Path("sentinel/indicators")
#: Left as they are: structs and settings gain nothing, and what chooses an implementation must run.
INTERPRETED = {"__init__.py", "contract.py", "params.py", "word_sets.py"}
#: Asked for names and versions alone, nothing is built.
DESCRIBING = {"egg_info", "dist_info", "sdist", "--version", "--name"}


def extensions() -> list[Extension]:
    """Return what is to be built."""
    if WANTED == "none" or DESCRIBING & set(sys.argv):
        return []
    source = INDICATORS / "_native_words.c"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    words = Extension(
        "sentinel.indicators._native_words",
        [source.as_posix()],
        define_macros=[("SOURCE_DIGEST", f'"{digest}"')],
        extra_compile_args=["-O3"],
    )
    return [words, *compiled_indicators()]


def compiled_indicators() -> list[Extension]:
    """Return the indicators as mypyc compiles them; nothing where it is not there or does not accept them."""
    modules = sorted(path.as_posix() for path in INDICATORS.glob("*.py") if path.name not in INTERPRETED)
    try:
        from mypyc.build import mypycify

        # Not the project's own configuration: its plugins are not there while this is built.
        return list(
            mypycify(["--config-file=", *modules], opt_level="3", debug_level="0", group_name="sentinel")
        )
    except (ImportError, SystemExit) as error:
        if WANTED == "required":
            raise
        print(f"indicators are not compiled: {error!r}", file=sys.stderr)  # noqa: T201 - a build's log
        return []


found = extensions()
for extension in found:
    extension.optional = WANTED != "required"
setup(ext_modules=found)
