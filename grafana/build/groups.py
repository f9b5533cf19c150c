"""All rule groups, in the order of the path of an answer."""

from __future__ import annotations

from grafana.build.promql import greatest, increase, rate
from grafana.build.rules import Alert, Group, Record
from sentinel.telemetry import catalogue as c

_WINDOWS = ("5m", "30m", "1h", "6h", "1d")


def _joined(*parts: str) -> str:
    """Return expressions and the words between them, one under the other."""
    words = {"or", "and", "unless", "/", "-", "and on ()", "- on ()"}
    return "\n".join(f"  {part}" if part in words else part for part in parts)


def _dead_share(window: str) -> Record:
    dead = rate(c.STREAM_DEAD_LETTERS, window)
    return Record(
        f"sentinel:stream_dead_letters:ratio_rate{window}",
        f"{dead}\n  /\n({dead} + {rate(c.STREAM_EVENTS, window)})",
    )


def _indicator_share(window: str) -> Record:
    return Record(
        f"sentinel:indicator_events:ratio_rate{window}",
        f"{rate(c.INDICATOR_EVENTS, window, ('indicator',))}\n  / ignoring (indicator) group_left ()\n"
        f"({rate(c.STREAM_EVENTS, window)} > 0)",
    )


_RECORDS = Group(
    "sentinel-recorded",
    (
        *(_dead_share(window) for window in _WINDOWS if window != "1d"),
        *(_indicator_share(window) for window in _WINDOWS if window != "6h"),
        Record("sentinel:stream_events:increase1h", increase(c.STREAM_EVENTS, "1h")),
    ),
)

_DEAD = "sentinel:stream_dead_letters:ratio_rate"

_STREAM = Group(
    "sentinel-stream",
    (
        Alert(
            "SentinelStreamSilent",
            f"{increase(c.STREAM_EVENTS, '15m')} == 0",
            "No answer has arrived for half an hour",
            "Workers are scraped and none of them has counted an answer. Rates of this time are unknown, not zero.",
            lasting="15m",
            why="A series that is not there at all is SentinelPipelineNotScraped.",
        ),
        Alert(
            "SentinelStreamLagGrowing",
            _joined(
                f"sum({c.STREAM_CONSUMER_LAG.name}) > 1000",
                "and",
                f"sum(deriv({c.STREAM_CONSUMER_LAG.name}[15m])) > 0",
            ),
            "The workers fall behind the topic",
            "{{ $value | humanize }} records are unread and the number has grown for 15 minutes.",
            lasting="15m",
        ),
        Alert(
            "SentinelStreamDeadLettersHigh",
            _joined(
                f"({_DEAD}1h > 0.01 and {_DEAD}5m > 0.01 and {increase(c.STREAM_DEAD_LETTERS, '1h')} >= 10)",
                "or",
                f"({_DEAD}6h > 0.005 and {_DEAD}30m > 0.005 and {increase(c.STREAM_DEAD_LETTERS, '6h')} >= 30)",
            ),
            "More records become dead letters than chance explains",
            "{{ $value | humanizePercentage }} of the records became dead letters: the sample does not cover them.",
            lasting="5m",
            why="The long window says that it is more than a burst, the short one that it still goes on; a few "
            "at night are a large share of little, so a least number is asked for.",
        ),
    ),
)

_PIPELINE = Group(
    "sentinel-pipeline",
    (
        Alert(
            "SentinelPipelineNotScraped",
            f"absent({c.BUILD_INFO.name})",
            "No process of sentinel is scraped",
            "Prometheus reads no process: every other panel and alert is unknown, not zero.",
            lasting="10m",
            severity="critical",
            why="No data is an alert of its own; all others keep quiet then.",
        ),
        Alert(
            "SentinelPipelineNotReady",
            f"min by (instance) ({c.PIPELINE_READY.name}) == 0",
            "{{ $labels.instance }} is alive but cannot work",
            "A part it depends on has been away for 5 minutes; /readyz names it.",
            lasting="5m",
            severity="critical",
        ),
    ),
)

_FAILED = 'reason="redaction_failed"'
_REDACTION = Group(
    "sentinel-redaction",
    (
        Alert(
            "SentinelRedactionFailing",
            _joined(
                f"{increase(c.STREAM_DEAD_LETTERS, '1h', match=_FAILED)} >= 5",
                "and",
                f"{increase(c.STREAM_DEAD_LETTERS, '15m', match=_FAILED)} > 0",
            ),
            "Answers cannot be redacted",
            "{{ $value | humanize }} answers within an hour were parked because their redaction failed. Nothing "
            "was stored raw, and none of them can be reviewed.",
            lasting="5m",
            severity="critical",
        ),
    ),
)

_UNITS = increase(c.SAMPLING_UNITS, "6h")
_EXPECTED = increase(c.SAMPLING_EXPECTED_UNITS, "6h")
_SAMPLING = Group(
    "sentinel-sampling",
    (
        Alert(
            "SentinelSamplingUnitsOffExpectation",
            f"abs(\n{_UNITS}\n  -\n{_EXPECTED}\n)\n  >\n5 + 4 * sqrt({increase(c.SAMPLING_UNITS_VARIANCE, '6h')})",
            "The sample is not the one its probabilities promise",
            "Over 6 hours the number of answers drawn is {{ $value | humanize }} away from the sum of their "
            "inclusion probabilities. Rates estimated from this sample may be wrong.",
            lasting="30m",
            severity="critical",
            why="The number drawn is a Poisson-binomial count: mean Σπ, variance Σπ(1−π). Four standard deviations "
            "are passed by chance about once in 16 000 looks; 5 absorbs the extrapolation of increase().",
        ),
    ),
)

_IND = "sentinel:indicator_events:ratio_rate"
_EVENTS_1H = "sentinel:stream_events:increase1h"
_NOBODY_LOOKS = f"(time() - {greatest(c.SHIFT_EVALUATED)} < 3600)"
_USUAL = f"{_IND}1d * on () group_left () {_EVENTS_1H}"
_SEEN = f"{_IND}1h * on () group_left () {_EVENTS_1H}"
_INDICATORS = Group(
    "sentinel-indicator",
    (
        Alert(
            "SentinelIndicatorRateHigh",
            _joined(
                f"({_IND}1h > 1.5 * {_IND}1d)",
                "and",
                f"({_IND}5m > 1.5 * {_IND}1d)",
                "and",
                f"(({_SEEN}) - ({_USUAL}) > 6 * sqrt(({_USUAL}) + 10))",
                "unless on ()",
                _NOBODY_LOOKS,
            ),
            "{{ $labels.indicator }} fires far more often than in the last day",
            "It fires on {{ $value | humanizePercentage }} of the answers of the last hour, more than one and a half "
            "times the share of the last day.",
            lasting="5m",
            why="For workers without a leader, on counters alone: where shift detection looks it is the better "
            "judge, and this keeps quiet. Counts decide, not percentages: 6 standard deviations of what an hour "
            "at the usual share gives, with room for scatter.",
        ),
        Alert(
            "SentinelIndicatorRateLow",
            _joined(
                f"({_IND}1h < 0.5 * {_IND}1d)",
                "and",
                f"({_IND}5m < 0.5 * {_IND}1d)",
                "and",
                f"(({_USUAL}) - ({_SEEN}) > 6 * sqrt(({_USUAL}) + 10))",
                "unless on ()",
                _NOBODY_LOOKS,
            ),
            "{{ $labels.indicator }} fires far more seldom than in the last day",
            "It fires on {{ $value | humanizePercentage }} of the answers of the last hour, less than half the share "
            "of the last day. An indicator that falls to nothing is often a field that the app no longer sends.",
            lasting="5m",
            why="The other direction of SentinelIndicatorRateHigh; without traffic there is no share, so it is "
            "quiet then.",
        ),
    ),
)

_WATERMARK, _EVALUATED = greatest(c.STREAM_WATERMARK), greatest(c.SHIFT_EVALUATED)
_SHIFT = Group(
    "sentinel-shift",
    (
        Alert(
            "SentinelShiftActive",
            f"{greatest(c.SHIFT_ACTIVE, ('series',))} == 1",
            "{{ $labels.series }} has left its usual level",
            "`sentinel alarms --active` says in which app, since when, by how much and in which slice.",
            why="The detectors have their own memory, thresholds and hysteresis: waiting here would only delay.",
        ),
        Alert(
            "SentinelShiftDetectionBehind",
            _joined(
                f"{_WATERMARK} - on () {_EVALUATED} > 1800",
                "or",
                f"max({c.STREAM_WATERMARK.name} offset 1h) unless on () {_EVALUATED}",
            ),
            "Nobody looks for shifts",
            "Answers come in, but shift detection is half an hour or more behind them. A steady panel means nothing.",
            lasting="15m",
            why="Both are times of events, so a night without traffic is no delay. Before the first look there is no "
            "evaluated time at all; workers that run for an hour without one have no leader.",
        ),
    ),
)

_LAST_REPORT = c.REPORT_LAST_SUCCESS.name
_REVIEW = Group(
    "sentinel-review",
    (
        Alert(
            "SentinelReviewQueueOld",
            f"{greatest(c.REVIEW_OLDEST_PENDING)} > 3 * 86400",
            "A sampled answer has waited more than three days for a label",
            "The oldest has waited {{ $value | humanizeDuration }}.",
            lasting="1h",
        ),
        Alert(
            "SentinelReportStale",
            _joined(
                f"time() - max({_LAST_REPORT}) > 8 * 86400",
                "or",
                f"(absent_over_time({_LAST_REPORT}[8d]) and on () count({c.BUILD_INFO.name} offset 8d) > 0)",
            ),
            "The weekly report is overdue",
            "No audited-rate report was written for more than eight days.",
            lasting="1h",
            why="A new installation has no report yet: a missing one counts only 8 days after the first scrape.",
        ),
    ),
)

_FAILED_RUN = 'outcome="failed"'
_LEADER = Group(
    "sentinel-leader",
    (
        Alert(
            "SentinelLeaderMissing",
            f"{greatest(c.LEADER_ACTIVE)} == 0",
            "Nobody does the scheduled work",
            "Processes would lead and none has held the lease for 15 minutes: no weekly report is written and the "
            "budget is not steered.",
            lasting="15m",
        ),
        Alert(
            "SentinelLeaderJobFailing",
            f"{increase(c.LEADER_JOB_RUNS, '1h', ('task',), match=_FAILED_RUN)} >= 3",
            "The scheduled job {{ $labels.task }} fails again and again",
            "It failed {{ $value | humanize }} times within an hour and is tried again ever more seldom.",
            lasting="15m",
        ),
    ),
)

GROUPS = (_RECORDS, _STREAM, _PIPELINE, _REDACTION, _SAMPLING, _INDICATORS, _SHIFT, _REVIEW, _LEADER)
RECORDS = [rule for group in GROUPS for rule in group.rules if isinstance(rule, Record)]
ALERTS = [alert for group in GROUPS for alert in group.alerts]
