"""Which salt names people, and what becomes of salts that are none: one line and exit 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sentinel.cli.secrets import identity_salt, salt_of, salts_of
from sentinel.errors import ConfigurationError, StopError
from sentinel.sampling.selection import Salt, Salts
from sentinel.settings import Settings
from sentinel.store.annotations import iter_annotations
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import WEEK, consume_topic, event, fresh_database, settings_for
from tests.harness import fill as fill_topic
from tests.integration.label_store import claim, line

ROOT = Path(__file__).resolve().parents[2]
FIRST, SECOND, THIRD = "the first secret", "the second secret", "the third secret"


def with_salts(settings: Settings, salt: str, *earlier: str) -> Settings:
    return replace(settings, sampling=replace(settings.sampling, salt=salt, earlier_salts=earlier))


def store_drawn_with(folder: Path, *salts: str) -> Database:
    """A store whose schedule began with the first salt and went on with the others."""
    database = fresh_database(folder)
    for place, salt in enumerate(salts):
        at = WEEK + timedelta(days=place)
        fill_topic(topic := MemoryTopic(f"t{place}"), [event(100 * place + n, at) for n in range(9)])
        consume_topic(topic, database, with_salts(settings_for(rate=1.0), salt, *salts[:place]))
    return database


def sentinel(
    *arguments: str, cwd: Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
    patterns = {"SENTINEL_REDACTION__ENTITIES": "[EMAIL_ADDRESS]", "SENTINEL_REDACTION_POOL__PROCESSES": "0"}
    return subprocess.run(
        [sys.executable, "-m", "sentinel", *arguments],
        cwd=cwd, env={**kept, "PYTHONPATH": str(ROOT), **patterns, **environment},
        input=stdin, text=True, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("drawn_with", "salt", "earlier"),
    [
        ([FIRST], FIRST, []),
        ([FIRST], SECOND, [FIRST]),
        ([FIRST], THIRD, [SECOND, FIRST]),
        ([FIRST, SECOND], SECOND, [FIRST]),
        ([FIRST, SECOND], THIRD, [FIRST, SECOND]),
        ([FIRST, SECOND], FIRST, [SECOND]),
        ([FIRST, SECOND, THIRD], THIRD, [SECOND, FIRST]),
    ],
)
def test_identities_keep_the_salt_of_the_first_row(
    tmp_path: Path, drawn_with: list[str], salt: str, earlier: list[str]
) -> None:
    settings = with_salts(Settings(), salt, *earlier)
    with store_drawn_with(tmp_path, *drawn_with) as database:
        assert identity_salt(database, salts_of(settings, salt_of(settings))) == Salt.of(FIRST)


def test_a_store_that_has_drawn_nothing_begins_with_the_current_salt(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database:
        assert identity_salt(database, Salts(Salt.of(SECOND), (Salt.of(FIRST),))) == Salt.of(SECOND)


@pytest.mark.parametrize("earlier", [(), (THIRD,)])
def test_a_salt_the_store_was_not_begun_with_is_refused(tmp_path: Path, earlier: Sequence[str]) -> None:
    with store_drawn_with(tmp_path, FIRST) as database:
        before = (tmp_path / "store.db").read_bytes()
        with pytest.raises(StopError, match="earlier_salts") as refused:
            identity_salt(database, salts_of(with_salts(Settings(), SECOND, *earlier), Salt.of(SECOND)))
        assert FIRST not in str(refused.value)
        assert (tmp_path / "store.db").read_bytes() == before


def test_one_person_imported_before_and_after_a_change_of_salt_is_one_annotator(tmp_path: Path) -> None:
    with store_drawn_with(tmp_path, FIRST, SECOND) as database:
        document = json.dumps(line("e00001", claim("contradicted"), annotator="Zoe Marsh"))
        later = json.dumps(line("e00001", claim(), annotator="zoe  marsh"))
        salts = {"SENTINEL_SAMPLING__SALT": SECOND, "SENTINEL_SAMPLING__EARLIER_SALTS": f'["{FIRST}"]'}
        store = ("--store", f"sqlite:///{tmp_path / 'store.db'}")
        first = sentinel(
            "labels", "import", "-", *store, cwd=tmp_path, stdin=document, SENTINEL_SAMPLING__SALT=FIRST
        )
        second = sentinel("labels", "import", "-", *store, cwd=tmp_path, stdin=later, **salts)
        unknown = sentinel(
            "labels", "import", "-", *store, cwd=tmp_path, stdin=later, SENTINEL_SAMPLING__SALT=THIRD
        )
        assert json.loads(first.stdout)["accepted"] == 1, first.stderr
        assert json.loads(second.stdout)["corrections"] == 1, second.stderr
        assert (unknown.returncode, unknown.stdout) == (1, "")
        assert unknown.stderr.startswith("sentinel: answers of this store were drawn with salt")
        with database.read() as conn:
            assert len({one.annotation.annotator for one in iter_annotations(conn)}) == 1


BAD_FILES = {
    "empty": b"",
    "line": b"\n",
    "lines": b"\r\n\r\n",
    "blanks": b"  \t \n",
    "zeros": bytes(64),
    "half zeros": b"abc" + bytes(13),
    "two lines": b"abc\ndef\n",
    "controls": b"abc\x07def",
    "not text": b"\xff\xfe",
    "no-break space": "\u00a0".encode(),
}


@pytest.mark.parametrize("content", BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_holds_no_salt_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s.db.salt").write_bytes(content)
    with pytest.raises(ConfigurationError, match="salt"):
        salt_of(Settings(store=f"sqlite:///{tmp_path / 's.db'}"))
    assert (tmp_path / "s.db.salt").read_bytes() == content


@pytest.mark.parametrize("secret", ["", " ", "\t", "\n", "a\x00", "\udcff", "a\nb"])
def test_an_earlier_or_current_salt_that_is_none_is_refused(secret: str) -> None:
    with pytest.raises(ConfigurationError, match=r"sampling\.earlier_salts"):
        salts_of(with_salts(Settings(), FIRST, SECOND, secret), Salt.of(FIRST))
    if secret:
        with pytest.raises(ConfigurationError, match=r"sampling\.salt"):
            salt_of(with_salts(Settings(), secret))


@pytest.mark.parametrize(
    ("command", "environment"),
    [
        (("run", "--source", "file:-", "--until-end"), {"SENTINEL_SAMPLING__EARLIER_SALTS": '[""]'}),
        (("config", "check"), {"SENTINEL_SAMPLING__EARLIER_SALTS": '["old", ""]'}),
        (("config", "check"), {"SENTINEL_SAMPLING__SALT": " "}),
        (("run", "--source", "file:-", "--until-end"), {}),
    ],
    ids=["run, earlier", "check, earlier", "check, blank", "run, empty file"],
)
def test_the_command_says_so_in_one_line(
    tmp_path: Path, command: tuple[str, ...], environment: dict[str, str]
) -> None:
    if not environment:
        (tmp_path / "sentinel.db.salt").write_text("\n")
    run = sentinel(*command, cwd=tmp_path, **environment)
    assert (run.returncode, run.stdout) == (2, "")
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert "salt" in run.stderr
