"""Errors by what the caller should do about them.

Every error the product raises on purpose is one of four kinds. A message names the value (never raw
text), the rule it broke and the way to mend it.
"""

from __future__ import annotations


class SentinelError(Exception):
    """Any error the product raises on purpose.

    `outline` says what anybody may read, also where nobody signs in (`/readyz`): no host, no user. Without
    one it is the message.
    """

    def __init__(self, message: str = "", *, outline: str | None = None) -> None:
        super().__init__(message)
        self.outline = message if outline is None else outline


class RetryError(SentinelError):
    """The same call may succeed later: a broker away, a database restarting."""


class DeadLetterError(SentinelError):
    """One record cannot be used: park its coordinates, count the reason, go on with the next.

    `reason` is a short, fixed word that becomes a metric label; `detail` says which field and rule,
    and never holds a value that came from the record.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class RejoinError(SentinelError):
    """This worker's idea of a partition is out of date (its compare-and-set failed): roll back, ask anew."""


class StopError(SentinelError):
    """Going on would do harm or cannot work: end the process with a clear line (exit 1)."""


class ConfigurationError(StopError):
    """The command line or the configuration is wrong: one line that names key and mend (exit 2)."""
