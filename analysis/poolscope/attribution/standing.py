"""Workers that were inside an item when a late capture began, told by the first snapshots of their stacks.

No event names such an item before it ends, and in a pool that stands still it never does.
"""

from __future__ import annotations

import numpy as np

from poolscope.arrays import BoolArray, IntArray
from poolscope.capture import Capture

DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
"""The runtime's loop that takes items and runs them: frames below it, towards the leaf, are an item's."""
BETWEEN_ITEMS = (
    "System.Threading.ThreadPoolWorkQueue.",
    "System.Threading.PortableThreadPool",
    "System.Threading.WorkStealingQueue",
    "System.Diagnostics.Tracing.",
)
"""Frames right below the loop that belong to it: it looks for the next item, or reports one."""


def standing_workers(capture: Capture) -> IntArray:
    """OS thread ids of the workers whose first snapshot shows them inside an item, before any event of theirs; none
    without snapshots."""
    nobody = np.zeros(0, dtype=np.int64)
    if not all(capture.has(table) for table in ("snapshots", "stacks", "frames")):
        return nobody
    rows = capture.table("snapshots")
    if rows.empty:
        return nobody
    order = np.argsort(rows["time"].to_numpy(), kind="stable")
    tid, at = np.unique(rows["tid"].to_numpy()[order], return_index=True)
    seen, stack = rows["time"].to_numpy()[order[at]], rows["stack"].to_numpy()[order[at]].astype(np.int64)
    before = first_event(capture, tid) > seen
    return np.asarray(tid[before & _inside_item(capture, stack)], dtype=np.int64)


def first_event(capture: Capture, tid: IntArray) -> IntArray:
    """When each thread first took an item, parked, started or stopped within the capture: CLOCK_MONOTONIC ns; the greatest
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


def _inside_item(capture: Capture, stack: IntArray) -> BoolArray:
    """Whether each stack (`stacks.id`) has frames of an item below the dispatch loop."""
    stacks, frames = capture.table("stacks"), capture.table("frames")
    parent, frame = stacks["parent"].to_numpy().astype(np.int64), stacks["frame"].to_numpy()
    method = frames["method"].astype(object).fillna("").astype(str)
    loop = method.str.startswith(DISPATCH).to_numpy()[frame]
    own = method.str.startswith(BETWEEN_ITEMS).to_numpy()[frame]
    # Parents come before their children, so one pass over the tree's levels decides every node.
    inside = np.zeros(len(parent), dtype=bool)
    for node in range(len(parent)):  # nodes of one tree: some thousands, never one per item
        above = parent[node]
        inside[node] = above >= 0 and (inside[above] or (loop[above] and not own[node]))
    return np.asarray(inside[np.maximum(stack, 0)] & (stack >= 0))
