"""Label values that come from events, kept short, printable and few."""

from __future__ import annotations

import threading
import unicodedata

#: Where values go that came too late to have a series of their own.
OTHER = "other"
#: What an empty or wholly unprintable value is called.
UNKNOWN = "unknown"
#: Longest label value, in code points.
MAXIMUM_CHARACTERS = 64


def clean_label_value(value: str, maximum_characters: int = MAXIMUM_CHARACTERS) -> str:
    """Return `value` as one short printable line; `unknown` where nothing is left.

    Control, format, surrogate, private-use and unassigned characters are dropped, runs of white
    space become one space, and a longer value is cut.
    """
    # A cleaned value needs few of its code points: never walk through a megabyte for a label.
    head = value[: 4 * maximum_characters]
    spaced = " ".join(head.split())
    printable = "".join(c for c in spaced if not unicodedata.category(c).startswith("C"))
    return printable[:maximum_characters].strip() or UNKNOWN


class CappedLabel:
    """The first `limit` distinct values keep their name, all later ones become `other`.

    Thread-safe. Memory is bounded by `limit`. `known` values keep their name without using up the
    limit.
    """

    def __init__(self, limit: int, known: tuple[str, ...] = ()) -> None:
        if limit < 0:
            msg = f"a label cannot keep {limit} values; use 0 or more"
            raise ValueError(msg)
        self._limit = limit
        self._known = frozenset(known) | {OTHER}
        self._kept: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, value: str) -> str:
        """Return the label value to use for `value`."""
        cleaned = value if value in self._known else clean_label_value(value)
        if cleaned in self._known or cleaned in self._kept:
            return cleaned
        with self._lock:
            if cleaned in self._kept:
                return cleaned
            if len(self._kept) < self._limit:
                self._kept.add(cleaned)
                return cleaned
        return OTHER

    @property
    def kept(self) -> frozenset[str]:
        """Return the values that have a name of their own, besides the known ones."""
        with self._lock:
            return frozenset(self._kept)
