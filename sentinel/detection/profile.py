"""What is known of an app's usual behaviour: sums by hour of the week, and how minutes scatter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sentinel.detection.params import ShiftParams

HOURS_OF_WEEK = 168
#: A sum over answers has three parts: their number, the sum of their values, the sum of squares.
COUNT, TOTAL, SQUARES = range(3)
_BLOCK_MINUTES = 10
#: Hours after which a minute's scatter counts half.
_SCATTER_HALF_LIFE = 72.0
#: Minutes of history that the assumed dispersion is worth.
_SCATTER_PRIOR_MINUTES = 240.0
#: Hours of history from which on new ones wait `settled_hours`.
_SETTLED_FROM = 48

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(slots=True)
class Scatter:
    """Sums from which the dispersion of counts over `block_minutes` is estimated; arrays of shape (S,).

    Pearson's statistic over the blocks of an hour around that hour's own mean, so that neither a rhythm
    nor a shift between hours is taken for scatter.
    """

    block_minutes: int
    count: Floats
    total: Floats
    squares_over_count: Floats
    blocks: Floats
    numerator: Floats
    denominator: Floats
    degrees: Floats

    @classmethod
    def empty(cls, series: int, block_minutes: int) -> Scatter:
        """Return sums of nothing."""
        return cls(block_minutes, *(np.zeros(series) for _ in range(7)))

    def add(self, count: Floats, total: Floats) -> None:
        """Add a minute to the block that is open."""
        self.count += count
        self.total += total

    def close_block(self) -> None:
        """End the block that is open."""
        seen = self.count > 0
        self.squares_over_count += np.divide(
            self.total**2, self.count, out=np.zeros_like(self.total), where=seen
        )
        self.blocks += seen
        self.count[:] = 0.0
        self.total[:] = 0.0

    def close_hour(self, hour: Floats, keep: NDArray[np.bool_]) -> None:
        """Take the hour's blocks into the estimate, weighted by its answers; `hour` has shape (3, S)."""
        self.close_block()
        count, total, squares = hour
        safe = np.maximum(count, 1.0)
        # The variance of one answer, from the hour itself: unbiased in the mean over hours.
        variance = np.maximum(squares / safe - (total / safe) ** 2, 0.0) * safe / np.maximum(safe - 1.0, 1.0)
        degrees = np.maximum(self.blocks - 1.0, 0.0)
        use = keep & (count > 1) & (degrees > 0)
        scatter = np.maximum(self.squares_over_count - total**2 / safe, 0.0)
        decay = np.where(use, 0.5 ** (1.0 / _SCATTER_HALF_LIFE), 1.0)
        self.numerator *= decay
        self.denominator *= decay
        self.degrees *= decay
        self.numerator += np.where(use, count * scatter, 0.0)
        self.denominator += np.where(use, count * degrees * variance, 0.0)
        self.degrees += np.where(use, degrees, 0.0)
        self.squares_over_count[:] = 0.0
        self.blocks[:] = 0.0

    def dispersion(self, assumed: float) -> Floats:
        """Return the variance-to-mean ratio of a block's count, relative to independent answers."""
        prior_blocks = _SCATTER_PRIOR_MINUTES / self.block_minutes
        safe = np.maximum(self.degrees, 1e-9)
        prior = np.where(self.degrees > 0, prior_blocks * self.denominator / safe, 1.0)
        prior = np.where(prior > 0, prior, 1.0)
        return np.asarray((self.numerator + assumed * prior) / (self.denominator + prior))


@dataclass(slots=True)
class Profile:
    """Sums over past answers by hour of the week, and hours not yet settled.

    Arrays: `cells` (3, S, 168), `open_hour` (3, S), `pending` (W, 3, S) with its `pending_hours` (W,),
    -1 where the place is free. `residual_*` (S,) estimate how far single hours lie from their baseline.
    """

    params: ShiftParams
    cells: Floats
    hours_seen: Floats
    open_hour: Floats
    pending: Floats
    pending_hours: Ints
    minute_scatter: Scatter
    block_scatter: Scatter
    residual_weight: Floats
    residual_square: Floats
    residual_noise: Floats

    @classmethod
    def empty(cls, series: int, params: ShiftParams) -> Profile:
        """Return a profile that knows nothing yet."""
        wait = params.settled_hours
        return cls(
            params,
            np.zeros((3, series, HOURS_OF_WEEK)),
            np.zeros(series),
            np.zeros((3, series)),
            np.zeros((wait, 3, series)),
            np.full(wait, -1, dtype=np.int64),
            Scatter.empty(series, 1),
            Scatter.empty(series, _BLOCK_MINUTES),
            np.zeros(series),
            np.zeros(series),
            np.zeros(series),
        )

    def add_minute(self, minute: int, sums: Floats, keep: NDArray[np.bool_]) -> None:
        """Add a minute's sums, shape (3, S), of the series in `keep`; minutes come in order."""
        kept = np.where(keep, sums, 0.0)
        self.open_hour += kept
        self.minute_scatter.add(kept[COUNT], kept[TOTAL])
        self.minute_scatter.close_block()
        self.block_scatter.add(kept[COUNT], kept[TOTAL])
        if minute % _BLOCK_MINUTES == _BLOCK_MINUTES - 1:
            self.block_scatter.close_block()

    def close_hour(self, hour: int, keep: NDArray[np.bool_]) -> None:
        """End the hour (hours since 1970) that is open: it waits, and what has waited settles."""
        self.minute_scatter.close_hour(self.open_hour, keep)
        self.block_scatter.close_hour(self.open_hour, keep)
        self._settle(hour)
        free = int(np.argmax(self.pending_hours < 0))
        self.pending[free] = self.open_hour
        self.pending_hours[free] = hour
        self.open_hour[:] = 0.0

    def settle_early(self, hour: int) -> None:
        """While there is little history, take in all hours before `hour` at once."""
        if self.hours_seen.max(initial=0.0) < _SETTLED_FROM:
            self._take(self.pending_hours < hour)

    def forget_since(self, hour: int, series: NDArray[np.bool_]) -> None:
        """Drop what came in `hour` or later of these series: it belongs to a shift."""
        self.open_hour[:, series] = 0.0
        for place in np.flatnonzero(self.pending_hours >= hour):
            self.pending[place][:, series] = 0.0

    def move(self, series: int, means: Floats, weight: float) -> None:
        """Give a series new hourly means, shape (168,), and let its history weigh less."""
        self.cells[:, series] *= weight
        count, total, squares = self.cells[:, series]
        spread = squares - np.divide(total**2, count, out=np.zeros_like(total), where=count > 0)
        self.cells[TOTAL, series] = count * means
        self.cells[SQUARES, series] = spread + count * means**2
        self.residual_weight[series] *= weight
        self.residual_square[series] *= weight
        self.residual_noise[series] *= weight

    def dispersion(self) -> Floats:
        """Return the larger of the dispersions of minutes and of ten minutes, at least 1; shape (S,)."""
        assumed = self.params.dispersion
        both = np.maximum(self.minute_scatter.dispersion(assumed), self.block_scatter.dispersion(assumed))
        return np.maximum(both, 1.0)

    def _settle(self, hour: int) -> None:
        self._take(self.pending_hours <= hour - self.params.settled_hours)

    def _take(self, which: NDArray[np.bool_]) -> None:
        decay = 0.5 ** (7.0 / self.params.half_life_days)
        waiting = np.flatnonzero(which & (self.pending_hours >= 0))
        for place in waiting[np.argsort(self.pending_hours[waiting])]:
            cell = int(self.pending_hours[place]) % HOURS_OF_WEEK
            seen = self.pending[place][COUNT] > 0
            old = self.cells[:, :, cell]
            self.cells[:, :, cell] = np.where(seen, old * decay, old) + self.pending[place]
            self.hours_seen += seen
            self.pending_hours[place] = -1
