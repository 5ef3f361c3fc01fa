"""A maximum of threads that nobody told of: a program may set it before we attach, and no event repeats it.

The gate adds a thread when items are queued and nothing was taken or finished for 500 ms, unless the pool is at its
maximum. So a pool that stands still for seconds and adds none is at its maximum.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.attribution.execution import RUNNING, Segments
from poolscope.attribution.items import Items
from poolscope.attribution.pool import Pool
from poolscope.series import Steps
from poolscope.units import NS_PER_S

STANDSTILL_NS = 3 * NS_PER_S
"""Three times what an injected thread takes at most while the CPU is not busy (1 s)."""
BUSY_CPU = 0.7
"""Of the cores: above 80 % the gate waits a second for each thread of the goal; some margin for its own reading."""


def with_inferred_maximum(pool: Pool, items: Items, segments: Segments, cores: float, window_ns: float) -> Pool:
    """The pool with its busy threads as its maximum, where it stood still for long with items queued and added none.

    Only where the maximum is a default that nothing confirms and the capture began late.
    """
    if pool.goal_known or pool.limits_known == "event":
        return pool
    queued = pool.queued
    empties = queued.time[queued.value == 0]
    moved = np.concatenate((items.dequeue[items.started], items.end[items.started], pool.goal.time[1:], empties))
    moments = np.unique(np.concatenate(([0.0], np.clip(moved, 0, window_ns), [window_ns])))
    length = np.diff(moments)
    longest = int(np.argmax(length))
    begin, end = float(moments[longest]), float(moments[longest + 1])
    if end - begin < STANDSTILL_NS or queued.integral(begin, end) <= 0:
        return pool
    if float(segments.count(RUNNING).integral(begin, end)) / (end - begin) > BUSY_CPU * cores:
        return pool
    held = float(pool.busy.at((begin + end) / 2))
    if held < 1 or held >= float(pool.maximum.value[-1]):
        return pool
    return replace(pool, maximum=Steps.constant(held), limits_known="inferred")
