"""The review workbench: reservations, drafts, second reviews, guidelines, calibration; units to filter by.

Frozen: it names its own types, so that a later change of `schema.py` cannot change what it creates.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TIME = sa.BigInteger().with_variant(postgresql.TIMESTAMP(timezone=True), "postgresql")
_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_SLICES = ("app", "workflow", "task", "tenant", "locale")
_APPEND_ONLY = {
    "submissions": ("annotation_id",),
    "unit_events": ("id",),
    "guidelines": ("version",),
    "calibration_items": ("batch", "unit_id"),
    "calibration_answers": ("batch", "unit_id", "annotator"),
}
_KEY_BYTES = 400
_AT_ONCE = 1000


def _text(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str) -> sa.Column[Any]:
    return sa.Column(name, _TIME, nullable=False)


def _double(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def _unit() -> sa.Column[Any]:
    return sa.Column("unit_id", sa.BigInteger(), autoincrement=False, nullable=False)


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def _of_unit(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=f"fk_{table}_unit_id")


def upgrade() -> None:
    """Create the tables; give units the columns of the queue and fill them."""
    _widen_units()
    _create_work()
    _create_opinions()
    _create_calibration()
    _make_append_only()


def downgrade() -> None:
    """Drop the tables and the columns."""
    for table in (
        "calibration_answers",
        "calibration_items",
        "guidelines",
        "unit_events",
        "second_reviews",
        "submissions",
        "drafts",
        "reservations",
    ):
        op.drop_table(table)
    op.drop_index("ix_units_queue", "units")
    for name in _SLICES:
        op.drop_index(f"ix_units_queue_{name}", "units")
    op.drop_index("ix_units_awaits_second", "units")
    for name in (*_SLICES, "priority", "awaits_second"):
        op.drop_column("units", name)


def _widen_units() -> None:
    for name in _SLICES:
        op.add_column("units", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.add_column("units", sa.Column("priority", sa.Integer(), nullable=False, server_default="0"))
    awaits: sa.Column[bool] = sa.Column(
        "awaits_second", sa.Boolean(), nullable=False, server_default=sa.text("false")
    )
    op.add_column("units", awaits)
    _fill_units()
    op.create_index(
        "ix_units_awaits_second",
        "units",
        ["priority", "event_time", "id", "event_id"],
        sqlite_where=sa.text("awaits_second = 1"),
        postgresql_where=sa.text("awaits_second"),
    )
    op.create_index("ix_units_queue", "units", ["status", "priority", "event_time", "id"])
    for name in _SLICES:
        columns = ["status", name, "priority", "event_time", "id"]
        op.create_index(f"ix_units_queue_{name}", "units", columns)


def _fill_units() -> None:
    units = sa.table(
        "units",
        sa.column("id"),
        sa.column("domains"),
        sa.column("signals"),
        sa.column("priority"),
        *(sa.column(name) for name in _SLICES),
    )
    conn, last = op.get_bind(), 0
    while rows := conn.execute(
        sa.select(units.c.id, units.c.domains, units.c.signals)
        .where(units.c.id > last)
        .order_by(units.c.id)
        .limit(_AT_ONCE)
    ).all():
        values = [
            {"row": row.id, **_columns(json.loads(row.domains), json.loads(row.signals))} for row in rows
        ]
        conn.execute(
            sa.update(units)
            .where(units.c.id == sa.bindparam("row"))
            .values({name: sa.bindparam(name) for name in (*_SLICES, "priority")}),
            values,
        )
        last = rows[-1].id


def _columns(domains: Any, signals: Any) -> dict[str, Any]:
    values: dict[str, Any] = {name: str(domains.get(name) or "") for name in _SLICES}
    # Values this long are cut with a hash by later writers; old ones are only told apart by their beginning.
    values = {name: value.encode()[:_KEY_BYTES].decode(errors="ignore") for name, value in values.items()}
    urgent, raised = bool(signals.get("safety_incident")), bool(signals.get("user_correction"))
    return values | {"priority": -2 if urgent else -1 if raised else 0}


def _create_work() -> None:
    op.create_table(
        "reservations",
        _unit(),
        _text("slot"),
        _text("annotator"),
        _text("assigned_by", nullable=True),
        _time("expires_at"),
        _key("reservations", "unit_id", "slot"),
        _of_unit("reservations"),
        sa.CheckConstraint("slot IN ('opinion', 'adjudication')", name=op.f("ck_reservations_slot")),
    )
    op.create_index("ix_reservations_annotator", "reservations", ["annotator", "expires_at"])
    op.create_table(
        "drafts",
        _unit(),
        _text("annotator"),
        _text("slot"),
        sa.Column("revision", sa.Integer(), nullable=False),
        _text("save_id"),
        _text("document"),
        _double("seconds"),
        sa.Column("submitted", sa.Boolean(), nullable=False),
        _time("created_at"),
        _time("updated_at"),
        _key("drafts", "unit_id", "annotator", "slot"),
        _of_unit("drafts"),
    )
    op.create_table(
        "unit_events",
        sa.Column("id", _ROW_ID, nullable=False),
        _unit(),
        _text("annotator"),
        _text("kind"),
        _text("detail", nullable=True),
        _time("created_at"),
        _key("unit_events", "id"),
        _of_unit("unit_events"),
    )
    op.create_index("ix_unit_events_unit_id", "unit_events", ["unit_id"])
    op.create_index("ix_unit_events_annotator", "unit_events", ["annotator", "kind", "unit_id"])


def _create_opinions() -> None:
    op.create_table(
        "submissions",
        sa.Column("annotation_id", sa.BigInteger(), autoincrement=False, nullable=False),
        _unit(),
        _text("annotator"),
        _text("slot"),
        _text("idempotency_key", nullable=True),
        _text("splitter_version"),
        _double("seconds", nullable=True),
        _time("created_at"),
        _key("submissions", "annotation_id"),
        _of_unit("submissions"),
        sa.ForeignKeyConstraint(["annotation_id"], ["annotations.id"], name="fk_submissions_annotation_id"),
    )
    op.create_index("uq_submissions_key", "submissions", ["annotator", "idempotency_key"], unique=True)
    op.create_index("ix_submissions_annotator", "submissions", ["annotator", "slot", "unit_id"])
    op.create_index("ix_submissions_created_at", "submissions", ["created_at"])
    op.create_index("ix_submissions_unit_id", "submissions", ["unit_id"])
    op.create_table(
        "second_reviews",
        _unit(),
        _text("state"),
        _text("reason"),
        _double("probability"),
        _double("random_number"),
        _time("created_at"),
        _time("changed_at"),
        _key("second_reviews", "unit_id"),
        _of_unit("second_reviews"),
        sa.CheckConstraint(
            "state IN ('single', 'waiting', 'disagreed', 'escalated', 'settled')",
            name=op.f("ck_second_reviews_state"),
        ),
    )
    op.create_index("ix_second_reviews_state", "second_reviews", ["state", "unit_id"])
    op.create_table(
        "guidelines",
        _text("version"),
        _text("document"),
        _text("created_by"),
        _time("created_at"),
        _key("guidelines", "version"),
    )


def _create_calibration() -> None:
    op.create_table(
        "calibration_items",
        _text("batch"),
        _unit(),
        _text("known"),
        _text("created_by"),
        _time("created_at"),
        _key("calibration_items", "batch", "unit_id"),
        _of_unit("calibration_items"),
    )
    op.create_table(
        "calibration_answers",
        _text("batch"),
        _unit(),
        _text("annotator"),
        _text("document"),
        _double("seconds", nullable=True),
        _time("created_at"),
        _key("calibration_answers", "batch", "unit_id", "annotator"),
        _of_unit("calibration_answers"),
    )


def _make_append_only() -> None:
    postgres = op.get_bind().dialect.name == "postgresql"
    for table, key in _APPEND_ONLY.items():
        if postgres:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION sentinel_refuse_change()"
            )
            continue
        refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        op.execute(f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}")
        op.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}")
        # INSERT OR REPLACE deletes without asking the delete trigger.
        same = " AND ".join(f"{column} = NEW.{column}" for column in key)
        taken = f"SELECT 1 FROM {table} WHERE {same}"  # noqa: S608
        op.execute(
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN EXISTS ({taken}) {refuse}"
        )
