"""Units bear whether an opinion is waited for and who gave the first: the queue is one read of one index.

Frozen: it names its own types, so that a later change of `schema.py` cannot change what it creates.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_OPEN_TO = ("first_annotator", "app", "workflow", "task", "tenant", "locale")
_WAITING = "SELECT 1 FROM second_reviews r WHERE r.unit_id = units.id AND r.state = 'waiting'"
_BEGUN = "SELECT 1 FROM second_reviews r WHERE r.unit_id = units.id"
_CONTENT = "SELECT 1 FROM unit_contents c WHERE c.unit_id = units.id"
_COUNTS = "a.event_id = units.event_id AND a.probability_sample"
#: Rows are added and changed all day and counted from indexes, which is cheap where a vacuum has been. By the
#: server's own measure one comes after a fifth of the table has changed.
_VACUUM = {
    "autovacuum_vacuum_scale_factor": 0.02,
    "autovacuum_vacuum_insert_scale_factor": 0.02,
}


def _partial_index(name: str, columns: list[str], mark: str) -> None:
    op.create_index(
        name, "units", columns, sqlite_where=sa.text(f"{mark} = 1"), postgresql_where=sa.text(mark)
    )


def upgrade() -> None:
    """Mark the units; what was known of those that wait for a second opinion is part of it."""
    op.drop_index("ix_units_awaits_second", "units")
    op.drop_column("units", "awaits_second")
    op.add_column(
        "units", sa.Column("awaits_opinion", sa.Boolean(), nullable=False, server_default=sa.text("false"))
    )
    op.add_column("units", sa.Column("first_annotator", sa.Text(), nullable=False, server_default=""))
    op.execute(
        f"UPDATE units SET awaits_opinion = (1 = 1) WHERE EXISTS ({_CONTENT}) "  # noqa: S608
        f"AND (EXISTS ({_WAITING}) OR (status = 'pending' AND NOT EXISTS ({_BEGUN})))"
    )
    first = f"SELECT coalesce(min(a.annotator), '') FROM annotations a WHERE {_COUNTS}"  # noqa: S608
    op.execute(f"UPDATE units SET first_annotator = ({first}) WHERE EXISTS ({_WAITING})")  # noqa: S608
    ordered = ["priority", "event_time", "id", *_OPEN_TO, "awaits_opinion"]
    _partial_index("ix_units_open", ordered, "awaits_opinion")
    if op.get_bind().dialect.name == "postgresql":
        settings = ", ".join(f"{name} = {value}" for name, value in _VACUUM.items())
        op.execute(f"ALTER TABLE units SET ({settings})")


def downgrade() -> None:
    """Go back to the mark of a second opinion alone."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE units RESET ({', '.join(_VACUUM)})")
    op.drop_index("ix_units_open", "units")
    op.add_column(
        "units", sa.Column("awaits_second", sa.Boolean(), nullable=False, server_default=sa.text("false"))
    )
    op.execute(
        f"UPDATE units SET awaits_second = (1 = 1) WHERE awaits_opinion AND EXISTS ({_WAITING})"  # noqa: S608
    )
    op.drop_column("units", "first_annotator")
    op.drop_column("units", "awaits_opinion")
    _partial_index("ix_units_awaits_second", ["priority", "event_time", "id", "event_id"], "awaits_second")
