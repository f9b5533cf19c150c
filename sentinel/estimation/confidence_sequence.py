"""A lower bound on the case rate so far that holds at every look at once.

With X_t = ξ_t y_t / π_t, ξ_t whether answer t was drawn, y_t whether it is bad, and π_t known before the
draw, E[X_t | past] = y_t. So for a constant bet β > 0

    M_t = ∏_{s ≤ t} (1 + β X_s) / (1 + β y_s)

is a non-negative martingale that begins with 1, and with probability 1 − α it is below 1/α at every t
(Ville 1939). By concavity of the logarithm ∏(1 + β y_s) ≤ (1 + β ȳ_t)^t, ȳ_t the mean of all answers so
far; the same holds for a mixture of bets with weights p_k, so that at every t at once

    Σ_k p_k ∏_s (1 + β_k X_s) / (1 + β_k ȳ_t)^t  <  1/α,

which falls with ȳ_t: where it equals 1/α is the lower bound. Betting on means is that of Waudby-Smith and
Ramdas 2024, *Estimating means of bounded random variables by betting*; weights 1/π in it are those of
Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro 2024, *Anytime-valid off-policy inference*. Since X_t is
only bounded from below by a constant, π_min does not enter.
"""

from __future__ import annotations

import numpy as np

from sentinel.errors import StopError
from sentinel.estimation.sample import FloatArray

#: Bets from one per ten thousand to ten, each with the same weight: which of them is the best depends on
#: the rate and on the weights, and a mixture loses at most log(number of bets) to the best.
_BETS = np.geomspace(1e-4, 10.0, 31)


def anytime_lower_bound(weights: FloatArray, answers: int, *, level: float = 0.95) -> float:
    """Return a lower bound on the share of bad ones among `answers` answers, within [0, 1].

    Looking at it as often as one likes, the chance that it is ever above the share of bad answers among
    those that arrived by then is at most 1 − `level`.

    Args:
        weights: design weights 1/π of the drawn answers known to be bad, shape (bad,).
        answers: number of all answers of the window so far, drawn or not.
        level: confidence of the whole sequence.

    A drawn answer without a label counts as good, which can only lower the bound: labels that come late
    do no harm. An abstention counts among the answers, so that this is a lower bound on the case rate.

    Raises:
        StopError: `level` is not within (0, 1), a weight is below 1, or there are more bad than answers.
    """
    if not 0.0 < level < 1.0:
        msg = f"level {level} is not between 0 and 1: a usual one is 0.95"
        raise StopError(msg)
    if not np.all(weights >= 1.0) or not np.all(np.isfinite(weights)):
        raise StopError("confidence sequence: a design weight is 1/π and at least 1")
    if answers < weights.size:
        raise StopError("confidence sequence: more bad answers than answers")
    if weights.size == 0:
        return 0.0
    gains = np.array([np.sum(np.log1p(bet * weights)) for bet in _BETS]) - np.log(_BETS.size)
    limit = -np.log1p(-level)

    def excess(rate: float) -> float:
        exponents = gains - answers * np.log1p(_BETS * rate)
        top = exponents.max()
        return float(top + np.log(np.sum(np.exp(exponents - top))) - limit)

    if excess(0.0) <= 0.0:
        return 0.0
    if excess(1.0) >= 0.0:
        return 1.0
    # Here, not above: it takes 20 MB, which a worker that only counts does without.
    from scipy.optimize import brentq

    return float(brentq(excess, 0.0, 1.0, xtol=1e-12))
