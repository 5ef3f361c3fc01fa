"""The difference between unchanged runs: a comparison of single runs adds it to the uncertainty of the items.

Measured, not assumed: `./build.sh bench compare` (docs/compare.md).
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
