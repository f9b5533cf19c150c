"""`--out`: who may read the file, and that it appears whole or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest
from typer.testing import CliRunner

from sentinel.cli.main import app
from sentinel.cli.outputs import written
from sentinel.errors import ConfigurationError
from sentinel.store.database import Database


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize(
    ("mask", "expected"),
    [(0o022, 0o644), (0o077, 0o600), (0o027, 0o640), (0o002, 0o664), (0o000, 0o666), (0o137, 0o640)],
)
def test_a_file_has_what_the_umask_leaves(tmp_path: Path, mask: int, expected: int) -> None:
    out = tmp_path / "report.html"
    with umask(mask), written(out) as stream:
        stream.write("é\n")
    assert mode(out) == expected
    assert out.read_bytes() == b"\xc3\xa9\n"


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o002])
@pytest.mark.parametrize("before", [None, 0o644, 0o600])
def test_a_private_file_is_its_owners_whatever_stood_there(
    tmp_path: Path, mask: int, before: int | None
) -> None:
    out = tmp_path / "units.csv"
    if before is not None:
        out.write_text("old")
        out.chmod(before)
    with umask(mask), written(out, private=True) as stream:
        (draft,) = [path for path in tmp_path.iterdir() if path != out]
        assert mode(draft) == 0o600
        stream.write("new")
    assert (mode(out), out.read_text()) == (0o600, "new")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("units", "export"), 0o600),
        (("units", "export", "--format", "csv"), 0o600),
        (("labels", "export"), 0o600),
        (("report", "--week", "2026-W01"), 0o640),
        (("report", "--week", "2026-W01", "--format", "html"), 0o640),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_each_command_writes_its_kind(tmp_path: Path, command: tuple[str, ...], expected: int) -> None:
    url, out = f"sqlite:///{tmp_path / 's.db'}", tmp_path / "out"
    with Database(url) as database:
        database.upgrade()
    with umask(0o027):
        run = CliRunner().invoke(app, [*command, "--store", url, "--out", str(out)])
    assert run.exit_code == 0, run.output
    assert mode(out) == expected


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    out = tmp_path / "units.csv"
    out.write_text("old")

    def failing(stream: TextIO) -> None:
        stream.write("half")
        raise error

    with pytest.raises(error), written(out) as stream:
        failing(stream)
    assert [path.name for path in tmp_path.iterdir()] == ["units.csv"]
    assert out.read_text() == "old"


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    for out in (tmp_path / "no" / "x", tmp_path, tmp_path / ("n" * 300)):
        with pytest.raises(ConfigurationError, match="cannot be written"), written(out) as stream:
            stream.write("x")
    assert list(tmp_path.iterdir()) == []


def test_a_device_or_a_pipe_stays_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No space"), written(Path("/dev/full")) as stream:
        stream.write("x")
    assert Path("/dev/full").is_char_device()
    os.mkfifo(pipe := tmp_path / "pipe")
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    with written(pipe, private=True) as stream:
        stream.write("through\n")
    reader.join(timeout=30)
    assert heard == ["through\n"]
    assert pipe.is_fifo()
