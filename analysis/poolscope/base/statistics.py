"""Summaries of waits that may be lower bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.contract.analysis_json import SummaryJson


TIE = 1e-12
"""A share counts as reached if it is missed by no more than this: the difference is rounding."""


@dataclass(frozen=True)
class Bound:
    """A number that is exact or a lower bound."""

    value: float
    at_least: bool


def quantile(duration: IntArray, censored: BoolArray, p: float) -> Bound:
    """Returns the Kaplan-Meier quantile: the smallest duration by which a share `p` (0..1) of the items has ended.

    A duration that is not shorter than the shortest censored one depends on ends that the capture does not show, and is
    marked `at_least`. If the estimate never reaches `p`, the result is the longest duration. Without censoring this is
    the inverse of the empirical distribution function. NaN without items.
    """
    return _quantiles(duration, censored, p)[0]


def _quantiles(duration: IntArray, censored: BoolArray, *shares: float) -> list[Bound]:
    """Returns the quantile of each share, with at most one sort for all of them."""
    if len(duration) == 0:
        return [Bound(float("nan"), False)] * len(shares)
    first_censored = float(duration[censored].min()) if censored.any() else np.inf
    ranks = [max(math.ceil(len(duration) * (p - TIE)) - 1, 0) for p in shares]
    if max(ranks) < np.count_nonzero(duration < first_censored):
        # Below the first censored duration nothing is estimated: the share that has ended is counted.
        return [Bound(float(value), False) for value in np.partition(duration, ranks)[ranks]]
    order = np.lexsort((censored, duration))
    times, lost = duration[order], censored[order]
    at_risk = len(times) - np.arange(len(times))
    surviving = np.cumprod(np.where(lost, 1.0, 1.0 - 1.0 / at_risk))
    found = []
    for p in shares:
        reached = np.flatnonzero((surviving <= 1.0 - p + TIE) & ~lost)
        value = float(times[reached[0]] if len(reached) else times[-1])
        found.append(Bound(value, value >= first_censored))
    return found


def summarise_ms(duration: IntArray, censored: BoolArray) -> SummaryJson:
    """Returns mean, p50, p90, p99 and max in ms (None without items); `at_least` names those that are lower bounds."""
    if len(duration) == 0:
        return no_summary()
    p50, p90, p99 = _quantiles(duration, censored, 0.50, 0.90, 0.99)
    bound = bool(censored.any())
    return in_ms(Bound(float(duration.mean()), bound), p50, p90, p99, Bound(float(duration.max()), bound))


def in_ms(mean: Bound, p50: Bound, p90: Bound, p99: Bound, most: Bound) -> SummaryJson:
    """Returns the summary of five figures in ns."""
    bounds = {"mean": mean, "p50": p50, "p90": p90, "p99": p99, "max": most}
    ms = {name: round(bound.value / NS_PER_MS, 6) for name, bound in bounds.items()}
    return {
        "mean": ms["mean"],
        "p50": ms["p50"],
        "p90": ms["p90"],
        "p99": ms["p99"],
        "max": ms["max"],
        "at_least": [name for name, bound in bounds.items() if bound.at_least],
    }


def no_summary() -> SummaryJson:
    """Returns the summary of no items."""
    return {"mean": None, "p50": None, "p90": None, "p99": None, "max": None, "at_least": []}
