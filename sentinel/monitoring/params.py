"""Settings of shift detection and of where alarms are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sentinel.detection.params import ShiftParams


@dataclass(frozen=True, slots=True)
class WebhookParams:
    """An address that is told of alarms; `url` is a secret, for such addresses hold tokens.

    A message that cannot be delivered is tried again with the next look, and given up when its alarm is
    `give_up_after_hours` old.
    """

    url: str = field(default="", repr=False)
    timeout_seconds: float = 5.0
    attempts: int = 3
    first_wait_seconds: float = 0.5
    give_up_after_hours: float = 24.0

    def __post_init__(self) -> None:
        if self.url and (
            urlsplit(self.url).scheme not in ("http", "https") or not urlsplit(self.url).hostname
        ):
            raise ValueError("url of the webhook must be an http or https address")
        if self.timeout_seconds <= 0 or self.first_wait_seconds < 0 or self.give_up_after_hours <= 0:
            raise ValueError("the webhook's times must be positive")
        if not 1 <= self.attempts <= 10:
            raise ValueError("the webhook's attempts must be between 1 and 10")


@dataclass(frozen=True, slots=True)
class MonitoringParams:
    """Whether and when minutes are looked at, which series are left out, and how detectors are set.

    A minute is looked at when a minute `settle_minutes` later has been counted, so that answers that are
    a little late are in it; what comes later still is never looked at. `ignored_series` names series (of
    any app) that raise no alarms.
    """

    enabled: bool = True
    settle_minutes: int = 2
    ignored_series: tuple[str, ...] = ()
    detection: ShiftParams = field(default_factory=ShiftParams)
    webhook: WebhookParams = field(default_factory=WebhookParams)

    def __post_init__(self) -> None:
        if not 0 <= self.settle_minutes <= 1440:
            raise ValueError("settle_minutes must be between 0 and 1440")
