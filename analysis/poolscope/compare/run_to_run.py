"""By how much runs differ that nobody changed: what a comparison of single runs adds to what the items tell.

Measured, not assumed: docs/compare.md has the table (`./build.sh bench compare` makes it), and says which measurement these two are from.
"""

from __future__ import annotations

import math

from poolscope.compare.quantity import Quantity, Scale

SHARE = 0.06
"""Standard deviation of a statistic from run to run, as a share of it."""
MS = 3.0
"""The same in ms, beside that share: a wait of a few ms varies by what the machine does, whatever its length."""
FREEDOM = 120.0
"""Degrees of freedom of the runs that both were measured from."""


def floor(q: Quantity, whole_ms: float) -> float:
    """The standard deviation from run to run, on the quantity's scale. `whole_ms`: the statistic itself, or of a part
    the mean that it is a part of."""
    ms = math.hypot(SHARE * whole_ms, MS)
    return ms if q.scale is Scale.DIFFERENCE else ms / max(whole_ms, 1e-3)
