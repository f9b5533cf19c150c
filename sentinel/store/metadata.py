"""The list that all tables are entered in, and how their constraints are named."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only in a column of type INTEGER.
ROW_ID = BigInteger().with_variant(Integer(), "sqlite")

#: Fields of the event by which the review queue is filtered; each is a column of its own.
QUEUE_SLICES = ("app", "workflow", "task", "tenant", "locale")
