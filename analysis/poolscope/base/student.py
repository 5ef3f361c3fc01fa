"""Student's t distribution for any positive number of degrees of freedom, including the fractional ones of Welch's
test.

Wraps SciPy's functions for the two needs of intervals and tests.
"""

from __future__ import annotations

from scipy.special import stdtr, stdtrit


def two_sided_p(t: float, freedom: float) -> float:
    """Returns the probability of a value at least as far from zero as `t`; 1 for 0, 0 for infinity."""
    return float(2 * stdtr(freedom, -abs(t)))


def quantile(probability: float, freedom: float) -> float:
    """Returns the t below which a share `probability` (0.5 up to 1, exclusive) of the distribution lies.

    Raises ValueError for any other probability.
    """
    if not 0.5 <= probability < 1:
        raise ValueError("the probability has to be at least 0.5 and below 1")
    return float(stdtrit(freedom, probability))
