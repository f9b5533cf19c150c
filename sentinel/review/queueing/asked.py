"""The filter that a request asks for, from its query."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlencode

from sentinel.review.identity.permission import Action, Person
from sentinel.review.queueing.selection import WorkFilter
from sentinel.store.metadata import QUEUE_SLICES

#: Ages that can be asked for: word, what is shown, answers older and younger than so many days.
AGES: dict[str, tuple[str, float | None, float | None]] = {
    "day": ("since yesterday", None, 1.0),
    "week": ("of the last 7 days", None, 7.0),
    "older": ("older than 7 days", 7.0, None),
    "old": ("older than 30 days", 30.0, None),
}
NAMES = (*QUEUE_SLICES, "reason", "age")


def asked(query: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of a query that filter the queue, without empty ones."""
    return {name: query[name] for name in NAMES if query.get(name)}


def work_filter(query: Mapping[str, str], now: datetime, person: Person) -> WorkFilter:
    """Return the filter of a query. Only who gives out work may look for reasons before labels are in."""
    _, older, younger = AGES.get(query.get("age", ""), ("", None, None))
    return WorkFilter(
        {name: query[name] for name in QUEUE_SLICES if query.get(name)},
        query.get("reason") or None if person.may(Action.ASSIGN) else None,
        None if older is None else now - timedelta(days=older),
        None if younger is None else now - timedelta(days=younger),
    )


def asked_filter(text: str, now: datetime, person: Person) -> WorkFilter:
    """Return the filter of a query string, as a form keeps it."""
    return work_filter(dict(parse_qsl(text[:4000])), now, person)


def kept_query(query: Mapping[str, str], **more: str) -> str:
    """Return the query string of a filter with further parts."""
    return urlencode(asked(query) | more)
