"""What an operator may set about indicators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: How a marker in the text finds its passage: `auto` is exact id first, then position from 1 unless an
#: id of the answer's passages is purely numeric; `id` never looks at positions; `position` never at ids.
CitationResolution = Literal["auto", "id", "position"]


@dataclass(frozen=True, slots=True)
class AppIndicatorParams:
    """What one app does differently; None keeps the general setting."""

    citations_expected: bool | None = None
    citation_resolution: CitationResolution | None = None
    high_distance: float | None = None


@dataclass(frozen=True, slots=True)
class IndicatorParams:
    """Settings of the indicators.

    `citations_expected`: a substantive answer without a citation is *missing* one.
    `citation_resolution`: how markers find passages. `high_distance`: the largest retrieval distance
    that is still near, in the unit of the app's own index (0.8 suits a cosine distance).
    `denied_access`: values of a passage's `access` that mean that the asker may not see it, in lower case.
    `substantive_words`: an answer of fewer words makes no claim that needs a citation.
    `apps`: exceptions by the event's `app`.
    """

    citations_expected: bool = True
    citation_resolution: CitationResolution = "auto"
    high_distance: float = 0.8
    substantive_words: int = 3
    denied_access: tuple[str, ...] = ("denied", "forbidden", "unauthorized", "not_allowed", "no_access")
    apps: Mapping[str, AppIndicatorParams] = field(default_factory=dict)

    def expects_citations(self, app: str | None) -> bool:
        """Return whether answers of this app are expected to cite."""
        own = self.apps[app].citations_expected if app is not None and app in self.apps else None
        return self.citations_expected if own is None else own

    def resolution(self, app: str | None) -> CitationResolution:
        """Return how markers of this app find their passage."""
        own = self.apps[app].citation_resolution if app is not None and app in self.apps else None
        return self.citation_resolution if own is None else own

    def distance_limit(self, app: str | None) -> float:
        """Return the largest retrieval distance that is still near for this app."""
        own = self.apps[app].high_distance if app is not None and app in self.apps else None
        return self.high_distance if own is None else own
