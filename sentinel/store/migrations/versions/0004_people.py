"""People, their tokens and sessions, the audit trail, and answers kept for requests that come again.

Frozen: it names its own types, so that a later change of the tables cannot change what it creates.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TIME = sa.BigInteger().with_variant(postgresql.TIMESTAMP(timezone=True), "postgresql")
_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("subject_hash", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("removed_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "role IN ('viewer', 'reviewer', 'adjudicator', 'admin')", name=op.f("ck_people_role")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("name", name=op.f("uq_people_name")),
        sa.UniqueConstraint("subject_hash", name=op.f("uq_people_subject_hash")),
    )
    op.create_table(
        "personal_tokens",
        sa.Column("id", _ROW_ID, nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.Column("revoked_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_personal_tokens_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_personal_tokens")),
        sa.UniqueConstraint("prefix", name=op.f("uq_personal_tokens_prefix")),
    )
    op.create_index("ix_personal_tokens_person_id", "personal_tokens", ["person_id"])


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id_hash", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("token_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("seen_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_sessions_person_id")),
        sa.ForeignKeyConstraint(["token_id"], ["personal_tokens.id"], name=op.f("fk_sessions_token_id")),
        sa.PrimaryKeyConstraint("id_hash", name=op.f("pk_sessions")),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_index("ix_sessions_person_id", "sessions", ["person_id"])


def _create_records() -> None:
    op.create_table(
        "audit_records",
        sa.Column("id", _ROW_ID, nullable=False),
        sa.Column("recorded_at", _TIME, nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("deed", sa.Text(), nullable=False),
        sa.Column("unit_id", sa.BigInteger(), nullable=True),
        sa.Column("about", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_records")),
    )
    op.create_index("ix_audit_records_recorded_at", "audit_records", ["recorded_at"])
    of_units = sa.text("unit_id IS NOT NULL")
    op.create_index(
        "ix_audit_records_unit_id",
        "audit_records",
        ["unit_id"],
        sqlite_where=of_units,
        postgresql_where=of_units,
    )
    op.create_table(
        "kept_answers",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("person_id", "key", name=op.f("pk_kept_answers")),
    )
    op.create_index("ix_kept_answers_created_at", "kept_answers", ["created_at"])


def _make_audit_append_only() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER audit_records_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_records "
            "FOR EACH STATEMENT EXECUTE FUNCTION sentinel_refuse_change()"
        )
        return
    refuse = "BEGIN SELECT RAISE(ABORT, 'audit_records is append-only'); END"
    op.execute(f"CREATE TRIGGER audit_records_no_update BEFORE UPDATE ON audit_records {refuse}")
    op.execute(f"CREATE TRIGGER audit_records_no_delete BEFORE DELETE ON audit_records {refuse}")
    # INSERT OR REPLACE deletes without asking the delete trigger.
    taken = "SELECT 1 FROM audit_records WHERE id = NEW.id"
    op.execute(
        f"CREATE TRIGGER audit_records_no_replace BEFORE INSERT ON audit_records "
        f"WHEN EXISTS ({taken}) {refuse}"
    )


def upgrade() -> None:
    """Create the tables of people, and the trigger that keeps the audit trail as it is written."""
    _create_people()
    _create_sessions()
    _create_records()
    _make_audit_append_only()


def downgrade() -> None:
    """Drop them."""
    for table in ("kept_answers", "audit_records", "sessions", "personal_tokens", "people"):
        op.drop_table(table)
