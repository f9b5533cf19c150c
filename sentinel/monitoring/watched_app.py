"""One app under watch: its detector, and which versions it has been seen under."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sentinel.detection.charts import threshold
from sentinel.detection.detector import Detector
from sentinel.detection.document import from_documents, to_documents
from sentinel.detection.params import ShiftParams
from sentinel.detection.profile import COUNT, Floats
from sentinel.detection.watch import Change
from sentinel.monitoring.findings import OTHER
from sentinel.monitoring.series import SERIES, SERIES_NAMES, are_rates, minute_sums

#: Versions that are compared at the same time, and those that are remembered.
_MOST_COMPARISONS = 3
_MOST_VERSIONS = 200
#: A version with more of a minute's answers than this is the app itself: its charts see it as well.
_WHOLE = 0.8


@dataclass(slots=True)
class WatchedApp:
    """A detector with the minutes (since 1970) in which each version was first seen.

    `fresh_profile` says whether the profile has changed since it was read.
    """

    detector: Detector
    versions: dict[str, int] = field(default_factory=dict)
    fresh_profile: bool = True

    @classmethod
    def new(cls, params: ShiftParams) -> WatchedApp:
        """Return an app of which nothing is known."""
        return cls(Detector.empty(are_rates(), threshold(len(SERIES), params), params))

    @classmethod
    def stored(cls, profile: Mapping[str, Any], state: Mapping[str, Any], params: ShiftParams) -> WatchedApp:
        """Return an app as it was written."""
        alarm_at = threshold(len(SERIES), params)
        detector = from_documents(profile, state, SERIES_NAMES, are_rates(), alarm_at, params)
        return cls(detector, dict(state["versions"]), fresh_profile=False)

    def documents(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """Return the profile, None if it has not changed, and the state."""
        profile, state = to_documents(self.detector, SERIES_NAMES)
        return profile if self.fresh_profile else None, state | {"versions": self.versions}

    def add_minute(self, minute: int, counts: Mapping[str, Mapping[str, int]]) -> dict[str, list[Change]]:
        """Take in a minute's counts by version; return the alarms that began or ended by version."""
        parts = {version: minute_sums(named) for version, named in counts.items()}
        whole = np.asarray(sum(parts.values()), dtype=np.float64)
        self._meet(minute, parts)
        of_versions = {
            version: part
            for version, part in parts.items()
            if version in self.detector.comparisons and _answers(part) < _WHOLE * _answers(whole)
        }
        if minute // 60 != self.detector.hour:
            self.fresh_profile = True
        found = self.detector.add_minute(minute, whole, of_versions)
        if any(change.kind == "accepted" for change in found[""]):
            self.fresh_profile = True
        return found

    def _meet(self, minute: int, parts: Mapping[str, Floats]) -> None:
        """A version that comes after others, in an app whose usual is known, is compared with it."""
        settled = bool(self.versions) and bool(self.detector.baseline.ready.any())
        for version in sorted(parts):
            if version in ("", OTHER) or version in self.versions or len(self.versions) >= _MOST_VERSIONS:
                continue
            self.versions[version] = minute
            if settled and len(self.detector.comparisons) < _MOST_COMPARISONS:
                self.detector.compare(version, minute)


def _answers(part: Floats) -> float:
    return float(part[COUNT].max())
