"""First tables.

Frozen: it names its own types, so that a later change of `schema.py` cannot change what it creates.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TIME = sa.BigInteger().with_variant(postgresql.TIMESTAMP(timezone=True), "postgresql")
_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_APPEND_ONLY = ("annotations", "reports", "designs", "schedule_rows")
_KEY_OF = {"annotations": "id", "reports": "id", "designs": "design_id", "schedule_rows": "id"}

_PG_REFUSE = """
CREATE FUNCTION sentinel_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$
"""


def _text(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, _TIME, nullable=nullable)


def _big(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=nullable)


def _int(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), autoincrement=False, nullable=False)


def _double(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Double(), nullable=False)


def _flag(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Boolean(), nullable=nullable)


def _row_id() -> sa.Column[Any]:
    return sa.Column("id", _ROW_ID, nullable=False)


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def _create_checkpoints() -> None:
    op.create_table(
        "checkpoints",
        _text("topic"),
        _int("partition"),
        _big("next_offset"),
        _time("updated_at"),
        _key("checkpoints", "topic", "partition"),
    )


def _create_units() -> None:
    op.create_table(
        "units",
        _row_id(),
        _text("event_id"),
        _text("topic"),
        _int("partition"),
        _big("offset"),
        _time("event_time"),
        _time("record_timestamp"),
        _text("design_id"),
        _big("schedule_row"),
        _big("raised_under_row", nullable=True),
        _double("inclusion_probability"),
        _double("first_inclusion_probability"),
        _double("random_number"),
        _double("size_measure"),
        _double("predicted_risk"),
        _text("reasons"),
        _text("domains"),
        _text("document_classes"),
        _text("signals"),
        _text("risk_tags"),
        _text("indicators"),
        _text("session_hash", nullable=True),
        _text("user_hash", nullable=True),
        _text("redactor"),
        _text("entities"),
        _text("status"),
        _big("arrivals"),
        _time("created_at"),
        _key("units", "id"),
        sa.UniqueConstraint("event_id", name="uq_units_event_id"),
        sa.CheckConstraint(
            "inclusion_probability > 0 AND inclusion_probability <= 1", name=op.f("ck_units_probability")
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'labelled', 'lost', 'purged')", name=op.f("ck_units_status")
        ),
    )
    op.create_index("ix_units_event_time_id", "units", ["event_time", "id"])
    op.create_index("ix_units_status_event_time", "units", ["status", "event_time"])
    op.create_table(
        "unit_contents",
        _big("unit_id"),
        _text("content"),
        _key("unit_contents", "unit_id"),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name="fk_unit_contents_unit_id"),
    )


def _create_frame() -> None:
    op.create_table(
        "frame_cells",
        _time("window_start"),
        _text("topic"),
        _int("partition"),
        _text("design_id"),
        _text("domain"),
        _text("value"),
        _big("events"),
        _big("answered"),
        _big("abstained"),
        _big("risk_micros"),
        _big("size_micros"),
        _big("expected_micros"),
        _key("frame_cells", "window_start", "topic", "partition", "design_id", "domain", "value"),
    )
    op.create_table(
        "not_covered",
        _time("window_start"),
        _text("topic"),
        _int("partition"),
        _text("reason"),
        _big("events"),
        _key("not_covered", "window_start", "topic", "partition", "reason"),
    )
    op.create_table(
        "minute_counts",
        _time("minute"),
        _text("topic"),
        _int("partition"),
        _text("app"),
        _text("version"),
        _text("counts"),
        _key("minute_counts", "minute", "topic", "partition", "app", "version"),
    )
    op.create_table(
        "slice_counts",
        _time("window_start"),
        _text("topic"),
        _int("partition"),
        _text("app"),
        _text("domain"),
        _text("value"),
        _text("counts"),
        _key("slice_counts", "window_start", "topic", "partition", "app", "domain", "value"),
    )


def _create_shifts() -> None:
    op.create_table(
        "shift_progress",
        _int("id"),
        _time("evaluated_to"),
        sa.CheckConstraint("id = 1", name=op.f("ck_shift_progress_singleton")),
        _key("shift_progress", "id"),
    )
    op.create_table(
        "shift_states", _text("app"), _text("profile"), _text("state"), _key("shift_states", "app")
    )
    op.create_table(
        "shift_alarms",
        _row_id(),
        _text("app"),
        _text("version"),
        _text("series"),
        _text("direction"),
        _time("onset_at"),
        _time("begun_at"),
        _time("ended_at", nullable=True),
        _text("end_reason", nullable=True),
        _text("size"),
        _text("slice"),
        _text("example_event_ids"),
        _time("begin_sent_at", nullable=True),
        _time("end_sent_at", nullable=True),
        sa.CheckConstraint("direction IN ('up', 'down')", name=op.f("ck_shift_alarms_direction")),
        sa.CheckConstraint("(ended_at IS NULL) = (end_reason IS NULL)", name=op.f("ck_shift_alarms_end")),
        _key("shift_alarms", "id"),
    )
    op.create_index("ix_shift_alarms_begun_at", "shift_alarms", ["begun_at"])
    op.create_index(
        "uq_shift_alarms_active",
        "shift_alarms",
        ["app", "version", "series"],
        unique=True,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )


def _create_stream_memory() -> None:
    op.create_table(
        "dead_letters",
        _row_id(),
        _text("topic"),
        _int("partition"),
        _big("offset"),
        _text("reason"),
        _text("detail"),
        _time("record_timestamp", nullable=True),
        _big("size_bytes"),
        _time("created_at"),
        _key("dead_letters", "id"),
        sa.UniqueConstraint("topic", "partition", "offset", name="uq_dead_letters_topic_partition_offset"),
    )
    op.create_index("ix_dead_letters_created_at", "dead_letters", ["created_at"])
    op.create_table(
        "seen_hashes",
        _row_id(),
        _text("topic"),
        _int("partition"),
        _time("minute"),
        _flag("merged"),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.Column("places", sa.LargeBinary(), nullable=False),
        _key("seen_hashes", "id"),
    )
    op.create_index("ix_seen_hashes_owner", "seen_hashes", ["topic", "partition", "merged", "minute"])
    op.create_table(
        "known_values",
        _text("field"),
        _text("value"),
        _time("first_seen_at"),
        _key("known_values", "field", "value"),
    )


def _create_schedule() -> None:
    op.create_table(
        "designs",
        _text("design_id"),
        _text("spec"),
        _time("created_at"),
        _key("designs", "design_id"),
    )
    op.create_table(
        "schedule_rows",
        _big("id"),
        _time("effective_at"),
        _text("design_id"),
        _double("uniform_probability"),
        _double("multiplier"),
        _double("floor"),
        _text("take_all"),
        _text("rules"),
        _text("reason"),
        _time("written_at"),
        _key("schedule_rows", "id"),
        sa.ForeignKeyConstraint(["design_id"], ["designs.design_id"], name="fk_schedule_rows_design_id"),
    )
    op.create_table(
        "schedule_horizon",
        _int("id"),
        _time("reaches_to"),
        _key("schedule_horizon", "id"),
        sa.CheckConstraint("id = 1", name=op.f("ck_schedule_horizon_singleton")),
    )
    # The one row is always there, so that locking it serialises all who write the schedule.
    earliest = (
        "'0001-01-01 00:00:00+00'" if op.get_bind().dialect.name == "postgresql" else "-62135596800000000"
    )
    op.execute(f"INSERT INTO schedule_horizon (id, reaches_to) VALUES (1, {earliest})")  # noqa: S608


def _create_opinions() -> None:
    op.create_table(
        "annotations",
        _row_id(),
        _text("event_id"),
        _text("annotator"),
        _text("role"),
        _big("replaces", nullable=True),
        _flag("probability_sample"),
        _flag("answered"),
        _text("abstention"),
        _text("claims"),
        _text("evidence_retrieved"),
        _text("root_causes"),
        _text("citations"),
        _flag("complete", nullable=True),
        _text("comment", nullable=True),
        _text("guideline_version", nullable=True),
        _time("created_at"),
        _key("annotations", "id"),
        sa.ForeignKeyConstraint(["replaces"], ["annotations.id"], name="fk_annotations_replaces"),
        sa.UniqueConstraint("replaces", name="uq_annotations_replaces"),
    )
    op.create_index("ix_annotations_event_id", "annotations", ["event_id"])
    op.create_index(
        "uq_annotations_first_opinion",
        "annotations",
        ["event_id", "annotator", "role"],
        unique=True,
        sqlite_where=sa.text("replaces IS NULL"),
        postgresql_where=sa.text("replaces IS NULL"),
    )
    op.create_table(
        "reports",
        _row_id(),
        _time("period_from"),
        _time("period_to"),
        _text("timezone"),
        _int("revision"),
        _text("document"),
        _time("created_at"),
        _key("reports", "id"),
        sa.UniqueConstraint(
            "period_from",
            "period_to",
            "timezone",
            "revision",
            name="uq_reports_period_from_period_to_timezone_revision",
        ),
    )


def _create_leadership() -> None:
    op.create_table(
        "leases",
        _text("name"),
        _text("holder"),
        _big("token"),
        _time("expires_at"),
        _key("leases", "name"),
    )
    op.create_table(
        "scheduled_runs",
        _text("job"),
        _text("window"),
        _big("token"),
        _time("ran_at"),
        _key("scheduled_runs", "job", "window"),
    )


def _make_append_only() -> None:
    postgres = op.get_bind().dialect.name == "postgresql"
    if postgres:
        op.execute(_PG_REFUSE)
    for table in _APPEND_ONLY:
        if postgres:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION sentinel_refuse_change()"
            )
        else:
            _make_append_only_sqlite(table, _KEY_OF[table])


def _make_append_only_sqlite(table: str, key: str) -> None:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    op.execute(f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}")
    op.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}")
    # INSERT OR REPLACE deletes without asking the delete trigger.
    taken = f"SELECT 1 FROM {table} WHERE {key} = NEW.{key}"  # noqa: S608
    op.execute(f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN EXISTS ({taken}) {refuse}")


def upgrade() -> None:
    """Create all tables, the horizon's one row and the triggers of append-only tables."""
    _create_checkpoints()
    _create_units()
    _create_frame()
    _create_stream_memory()
    _create_schedule()
    _create_opinions()
    _create_shifts()
    _create_leadership()
    _make_append_only()


def downgrade() -> None:
    """Drop everything."""
    for table in (
        "shift_alarms",
        "shift_states",
        "shift_progress",
        "slice_counts",
        "scheduled_runs",
        "leases",
        "reports",
        "annotations",
        "schedule_horizon",
        "schedule_rows",
        "designs",
        "known_values",
        "seen_hashes",
        "dead_letters",
        "minute_counts",
        "not_covered",
        "frame_cells",
        "unit_contents",
        "units",
        "checkpoints",
    ):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION sentinel_refuse_change()")
