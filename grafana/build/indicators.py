"""The dashboard of indicators and shifts."""

from __future__ import annotations

from grafana.build.frame import Board
from grafana.build.panels import Panel, Query, Row
from grafana.build.promql import average, greatest, increase, quantile, rate
from sentinel.telemetry import catalogue as c

_GROUPS = (
    (
        "Abstention and delivery",
        "declined, came out empty, were cut off or held back, or are a provider's error",
        r"abstained|partial_abstention|empty_answer|upstream_error|truncated_answer|blocked_answer",
    ),
    (
        "Citations",
        "cite nothing, what was not retrieved, or what another document has replaced",
        r"invalid_citation|missing_citation|superseded_citation",
    ),
    (
        "Retrieval and tools",
        "had empty, unknown, distant or denied retrieval, or a tool that failed",
        r"empty_retrieval|unknown_retrieval|high_distance|denied_access|tool_error",
    ),
    (
        "Grounding",
        "say what the evidence does not hold: little overlap, numbers, names, quotations",
        r"low_overlap|ungrounded_number|ungrounded_name|ungrounded_quote",
    ),
    (
        "What users and apps report",
        "came with a signal: a correction, an incident, a reported citation, a thumb down",
        r"user_correction|safety_incident|unsupported_citation_report|thumbs_down",
    ),
)
_SHIFT = (("1", "shifted", "red"), ("0", "usual", "green"))


def _share(window: str, match: str = "") -> str:
    fired = rate(c.INDICATOR_EVENTS, window, ("indicator",), match)
    return f"{fired} / ignoring (indicator) group_left () {rate(c.STREAM_EVENTS, window)}"


def _group(number: int, title: str, what: str, names: str) -> Panel:
    return Panel(
        10 + number,
        title,
        f"Share of the answers that {what}, over half an hour. An indicator is a hint on the raw answer, not a "
        "label; a gap is unknown, not zero.",
        "percentunit",
        (Query(_share("30m", f'indicator=~"{names}"'), "{{indicator}}"),),
    )


SHIFTS = Row(
    2,
    "Shifts",
    (
        Panel(
            21,
            "Active shifts",
            "Series whose level has moved in some app. Green is watched and usual, a gap is not watched.",
            "none",
            (Query(greatest(c.SHIFT_ACTIVE, ("series",)), "{{series}}"),),
            alerts=("SentinelShiftActive",),
            kind="states",
            states=_SHIFT,
            width=16,
        ),
        Panel(
            22,
            "Active alarms by app",
            "Alarms that are active in each app, those of version comparisons included; `sentinel alarms` lists "
            "them with size, slice and examples.",
            "short",
            (Query(greatest(c.SHIFT_ACTIVE_ALARMS, ("app",)), "{{app}}"),),
            decimals=0,
            stacked=True,
        ),
        Panel(
            23,
            "Alarms begun",
            "Alarms that began within a day, by series and direction. About one in 30 days and app is false.",
            "short",
            (
                Query(
                    increase(c.SHIFT_ALARMS, "1d", ("series", "direction")) + " > 0",
                    "{{series}} {{direction}}",
                ),
            ),
            decimals=0,
        ),
        Panel(
            24,
            "Shift detection delay",
            "Event time between what the workers have counted and what shift detection has looked at. Two "
            "minutes are usual; a gap means that nobody looks.",
            "s",
            (
                Query(
                    f"{greatest(c.STREAM_WATERMARK)} - on () {greatest(c.SHIFT_EVALUATED)}",
                    "behind the workers",
                ),
            ),
            alerts=("SentinelShiftDetectionBehind",),
            limits=(1800.0,),
            minimum=None,
        ),
        Panel(
            25,
            "Webhook messages",
            "Messages about alarms to the webhook within an hour, by outcome.",
            "short",
            (Query(increase(c.SHIFT_NOTIFICATIONS, "1h", ("outcome",)), "{{outcome}}"),),
            decimals=0,
        ),
    ),
)

LEVELS = Row(
    1,
    "Indicators",
    (
        *(_group(number, *group) for number, group in enumerate(_GROUPS, 1)),
        Panel(
            16,
            "Last hour against last day",
            "Share of an indicator in the last hour as a multiple of its share in the last day; the dashed lines "
            "are where the rules without a leader begin to ask whether it is chance.",
            "percentunit",
            (Query(f"({_share('1h')}) / ({_share('1d')} > 0)", "{{indicator}}"),),
            alerts=("SentinelIndicatorRateHigh", "SentinelIndicatorRateLow"),
            limits=(0.5, 1.5),
        ),
    ),
)

DISTRIBUTIONS = Row(
    3,
    "Distributions",
    (
        Panel(
            31,
            "Answer length",
            "Words per answer over half an hour: 10th, 50th and 90th percentile, and the mean.",
            "none",
            (
                *(
                    Query(quantile(share, c.ANSWER_WORDS, "30m"), name)
                    for share, name in ((0.1, "10 %"), (0.5, "median"), (0.9, "90 %"))
                ),
                Query(average(c.ANSWER_WORDS, "30m"), "mean"),
            ),
            width=12,
            decimals=0,
        ),
        Panel(
            32,
            "Predicted risk",
            "Predicted risk of the answers over half an hour: median, 90th percentile and mean. It shapes the "
            "draw and is no rate of failures.",
            "percentunit",
            (
                Query(quantile(0.5, c.ANSWER_RISK, "30m"), "median"),
                Query(quantile(0.9, c.ANSWER_RISK, "30m"), "90 %"),
                Query(average(c.ANSWER_RISK, "30m"), "mean"),
            ),
            width=12,
            maximum=1.0,
        ),
    ),
)

INDICATORS = Board(
    "sentinel-indicators",
    "Sentinel: indicators and shifts",
    "What the answers look like before anybody has labelled them, and what has left its usual level.",
    "24h",
    (SHIFTS, LEVELS, DISTRIBUTIONS),
)
