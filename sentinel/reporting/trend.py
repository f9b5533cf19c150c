"""The rates of the periods before, as they were published, or worked out where they were not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from sentinel.reporting.gather import gather, has_units
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.rates import published_rate
from sentinel.reporting.weighing import weigh
from sentinel.store.reports import Period, latest_report

_SHOWN = ("estimate", "lower", "upper", "level", "status", "method", "numerator", "denominator", "n_labelled")
#: Earlier periods longer than this are not worked out anew: too much for a look at one report.
_LONGEST_DAYS = 31


def history(conn: Connection, period: ReportPeriod, params: ReportParams) -> list[dict[str, Any]]:
    """Return the periods of equal length before `period`, oldest first, without leading empty ones.

    Of a published report its newest revision counts (`source` published, with its number). A period that
    was never published is worked out from what the store holds now (`computed`); one in which nothing
    was drawn has no data.
    """
    found = list(_earlier(conn, period, params))[::-1]
    while found and found[0]["case"]["status"] == "no_data":
        found.pop(0)
    return found


def _earlier(conn: Connection, period: ReportPeriod, params: ReportParams) -> Iterator[dict[str, Any]]:
    for _ in range(params.trend_periods - 1):
        period = period.previous()
        if period.first_day.year <= 1900:
            return
        yield _point(conn, period, params)


def _point(conn: Connection, period: ReportPeriod, params: ReportParams) -> dict[str, Any]:
    published = latest_report(conn, Period(period.start, period.end, period.timezone))
    if published is not None:
        rates = published.report.document["rates"]
        return _entry(period, rates["case"], rates["claim"], "published", published.report.revision)
    if period.days > _LONGEST_DAYS or not has_units(conn, period):
        return _entry(period, None, None, "none", None)
    weighed = weigh(gather(conn, period))
    case, claim = (published_rate(weighed, name, params) for name in ("case_rate", "claim_rate"))
    return _entry(period, case, claim, "computed", None)


def this_period(period: ReportPeriod, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the last point of the trend: the report's own rates."""
    rates = document["rates"]
    return _entry(period, rates["case"], rates["claim"], "this report", None)


def _entry(
    period: ReportPeriod,
    case: Mapping[str, Any] | None,
    claim: Mapping[str, Any] | None,
    source: str,
    revision: int | None,
) -> dict[str, Any]:
    return {
        "from": period.first_day.isoformat(),
        "to": period.end_day.isoformat(),
        "week": period.week,
        "source": source,
        "revision": revision,
        "case": _shown(case),
        "claim": _shown(claim),
    }


def _shown(rate: Mapping[str, Any] | None) -> dict[str, Any]:
    if rate is None:
        nothing: dict[str, Any] = dict.fromkeys(_SHOWN)
        return nothing | {"status": "no_data", "numerator": 0, "denominator": 0, "n_labelled": 0}
    return {key: rate.get(key) for key in _SHOWN}
