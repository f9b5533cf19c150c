"""The folder a demonstration lives in: it may be made anew, and nothing else may be deleted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sentinel.errors import ConfigurationError

_MARKER = ".sentinel-demo"
_MARKED = "Made by `sentinel demo`, which replaces its files in this folder when it runs again.\n"
_APP = "simulated-app"
_STORE = "sentinel.db"


@dataclass(frozen=True, slots=True)
class DemoFolder:
    """Where the files of one demonstration are.

    `answers` and `truth` are the simulated app's own; all else is what the product makes of them.
    """

    path: Path

    @property
    def answers(self) -> Path:
        """Return the stream of the simulated app: raw text, as any app has it."""
        return self.path / _APP / "answers.jsonl"

    @property
    def truth(self) -> Path:
        """Return the right label of every answer; only the simulated reviewer reads it."""
        return self.path / _APP / "truth.jsonl"

    @property
    def store(self) -> Path:
        """Return the store's file."""
        return self.path / _STORE

    @property
    def salt(self) -> Path:
        """Return the file in which commands on the store look for the salt of its draws."""
        return self.path / f"{_STORE}.salt"

    @property
    def store_url(self) -> str:
        """Return the store's SQLAlchemy URL."""
        return f"sqlite:///{self.store.absolute()}"

    @property
    def html(self) -> Path:
        """Return the report as a page."""
        return self.path / "report.html"

    @property
    def json(self) -> Path:
        """Return the report as data."""
        return self.path / "report.json"

    def prepare(self) -> None:
        """Make the folder, without the files of an earlier demonstration.

        Raises:
            ConfigurationError: the folder holds something and was not made by a demonstration, or it
                cannot be written.
        """
        marker = self.path / _MARKER
        try:
            if self.path.exists() and not self.path.is_dir():
                raise ConfigurationError(f"--out {self.path} is no folder: give another one")
            if self.path.is_dir() and any(self.path.iterdir()) and not marker.is_file():
                message = (
                    f"--out {self.path} holds files that no demonstration made: give an empty or new folder"
                )
                raise ConfigurationError(message)
            self.answers.parent.mkdir(parents=True, exist_ok=True)
            marker.write_text(_MARKED, encoding="utf-8")
            for path in self._own_files():
                path.unlink(missing_ok=True)
        except OSError as error:
            message = f"--out {self.path}: cannot be written ({error.strerror})"
            raise ConfigurationError(message) from None

    def _own_files(self) -> tuple[Path, ...]:
        beside = (f"{_STORE}-wal", f"{_STORE}-shm", f"{_STORE}-journal")
        stores = (self.store, self.salt, *(self.path / name for name in beside))
        return (self.answers, self.truth, self.html, self.json, *stores)
