"""Finds items that were already running when a late capture began: no event names them, but they held threads.

The capture shows their end when the worker takes its next item or parks. In a pool that stands still, the worker does
neither; there the first snapshots of the workers' stacks show which workers were inside an item. Without these items, a
pool that was full at the beginning would look idle, and the wait behind them like slow dispatch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items

DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
"""The runtime's loop that takes items and runs them: frames below it, towards the leaf, belong to an item."""
WORKER = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart"
BETWEEN_ITEMS = (
    "System.Threading.ThreadPoolWorkQueue.",
    "System.Threading.PortableThreadPool",
    "System.Threading.WorkStealingQueue",
    "System.Diagnostics.Tracing.",
)
"""Frames right below the loop that belong to it: it searches for the next item, or reports one."""


def standing_workers(capture: DecodedCapture) -> IntArray:
    """Returns the OS thread ids of the workers whose first snapshot shows them inside an item, before any event of
    theirs; empty without snapshots."""
    tid, inside, _ = _seen_standing(capture)
    return tid[inside]


def idle_workers(capture: DecodedCapture) -> IntArray:
    """Returns the OS thread ids of the workers whose first snapshot shows them in the pool's own code outside any item,
    before any event of theirs. Such a worker did not come from an item, whatever it took later. Empty without
    snapshots."""
    tid, inside, worker = _seen_standing(capture)
    return tid[worker & ~inside]


def _seen_standing(capture: DecodedCapture) -> tuple[IntArray, BoolArray, BoolArray]:
    """Returns the threads whose first snapshot came before any event of theirs, whether it shows them inside an item,
    and whether it shows them in the pool's code."""
    tid, seen, stack = first_stacks(capture)
    if len(tid) == 0:
        none = np.zeros(0, dtype=bool)
        return tid, none, none
    before = first_event(capture, tid) > seen
    inside, worker = _where(capture, stack[before])
    return tid[before], inside, worker


def first_stacks(capture: DecodedCapture) -> tuple[IntArray, IntArray, IntArray]:
    """Returns each thread of the snapshots, ascending, with the time (CLOCK_MONOTONIC ns) and the stack (`stacks.id`)
    of its first snapshot; empty without snapshots or stacks."""
    none = np.zeros(0, dtype=np.int64)
    if not capture.has("snapshots", "stacks", "frames"):
        return none, none, none
    rows = capture.table("snapshots")
    order = np.argsort(rows["time"].to_numpy(), kind="stable")
    tid, at = np.unique(rows["tid"].to_numpy()[order], return_index=True)
    columns = (rows[name].to_numpy()[order[at]].astype(np.int64) for name in ("time", "stack"))
    time, stack = columns
    return tid.astype(np.int64), time, stack


def passes(parent: IntArray, hit: BoolArray, stack: IntArray) -> BoolArray:
    """Returns whether each stack (`stacks.id`, -1: none) has a node that is `hit`, shape (nodes,), itself or among its
    callers."""
    found, above = hit.copy(), parent.copy()
    while (above >= 0).any():  # each pass doubles the distance
        there = above >= 0
        found[there] |= found[above[there]]
        above[there] = above[above[there]]
    return np.asarray(found[np.maximum(stack, 0)] & (stack >= 0)) if len(hit) else np.zeros(len(stack), dtype=bool)


def first_event(capture: DecodedCapture, tid: IntArray) -> IntArray:
    """Returns when each thread first took an item, parked, started or stopped within the capture: CLOCK_MONOTONIC ns;
    the greatest number for a thread that did none of these."""
    never = np.iinfo(np.int64).max
    found = np.full(len(tid), never)
    items, parked, workers = capture.table("work_items"), capture.table("parked"), capture.table("workers")
    for who, when in (
        (items["worker_tid"], items["dequeue"]),
        (parked["tid"], parked["start"]),
        (workers["tid"], workers["start"]),
        (workers["tid"], workers["stop"]),
    ):
        # A stream that began a little earlier shows an event right before the window, but not the item that followed
        # it.
        known = when.to_numpy() >= capture.window[0]
        place = np.searchsorted(tid, who.to_numpy()[known])
        there = np.minimum(place, max(len(tid) - 1, 0))
        same = tid[there] == who.to_numpy()[known] if len(tid) else np.zeros(int(known.sum()), dtype=bool)
        np.minimum.at(found, there[same], when.to_numpy()[known][same])
    return found


def _where(capture: DecodedCapture, stack: IntArray) -> tuple[BoolArray, BoolArray]:
    """Returns whether each stack (`stacks.id`) has frames of an item below the dispatch loop, and whether it is a
    worker's."""
    stacks, frames = capture.table("stacks"), capture.table("frames")
    parent, frame = stacks["parent"].to_numpy().astype(np.int64), stacks["frame"].to_numpy()
    method = frames["method"].astype(object).fillna("").astype(str)
    loop = method.str.startswith(DISPATCH).to_numpy()[frame]
    own = method.str.startswith(BETWEEN_ITEMS).to_numpy()[frame]
    worker = method.str.startswith(WORKER).to_numpy()[frame]
    hit = (parent >= 0) & loop[np.maximum(parent, 0)] & ~own
    return passes(parent, hit, stack), passes(parent, worker, stack)


PARKED_WAKE_NS = int(5 * NS_PER_MS)
"""A parked worker takes a fresh item within a few hundred us, 2.4 ms at worst when idle (facts of .NET 10 on Linux). An
item that had waited longer had no parked worker to take it, so its worker came from another item."""


@dataclass(frozen=True)
class Carried:
    """Workers that were busy from the start of the window up to `end` (ns from there), by thread."""

    worker: IntArray
    end: IntArray

    @property
    def start(self) -> IntArray:
        return np.zeros(len(self.end), dtype=np.int64)


def find_carried(capture: DecodedCapture, items: Items) -> Carried:
    """Finds the workers older than the capture that were inside an item when it began: a snapshot shows it, or their
    first item had waited. For a part of a recording they are known. Launched processes have none."""
    start, stop = capture.window
    told = capture.running_before
    known = Carried(told.worker, told.end - start)
    if capture.manifest["target"]["launched"]:
        return known
    worker = np.union1d(standing_workers(capture), _by_their_first_item(capture, items)).astype(np.int64)
    # The runtime's stream may begin before the window; items that it shows at the window's first moment need no
    # inference.
    named = items.worker[items.started & (items.dequeue == 0) & (items.end > 0)]
    worker = worker[~np.isin(worker, np.append(known.worker, named))]
    end = np.minimum(first_event(capture, worker), stop) - start
    return Carried(np.append(known.worker, worker[end > 0]), np.append(known.end, end[end > 0]))


def _by_their_first_item(capture: DecodedCapture, items: Items) -> IntArray:
    """Returns workers whose first item had already waited when they took it, and that had not been parked. A parked
    worker may take an item late, too: woken for a burst, it waits for a core."""
    started = np.flatnonzero(items.started)
    order = started[np.argsort(items.dequeue[started], kind="stable")]
    workers, first = np.unique(items.worker[order], return_index=True)
    taken = order[first]
    table = capture.table("workers").set_index("tid")["start"]
    old = table.reindex(workers).fillna(-1).to_numpy() < 0
    parked = capture.table("parked")
    parks = parked.groupby("tid")["start"].min().reindex(workers).to_numpy() - capture.window[0]
    came_from_park = parks < items.dequeue[taken]  # NaN: never parked
    waited = items.censored_start[taken] | (items.wait[taken] > PARKED_WAKE_NS)
    idle = np.isin(workers, idle_workers(capture))
    return np.asarray(workers[old & ~came_from_park & ~idle & waited], dtype=np.int64)
