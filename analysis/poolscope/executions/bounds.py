"""What a lesser kernel tier leaves open: between which bounds each part of an execution lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Segments


TICK_NS = 10_000_000
"""The longest tick of a Linux kernel (CONFIG_HZ=100). The time on a core of a thread that runs is counted at ticks and when
it leaves the core (update_curr in kernel/sched/fair.c), so each reading of /proc may lack up to a tick of it."""


@dataclass(frozen=True)
class ExecutionBounds:
    """Per item, ns: the least and the most that each state can have had of its execution."""

    cpu: tuple[IntArray, IntArray]
    blocked: tuple[IntArray, IntArray]
    ready: tuple[IntArray, IntArray]
    unresolved: IntArray
    """Execution in polling steps that began before the item or ended after it: of these only the sums over item and
    worker together are known. 0 under tier switch, whose states are of the item alone."""


def execution_bounds(
    capture: DecodedCapture, items: Items, segments: Segments, suspension: Steps
) -> ExecutionBounds | None:
    """Bounds what each execution consists of. Returns None if states are exact (tier `tracepoint`) or missing.

    Under `switch` any part of blocked time may have been a wait for a core. Under `schedstat` the steps at an item's
    start and end are open; of those between, the sums are known but for a tick that the first and the last reading may
    lack if the thread ran. Blocked time whose step touches a suspension may be all the suspension's, which execution
    counts apart: where in the step it lay is not known, nor how late the thread came back.
    """
    count = items.count
    total = {state: segments.total(state, count) for state in (RUNNING, READY, BLOCKED)}
    if capture.kernel_tier == "switch":
        nothing = np.zeros(count, dtype=np.int64)
        cpu = (total[RUNNING], total[RUNNING])
        return ExecutionBounds(cpu, (nothing, total[BLOCKED]), (total[READY], total[READY] + total[BLOCKED]), nothing)
    if capture.kernel_tier != "schedstat":
        return None
    begin, end = _edges(items, segments)
    at_edges = np.minimum(segments.end, begin[segments.item]) - segments.start
    at_edges = np.maximum(at_edges, 0) + np.maximum(segments.end - np.maximum(segments.start, end[segments.item]), 0)
    part = {s: _sum(segments.item, np.where(segments.state == s, at_edges, 0), count) for s in total}
    unresolved = part[RUNNING] + part[READY] + part[BLOCKED]

    lag = np.where(total[RUNNING] > 0, TICK_NS, 0)
    length = items.end - items.dequeue

    def bounds(state: int, apart: IntArray | int = 0) -> tuple[IntArray, IntArray]:
        within = total[state] - part[state]
        return np.maximum(within - apart - lag, 0), np.minimum(within + unresolved + lag, length)

    touched = suspension.integral(segments.start - segments.resolution, segments.end + segments.resolution) > 0
    suspended = (segments.state == BLOCKED) & touched
    the_suspension_s = _sum(segments.item, np.where(suspended, segments.duration - at_edges, 0), count)
    return ExecutionBounds(bounds(RUNNING), bounds(BLOCKED, the_suspension_s), bounds(READY), unresolved)


def _edges(items: Items, segments: Segments) -> tuple[IntArray, IntArray]:
    """Returns until when the first step of each execution may reach, and from when on its last one; carried executions
    too."""
    count = int(segments.item.max(initial=items.count - 1)) + 1
    first = np.searchsorted(segments.item, np.arange(count))
    last = np.searchsorted(segments.item, np.arange(count), side="right") - 1
    begin, end = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    some = np.flatnonzero(last >= first)
    begin[some] = segments.start[first[some]] + segments.resolution[first[some]]
    end[some] = np.maximum(segments.end[last[some]] - segments.resolution[last[some]], begin[some])
    return begin, end


def _sum(item: IntArray, amount: IntArray, count: int) -> IntArray:
    return np.asarray(np.rint(np.bincount(item, amount, count)[:count]).astype(np.int64))
