"""Means with their upper 95 % bounds, from pairs measured in turn.

All bounds are one-sided and use Student's t. The pairs' differences are means of many thousand items each, so they are
nearly normal. t is exact for few pairs, while a bootstrap of ten values is too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from poolscope.base.student import quantile as t_quantile

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Bound:
    """An estimate and the value that it stays below with 95 % confidence; `upper` is infinite with only one pair."""

    value: float
    upper: float
    pairs: int


def mean(values: Sequence[float]) -> Bound:
    """Returns the mean of paired differences."""
    count = len(values)
    if count == 0:
        raise ValueError("no pairs")
    centre = float(np.mean(values))
    if count == 1:
        return Bound(centre, math.inf, 1)
    error = float(np.std(values, ddof=1)) / math.sqrt(count)
    return Bound(centre, centre + t_quantile(CONFIDENCE, count - 1) * error, count)


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Bound:
    """Returns the mean of the numerators over the mean of the denominators, taken in the same rounds (Fieller's
    theorem).

    The bound is the least R for which the mean of `numerator - R x denominator` is below zero with 95 % confidence;
    infinite if the denominators themselves are not clearly above zero.
    """
    count = len(numerators)
    if count != len(denominators) or count == 0:
        raise ValueError("ratio needs as many numerators as denominators, and some")
    top, bottom = float(np.mean(numerators)), float(np.mean(denominators))
    value = top / bottom if bottom != 0 else math.inf
    if count == 1:
        return Bound(value, math.inf, 1)
    (var_top, covariance), (_, var_bottom) = np.cov(numerators, denominators, ddof=1) / count
    t2 = t_quantile(CONFIDENCE, count - 1) ** 2
    # (top - R bottom)^2 = t2 (var_top - 2 R covariance + R^2 var_bottom), the larger root.
    a = bottom * bottom - t2 * float(var_bottom)
    b = top * bottom - t2 * float(covariance)
    c = top * top - t2 * float(var_top)
    if bottom <= 0 or a <= 0:
        return Bound(value, math.inf, count)
    return Bound(value, (b + math.sqrt(max(0.0, b * b - a * c))) / a, count)
