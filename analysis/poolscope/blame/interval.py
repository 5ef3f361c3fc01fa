"""Confidence intervals of shares that were estimated from few, correlated samples.

A snapshot is one observation, however many threads it walks: they may all wait for the same thing. The interval is that
of Korn and Graubard (Confidence intervals for proportions with small expected number of positive counts estimated from
survey data, Survey Methodology 24, 1998): the exact binomial interval of Clopper and Pearson (Biometrika 26, 1934), with
as many observations as would give the variance that the snapshots show. It is never taken for more than the number of
snapshots, discounted for their unequal weights (Kish, Survey Sampling, 1965).
"""

from __future__ import annotations

import numpy as np

# Not scipy.stats, which takes half a second to import.
from scipy.special import betaincinv, gammaincinv, ndtri, stdtrit

from poolscope.base.arrays import FloatArray

CONFIDENCE = 0.95


def kish(weight: FloatArray) -> float:
    """Returns how many observations of equal weight are worth as much as these; 0 without any."""
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


def effective(share: float, variance: float, clusters: int, most: float) -> float:
    """Returns the observations that an estimated share (0 ... 1) of this variance is worth: > 0, at most `most`.

    `clusters` are the snapshots that the variance was taken from. A share without any variance, because all of them agree, is worth `most`.
    """
    if clusters < 2 or variance <= 0.0 or not 0.0 < round(share, 12) < 1.0:
        return most
    few = float(ndtri(_upper(CONFIDENCE)) / stdtrit(clusters - 1, _upper(CONFIDENCE))) ** 2
    return min(share * (1.0 - share) / variance * few, most)


def share_interval(share: float, observations: float) -> tuple[float, float]:
    """Returns the 95 % interval of a share, 0 ... 1, of this many observations (> 0, not always whole).

    Where all or none agree, the whole 5 % lies on the side that is open: 71 of 71 is at least 0.05 ** (1 / 71) = 96 %.
    """
    share = round(share, 12)
    yes, no = share * observations, (1.0 - share) * observations
    low_tail = 1.0 - CONFIDENCE if share >= 1.0 else (1.0 - CONFIDENCE) / 2.0
    high_tail = 1.0 - CONFIDENCE if share <= 0.0 else (1.0 - CONFIDENCE) / 2.0
    low = 0.0 if share <= 0.0 else float(betaincinv(yes, no + 1.0, low_tail))
    high = 1.0 if share >= 1.0 else float(betaincinv(yes + 1.0, no, 1.0 - high_tail))
    return low, high


def most_expected(seen: float) -> float:
    """Returns the most events that may have been expected where `seen` (> 0) happened: the upper end of the 95 %
    interval of a Poisson mean (Garwood, Biometrika 28, 1936)."""
    return float(gammaincinv(seen + 1.0, _upper(CONFIDENCE)))


def _upper(confidence: float) -> float:
    """Returns the quantile at the upper end of a two-sided interval."""
    return float(np.mean((confidence, 1.0)))
