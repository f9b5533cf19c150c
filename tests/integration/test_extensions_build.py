"""The package can be built and used wherever it is: with a compiler, without, and where building fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what the package is built from, without anything built."""
    folder = tmp_path / "sources"
    unwanted = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(ROOT / "sentinel", folder / "sentinel", ignore=unwanted)
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    return folder


def build(sources: Path, what: str, wanted: str, more: Mapping[str, str] | None = None) -> Path:
    """Have the build backend make an sdist or a wheel."""
    target = sources.parent / what
    target.mkdir(exist_ok=True)
    code = f"from setuptools import build_meta; build_meta.build_{what}({str(target)!r})"
    environment = {**os.environ, "SENTINEL_EXTENSIONS": wanted, **(more or {})}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-2000:]
    (made,) = target.iterdir()
    return made


def compiled(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as opened:
        return [name for name in opened.namelist() if name.endswith((".so", ".pyd"))]


def says_of_itself(wheel: Path, folder: Path) -> str:
    """Use the package as it is in the wheel."""
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder)
    code = "from sentinel.cli.extensions import say_extensions; print(say_extensions())"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_what_is_published_as_source_can_be_built(sources: Path, tmp_path: Path) -> None:
    published = build(sources, "sdist", "optional")
    with tarfile.open(published) as opened:
        opened.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    files = [
        {path.name for path in (root / "sentinel" / "indicators").glob("*.[ch]")} for root in (unpacked, ROOT)
    ]
    assert files[0] == files[1] != set()
    wheel = build(unpacked, "wheel", "none")
    assert compiled(wheel) == []
    assert says_of_itself(wheel, tmp_path / "used").startswith("none was built")


@pytest.mark.slow
def test_where_one_module_cannot_be_built_none_is_there(sources: Path, tmp_path: Path) -> None:
    """The largest of them is what a small machine fails on, and the others import it."""
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\ncase "$*" in *__native*) exit 1;; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    wheel = build(sources, "wheel", "optional", {"CC": str(compiler)})
    assert compiled(wheel) == []
    assert says_of_itself(wheel, tmp_path / "used").startswith("none was built")


def test_modules_of_an_earlier_build_are_taken_away_where_none_is_wanted(sources: Path) -> None:
    left = [
        sources / "sentinel/indicators/length.cpython-311-x86_64-linux-gnu.so",
        sources / "sentinel__mypyc.so",
    ]
    for path in left:
        path.touch()
    assert compiled(build(sources, "wheel", "none")) == []
    assert not any(path.exists() for path in left)


def test_a_wish_that_is_unknown_is_refused(sources: Path) -> None:
    with pytest.raises(AssertionError, match="it must be none, optional or required"):
        build(sources, "wheel", "yes")
