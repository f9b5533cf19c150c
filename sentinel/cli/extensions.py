"""Which extension modules there are, and whether they are of the sources beside them."""

from __future__ import annotations

from pathlib import Path

from sentinel import indicators
from sentinel.cli.source_digest import source_digest
from sentinel.errors import StopError
from sentinel.indicators import abstention, word_sets

#: Whether the words are compared in C.
IS_NATIVE = word_sets.Words.__module__.endswith("_native_words")
#: Whether mypyc has compiled the indicators.
IS_COMPILED = not abstention.__file__.endswith(".py")


def check_extensions() -> None:
    """Raise StopError where compiled modules are of other sources than those beside them.

    Values may differ then, and inclusion probabilities with them.
    """
    if not (IS_NATIVE or IS_COMPILED):
        return
    if source_digest(Path(indicators.__file__).parent) != word_sets.SOURCES:
        raise StopError(
            "the extension modules were built from other sources than those beside them: build them anew "
            "(make build, pip install) or take them away (SENTINEL_EXTENSIONS=none)"
        )


def say_extensions() -> str:
    """Return which there are. Raises as `check_extensions` does."""
    check_extensions()
    there = (("words in C", IS_NATIVE), ("compiled indicators", IS_COMPILED))
    built = " and ".join(name for name, is_there in there if is_there)
    if not built:
        return "none was built: the same values, slower; a C compiler at installation mends it"
    return f"built: {built}"
