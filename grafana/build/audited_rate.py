"""The dashboard of the audited rate: the rate with its interval, label coverage and delay, reports."""

from __future__ import annotations

from grafana.build.frame import Board
from grafana.build.panels import Panel, Query, Row
from grafana.build.promql import greatest, increase
from sentinel.telemetry import catalogue as c


def _rate(level: str) -> tuple[Query, ...]:
    return tuple(
        Query(greatest(c.AUDITED_RATE, match=f'level="{level}",bound="{bound}"'), bound)
        for bound in ("estimate", "lower", "upper")
    )


RATES = Row(
    1,
    "Audited rate",
    (
        Panel(
            11,
            "Claim rate now",
            "Share of verifiable claims that are unsupported, of all traffic of the last reported period, with "
            "its interval. No data is not zero.",
            "percentunit",
            _rate("claim"),
            kind="number",
            decimals=2,
        ),
        Panel(
            12,
            "Case rate now",
            "Share of answers with an unsupported claim, of all traffic of the last reported period, with its "
            "interval. No data is not zero.",
            "percentunit",
            _rate("case"),
            kind="number",
            decimals=2,
        ),
        Panel(
            13,
            "Labels behind the rates",
            "Labelled answers in the last report that the rates rest on. A rate on few labels has a wide interval.",
            "short",
            (Query(greatest(c.AUDITED_LABELLED_UNITS, ("level",)), "{{level}}"),),
            kind="number",
            decimals=0,
        ),
        Panel(
            14,
            "Audited claim rate",
            "Share of verifiable claims that are unsupported, of all traffic, with its interval; a step is a new "
            "report or revision. A gap means no data, not zero.",
            "percentunit",
            _rate("claim"),
            width=12,
        ),
        Panel(
            15,
            "Audited case rate",
            "Share of answers with an unsupported claim, of all traffic, with its interval, and the lower bound "
            "that holds however often one looks. A gap means no data, not zero.",
            "percentunit",
            (*_rate("case"), Query(greatest(c.AUDITED_RATE_ANYTIME_LOWER), "lower, at every look")),
            width=12,
        ),
    ),
)

LABELS = Row(
    2,
    "Labels and reports",
    (
        Panel(
            21,
            "Label coverage",
            "Share of the last reported period's sampled answers that have a label. Empty before the first report.",
            "percentunit",
            (Query(greatest(c.LABEL_COVERAGE), "labelled"),),
            maximum=1.0,
        ),
        Panel(
            22,
            "Label delay",
            "Time from the draw of an answer to its first label in the last reported period: median and 90th "
            "percentile of those that have one.",
            "s",
            (Query(greatest(c.LABEL_DELAY, ("quantile",)), "quantile {{quantile}}"),),
        ),
        Panel(
            23,
            "Waiting for a label",
            "Sampled answers that wait for a label now.",
            "short",
            (Query(greatest(c.REVIEW_PENDING_UNITS), "pending"),),
            decimals=0,
        ),
        Panel(
            24,
            "Report age",
            "Time since the last report was written; the dashed line is the alert's eight days.",
            "s",
            (Query(f"time() - {greatest(c.REPORT_LAST_SUCCESS)}", "age"),),
            alerts=("SentinelReportStale",),
            limits=(691200.0,),
            width=12,
        ),
        Panel(
            25,
            "Report runs",
            "Attempts at a report within a day, succeeded and failed.",
            "short",
            (Query(increase(c.REPORT_RUNS, "1d", ("outcome",)), "{{outcome}}"),),
            width=12,
            decimals=0,
        ),
    ),
)

AUDITED_RATE = Board(
    "sentinel-audited-rate",
    "Sentinel: audited rate",
    "The design-weighted rate of unsupported claims and answers, how sure it is, and how far the labels are.",
    "90d",
    (RATES, LABELS),
)
