"""Tracks for slices that overlap: on one track they would have to nest."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray


def lanes(start: AnyArray, stop: AnyArray) -> IntArray:
    """Returns the first lane that is free at each interval's start, shape (intervals,). A stop of -1: it does not end."""
    ends: list[tuple[float, int]] = []
    free: list[int] = []
    used = 0
    lane = np.zeros(len(start), dtype=np.int64)
    for i in np.argsort(start, kind="stable").tolist():
        while ends and ends[0][0] <= start[i]:
            heappush(free, heappop(ends)[1])
        if not free:
            heappush(free, used)
            used += 1
        lane[i] = heappop(free)
        heappush(ends, (float(stop[i]) if stop[i] >= 0 else np.inf, int(lane[i])))
    return lane
