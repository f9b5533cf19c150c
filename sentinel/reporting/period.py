"""Which time a report is about: whole local days, so that a day of a clock change is one day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sentinel.errors import ConfigurationError

_WEEK = re.compile(r"(\d{4})-?W(\d{2})", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LONGEST = timedelta(days=3660)
_FRAME_WINDOW = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class ReportPeriod:
    """The local days [`first_day`, `end_day`) of a zone.

    Raises:
        ConfigurationError: the zone is unknown, or the days are empty, too many or not within the
            calendar, or do not begin at a quarter of an hour of UTC (local mean times before 1972).
    """

    first_day: date
    end_day: date
    timezone: str

    def __post_init__(self) -> None:
        zone_of(self.timezone)
        if self.end_day <= self.first_day:
            raise ConfigurationError("--to is exclusive and must be after --from")
        if self.end_day - self.first_day > _LONGEST:
            message = f"a period may have at most {_LONGEST.days} days"
            raise ConfigurationError(message)
        if self.first_day.year < 1900 or self.end_day.year > 9990:
            raise ConfigurationError("a period must lie between the years 1900 and 9990")
        for moment in (self.start, self.end):
            if (moment - datetime(1970, 1, 1, tzinfo=UTC)) % _FRAME_WINDOW:
                raise ConfigurationError(
                    "days of this zone did not begin at a quarter of an hour of UTC then; use --timezone UTC"
                )

    @property
    def start(self) -> datetime:
        """Return the first moment, in UTC."""
        return self.day_start(self.first_day)

    @property
    def end(self) -> datetime:
        """Return the first moment that is no longer part of it, in UTC."""
        return self.day_start(self.end_day)

    @property
    def days(self) -> int:
        """Return the number of local days."""
        return (self.end_day - self.first_day).days

    @property
    def week(self) -> str | None:
        """Return the ISO week this is, as in 2026-W48; None where it is not exactly one."""
        year, number, weekday = self.first_day.isocalendar()
        return f"{year}-W{number:02d}" if weekday == 1 and self.days == 7 else None

    def previous(self) -> ReportPeriod:
        """Return the period of as many days just before."""
        return ReportPeriod(self.first_day - (self.end_day - self.first_day), self.first_day, self.timezone)

    def day_start(self, day: date) -> datetime:
        """Return the moment at which a local day begins, in UTC.

        Where the clock skips midnight the day begins with the first moment that exists.
        """
        return datetime.combine(day, time(), zone_of(self.timezone)).astimezone(UTC)


def zone_of(name: str) -> tzinfo:
    """Return the zone with an IANA name.

    Raises:
        ConfigurationError: there is no such zone.
    """
    if name in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"timezone {name[:64]!r} is unknown; use an IANA name such as Europe/Berlin"
        raise ConfigurationError(message) from None


def requested_period(
    first: str | None, end: str | None, week: str | None, timezone: str, now: datetime
) -> ReportPeriod:
    """Return the period that `--from`, `--to`, `--week` ask for; without them the last whole ISO week.

    Raises:
        ConfigurationError: the options contradict each other or are no dates.
    """
    if week is not None:
        if first is not None or end is not None:
            raise ConfigurationError("--week cannot be combined with --from and --to: choose one")
        monday = _monday_of(week)
        return ReportPeriod(monday, monday + timedelta(days=7), timezone)
    if (first is None) != (end is None):
        raise ConfigurationError("--from and --to belong together; --to is exclusive")
    if first is not None and end is not None:
        return ReportPeriod(_day("--from", first), _day("--to", end), timezone)
    return last_whole_week(now, timezone)


def last_whole_week(now: datetime, timezone: str) -> ReportPeriod:
    """Return the newest ISO week that has ended in the zone."""
    today = now.astimezone(zone_of(timezone)).date()
    monday = today - timedelta(days=today.weekday())
    return ReportPeriod(monday - timedelta(days=7), monday, timezone)


def _monday_of(week: str) -> date:
    match = _WEEK.fullmatch(week.strip())
    if match is not None:
        try:
            return date.fromisocalendar(int(match[1]), int(match[2]), 1)
        except ValueError:
            pass
    message = f"--week {week[:32]!r} is no ISO week; write it as 2026-W48"
    raise ConfigurationError(message)


def _day(option: str, text: str) -> date:
    if _DATE.fullmatch(text.strip()):
        try:
            return date.fromisoformat(text.strip())
        except ValueError:
            pass
    message = f"{option} {text[:32]!r} is no date; write it as 2026-11-16"
    raise ConfigurationError(message)
