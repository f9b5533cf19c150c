"""The tables of the review workbench: who works on what, what is not said yet, how an opinion came about."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
)

from sentinel.store.columns import CleanText, FiniteDouble, JsonText, KeyText, UtcTime
from sentinel.store.metadata import ROW_ID, metadata


def _unit(*, key: bool = False) -> Column[int]:
    return Column(
        "unit_id",
        BigInteger,
        ForeignKey("units.id"),
        primary_key=key,
        autoincrement=False if key else "auto",
        nullable=False,
    )


reservations = Table(
    "reservations",
    metadata,
    _unit(key=True),
    Column("slot", KeyText, primary_key=True),
    Column("annotator", KeyText, nullable=False),
    Column("assigned_by", KeyText),
    Column("expires_at", UtcTime, nullable=False),
    CheckConstraint("slot IN ('opinion', 'adjudication')", name="slot"),
    Index("ix_reservations_annotator", "annotator", "expires_at"),
)

drafts = Table(
    "drafts",
    metadata,
    _unit(key=True),
    Column("annotator", KeyText, primary_key=True),
    Column("slot", KeyText, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("save_id", KeyText, nullable=False),
    Column("document", JsonText, nullable=False),
    Column("seconds", FiniteDouble, nullable=False),
    Column("submitted", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

submissions = Table(
    "submissions",
    metadata,
    Column("annotation_id", BigInteger, ForeignKey("annotations.id"), primary_key=True, autoincrement=False),
    _unit(),
    Column("annotator", KeyText, nullable=False),
    Column("slot", KeyText, nullable=False),
    Column("idempotency_key", KeyText),
    Column("splitter_version", KeyText, nullable=False),
    Column("seconds", FiniteDouble),
    Column("created_at", UtcTime, nullable=False),
    Index("uq_submissions_key", "annotator", "idempotency_key", unique=True),
    Index("ix_submissions_annotator", "annotator", "slot", "unit_id"),
    Index("ix_submissions_created_at", "created_at"),
    Index("ix_submissions_unit_id", "unit_id"),
)

second_reviews = Table(
    "second_reviews",
    metadata,
    _unit(key=True),
    Column("state", KeyText, nullable=False),
    Column("reason", KeyText, nullable=False),
    Column("probability", FiniteDouble, nullable=False),
    Column("random_number", FiniteDouble, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    CheckConstraint("state IN ('single', 'waiting', 'disagreed', 'escalated', 'settled')", name="state"),
    Index("ix_second_reviews_state", "state", "unit_id"),
)

unit_events = Table(
    "unit_events",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    _unit(),
    Column("annotator", KeyText, nullable=False),
    Column("kind", KeyText, nullable=False),
    Column("detail", CleanText),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_unit_events_unit_id", "unit_id"),
    Index("ix_unit_events_annotator", "annotator", "kind", "unit_id"),
)

guidelines = Table(
    "guidelines",
    metadata,
    Column("version", KeyText, primary_key=True),
    Column("document", JsonText, nullable=False),
    Column("created_by", KeyText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
)

calibration_items = Table(
    "calibration_items",
    metadata,
    Column("batch", KeyText, primary_key=True),
    _unit(key=True),
    Column("known", JsonText, nullable=False),
    Column("created_by", KeyText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
)

calibration_answers = Table(
    "calibration_answers",
    metadata,
    Column("batch", KeyText, primary_key=True),
    _unit(key=True),
    Column("annotator", KeyText, primary_key=True),
    Column("document", JsonText, nullable=False),
    Column("seconds", FiniteDouble),
    Column("created_at", UtcTime, nullable=False),
)

__all__ = (
    "calibration_answers",
    "calibration_items",
    "drafts",
    "guidelines",
    "reservations",
    "second_reviews",
    "submissions",
    "unit_events",
)
