"""The tables of people: who they are, how they prove it, what they did."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Table, text

from sentinel.store.columns import CleanText, JsonText, KeyText, UtcTime, WholeNumber
from sentinel.store.metadata import ROW_ID, metadata

__all__ = ["audit_records", "kept_answers", "people", "personal_tokens", "sessions"]

people = Table(
    "people",
    metadata,
    Column("id", KeyText, primary_key=True),
    Column("name", KeyText, nullable=False, unique=True),
    Column("role", KeyText, nullable=False),
    # A keyed hash of who somebody is to the proxy or provider that vouches for them.
    Column("subject_hash", KeyText, unique=True),
    Column("created_at", UtcTime, nullable=False),
    Column("removed_at", UtcTime),
    CheckConstraint("role IN ('viewer', 'reviewer', 'adjudicator', 'admin')", name="role"),
)

personal_tokens = Table(
    "personal_tokens",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("person_id", KeyText, ForeignKey("people.id"), nullable=False),
    Column("prefix", KeyText, nullable=False, unique=True),
    Column("secret_hash", CleanText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("revoked_at", UtcTime),
    # Noted now and then, not at every request.
    Column("used_at", UtcTime),
    Index("ix_personal_tokens_person_id", "person_id"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id_hash", KeyText, primary_key=True),
    Column("person_id", KeyText, ForeignKey("people.id"), nullable=False),
    Column("token_id", BigInteger, ForeignKey("personal_tokens.id")),
    Column("created_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Index("ix_sessions_expires_at", "expires_at"),
    Index("ix_sessions_person_id", "person_id"),
)

audit_records = Table(
    "audit_records",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("recorded_at", UtcTime, nullable=False),
    Column("person_id", KeyText, nullable=False),
    Column("deed", KeyText, nullable=False),
    Column("unit_id", WholeNumber),
    Column("about", KeyText),
    Index("ix_audit_records_recorded_at", "recorded_at"),
    Index(
        "ix_audit_records_unit_id",
        "unit_id",
        sqlite_where=text("unit_id IS NOT NULL"),
        postgresql_where=text("unit_id IS NOT NULL"),
    ),
)

kept_answers = Table(
    "kept_answers",
    metadata,
    Column("person_id", KeyText, primary_key=True),
    Column("key", KeyText, primary_key=True),
    Column("request_hash", KeyText, nullable=False),
    # JSON null until the request is answered.
    Column("body", JsonText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_kept_answers_created_at", "created_at"),
)
