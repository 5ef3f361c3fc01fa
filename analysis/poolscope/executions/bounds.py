"""What a lesser kernel tier leaves open: between which bounds each part of an execution lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Segments


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
    """None where states are exact (tier `tracepoint`), or where there are none.

    Under `switch` any part of blocked time may have been a wait for a core. Under `schedstat` every step that lies
    within the item has exact sums, so only the steps at its start and its end are open. Blocked time whose step touches
    a suspension may be all the suspension's, which execution counts apart: where in the step it lay is not known, nor how
    late the thread came back.
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

    def bounds(state: int) -> tuple[IntArray, IntArray]:
        least = total[state] - part[state]
        return least, least + unresolved

    touched = suspension.integral(segments.start - segments.resolution, segments.end + segments.resolution) > 0
    suspended = (segments.state == BLOCKED) & touched
    blocked, most_blocked = bounds(BLOCKED)
    blocked = blocked - _sum(segments.item, np.where(suspended, segments.duration - at_edges, 0), count)
    return ExecutionBounds(bounds(RUNNING), (blocked, most_blocked), bounds(READY), unresolved)


def _edges(items: Items, segments: Segments) -> tuple[IntArray, IntArray]:
    """Of each execution (carried ones too): until when its first step may reach, and from when on its last one."""
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
