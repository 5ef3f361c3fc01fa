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
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)  # type: ignore[no-untyped-call]
MOST_STEPS = 200
"""Ten do for the quantiles of intervals; far out in the tails each step halves the rest."""
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
    # The share up to an angle is concave, so that Newton's steps come from below and never pass the root.
    angle, wanted = 0.0, 2 * probability - 1
    for _ in range(MOST_STEPS):
        step = (wanted - _share(0.0, angle, f)) * _whole(f) / math.cos(angle) ** (f - 1)
        angle += step
        if step < 1e-14:
            break
    return math.sqrt(f) * math.tan(angle)


def _share(start: float, end: float, freedom: float) -> float:
    """The share of both tails' distribution between two angles of 0 to pi/2."""
    # Far out there is next to nothing, and where freedom is large the rule has to spend its nodes near the start.
    reach = 12 / math.sqrt(max(freedom - 1, 1e-9))
    end = min(end, start + reach)
    angle = start + (NODES + 1) * (end - start) / 2
    integral = float(np.sum(WEIGHTS * np.cos(angle) ** (freedom - 1))) * (end - start) / 2
    return min(max(integral / _whole(freedom), 0.0), 1.0)


def _whole(freedom: float) -> float:
    """The integral from 0 to pi/2."""
    return math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom + 1) / 2)) * math.sqrt(math.pi) / 2
