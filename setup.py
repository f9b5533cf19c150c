"""Builds the extension modules of the hot path: words and records in C, indicators compiled by mypyc.

Without them everything works and gives the same values, at less than half the speed. They are left out where
there is no C compiler or no mypy. SENTINEL_EXTENSIONS=none takes away those that are there and builds none;
=required fails where =optional, the default, would leave them out.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

WANTED = os.environ.get("SENTINEL_EXTENSIONS", "optional")
INDICATORS = Path("sentinel/indicators")
#: Left as they are: structs and settings gain nothing, and what chooses an implementation must run.
INTERPRETED = {"__init__.py", "contract.py", "params.py"} | {
    f"{name}.py" for name in ("needles", "plain_citations", "retrieved", "signs", "word_sets")
}
STREAM = Path("sentinel/stream")
#: Modules in C, with their folder and sources.
NATIVE = {
    "_native_citations": (INDICATORS, ["_native_citations.c"]),
    "_native_needles": (INDICATORS, ["_native_needles.c"]),
    "_native_numbers": (INDICATORS, ["_native_numbers.c"]),
    "_native_records": (STREAM, ["_native_records.c"]),
    "_native_retrieved": (INDICATORS, ["_native_retrieved.c"]),
    "_native_signs": (INDICATORS, ["_native_signs.c"]),
    "_native_text": (INDICATORS, ["_native_text.c"]),
    "_native_words": (INDICATORS, ["_native_words.c", "_native_compared.c"]),
}
#: Asked for names and versions alone, nothing is built.
DESCRIBING = {"egg_info", "dist_info", "sdist", "--version", "--name"}


class AllOrNone(build_ext):
    """A module that was built without another it needs cannot be imported, and hides its source."""

    def run(self) -> None:
        """Build all extension modules, or take away those that were built before one failed."""
        try:
            super().run()
        except Exception as error:
            if WANTED == "required":
                raise
            print(f"built without extension modules: {error}", file=sys.stderr)  # noqa: T201 - a build's log
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []
            take_away()


def take_away() -> None:
    """Delete extension modules of an earlier build: Python prefers them to their sources."""
    built = (path for folder in (INDICATORS, STREAM) for path in folder.glob("*.*"))
    for path in (*built, *Path().glob("sentinel__mypyc.*")):
        if path.suffix in (".so", ".pyd"):
            path.unlink()


def extensions() -> list[Extension]:
    """Return what is to be built."""
    if WANTED not in ("none", "optional", "required"):
        sys.exit(f"SENTINEL_EXTENSIONS is {WANTED!r}: it must be none, optional or required")
    if DESCRIBING & set(sys.argv):
        return []
    if WANTED == "none":
        take_away()
        return []
    sources = [("SOURCES", f'"{digest_of_sources()}"')]
    flags = ["-O3", "-fvisibility=hidden"] if os.name == "posix" else []
    return [
        *(
            Extension(
                ".".join((*folder.parts, name)),
                [(folder / file).as_posix() for file in files],
                # The digest of the Python sources is built in.
                depends=sorted(
                    path.as_posix() for path in INDICATORS.glob("*.[hp]*") if path.suffix != ".pyi"
                ),
                define_macros=sources,
                extra_compile_args=flags,
            )
            for name, (folder, files) in NATIVE.items()
        ),
        *compiled_indicators(),
    ]


def digest_of_sources() -> str:
    """Return the digest by the package's own function, without importing the package."""
    path = Path("sentinel/cli/source_digest.py")
    found = importlib.util.spec_from_file_location("source_digest", path)
    if found is None or found.loader is None:
        sys.exit(f"{path} is not here: build from the root of the sources")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return str(module.source_digest(INDICATORS))


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


setup(ext_modules=extensions(), cmdclass={"build_ext": AllOrNone})
