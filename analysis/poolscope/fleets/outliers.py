"""Captures that are unlike the others of their service, and that no group explains."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.fleets.keys import service
from poolscope.fleets.row import Row
from poolscope.product.distribution import FLOOR_MS

FAR = 3.5
"""Modified z above which a value is an outlier (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993)."""
SCALE = 0.6745
"""For a normal distribution the median absolute deviation as a share of the standard deviation."""
LEAST = 8
"""Captures of a service from which on one of them can be called unlike the others."""
LEAST_SPREAD = 0.05
"""For the logarithm: runs that repeat to a few per cent do not make a tenth more an outlier."""


@dataclass(frozen=True)
class Outlier:
    """One capture."""

    row: Row
    z: float
    mean_ms: float
    usual_ms: float
    """Median of the means of its service's captures."""
    seconds: float
    """What its items waited beyond that, summed."""


def find_outliers(rows: Sequence[Row], explained: Collection[int]) -> list[Outlier]:
    """Finds the captures that waited beyond the usual, the most first. `explained` has the indices of captures that the
    ranking is about."""
    found: list[Outlier] = []
    by_service: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        if row.wait.count and at not in explained:
            by_service.setdefault(service(row), []).append(at)
    for members in by_service.values():
        if len(members) < LEAST:
            continue
        ms = np.array([rows[at].wait.mean / NS_PER_MS for at in members])
        scaled = np.log(np.maximum(ms, FLOOR_MS))
        middle = float(np.median(scaled))
        spread = max(float(np.median(np.abs(scaled - middle))), LEAST_SPREAD)
        z = SCALE * (scaled - middle) / spread
        usual = float(np.median(ms))
        for number in np.flatnonzero((z > FAR) & (ms - usual >= 1.0)).tolist():
            row = rows[members[number]]
            beyond = (row.wait.mean - usual * NS_PER_MS) * row.wait.count / NS_PER_S
            found.append(Outlier(row, float(z[number]), float(ms[number]), usual, beyond))
    return sorted(found, key=lambda one: (-one.seconds, one.row.source))
