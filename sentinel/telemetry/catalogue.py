"""Every metric the product exports, declared once; `docs/metrics.md` is generated from here.

Counters of the stream, the indicators and the draw are incremented after the commit that made them
true, so that a redelivered record is not counted twice. Each known value of a counter's label has its
series from the start, so that `rate()` sees the first increment.
"""

from __future__ import annotations

from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS
from sentinel.telemetry.declarations import CounterSpec, GaugeSpec, HistogramSpec, LabelSpec, MetricSpec

#: The only values of the label `indicator`.
INDICATOR_NAMES = (
    "abstained",
    "partial_abstention",
    "empty_answer",
    "upstream_error",
    "truncated_answer",
    "blocked_answer",
    "tool_error",
    "invalid_citation",
    "missing_citation",
    "superseded_citation",
    "empty_retrieval",
    "unknown_retrieval",
    "high_distance",
    "denied_access",
    "low_overlap",
    "ungrounded_number",
    "ungrounded_name",
    "ungrounded_quote",
    "user_correction",
    "safety_incident",
    "unsupported_citation_report",
    "thumbs_down",
)
#: The only values of the label `series`: what shift detection watches.
SHIFT_SERIES = (*INDICATOR_NAMES, "answer_words", "retrieval_distance")
RATE_LEVELS = ("claim", "case")
RATE_BOUNDS = ("estimate", "lower", "upper")
#: Of the time to a label, as the label `quantile` names them.
DELAY_QUANTILES = ("0.5", "0.9")

#: Scheduled jobs, as the label `task` names them.
JOB_NAMES = ("weekly_report", "budget", "risk_model", "shift_detection", "retention")

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
#: Why a record is parked.
PARKED_REASONS = (
    "oversized",
    "too_deep",
    "not_utf8",
    "not_json",
    "not_an_object",
    "missing_field",
    "wrong_type",
    "too_long",
    "too_many_items",
    "personal_data_in_id",
    "time_in_future",
    "redaction_failed",
    "unstorable",
    "treatment_failed",
)
#: Why a value is changed or made unknown on reading.
CLEANED_REASONS = (
    "wrong_type",
    "non_finite",
    "out_of_range",
    "too_long",
    "bad_time",
    "bad_choice",
    "surrogate",
    "nul",
)
#: What redaction replaces by default; more can be configured.
ENTITY_NAMES = (
    "PERSON",
    "EMAIL_ADDRESS",
    "PHONE_NUMBER",
    "CREDIT_CARD",
    "IBAN_CODE",
    "US_SSN",
    "IP_ADDRESS",
    "CRYPTO",
)
_PARKED = LabelSpec("reason", PARKED_REASONS, is_open=True)
_NOT_COVERED = LabelSpec("reason", (*PARKED_REASONS, "deleted_by_retention"), is_open=True)
_OUTCOME_OF_RUN = LabelSpec("outcome", ("succeeded", "failed"))

# Stream
STREAM_EVENTS = CounterSpec(
    "sentinel_stream_events_total",
    "Answer events taken in: decoded, arrived for the first time, committed. Without duplicates.",
    "events",
)
STREAM_DEAD_LETTERS = CounterSpec(
    "sentinel_stream_dead_letters_total",
    "Records that could not be used, by the reason they were parked for.",
    "records",
    (_PARKED,),
)
STREAM_TOMBSTONES = CounterSpec("sentinel_stream_tombstones_total", "Records with a null value.", "records")
STREAM_DUPLICATES = CounterSpec(
    "sentinel_stream_duplicates_total", "Events whose id had been counted already.", "events"
)
STREAM_CLEANED_VALUES = CounterSpec(
    "sentinel_stream_cleaned_values_total",
    "Values changed or made unknown on reading because they cannot be used as sent.",
    "values",
    (LabelSpec("reason", CLEANED_REASONS, is_open=True),),
)
STREAM_UNKNOWN_FIELDS = CounterSpec(
    "sentinel_stream_unknown_fields_total", "Fields of events that the contract does not name.", "fields"
)
STREAM_NOT_COVERED = CounterSpec(
    "sentinel_stream_not_covered_events_total",
    "Events the sample could not have come from, by reason; the report names them.",
    "events",
    (_NOT_COVERED,),
)
STREAM_CONSUMER_LAG = GaugeSpec(
    "sentinel_stream_consumer_lag_records",
    "How far this worker is behind in the partitions it holds: records of a topic, bytes of a file; absent "
    "while it holds none or cannot know.",
    "records (of a file: bytes)",
)
STREAM_ASSIGNED_PARTITIONS = GaugeSpec(
    "sentinel_stream_assigned_partitions", "Partitions this worker holds.", "partitions"
)
STREAM_WATERMARK = GaugeSpec(
    "sentinel_stream_watermark_timestamp_seconds",
    "Latest time of an answer this worker has committed, as Unix time: its event time, or its record's "
    "timestamp where that is earlier.",
    "seconds",
)
STREAM_DOMAIN_EVENTS = CounterSpec(
    "sentinel_stream_domain_events_total",
    "Answer events by one of their domains or versions; values beyond the cap count as other.",
    "events",
    (LabelSpec("domain", DOMAIN_FIELDS + VERSION_FIELDS), LabelSpec("value", is_open=True)),
)

# Pipeline
PIPELINE_COMMITS = CounterSpec(
    "sentinel_pipeline_commits_total", "Transactions that moved a partition's offset.", "commits"
)
PIPELINE_COMMIT_SECONDS = HistogramSpec(
    "sentinel_pipeline_commit_seconds", "Time of one commit.", "seconds", buckets=_SECONDS
)
PIPELINE_RETRIES = CounterSpec(
    "sentinel_pipeline_retries_total",
    "Calls repeated because the other side was away.",
    "calls",
    (LabelSpec("part", ("source", "store")),),
)
PIPELINE_REJOINS = CounterSpec(
    "sentinel_pipeline_rejoins_total",
    "Batches rolled back because another worker had moved the partition's offset.",
    "batches",
)
PIPELINE_COPIES = CounterSpec(
    "sentinel_pipeline_copies_total",
    "Redacted copies of answers that stand in publication.topic, counted at the commit of their batch.",
    "answers",
)
PIPELINE_READY = GaugeSpec(
    "sentinel_pipeline_ready", "1 when every part is ready, 0 when /readyz names one that is not.", "boolean"
)

# Indicators
INDICATOR_EVENTS = CounterSpec(
    "sentinel_indicator_events_total",
    "Answer events on which an indicator fired.",
    "events",
    (LabelSpec("indicator", INDICATOR_NAMES),),
)
ANSWER_WORDS = HistogramSpec(
    "sentinel_answer_words",
    "Length of the answers.",
    "words",
    buckets=(0, 5, 10, 25, 50, 100, 200, 400, 800, 1600),
)
ANSWER_RISK = HistogramSpec(
    "sentinel_answer_predicted_risk_ratio",
    "Predicted risk of the answers, 0 to 1.",
    "ratio",
    buckets=(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0),
)

# Redaction
REDACTION_SECONDS = HistogramSpec(
    "sentinel_redaction_seconds",
    "Time from the draw of an answer to its redacted content, waiting for its turn included.",
    "seconds",
    buckets=_SECONDS,
)
REDACTION_ENTITIES = CounterSpec(
    "sentinel_redaction_entities_total",
    "Values replaced, by entity type.",
    "values",
    (LabelSpec("entity", ENTITY_NAMES, is_open=True),),
)

# Sampling
SAMPLING_UNITS = CounterSpec(
    "sentinel_sampling_units_total", "Answers drawn into the sample at their first arrival.", "answers"
)
SAMPLING_RAISED_UNITS = CounterSpec(
    "sentinel_sampling_raised_units_total",
    "Answers drawn later, because a signal came that raised their π.",
    "answers",
)
SAMPLING_EXPECTED_UNITS = CounterSpec(
    "sentinel_sampling_expected_units_total",
    "Sum of the inclusion probabilities π of the same events: what the draw should give.",
    "answers",
)
SAMPLING_UNITS_VARIANCE = CounterSpec(
    "sentinel_sampling_units_variance_total",
    "Sum of π(1−π) of the same events: the variance of the number drawn around its expectation.",
    "answers squared",
)
SAMPLING_SIGNALS_WITHOUT_CONTENT = CounterSpec(
    "sentinel_sampling_signals_without_content_total",
    "Late signals that came without the answer and so could not raise its π.",
    "signals",
)
SAMPLING_SIGNALS_ELSEWHERE = CounterSpec(
    "sentinel_sampling_signals_elsewhere_total",
    "Late signals with another window (`occurred_at`) or other domains than the answer was counted under; "
    "they leave its probability as it is.",
    "signals",
)
SAMPLING_UNIT_MEETINGS = CounterSpec(
    "sentinel_sampling_unit_meetings_total",
    "Second arrivals of a drawn answer that the duplicate window had missed.",
    "events",
)
SAMPLING_SCHEDULE_ROW = GaugeSpec(
    "sentinel_sampling_schedule_row",
    "Number of the schedule row under which the latest answer counted by this worker was drawn.",
    "row number",
)
SAMPLING_BUDGET_UNITS = GaugeSpec(
    "sentinel_sampling_budget_units",
    "Reviews to expect in the present window of the budget; absent where none is set.",
    "answers",
)
SAMPLING_BUDGET_EXPECTED = GaugeSpec(
    "sentinel_sampling_budget_expected_units",
    "Sum of the inclusion probabilities in the present window of the budget, at its last step.",
    "answers",
)
SAMPLING_RATE = GaugeSpec(
    "sentinel_sampling_steered_rate_ratio",
    "Share of answers that the budget has come to, before rules, at its last step.",
    "ratio",
)

# Review and labels
REVIEW_PENDING_UNITS = GaugeSpec(
    "sentinel_review_pending_units", "Sampled units that wait for a label.", "answers"
)
REVIEW_OLDEST_PENDING = GaugeSpec(
    "sentinel_review_oldest_pending_seconds", "Age of the unit that has waited longest.", "seconds"
)
LABEL_COVERAGE = GaugeSpec(
    "sentinel_label_coverage_ratio",
    "Share of the sampled units of the last reported period that have a label, 0 to 1.",
    "ratio",
)
LABEL_DELAY = GaugeSpec(
    "sentinel_label_delay_seconds",
    "Time from the draw of an answer to its first label in the last reported period: median and 90th "
    "percentile; absent where there is no label.",
    "seconds",
    (LabelSpec("quantile", DELAY_QUANTILES),),
)

# Report and monitoring
AUDITED_RATE = GaugeSpec(
    "sentinel_audited_rate",
    "Audited rate of the last report with its interval, 0 to 1; absent where there is no data.",
    "ratio",
    (LabelSpec("level", RATE_LEVELS), LabelSpec("bound", RATE_BOUNDS)),
)
AUDITED_RATE_ANYTIME_LOWER = GaugeSpec(
    "sentinel_audited_rate_anytime_lower",
    "Lower bound on the case rate of the last report that holds at every look at once, 0 to 1; absent where "
    "there is no label.",
    "ratio",
)
AUDITED_LABELLED_UNITS = GaugeSpec(
    "sentinel_audited_labelled_units",
    "Labelled answers that the audited rates of the last report rest on.",
    "answers",
    (LabelSpec("level", RATE_LEVELS),),
)
REPORT_LAST_SUCCESS = GaugeSpec(
    "sentinel_report_last_success_timestamp_seconds",
    "When the last report was written, as Unix time; set again from the store after a restart.",
    "seconds",
)
REPORT_RUNS = CounterSpec(
    "sentinel_report_runs_total",
    "Attempts at a report.",
    "reports",
    (_OUTCOME_OF_RUN,),
)
SHIFT_ACTIVE = GaugeSpec(
    "sentinel_shift_active",
    "1 while a shift of this series is active, 0 while it is watched and steady.",
    "boolean",
    (LabelSpec("series", SHIFT_SERIES),),
)
SHIFT_ACTIVE_ALARMS = GaugeSpec(
    "sentinel_shift_active_alarms",
    "Alarms that are active in an app, those of version comparisons included; absent where there are none.",
    "alarms",
    (LabelSpec("app", is_open=True),),
)
SHIFT_ALARMS = CounterSpec(
    "sentinel_shift_alarms_total",
    "Alarms that began, by series and direction.",
    "alarms",
    (LabelSpec("series", SHIFT_SERIES), LabelSpec("direction", ("up", "down"))),
)
SHIFT_EVALUATED = GaugeSpec(
    "sentinel_shift_evaluated_timestamp_seconds",
    "Event time up to which shift detection has looked at minutes, as Unix time.",
    "seconds",
)
SHIFT_NOTIFICATIONS = CounterSpec(
    "sentinel_shift_notifications_total",
    "Messages to the webhook about alarms that began or ended.",
    "messages",
    (LabelSpec("outcome", ("delivered", "failed", "given_up")),),
)

# Scheduled work
# Not `job`, which is a label of Prometheus' own.
_TASK = LabelSpec("task", JOB_NAMES)
LEADER_ACTIVE = GaugeSpec(
    "sentinel_leader_active",
    "1 while this process holds the lease of scheduled work, 0 while it would take it.",
    "boolean",
)
LEADER_JOB_RUNS = CounterSpec(
    "sentinel_leader_job_runs_total",
    "Runs of a scheduled job in this process; one that found nothing due has succeeded.",
    "runs",
    (_TASK, _OUTCOME_OF_RUN),
)
LEADER_JOB_LAST_SUCCESS = GaugeSpec(
    "sentinel_leader_job_last_success_timestamp_seconds",
    "When a scheduled job last ran in this process without failing, as Unix time.",
    "seconds",
    (_TASK,),
)

BUILD_INFO = GaugeSpec(
    "sentinel_build_info",
    "Always 1; the version runs in its label.",
    "none",
    (LabelSpec("version", is_open=True),),
)

CATALOGUE: tuple[MetricSpec, ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, MetricSpec)
)
