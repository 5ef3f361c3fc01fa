"""Which part of a recording is analysed if not all of it fits: the one with most of the waiting of late items."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.survey.waits import Waits

NEARLY = 0.98
"""Parts with as much of the best one's waiting are as good: of these the one is taken at whose ends the fewest items wait,
for the waits of those are not seen whole."""


def choose(waits: Waits, always: float, each: FloatArray, allowed: int) -> tuple[int, int] | None:
    """Returns the first stretch of the part, and the one after its last; None if not even one stretch fits.

    `always` and `each` (shape (bins.count,)): bytes that every part takes, and those that each stretch adds; `allowed`: how many
    there may be. The part has as many stretches as fit. If no item is late, all waiting counts. Of equal ones it is the
    one in the middle, so that as much is seen before the waits as after them.
    """
    count = len(each)
    until = np.append(0.0, np.cumsum(each))
    first = np.arange(count)
    last = np.minimum(np.searchsorted(until, until[:-1] + (allowed - always), side="right") - 1, count)
    fits = last > first
    if not fits.any():
        return None
    first, last = first[fits], last[fits]
    weight = waits.waiting_late if waits.late else waits.waiting
    waited = np.append(0.0, np.cumsum(weight))
    value = waited[last] - waited[first]
    good = np.flatnonzero(value >= NEARLY * value.max())
    at_ends = waits.queued[first[good]] + waits.queued[last[good]]
    best = good[at_ends == at_ends.min()]
    one = best[len(best) // 2]
    return int(first[one]), int(last[one])
