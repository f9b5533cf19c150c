"""Charts can be read: what stands beside each other does not overlap."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest

from sentinel.reporting.charts import charts
from sentinel.reporting.wording import short_day


def traffic(count: int) -> list[dict[str, Any]]:
    days = [date(2026, 11, 16) + timedelta(days=number) for number in range(count + 1)]
    return [
        {"from": str(first), "to": str(end), "events": 1000, "drawn": 20} for first, end in pairwise(days)
    ]


@pytest.mark.parametrize("count", [1, 2, 6, 7, 8, 9, 14, 15, 31, 61, 62])
def test_the_days_of_the_traffic_have_room(count: int) -> None:
    rates = {name: {"estimate": None} for name in ("case", "claim", "critical_claim")}
    document: dict[str, Any] = {
        "traffic": traffic(count),
        "trend": [],
        "rates": rates,
        "slices": [],
        "indicators": {},
    }
    (chart,) = (one for one in charts(document) if one.key == "traffic")
    shown = [one for one in document["traffic"] if f">{short_day(one['from'])}<" in chart.svg]
    assert 1 <= len(shown) <= 7
    assert shown[0] is document["traffic"][0]
