"""What an operator can set about the workbench."""

from __future__ import annotations

from dataclasses import dataclass, field

from sentinel.review.identity.params import AccessParams

_MOST_ROWS = 500


@dataclass(frozen=True, slots=True)
class ReviewParams:
    """Where the workbench listens, how much it shows at once, and who may use it.

    `port` 0 takes any free one. `page_size`: answers on one page of the queue. `lease_minutes`: how long an
    opened answer is kept for a person after their last step; `assignment_days`: how long one that was given
    to them is. `second_review_share`: the share of labelled answers that a second reviewer sees, drawn at
    random; cases with a critical unsupported claim always go to one. Listening on another than a loopback
    address needs a way to sign in, which is looked at when the workbench starts.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    page_size: int = 50
    lease_minutes: float = 30.0
    assignment_days: float = 7.0
    second_review_share: float = 0.15
    access: AccessParams = field(default_factory=AccessParams)

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if not self.host or not self.host.isprintable() or any(mark.isspace() for mark in self.host):
            message = f"host {self.host[:64]!r} is no address: give a loopback address such as 127.0.0.1"
            raise ValueError(message)
        if not 0 <= self.port <= 65535:
            raise ValueError("port must lie between 0 and 65535")
        if not 1.0 <= self.lease_minutes <= 1440.0:
            raise ValueError("lease_minutes must lie between 1 and 1440")
        if not 0.01 <= self.assignment_days <= 365.0:
            raise ValueError("assignment_days must lie between 0.01 and 365")
        if not 0.0 <= self.second_review_share <= 1.0:
            raise ValueError("second_review_share must lie between 0 and 1")
        if not 1 <= self.page_size <= _MOST_ROWS:
            message = f"page_size must lie between 1 and {_MOST_ROWS}"
            raise ValueError(message)
