"""Whether a shift came with a new version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sentinel.detection.watch import Watch

#: A version first seen so many minutes before the estimated onset, or until the alarm, came with it.
_BEFORE_ONSET = 60


def with_new_version(
    compared: str, versions: Mapping[str, int], watch: Watch, place: int
) -> dict[str, Any] | None:
    """Return the version a shift of a series came with as the slice that explains it, or None.

    In a comparison that is the version compared. Else it is the latest version that was first seen
    between shortly before the onset and the alarm; the app's first version explains nothing.
    """
    if compared:
        return {"domain": "version", "value": compared}
    first, last = int(watch.onset[place]) - _BEFORE_ONSET, int(watch.begun[place])
    came = [(minute, version) for version, minute in versions.items() if first <= minute <= last]
    if not came or len(versions) < 2 or min(versions.values()) >= first:
        return None
    return {"domain": "version", "value": max(came)[1]}
