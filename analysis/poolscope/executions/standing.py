"""Workers that were inside an item when a late capture began, shown by the first snapshots of their stacks.

No event names such an item before it ends, and in a pool that stands still it never does.
"""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.capture import DecodedCapture

DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
"""The runtime's loop that takes items and runs them: frames below it, towards the leaf, are an item's."""
WORKER = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart"
BETWEEN_ITEMS = (
    "System.Threading.ThreadPoolWorkQueue.",
    "System.Threading.PortableThreadPool",
    "System.Threading.WorkStealingQueue",
    "System.Diagnostics.Tracing.",
)
"""Frames right below the loop that belong to it: it looks for the next item, or reports one."""


def standing_workers(capture: DecodedCapture) -> IntArray:
    """Returns the OS thread ids of the workers whose first snapshot shows them inside an item, before any event of
    theirs; none without snapshots."""
    tid, inside, _ = _seen_standing(capture)
    return tid[inside]


def idle_workers(capture: DecodedCapture) -> IntArray:
    """Returns the OS thread ids of the workers whose first snapshot shows them in the pool's own code outside any item,
    before any event of theirs: whatever they took later, they came from no item. None without snapshots."""
    tid, inside, worker = _seen_standing(capture)
    return tid[worker & ~inside]


def _seen_standing(capture: DecodedCapture) -> tuple[IntArray, BoolArray, BoolArray]:
    """Returns the threads whose first snapshot came before any event of theirs, whether it shows them inside an item, and whether
    in the pool's code."""
    tid, seen, stack = first_stacks(capture)
    if len(tid) == 0:
        none = np.zeros(0, dtype=bool)
        return tid, none, none
    before = first_event(capture, tid) > seen
    inside, worker = _where(capture, stack[before])
    return tid[before], inside, worker


def first_stacks(capture: DecodedCapture) -> tuple[IntArray, IntArray, IntArray]:
    """Returns each thread of the snapshots, ascending, with the time (CLOCK_MONOTONIC ns) and the stack (`stacks.id`) of its first
    one; empty without snapshots or stacks."""
    none = np.zeros(0, dtype=np.int64)
    if not all(capture.has(table) for table in ("snapshots", "stacks", "frames")):
        return none, none, none
    rows = capture.table("snapshots")
    order = np.argsort(rows["time"].to_numpy(), kind="stable")
    tid, at = np.unique(rows["tid"].to_numpy()[order], return_index=True)
    columns = (rows[name].to_numpy()[order[at]].astype(np.int64) for name in ("time", "stack"))
    time, stack = columns
    return tid.astype(np.int64), time, stack


def passes(parent: IntArray, hit: BoolArray, stack: IntArray) -> BoolArray:
    """Returns whether each stack (`stacks.id`, -1: none) has a node that is `hit`, shape (nodes,), itself or among its callers."""
    found, above = hit.copy(), parent.copy()
    while (above >= 0).any():  # twice as far up in each round
        there = above >= 0
        found[there] |= found[above[there]]
        above[there] = above[above[there]]
    return np.asarray(found[np.maximum(stack, 0)] & (stack >= 0)) if len(hit) else np.zeros(len(stack), dtype=bool)


def first_event(capture: DecodedCapture, tid: IntArray) -> IntArray:
    """Returns when each thread first took an item, parked, started or stopped within the capture: CLOCK_MONOTONIC ns; the greatest
    number for one that did nothing of these."""
    never = np.iinfo(np.int64).max
    found = np.full(len(tid), never)
    items, parked, workers = (capture.table(t) for t in ("work_items", "parked", "workers"))
    for who, when in (
        (items["worker_tid"], items["dequeue"]),
        (parked["tid"], parked["start"]),
        (workers["tid"], workers["start"]),
        (workers["tid"], workers["stop"]),
    ):
        # One right before the window is told where its stream began a little sooner: the item that followed it is not.
        known = when.to_numpy() >= capture.window[0]
        place = np.searchsorted(tid, who.to_numpy()[known])
        there = np.minimum(place, max(len(tid) - 1, 0))
        same = tid[there] == who.to_numpy()[known] if len(tid) else np.zeros(int(known.sum()), dtype=bool)
        np.minimum.at(found, there[same], when.to_numpy()[known][same])
    return found


def _where(capture: DecodedCapture, stack: IntArray) -> tuple[BoolArray, BoolArray]:
    """Returns whether each stack (`stacks.id`) has frames of an item below the dispatch loop, and whether it is a worker's."""
    stacks, frames = capture.table("stacks"), capture.table("frames")
    parent, frame = stacks["parent"].to_numpy().astype(np.int64), stacks["frame"].to_numpy()
    method = frames["method"].astype(object).fillna("").astype(str)
    loop = method.str.startswith(DISPATCH).to_numpy()[frame]
    own = method.str.startswith(BETWEEN_ITEMS).to_numpy()[frame]
    worker = method.str.startswith(WORKER).to_numpy()[frame]
    hit = (parent >= 0) & loop[np.maximum(parent, 0)] & ~own
    return passes(parent, hit, stack), passes(parent, worker, stack)
