"""The report of one week of a small store: shared by the tests of reports."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sentinel.clock import FixedClock
from sentinel.records import Report
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.revisions import publish
from sentinel.store.database import Database
from tests.integration.label_store import LATER, MONDAY

WEEK = ReportPeriod(MONDAY.date(), (MONDAY + timedelta(days=7)).date(), "UTC")


def report(store: Database, period: ReportPeriod = WEEK, now: datetime = LATER, **params: Any) -> Report:
    return publish(store, period, ReportParams(**params), FixedClock(now))


def document(store: Database, **params: Any) -> Mapping[str, Any]:
    return report(store, **params).document
