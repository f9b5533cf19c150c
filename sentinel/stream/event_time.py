"""Times as RFC 3339 writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

# RFC 3339 §5.6, ASCII digits only. Years that no running app can mean would open windows nobody closes.
_TIME = re.compile(
    r"(19[7-9]\d|2[01]\d\d)-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,32}))?"
    r"(?:([Zz])|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_LEAP_SECOND = 60


def parse_rfc3339(text: str) -> datetime | None:
    """Return the time in UTC, to the microsecond, or None where it is none or has no offset.

    The years are 1970 to 2199. A leap second (23:59:60 UTC) is the first moment after it; digits
    finer than microseconds are cut off.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.group(1, 2, 3, 4, 5, 6))
    microsecond = int((match[7] or "")[:6].ljust(6, "0"))
    offset = _offset(match)
    if offset is None:
        return None
    leap = second == _LEAP_SECOND
    if leap:
        second, microsecond = 59, 0
    try:
        written = datetime(year, month, day, hour, minute, second, microsecond, timezone(offset))
    except ValueError:
        return None
    moment = written.astimezone(UTC)
    if not leap:
        return moment
    return moment + timedelta(seconds=1) if (moment.hour, moment.minute) == (23, 59) else None


def _offset(match: re.Match[str]) -> timedelta | None:
    if match[8]:
        return timedelta(0)
    hours, minutes = int(match[10]), int(match[11])
    if hours > 23 or minutes > 59:
        return None
    offset = timedelta(hours=hours, minutes=minutes)
    return -offset if match[9] == "-" else offset
