"""The schema: migrations, several starters at once, what no statement may do."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from typer.testing import CliRunner

from sentinel.cli.main import app
from sentinel.errors import ConfigurationError, StopError
from sentinel.store import annotations, checkpoints, reports, schedule
from sentinel.store.database import Database, alembic_config, latest_version
from sentinel.store.schema import metadata
from tests.contract.store_samples import DAY, NOON, NOW, PARTITION, a_row
from tests.contract.test_store_annotations import an_annotation


def _tables(database: Database) -> set[str]:
    with database.read() as conn:
        return set(sa.inspect(conn).get_table_names())


def test_up_down_and_up_again(store_url: str) -> None:
    with Database(store_url) as database:
        assert database.schema_version() is None
        with pytest.raises(StopError, match="sentinel db upgrade"):
            database.require_schema()
        assert database.upgrade() == latest_version()
        created = _tables(database)
        assert created == set(metadata.tables) | {"alembic_version"}
        with database.begin() as conn:
            command.downgrade(alembic_config(conn), "base")
        assert _tables(database) == {"alembic_version"}
        assert database.schema_version() is None
        assert database.upgrade() == database.upgrade() == latest_version()
        assert _tables(database) == created
        database.require_schema()


def test_the_migrated_schema_is_the_declared_one(database: Database) -> None:
    with database.read() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        inspector = sa.inspect(conn)
        for name, table in metadata.tables.items():
            assert inspector.get_pk_constraint(name)["constrained_columns"] == list(
                table.primary_key.columns.keys()
            )
            checks = {check["name"] for check in inspector.get_check_constraints(name)}
            assert checks == {c.name for c in table.constraints if isinstance(c, sa.CheckConstraint)}


def test_several_processes_may_start_at_once(store_url: str) -> None:
    child = [sys.executable, "-m", "tests.contract.store_samples", "upgrade", store_url]
    children = [subprocess.Popen(child, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in children:
        output, _ = process.communicate(timeout=60)
        assert (process.returncode, output.strip()) == (0, latest_version())
    with Database(store_url) as database:
        database.require_schema()


def test_a_store_of_a_newer_version_is_left_alone(database: Database) -> None:
    with database.begin() as conn:
        conn.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StopError, match="newer version"):
        database.upgrade()
    with pytest.raises(StopError, match="9999"):
        database.require_schema()


def _fill(database: Database) -> None:
    with database.begin() as conn:
        annotations.add_annotation(conn, an_annotation("e1"), NOW)
        reports.save_report(conn, reports.Period(NOON, NOON + DAY), {"rates": {}}, NOW, 0)
        schedule.save_design(conn, "design-1", {"share": 0.3}, NOW)
        schedule.create_first_row(conn, a_row(), NOW)


@pytest.mark.parametrize("table", ["annotations", "reports", "designs", "schedule_rows"])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE {table} SET {column} = {column}",
        "UPDATE {table} SET {column} = '[]' WHERE 1 = 1",
        "DELETE FROM {table}",
        "TRUNCATE {table} CASCADE",
        "INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    ],
)
def test_append_only_tables_refuse_change(database: Database, table: str, change: str) -> None:
    _fill(database)
    column = {"annotations": "claims", "reports": "document", "designs": "spec", "schedule_rows": "rules"}[
        table
    ]
    with database.read() as conn:
        before = conn.execute(sa.text(f"SELECT * FROM {table}")).all()
        dialect = conn.dialect.name
    if change.startswith("TRUNCATE" if dialect == "sqlite" else "INSERT OR REPLACE"):
        pytest.skip(f"not a statement of {dialect}")
    with pytest.raises(StopError, match="append-only"), database.begin() as conn:
        conn.execute(sa.text(change.format(table=table, column=column)))
    with database.read() as conn:
        assert conn.execute(sa.text(f"SELECT * FROM {table}")).all() == before
    assert before


def test_a_reader_cannot_write_and_does_not_see_later_commits(database: Database) -> None:
    with pytest.raises(StopError), database.read() as conn:
        checkpoints.advance(conn, PARTITION, None, 1, NOW)
    with database.read() as reader:
        assert checkpoints.next_offset(reader, PARTITION) is None
        with database.begin() as writer:
            checkpoints.advance(writer, PARTITION, None, 5, NOW)
        assert checkpoints.next_offset(reader, PARTITION) is None
    with database.read() as reader:
        assert checkpoints.next_offset(reader, PARTITION) == 5
        assert checkpoints.next_offsets(reader) == {PARTITION: 5}


def test_the_command_creates_the_schema_and_prints_its_version(store_url: str) -> None:
    for _ in range(2):
        outcome = CliRunner().invoke(app, ["db", "upgrade", "--store", store_url])
        assert (outcome.exit_code, outcome.stdout) == (0, f"{latest_version()}\n")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "store.db",
        "mysql://u:hunter2@h/d",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql+psycopg2://u:hunter2@h/d",
    ],
)
def test_a_url_that_cannot_be_a_store_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Database(url)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_password_is_not_shown(scheme: str) -> None:
    shown = repr(Database(f"{scheme}://u:hunter2@h/d"))
    assert "hunter2" not in shown
    assert "postgresql+psycopg://u:***@h/d" in shown


def test_a_missing_directory_is_named(tmp_path: Any) -> None:
    with (
        Database(f"sqlite:///{tmp_path}/no/such.db") as database,
        pytest.raises(StopError, match="directory"),
    ):
        database.upgrade()
