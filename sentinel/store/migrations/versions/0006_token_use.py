"""Tokens bear when they were used last.

Frozen: it names its own types, so that a later change of `access_tables.py` cannot change what it creates.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TIME = sa.BigInteger().with_variant(postgresql.TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    """Add the column; of tokens from before, the last use is not known."""
    op.add_column("personal_tokens", sa.Column("used_at", _TIME, nullable=True))


def downgrade() -> None:
    """Forget when tokens were used."""
    op.drop_column("personal_tokens", "used_at")
