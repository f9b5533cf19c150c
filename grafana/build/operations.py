"""The dashboard of operations: flow, lag, dead letters, redaction, the draw, the queue, scheduled work."""

from __future__ import annotations

from grafana.build.frame import Board
from grafana.build.panels import Panel, Query, Row
from grafana.build.promql import average, greatest, increase, least, quantile, rate
from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS
from sentinel.telemetry import catalogue as c

_READY = (("1", "ready", "green"), ("0", "not ready", "red"))
_LEADING = (("1", "leads", "green"), ("0", "waits", "text"))

FLOW = Row(
    1,
    "Flow",
    (
        Panel(
            11,
            "Answers",
            "Answers counted per second, over all workers. A gap is unknown, not zero.",
            "reqps",
            (Query(rate(c.STREAM_EVENTS), "answers"),),
            alerts=("SentinelStreamSilent",),
        ),
        Panel(
            12,
            "Consumer lag",
            "Records that are not read yet, per worker (of a file: bytes). It may rise in bursts and must come "
            "down again.",
            "short",
            (Query(f"sum by (instance) ({c.STREAM_CONSUMER_LAG.name})", "{{instance}}"),),
            alerts=("SentinelStreamLagGrowing",),
        ),
        Panel(
            13,
            "Watermark age",
            "How far the slowest worker is behind the present, in event time. In a replay it is days.",
            "s",
            (Query(f"time() - {least(c.STREAM_WATERMARK)}", "slowest worker"),),
            minimum=None,
        ),
        Panel(
            14,
            "Processes scraped",
            "Processes of sentinel that Prometheus reads, by version. None at all means that every other panel "
            "is unknown.",
            "short",
            (Query(f"count by (version) ({c.BUILD_INFO.name})", "{{version}}"),),
            alerts=("SentinelPipelineNotScraped",),
            decimals=0,
        ),
        Panel(
            15,
            "Readiness",
            "Whether every part of each process works; /readyz names the part that does not.",
            "none",
            (Query(f"min by (instance) ({c.PIPELINE_READY.name})", "{{instance}}"),),
            alerts=("SentinelPipelineNotReady",),
            kind="states",
            states=_READY,
        ),
        Panel(
            16,
            "Partitions held",
            "Partitions that each worker reads; the sum is the number of partitions of the topic.",
            "short",
            (Query(f"sum by (instance) ({c.STREAM_ASSIGNED_PARTITIONS.name})", "{{instance}}"),),
            decimals=0,
            stacked=True,
        ),
        Panel(
            17,
            "Answers by slice",
            "Answers per second by the values of the chosen domain; values beyond the cap are counted as other.",
            "reqps",
            (Query(rate(c.STREAM_DOMAIN_EVENTS, "5m", ("value",), 'domain="$domain"'), "{{value}}"),),
            width=24,
            stacked=True,
        ),
    ),
)

LOST = Row(
    2,
    "What is not used",
    (
        Panel(
            21,
            "Dead letters",
            "Records that could not be used, by reason, within 5 minutes; kept by coordinates, never by content.",
            "short",
            (Query(increase(c.STREAM_DEAD_LETTERS, "5m", ("reason",)) + " > 0", "{{reason}}"),),
            decimals=0,
        ),
        Panel(
            22,
            "Dead letter share",
            "Dead letters as a share of all records, in the windows the alert reads; the dashed lines are its "
            "thresholds.",
            "percentunit",
            tuple(
                Query(
                    f"{rate(c.STREAM_DEAD_LETTERS, window)} / "
                    f"({rate(c.STREAM_DEAD_LETTERS, window)} + {rate(c.STREAM_EVENTS, window)})",
                    f"within {window}",
                )
                for window in ("5m", "1h", "6h")
            ),
            alerts=("SentinelStreamDeadLettersHigh",),
            limits=(0.005, 0.01),
        ),
        Panel(
            23,
            "Not covered",
            "Answers that the sample could not have come from, by reason, within an hour. The report states "
            "their number.",
            "short",
            (Query(increase(c.STREAM_NOT_COVERED, "1h", ("reason",)) + " > 0", "{{reason}}"),),
            decimals=0,
        ),
        Panel(
            24,
            "Not counted",
            "Within 5 minutes: events that came again, and records without a value.",
            "short",
            (
                Query(increase(c.STREAM_DUPLICATES, "5m"), "duplicates"),
                Query(increase(c.STREAM_TOMBSTONES, "5m"), "tombstones"),
            ),
            width=12,
            decimals=0,
        ),
        Panel(
            25,
            "Cleaned on reading",
            "Values within 5 minutes that were changed or made unknown because they could not be used as sent, "
            "and fields that the contract does not name.",
            "short",
            (
                Query(increase(c.STREAM_CLEANED_VALUES, "5m", ("reason",)) + " > 0", "{{reason}}"),
                Query(increase(c.STREAM_UNKNOWN_FIELDS, "5m"), "unknown fields"),
            ),
            width=12,
            decimals=0,
        ),
    ),
)

WORK = Row(
    3,
    "Commits and redaction",
    (
        Panel(
            31,
            "Commit time",
            "Time of one transaction with the store: median and 95th percentile over all workers.",
            "s",
            (
                Query(quantile(0.5, c.PIPELINE_COMMIT_SECONDS, "5m"), "median"),
                Query(quantile(0.95, c.PIPELINE_COMMIT_SECONDS, "5m"), "95 %"),
            ),
        ),
        Panel(
            32,
            "Commits, retries, rejoins",
            "Commits per second; calls repeated because the other side was away; batches rolled back because "
            "another worker held the partition.",
            "ops",
            (
                Query(rate(c.PIPELINE_COMMITS), "commits"),
                Query(rate(c.PIPELINE_RETRIES, by=("part",)), "retries: {{part}}"),
                Query(rate(c.PIPELINE_REJOINS), "rejoins"),
            ),
        ),
        Panel(
            33,
            "Redaction time",
            "Time a worker waits for redaction per answer: mean and 95th percentile.",
            "s",
            (
                Query(average(c.REDACTION_SECONDS, "15m"), "mean"),
                Query(quantile(0.95, c.REDACTION_SECONDS, "15m"), "95 %"),
            ),
        ),
        Panel(
            34,
            "Values redacted",
            "Values replaced within an hour, by entity type.",
            "short",
            (Query(increase(c.REDACTION_ENTITIES, "1h", ("entity",)) + " > 0", "{{entity}}"),),
            width=12,
            decimals=0,
        ),
        Panel(
            35,
            "Redaction failures",
            "Answers within an hour that could not be redacted: they were parked by coordinates and never passed.",
            "short",
            (Query(increase(c.STREAM_DEAD_LETTERS, "1h", match='reason="redaction_failed"'), "failed"),),
            alerts=("SentinelRedactionFailing",),
            width=12,
            decimals=0,
        ),
        Panel(
            36,
            "Redacted copies",
            "Redacted copies of answers that were published per second, where publication.topic is set.",
            "ops",
            (Query(rate(c.PIPELINE_COPIES), "copies"),),
            width=24,
        ),
    ),
)

_DRAWN = increase(c.SAMPLING_UNITS, "6h")
_EXPECTED = increase(c.SAMPLING_EXPECTED_UNITS, "6h")
_SPREAD = f"(5 + 4 * sqrt({increase(c.SAMPLING_UNITS_VARIANCE, '6h')}))"

SAMPLING = Row(
    4,
    "The draw",
    (
        Panel(
            41,
            "Drawn against expected",
            "Answers drawn within 6 hours against the sum of their inclusion probabilities, with the bounds the "
            "alert uses (4 standard deviations and 5).",
            "short",
            (
                Query(_DRAWN, "drawn"),
                Query(_EXPECTED, "expected"),
                Query(f"{_EXPECTED} + {_SPREAD}", "upper bound"),
                Query(f"{_EXPECTED} - {_SPREAD}", "lower bound"),
            ),
            alerts=("SentinelSamplingUnitsOffExpectation",),
            minimum=None,
        ),
        Panel(
            42,
            "Share drawn",
            "Share of the answers that were drawn within 6 hours, and the share that the budget has come to, "
            "where one is set.",
            "percentunit",
            (
                Query(f"{_DRAWN} / {increase(c.STREAM_EVENTS, '6h')}", "drawn"),
                Query(greatest(c.SAMPLING_RATE), "steered to"),
            ),
        ),
        Panel(
            43,
            "Budget",
            "Reviews to expect in the present window of the budget, and the sum of the inclusion probabilities "
            "so far. Empty where no budget is set.",
            "short",
            (
                Query(greatest(c.SAMPLING_BUDGET_UNITS), "budget"),
                Query(greatest(c.SAMPLING_BUDGET_EXPECTED), "expected so far"),
            ),
        ),
        Panel(
            44,
            "Late signals and misses",
            "Within an hour: units drawn by a late signal, signals that came without content or with another "
            "window, and second arrivals of drawn answers that the duplicate window had missed.",
            "short",
            (
                Query(increase(c.SAMPLING_RAISED_UNITS, "1h"), "drawn by a signal"),
                Query(increase(c.SAMPLING_SIGNALS_WITHOUT_CONTENT, "1h"), "signals without content"),
                Query(increase(c.SAMPLING_SIGNALS_ELSEWHERE, "1h"), "signals elsewhere"),
                Query(increase(c.SAMPLING_UNIT_MEETINGS, "1h"), "unit meetings"),
            ),
            width=12,
            decimals=0,
        ),
        Panel(
            45,
            "Schedule row",
            "Number of the schedule row under which each worker drew its latest answer. A step is a change of "
            "design, budget or novelty rule.",
            "none",
            (Query(f"max by (instance) ({c.SAMPLING_SCHEDULE_ROW.name})", "{{instance}}"),),
            width=12,
            decimals=0,
        ),
    ),
)

QUEUE = Row(
    5,
    "Review queue and scheduled work",
    (
        Panel(
            51,
            "Pending",
            "Sampled answers that wait for a label.",
            "short",
            (Query(greatest(c.REVIEW_PENDING_UNITS), "pending"),),
            decimals=0,
        ),
        Panel(
            52,
            "Oldest pending",
            "How long the oldest sampled answer has waited for a label; the dashed line is the alert's three days.",
            "s",
            (Query(greatest(c.REVIEW_OLDEST_PENDING), "oldest"),),
            alerts=("SentinelReviewQueueOld",),
            limits=(259200.0,),
        ),
        Panel(
            53,
            "Leader",
            "Which process holds the lease of scheduled work: exactly one.",
            "none",
            (Query(f"max by (instance) ({c.LEADER_ACTIVE.name})", "{{instance}}"),),
            alerts=("SentinelLeaderMissing",),
            kind="states",
            states=_LEADING,
        ),
        Panel(
            54,
            "Scheduled jobs",
            "Runs of the scheduled jobs that failed within an hour.",
            "short",
            (Query(increase(c.LEADER_JOB_RUNS, "1h", ("task",), 'outcome="failed"'), "{{task}} failed"),),
            alerts=("SentinelLeaderJobFailing",),
            width=12,
            decimals=0,
        ),
        Panel(
            55,
            "Time since a job succeeded",
            "How long ago each scheduled job last ran without failing, in the process that did it last.",
            "s",
            (Query(f"time() - {greatest(c.LEADER_JOB_LAST_SUCCESS, ('task',))}", "{{task}}"),),
            width=12,
        ),
    ),
)

OPERATIONS = Board(
    "sentinel-operations",
    "Sentinel: operations",
    "Whether answers flow, what is lost on the way, whether the draw keeps its promise, who has to review.",
    "6h",
    (FLOW, LOST, WORK, SAMPLING, QUEUE),
    (("domain", "Slice by", ("app", *[f for f in (*DOMAIN_FIELDS, *VERSION_FIELDS) if f != "app"])),),
)
