"""Weighting classes for missing labels, from what is known of every drawn unit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentinel.estimation.sample import BoolArray, FloatArray, TextArray

_BANDS = 5
_REST = "other"


def response_classes(
    risk: FloatArray, groups: TextArray, labelled: BoolArray, *, least: int = 10
) -> TextArray:
    """Return the weighting class of every drawn unit, shape (n,): group and band of predicted risk.

    Each group is cut at the fifths of its units' risk; neighbouring bands are joined until each has
    `least` labelled units. Groups with fewer labels than that are joined into one, and that one with the
    largest group if it is still too small: no weight rests on a handful of labels (Oh and Scheuren
    1983). Classes depend on risk, group and on which labels are there, not on what they say.
    """
    joined = _joined_groups(groups, labelled, least)
    names = joined.astype(object)
    for group in np.unique(joined):
        inside = joined == group
        bands = _bands(risk[inside], labelled[inside], least)
        names[inside] = [f"{group}, risk band {band + 1}" for band in bands]
    return np.asarray(names, dtype=np.str_)


def _joined_groups(groups: TextArray, labelled: BoolArray, least: int) -> TextArray:
    counts = {str(group): int(labelled[groups == group].sum()) for group in np.unique(groups)}
    thin = [group for group, count in counts.items() if count < least]
    if not thin:
        return groups
    rest = sum(counts[group] for group in thin)
    thick = {group: count for group, count in counts.items() if group not in thin}
    home = max(thick, key=lambda group: (thick[group], group)) if thick and rest < least else _REST
    widest = max(groups.dtype.itemsize // 4, len(home))
    return np.where(np.isin(groups, thin), np.asarray(home, dtype=f"<U{widest}"), groups)


def _bands(risk: FloatArray, labelled: BoolArray, least: int) -> NDArray[np.intp]:
    edges = np.unique(np.quantile(risk, np.linspace(0.0, 1.0, _BANDS + 1)[1:-1]))
    raw = np.searchsorted(edges, risk, side="left")
    counts = np.bincount(raw, weights=labelled, minlength=len(edges) + 1)
    target, joined, collected = 0, [], 0.0
    for band, count in enumerate(counts):
        joined.append(target)
        collected += count
        # The last band that is full keeps what is left over.
        if collected >= least and counts[band + 1 :].sum() >= least:
            target, collected = target + 1, 0.0
    return np.asarray(joined, dtype=np.intp)[raw]
