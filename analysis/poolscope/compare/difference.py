"""The difference of two sides in one quantity: estimate, 95 % interval, and how likely chance alone is.

A comparison of single runs adds the difference between unchanged runs to the uncertainty of the items. It is measured, not
assumed: `./build.sh bench compare` (docs/compare.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolscope.base import student
from poolscope.compare.quantity import Quantity, Scale
from poolscope.compare.run import ComparedRun, scaled

SHARE = 0.06
"""Standard deviation of a statistic from run to run, as a share of it."""
MS = 3.0
"""The same in ms, beside that share: a wait of a few ms varies by what the machine does, whatever its length."""
FREEDOM = 120.0
"""Degrees of freedom of the runs that both were measured from."""
REQUEST_SHARE = 0.5
"""As SHARE, of the latency of requests. A service that lacks threads differs far more from run to run than an item's wait
does: the pool's growth decides (docs/measured/requests.md has the runs)."""
ANSWERED = 1.0
"""Standard deviation of the logarithm of the odds that a request is answered. Where all are, or none is, runs agree."""


def floor(q: Quantity, whole: float) -> float:
    """Returns the standard deviation from run to run, on the quantity's scale. `whole`: the statistic itself, ms, or of a part
    the mean that it is a part of; of a share that share."""
    if q.scale is Scale.SHARE:
        return ANSWERED * whole * (1 - whole)
    ms = math.hypot((REQUEST_SHARE if q.of_requests else SHARE) * whole, MS)
    return ms if q.scale is Scale.DIFFERENCE else ms / max(whole, 1e-3)


CONFIDENCE = 0.95
ENOUGH_RUNS = 3
"""Captures on each side from which on their own spread is used. Of two, it has one degree of freedom on each side: the
interval would be four times as wide as that of three, and its width mere luck."""


@dataclass(frozen=True)
class Difference:
    """Side B minus side A on the quantity's scale: of logarithms, or ms."""

    centre_a: float
    centre_b: float
    error: float
    """Standard error of the difference."""
    freedom: float
    """Degrees of freedom of that error."""

    @property
    def estimate(self) -> float:
        return self.centre_b - self.centre_a

    @cached_property
    def p(self) -> float:
        """The probability of a difference at least as large, either way, where nothing changed."""
        if self.error == 0:
            return 1.0 if self.estimate == 0 else 0.0
        return student.two_sided_p(self.estimate / self.error, self.freedom)

    @cached_property
    def interval(self) -> tuple[float, float]:
        half = student.quantile((1 + CONFIDENCE) / 2, self.freedom) * self.error
        return self.estimate - half, self.estimate + half


def enough(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> bool:
    """Returns whether the runs' own spread can be used."""
    return min(len(a), len(b)) >= ENOUGH_RUNS


def between_runs(a: Sequence[float], b: Sequence[float]) -> Difference:
    """Compares by Welch's test: the run is the unit, and the sides may scatter differently. Needs at least two runs
    each."""
    variances = [float(np.var(side, ddof=1)) / len(side) for side in (a, b)]
    total = sum(variances)
    weights = sum(v * v / (len(side) - 1) for v, side in zip(variances, (a, b), strict=True))
    # Without any spread any freedom will do.
    freedom = total * total / weights if weights > 0 else float(len(a) + len(b) - 2)
    return Difference(float(np.mean(a)), float(np.mean(b)), math.sqrt(total), freedom)


def single_runs(q: Quantity, a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> Difference:
    """Compares runs that are too few to show their spread: each run counts with the uncertainty of its items, and with
    the measured floor of how runs differ; with two on a side, with the spread that they do show, if that is more."""
    sides = [[scaled(q, run.values[q.key]) for run in side] for side in (a, b)]
    variances = [
        float(np.mean([run.spread[q.key] ** 2 + floor(q, run.values[q.whole]) ** 2 for run in side])) for side in (a, b)
    ]
    shown = [float(np.var(values, ddof=1)) for values in sides if len(values) > 1]
    least = float(np.mean(shown)) if shown else 0.0
    error = math.sqrt(sum(max(v, least) / len(values) for v, values in zip(variances, sides, strict=True)))
    return Difference(float(np.mean(sides[0])), float(np.mean(sides[1])), error, FREEDOM)


def difference(q: Quantity, a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> Difference:
    """Compares by the runs if there are enough of them. Every run must have a value."""
    if enough(a, b):
        return between_runs(*([scaled(q, run.values[q.key]) for run in side] for side in (a, b)))
    return single_runs(q, a, b)


def in_ms(q: Quantity, centre: float) -> float:
    """Returns a centre as a duration: of logarithms the geometric mean."""
    return math.exp(centre) if q.scale is Scale.RATIO else centre
