"""`sentinel doctor` says what is missing, and leaves everything as it was."""

from __future__ import annotations

import importlib.util
import re
import sqlite3
import tomllib
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest
from kafka import KafkaAdminClient
from typer.testing import CliRunner

from sentinel.cli import doctor
from sentinel.cli.main import app
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import WEEK, consume_topic, event, fill, fresh_database, settings_for
from tests.services.topics import make_topic, produce

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = {"SENTINEL_REDACTION__ENTITIES": "[EMAIL_ADDRESS]"}


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def findings(*arguments: str, **environment: str) -> tuple[int, Mapping[str, tuple[str, str]]]:
    """The exit code, and each part's state and words."""
    given = {**PATTERNS, "COLUMNS": "300", **environment}
    run = CliRunner().invoke(app, ["doctor", *arguments], env=given, catch_exceptions=False)
    rows = [re.split(r"\s{1,}(?=\S)", line.strip(), maxsplit=1) for line in run.stdout.splitlines()]
    parts = ("clock", "redaction model", "store", "salt", "source", "codecs", "extensions")
    found = {
        part: (row[0], row[1].removeprefix(part).strip())
        for row in rows
        if len(row) == 2
        for part in parts
        if row[1].startswith(part)
    }
    assert set(found) == set(parts), run.stdout
    return run.exit_code, found


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"event_id": "a", "answer": "x"}\n')
    before = snapshot(tmp_path)
    code, found = findings(SENTINEL_SOURCE__SOURCE="file:answers.jsonl")
    assert snapshot(tmp_path) == before
    assert code == 0, found
    assert found["store"][1].endswith("is not there yet: `sentinel run` or `sentinel db upgrade` makes it")
    assert found["salt"][1].startswith("not set: a random one")
    assert found["codecs"][1].startswith("not needed")


def test_a_store_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    with fresh_database(tmp_path, "sentinel.db") as database:
        fill(topic := MemoryTopic(), [event(number, WEEK) for number in range(5)])
        consume_topic(topic, database, settings_for("the first secret"))
    before = snapshot(tmp_path)
    code, found = findings(SENTINEL_SOURCE__SOURCE="file:-", SENTINEL_SAMPLING__SALT="the first secret")
    assert (code, snapshot(tmp_path)) == (0, before)
    assert found["store"][1].startswith("reachable, schema ")


def test_codecs_are_asked_for_where_topics_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    present = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n, p=None: None if n == "lz4" else present(n, p))
    _, found = findings(
        SENTINEL_SOURCE__KAFKA__BOOTSTRAP_SERVERS="127.0.0.1:1",
        SENTINEL_SOURCE__KAFKA__CONNECT_TIMEOUT_SECONDS="0.3",
    )
    name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
    assert name == doctor.DISTRIBUTION
    assert found["codecs"] == (
        "missing",
        f"topics compressed with lz4 cannot be read: pip install '{name}[codecs]'",
    )
    assert found["source"][0] == "missing"


@pytest.mark.parametrize(("version", "says"), [("0000", "not 0"), ("9999", "not 0")], ids=["older", "newer"])
def test_a_schema_of_another_version_is_said(tmp_path: Path, version: str, says: str) -> None:
    with Database(f"sqlite:///{tmp_path / 'sentinel.db'}") as database:
        database.upgrade()
    with sqlite3.connect(tmp_path / "sentinel.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    connection.close()
    code, found = findings(SENTINEL_SOURCE__SOURCE="file:-")
    assert code == 1
    assert found["store"][0] == "missing"
    assert f"at schema {version}, {says}" in found["store"][1]


@pytest.mark.parametrize(
    ("part", "environment", "says"),
    [
        ("source", {"SENTINEL_SOURCE__SOURCE": "file:none.jsonl"}, "cannot be read (No such file"),
        ("source", {"SENTINEL_SOURCE__SOURCE": "file:."}, "cannot be read (Is a directory)"),
        ("store", {"SENTINEL_STORE": "sqlite:////nowhere/s.db"}, "no folder this user may write to"),
        ("store", {"SENTINEL_STORE": "postgresql://u@127.0.0.1:1/x"}, "store"),
        ("salt", {"SENTINEL_STORE": "postgresql://u@127.0.0.1:1/x"}, "sampling.salt is not set"),
        ("salt", {"SENTINEL_SAMPLING__SALT": " "}, "holds no usable salt"),
        ("salt", {"SENTINEL_SAMPLING__SALT": "another"}, "drawn with salt"),
    ],
)
def test_what_is_missing_is_said(part: str, environment: dict[str, str], says: str, tmp_path: Path) -> None:
    if environment.get("SENTINEL_SAMPLING__SALT") == "another":
        with fresh_database(tmp_path, "sentinel.db") as database:
            fill(topic := MemoryTopic(), [event(1, WEEK)])
            consume_topic(topic, database, settings_for("the first secret"))
    quick = {"SENTINEL_DATABASE__WAIT_SECONDS": "2", "SENTINEL_SOURCE__SOURCE": "file:-"}
    code, found = findings(**{**quick, **environment})
    assert (code, found[part][0]) == (1, "missing")
    assert says in found[part][1]
    assert "SENTINEL_" in found[part][1], "which variable mends it"


def test_a_model_that_no_entity_needs_is_not_missed() -> None:
    settings = {"SENTINEL_REDACTION__MODEL": "no_such_model", "SENTINEL_SOURCE__SOURCE": "file:-"}
    _, found = findings(**settings, SENTINEL_REDACTION__ENTITIES="[EMAIL_ADDRESS]")
    assert found["redaction model"] == ("ok", "none is needed: patterns find all of redaction.entities")
    _, found = findings(**settings, SENTINEL_REDACTION__ENTITIES="[EMAIL_ADDRESS, PERSON]")
    assert found["redaction model"][0] == "missing"


def test_the_source_of_the_quick_start_is_an_option(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"event_id": "a", "answer": "x"}\n')
    code, found = findings("--source", "file:answers.jsonl")
    assert (code, found["source"]) == (0, ("ok", "answers.jsonl can be read"))
    code, found = findings("--source", "file:answer.jsonl")
    assert (code, found["source"][0]) == (1, "missing")
    assert "give --source (or SENTINEL_SOURCE__SOURCE)" in found["source"][1]


def test_a_broker_that_is_not_there_says_where_it_is_named() -> None:
    code, found = findings(SENTINEL_SOURCE__KAFKA__BOOTSTRAP_SERVERS="127.0.0.1:1")
    assert (code, found["source"][0]) == (1, "missing")
    for mend in ("SENTINEL_SOURCE__KAFKA__BOOTSTRAP_SERVERS", "_TOPIC", "--source file:PATH"):
        assert mend in found["source"][1]


@pytest.mark.parametrize(
    ("store", "salt", "says"),
    [
        ("sqlite:///s.db", "", "salt not set, kept beside the store file"),
        ("postgresql://u@h/n", "", "salt not set: `sentinel run` needs SENTINEL_SAMPLING__SALT"),
        ("postgresql://u@h/n", "a long secret", "salt set"),
    ],
)
def test_config_check_says_what_a_salt_that_is_not_set_means(store: str, salt: str, says: str) -> None:
    given = {**PATTERNS, "SENTINEL_STORE": store, **({"SENTINEL_SAMPLING__SALT": salt} if salt else {})}
    run = CliRunner().invoke(app, ["config", "check"], env=given, catch_exceptions=False)
    assert (run.exit_code, run.stdout.endswith(f"{says})\n")) == (0, True), run.stdout


@pytest.mark.kafka
def test_no_group_is_made_by_looking_at_a_topic(kafka_bootstrap: str) -> None:
    topic = f"answers-{uuid.uuid4().hex}"
    make_topic(kafka_bootstrap, topic, 2)
    produce(kafka_bootstrap, topic, [b"{}"])
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    environment = {
        "SENTINEL_SOURCE__KAFKA__BOOTSTRAP_SERVERS": kafka_bootstrap,
        "SENTINEL_SOURCE__SOURCE": "kafka",
    }
    try:
        before = str(admin.list_groups())
        for _ in range(2):
            code, found = findings(**environment, SENTINEL_SOURCE__KAFKA__TOPIC=topic)
            assert (code, found["source"]) == (0, ("ok", f"topic {topic} can be read, 2 partitions"))
        code, found = findings(**environment, SENTINEL_SOURCE__KAFKA__TOPIC=f"{topic}-not")
        assert (code, found["source"][0]) == (1, "missing")
        assert str(admin.list_groups()) == before
    finally:
        admin.close()
