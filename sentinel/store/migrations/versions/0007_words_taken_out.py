"""Words of a person can be taken out of trials and notes, too; everything else of these rows stays as it is.

Text of a unit may change after the step that took the words out of it was noted, and at no other time.
"""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

#: Table → its column of words, and all others.
_TABLES = {
    "unit_events": ("detail", ("id", "unit_id", "annotator", "kind", "created_at")),
    "calibration_items": ("known", ("batch", "unit_id", "created_by", "created_at")),
    "calibration_answers": ("document", ("batch", "unit_id", "annotator", "seconds", "created_at")),
}
_FUNCTION = """
CREATE FUNCTION sentinel_refuse_other_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM unit_events e WHERE e.unit_id = NEW.unit_id AND e.kind = 'cleaned') THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$
"""


def upgrade() -> None:
    """Let words change where some were taken out."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        for table, (_, others) in _TABLES.items():
            op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
            _refuse_on_postgres(table, f"UPDATE OF {', '.join(others)} OR DELETE OR TRUNCATE")
            op.execute(
                f"CREATE TRIGGER {table}_other_words BEFORE UPDATE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION sentinel_refuse_other_words()"
            )
        return
    for table, (_, others) in _TABLES.items():
        same = " AND ".join(f"OLD.{name} IS NEW.{name}" for name in others)
        cleaned = "SELECT 1 FROM unit_events e WHERE e.unit_id = NEW.unit_id AND e.kind = 'cleaned'"
        op.execute(f"DROP TRIGGER {table}_no_update")
        op.execute(
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
            f"WHEN NOT ({same} AND EXISTS ({cleaned})) "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def downgrade() -> None:
    """Let nothing of them change."""
    if op.get_bind().dialect.name == "postgresql":
        for table in _TABLES:
            op.execute(f"DROP TRIGGER {table}_other_words ON {table}")
            op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
            _refuse_on_postgres(table, "UPDATE OR DELETE OR TRUNCATE")
        op.execute("DROP FUNCTION sentinel_refuse_other_words()")
        return
    for table in _TABLES:
        op.execute(f"DROP TRIGGER {table}_no_update")
        op.execute(
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _refuse_on_postgres(table: str, changes: str) -> None:
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE {changes} ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION sentinel_refuse_change()"
    )
