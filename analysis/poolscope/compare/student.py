"""Student's t distribution, for any positive number of degrees of freedom.

With t = sqrt(f) tan(x) the density becomes cos(x)^(f-1), which is smooth and bounded: integrating it by Gauss and
Legendre's rule is exact to ten digits, also for the fractional freedoms of Welch's test.
"""

from __future__ import annotations

import math

import numpy as np

from poolscope.arrays import FloatArray

NODES: FloatArray
WEIGHTS: FloatArray
NODES, WEIGHTS = np.polynomial.legendre.leggauss(96)  # type: ignore[no-untyped-call]
NORMAL = 1e4
"""Degrees of freedom that are drawn as a normal distribution: the quantiles agree to four digits."""


def two_sided_p(t: float, freedom: float) -> float:
    """The probability of a value at least as far from zero as `t`; 1 for 0, 0 for infinity."""
    f = min(freedom, NORMAL)
    return _share(math.atan2(abs(t), math.sqrt(f)), math.pi / 2, f)


def quantile(probability: float, freedom: float) -> float:
    """The t that a share `probability` (0.5 up to 1, exclusive) of the distribution stays below."""
    if not 0.5 <= probability < 1:
        raise ValueError("the probability has to be at least 0.5 and below 1")
    f = min(freedom, NORMAL)
    low, high = 0.0, math.pi / 2
    # Halving an angle, not t itself: it is bounded, however far out the quantile lies.
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _share(0.0, middle, f) < 2 * probability - 1 else (low, middle)
    return math.sqrt(f) * math.tan((low + high) / 2)


def _share(start: float, end: float, freedom: float) -> float:
    """The share of both tails' distribution between two angles of 0 to pi/2."""
    # Far out there is next to nothing, and where freedom is large the rule has to spend its nodes near the start.
    reach = 12 / math.sqrt(max(freedom - 1, 1e-9))
    end = min(end, start + reach)
    angle = start + (NODES + 1) * (end - start) / 2
    integral = float(np.sum(WEIGHTS * np.cos(angle) ** (freedom - 1))) * (end - start) / 2
    whole = math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom + 1) / 2)) * math.sqrt(math.pi) / 2
    return min(max(integral / whole, 0.0), 1.0)
