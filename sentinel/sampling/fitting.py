"""Weighted logistic regression drawn to a prior: what risk models are fitted with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

FloatArray = npt.NDArray[np.float64]
_ITERATIONS = 1000


def fit_logistic(
    features: FloatArray,
    outcomes: FloatArray,
    weights: FloatArray,
    prior: FloatArray,
    precision: FloatArray,
    lowest: FloatArray | None = None,
) -> FloatArray:
    """Return the coefficients β that maximise Σ w (y z − log(1 + eᶻ)) − ½ Σ τ (β − β₀)², z = X β.

    The posterior mode of logistic regression under independent normal priors with means β₀ and
    precisions τ (ridge regression drawn to β₀: Hoerl and Kennard 1970; le Cessie and van Houwelingen
    1992). With τ > 0 it exists and is finite whatever the data: separable, all alike, or none.

    Args:
        features: X, shape (n, k), finite; an intercept is a column of ones.
        outcomes: y, shape (n,), 0 or 1.
        weights: w, shape (n,), not negative; a weight of 1 is one observation.
        prior, precision: β₀ and τ, shape (k,); τ above 0.
        lowest: the least value of each coefficient, shape (k,), -inf for none.
    """

    # Here, not above: it takes 20 MB, and a worker fits a model once a week at most.
    from scipy.optimize import minimize

    def loss(beta: FloatArray) -> tuple[float, FloatArray]:
        logits = features @ beta
        away = beta - prior
        value = np.sum(weights * (np.logaddexp(0.0, logits) - outcomes * logits))
        value += 0.5 * np.sum(precision * away**2)
        gradient = features.T @ (weights * (expit(logits) - outcomes)) + precision * away
        return float(value), gradient

    bounds: Any = None if lowest is None else [(None if np.isneginf(b) else b, None) for b in lowest]
    start = prior if lowest is None else np.maximum(prior, lowest)
    options = {"maxiter": _ITERATIONS, "ftol": 1e-13, "gtol": 1e-8}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(found.x, dtype=np.float64)
