"""Synchronous waits for tasks where no wait event says how long they lasted: of .NET 8, and of items that were already
blocked when a late capture began.
"""

from __future__ import annotations

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.last_begun import last_begun
from poolscope.executions.segments import BLOCKED
from poolscope.executions.standing import first_stacks, passes

NO_WAIT_EVENTS = "no-wait-handle-events"
"""Entry of the manifest's target.limits: the runtime has no WaitHandleWait events (.NET 8)."""
SYNCHRONOUS = enum("task_waits", "behavior", "synchronous")
TASK_WAIT_FRAMES = (
    "System.Threading.Tasks.Task.InternalWait",
    "System.Threading.Tasks.Task.SpinThenBlockingWait",
    "System.Threading.Tasks.Task.Wait",
)


def blocked_after_announcement(
    capture: DecodedCapture, attribution: Attribution
) -> tuple[IntArray, IntArray, IntArray]:
    """Finds the waits that TaskWaitBegin announced and that no event ends: item (index into Items), start and end (ns
    from the start of the window). Each lasts to the end of the longest blocked stretch before the item's next
    announcement or its end."""
    items, segments = attribution.items, attribution.segments
    begun = capture.table("task_waits")
    begun = begun[begun["behavior"].to_numpy() == SYNCHRONOUS]
    time = begun["start"].to_numpy() - capture.window[0]
    item = _item_at(attribution, begun["tid"].to_numpy().astype(np.int64), time)
    known = item >= 0
    item, time = item[known], time[known]
    order = np.lexsort((time, item))
    item, time = item[order], time[order]
    blocked = np.flatnonzero((segments.state == BLOCKED) & (segments.item < items.count))
    owner, begin, end = segments.item[blocked], segments.start[blocked], segments.end[blocked]
    at, tied = latest(item, time, owner, begin)
    at, begin, end = at[tied], begin[tied], end[tied]
    longest = np.lexsort((begin - end, at))
    waits, first = np.unique(at[longest], return_index=True)
    return item[waits], time[waits], end[longest][first]


def standing_in_task_waits(capture: DecodedCapture, attribution: Attribution) -> Steps:
    """Returns how many workers stood in a wait for a task since before the capture began, as their first snapshots show; ns from the
    start of the window."""
    executions, carried = attribution.executions, slice(attribution.items.count, None)
    tid, _, stack = first_stacks(capture)
    if attribution.carried == 0 or len(tid) == 0:
        return Steps.constant(0.0)
    waiting = np.isin(executions.worker[carried], tid[_in_task_wait(capture, stack)])
    return Steps.count(executions.start[carried][waiting], executions.end[carried][waiting])


def _in_task_wait(capture: DecodedCapture, stack: IntArray) -> BoolArray:
    stacks, frames = capture.table("stacks"), capture.table("frames")
    parent, frame = stacks["parent"].to_numpy().astype(np.int64), stacks["frame"].to_numpy()
    method = frames["method"].astype(object).fillna("").astype(str)
    waits = method.str.startswith(TASK_WAIT_FRAMES).to_numpy()[frame]
    return passes(parent, waits, stack)


def _item_at(attribution: Attribution, tid: IntArray, time: IntArray) -> IntArray:
    """Returns the item that each thread was running at each time (index into Items); -1: none."""
    items = attribution.items
    if items.count == 0:
        return np.full(len(tid), -1, dtype=np.int64)
    found, known = last_begun(items, tid, np.maximum(time, 0))
    return np.asarray(np.where(known & (items.end[found] >= time), found, -1))
