"""The rooms and what may look into which: DESIGN as a test."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "sentinel"

#: From the top down; a room may import only from levels below its own.
LEVELS = (
    {"__main__"},
    {"cli"},
    {"config"},
    {"settings"},
    {"pipeline", "review", "reporting", "monitoring", "judging", "cases", "demo", "learning", "leading"},
    {"stream", "store"},
    {"redaction", "indicators", "sampling", "labelling", "estimation", "detection"},
    {"telemetry"},
    {"records", "errors", "clock", "characters", "__init__"},
)
PURE = {"redaction", "indicators", "sampling", "labelling", "estimation", "detection"}
#: What holds raw text, and the only rooms that may name it.
RAW_TYPES = {"RawRecord", "RawAnswer", "Passage", "Citation", "ToolCall", "Indicators"}
RAW_ROOMS = {"stream", "pipeline", "indicators", "redaction", "records"}
#: Indicators hold pieces of text, but the draw is made from them.
RAW_EXCEPTIONS = {("sampling", "Indicators")}
IMPURE_MODULES = {
    "sqlalchemy", "kafka", "fastapi", "uvicorn", "logging", "structlog", "prometheus_client", "socket",
    "subprocess", "threading", "multiprocessing", "asyncio", "random", "time", "os", "pathlib", "openai",
}  # fmt: skip
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
MOST_LINES = 400

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "migrations/versions" not in str(path))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def level_of(room: str) -> int:
    return next(number for number, rooms in enumerate(LEVELS) if room in rooms)


def imports_of(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    """(module, names) of every import, wherever in the file it stands."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.append((node.module or "", tuple(alias.name for alias in node.names)))
    return found


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_downwards(path: Path) -> None:
    room = room_of(path)
    for module, _ in imports_of(path):
        if not module.startswith("sentinel."):
            continue
        other = module.split(".")[1]
        if other == room or (room == "cli" and other == "__init__"):
            continue
        assert level_of(other) > level_of(room), f"{room} imports {module}, which is not below it"
        if room in PURE:
            assert other != "telemetry", f"{room} is pure: it may not import {module}"


@pytest.mark.parametrize("path", [p for p in MODULES if room_of(p) in PURE], ids=module_name)
def test_pure_rooms_import_nothing_with_effects(path: Path) -> None:
    for module, _ in imports_of(path):
        assert module.split(".")[0] not in IMPURE_MODULES, f"{path.name} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_raw_text_has_a_border(path: Path) -> None:
    room = room_of(path)
    if room in RAW_ROOMS:
        return
    for module, names in imports_of(path):
        if module == "sentinel.records":
            strangers = {n for n in names if n in RAW_TYPES and (room, n) not in RAW_EXCEPTIONS}
            assert not strangers, f"{room} imports {strangers}, which hold raw text"


def test_no_import_cycles() -> None:
    names = {module_name(path) for path in MODULES}
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        targets = set()
        for module, imported in imports_of(path):
            candidates = [module, *(f"{module}.{name}" for name in imported)]
            targets |= {name for name in candidates if name in names and name != module_name(path)}
        # A package's own __init__ is not a dependency of the modules in it.
        graph[module_name(path)] = {t for t in targets if not module_name(path).startswith(t + ".")}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_modules_are_small_and_named_for_what_they_do(path: Path) -> None:
    assert path.stem not in BANNED_NAMES
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{path.name} has {lines} lines: probably two rooms in one"
