"""The tables. `migrations/` creates them; a test keeps the two equal."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    UniqueConstraint,
    text,
)

from sentinel.store import access_tables, review_schema
from sentinel.store.columns import (
    CleanText,
    FiniteDouble,
    JsonText,
    KeyText,
    UtcTime,
    WholeNumber,
    event_id_type,
)
from sentinel.store.metadata import QUEUE_SLICES, ROW_ID
from sentinel.store.metadata import metadata as metadata

#: What decides, beside reservations, whether somebody's queue shows an open answer.
OPEN_TO = ("first_annotator", *QUEUE_SLICES)
#: Tables that stand in modules of their own, entered in the same list.
OTHER_TABLES = (*access_tables.__all__, *review_schema.__all__)


def _count(name: str) -> Column[int]:
    return Column(name, WholeNumber, nullable=False)


checkpoints = Table(
    "checkpoints",
    metadata,
    Column("topic", KeyText, primary_key=True),
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("next_offset", WholeNumber, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("batch_id", CleanText),
    Column("log_mark", CleanText),
)

units = Table(
    "units",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("event_id", event_id_type(), nullable=False, unique=True),
    Column("topic", KeyText, nullable=False),
    Column("partition", Integer, nullable=False),
    Column("offset", WholeNumber, nullable=False),
    Column("event_time", UtcTime, nullable=False),
    Column("record_timestamp", UtcTime, nullable=False),
    Column("design_id", KeyText, nullable=False),
    Column("schedule_row", WholeNumber, nullable=False),
    Column("raised_under_row", WholeNumber),
    Column("inclusion_probability", FiniteDouble, nullable=False),
    Column("first_inclusion_probability", FiniteDouble, nullable=False),
    Column("random_number", FiniteDouble, nullable=False),
    Column("size_measure", FiniteDouble, nullable=False),
    Column("predicted_risk", FiniteDouble, nullable=False),
    Column("reasons", JsonText, nullable=False),
    Column("domains", JsonText, nullable=False),
    Column("document_classes", JsonText, nullable=False),
    Column("signals", JsonText, nullable=False),
    Column("risk_tags", JsonText, nullable=False),
    Column("indicators", JsonText, nullable=False),
    Column("session_hash", CleanText),
    Column("user_hash", CleanText),
    Column("redactor", CleanText, nullable=False),
    Column("entities", JsonText, nullable=False),
    Column("status", KeyText, nullable=False),
    Column("arrivals", WholeNumber, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    # What the queue is filtered and ordered by, out of `domains` and `signals`.
    *(Column(name, KeyText, nullable=False, server_default="") for name in QUEUE_SLICES),
    Column("priority", Integer, nullable=False, server_default="0"),
    # Whether an opinion, first or second, is waited for and can be given; then who gave the first one.
    Column("awaits_opinion", Boolean, nullable=False, server_default=text("false")),
    Column("first_annotator", KeyText, nullable=False, server_default=""),
    CheckConstraint("inclusion_probability > 0 AND inclusion_probability <= 1", name="probability"),
    CheckConstraint("status IN ('pending', 'labelled', 'lost', 'purged')", name="status"),
    Index("ix_units_event_time_id", "event_time", "id"),
    Index("ix_units_status_event_time", "status", "event_time"),
    Index("ix_units_queue", "status", "priority", "event_time", "id"),
    # The open answers in the queue's order, with all that says who may have them: read without the table.
    # SQLite takes an index to be enough only where it has the column of its condition, too.
    Index(
        "ix_units_open",
        "priority",
        "event_time",
        "id",
        *OPEN_TO,
        "awaits_opinion",
        sqlite_where=text("awaits_opinion = 1"),
        postgresql_where=text("awaits_opinion"),
    ),
    *(
        Index(f"ix_units_queue_{name}", "status", name, "priority", "event_time", "id")
        for name in QUEUE_SLICES
    ),
)

unit_contents = Table(
    "unit_contents",
    metadata,
    Column("unit_id", BigInteger, ForeignKey("units.id"), primary_key=True, autoincrement=False),
    Column("content", JsonText, nullable=False),
)

frame_cells = Table(
    "frame_cells",
    metadata,
    Column("window_start", UtcTime, primary_key=True),
    Column("topic", KeyText, primary_key=True),
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("design_id", KeyText, primary_key=True),
    Column("domain", KeyText, primary_key=True),
    Column("value", KeyText, primary_key=True),
    _count("events"),
    _count("answered"),
    _count("abstained"),
    _count("risk_micros"),
    _count("size_micros"),
    _count("expected_micros"),
)

not_covered = Table(
    "not_covered",
    metadata,
    Column("window_start", UtcTime, primary_key=True),
    Column("topic", KeyText, primary_key=True),
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("reason", KeyText, primary_key=True),
    _count("events"),
)

minute_counts = Table(
    "minute_counts",
    metadata,
    Column("minute", UtcTime, primary_key=True),
    Column("topic", KeyText, primary_key=True),
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("app", KeyText, primary_key=True),
    Column("version", KeyText, primary_key=True),
    Column("counts", JsonText, nullable=False),
)

slice_counts = Table(
    "slice_counts",
    metadata,
    Column("window_start", UtcTime, primary_key=True),
    Column("topic", KeyText, primary_key=True),
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("app", KeyText, primary_key=True),
    Column("domain", KeyText, primary_key=True),
    Column("value", KeyText, primary_key=True),
    Column("counts", JsonText, nullable=False),
)

shift_progress = Table(
    "shift_progress",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("evaluated_to", UtcTime, nullable=False),
    CheckConstraint("id = 1", name="singleton"),
)

shift_states = Table(
    "shift_states",
    metadata,
    Column("app", KeyText, primary_key=True),
    Column("profile", JsonText, nullable=False),
    Column("state", JsonText, nullable=False),
)

shift_alarms = Table(
    "shift_alarms",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("app", KeyText, nullable=False),
    Column("version", KeyText, nullable=False),
    Column("series", KeyText, nullable=False),
    Column("direction", KeyText, nullable=False),
    Column("onset_at", UtcTime, nullable=False),
    Column("begun_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("end_reason", KeyText),
    Column("size", JsonText, nullable=False),
    Column("slice", JsonText, nullable=False),
    Column("example_event_ids", JsonText, nullable=False),
    Column("begin_sent_at", UtcTime),
    Column("end_sent_at", UtcTime),
    CheckConstraint("direction IN ('up', 'down')", name="direction"),
    CheckConstraint("(ended_at IS NULL) = (end_reason IS NULL)", name="end"),
    Index("ix_shift_alarms_begun_at", "begun_at"),
    # One alarm at a time for a series of an app and, in a comparison, of its version.
    Index(
        "uq_shift_alarms_active",
        "app",
        "version",
        "series",
        unique=True,
        sqlite_where=text("ended_at IS NULL"),
        postgresql_where=text("ended_at IS NULL"),
    ),
)

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("topic", KeyText, nullable=False),
    Column("partition", Integer, nullable=False),
    Column("offset", WholeNumber, nullable=False),
    Column("reason", KeyText, nullable=False),
    Column("detail", CleanText, nullable=False),
    Column("record_timestamp", UtcTime),
    Column("size_bytes", WholeNumber, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("topic", "partition", "offset"),
    Index("ix_dead_letters_created_at", "created_at"),
)

seen_hashes = Table(
    "seen_hashes",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("topic", KeyText, nullable=False),
    Column("partition", Integer, nullable=False),
    Column("minute", UtcTime, nullable=False),
    Column("merged", Boolean, nullable=False),
    Column("hashes", LargeBinary, nullable=False),
    Column("places", LargeBinary, nullable=False),
    Index("ix_seen_hashes_owner", "topic", "partition", "merged", "minute"),
)

designs = Table(
    "designs",
    metadata,
    Column("design_id", KeyText, primary_key=True),
    Column("spec", JsonText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
)

schedule_rows = Table(
    "schedule_rows",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("effective_at", UtcTime, nullable=False),
    Column("design_id", KeyText, ForeignKey("designs.design_id"), nullable=False),
    Column("uniform_probability", FiniteDouble, nullable=False),
    Column("multiplier", FiniteDouble, nullable=False),
    Column("floor", FiniteDouble, nullable=False),
    Column("take_all", JsonText, nullable=False),
    Column("rules", JsonText, nullable=False),
    Column("reason", CleanText, nullable=False),
    Column("written_at", UtcTime, nullable=False),
)

schedule_horizon = Table(
    "schedule_horizon",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("reaches_to", UtcTime, nullable=False),
    CheckConstraint("id = 1", name="singleton"),
)

known_values = Table(
    "known_values",
    metadata,
    Column("field", KeyText, primary_key=True),
    Column("value", KeyText, primary_key=True),
    Column("first_seen_at", UtcTime, nullable=False),
)

annotation_records = Table(
    "annotations",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("event_id", event_id_type(), nullable=False),
    Column("annotator", KeyText, nullable=False),
    Column("role", KeyText, nullable=False),
    Column("replaces", WholeNumber, ForeignKey("annotations.id"), unique=True),
    Column("probability_sample", Boolean, nullable=False),
    Column("answered", Boolean, nullable=False),
    Column("abstention", CleanText, nullable=False),
    Column("claims", JsonText, nullable=False),
    Column("evidence_retrieved", CleanText, nullable=False),
    Column("root_causes", JsonText, nullable=False),
    Column("citations", JsonText, nullable=False),
    Column("complete", Boolean),
    Column("comment", CleanText),
    Column("guideline_version", CleanText),
    Column("created_at", UtcTime, nullable=False),
    # One line of records per annotator and role: a first opinion, then corrections of the one before.
    Index(
        "uq_annotations_first_opinion",
        "event_id",
        "annotator",
        "role",
        unique=True,
        sqlite_where=text("replaces IS NULL"),
        postgresql_where=text("replaces IS NULL"),
    ),
    Index("ix_annotations_event_id", "event_id"),
)

reports = Table(
    "reports",
    metadata,
    Column("id", ROW_ID, primary_key=True),
    Column("period_from", UtcTime, nullable=False),
    Column("period_to", UtcTime, nullable=False),
    Column("timezone", KeyText, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("document", JsonText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("period_from", "period_to", "timezone", "revision"),
)

leases = Table(
    "leases",
    metadata,
    Column("name", KeyText, primary_key=True),
    Column("holder", KeyText, nullable=False),
    Column("token", WholeNumber, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
)

scheduled_runs = Table(
    "scheduled_runs",
    metadata,
    Column("job", KeyText, primary_key=True),
    Column("window", KeyText, primary_key=True),
    Column("token", WholeNumber, nullable=False),
    Column("ran_at", UtcTime, nullable=False),
)
