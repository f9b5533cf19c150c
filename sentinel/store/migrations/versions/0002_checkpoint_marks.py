"""What a checkpoint is told by: the batch that moved it, and the log it stands in.

Frozen: it names its own types, so that a later change of `schema.py` cannot change what it creates.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both columns; a checkpoint of before has neither, and is believed as it stands."""
    op.add_column("checkpoints", sa.Column("batch_id", sa.Text(), nullable=True))
    op.add_column("checkpoints", sa.Column("log_mark", sa.Text(), nullable=True))


def downgrade() -> None:
    """Drop both columns."""
    op.drop_column("checkpoints", "log_mark")
    op.drop_column("checkpoints", "batch_id")
