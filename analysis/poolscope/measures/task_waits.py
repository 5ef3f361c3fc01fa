"""Synchronous waits for tasks inside items: Task.Wait, Result, GetAwaiter().GetResult()."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.capture import Capture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items

SYNCHRONOUS = enum("task_waits", "behavior", "synchronous")
CONTENTION = enum("waits", "kind", "contention")


@dataclass(frozen=True)
class TaskWaits:
    """Intervals in which items were blocked in such a wait, ns from the start of the window."""

    item: IntArray
    """Shape (waits,): index into Items."""
    start: IntArray
    end: IntArray

    @property
    def total(self) -> int:
        return int((self.end - self.start).sum())

    @property
    def at_once(self) -> int:
        """The most items that waited at one time."""
        return int(Steps.count(self.start, self.end).value.max()) if len(self.item) else 0


def find_task_waits(capture: Capture, items: Items) -> TaskWaits:
    """Ties TaskWaitBegin, which says that the thread will block, to the thread's next wait event, which says for how
    long.

    A wait for a task that completes while the thread still spins has no wait event: it is none. Tied only inside one
    item and before the thread's next TaskWaitBegin, so that no other wait is taken for it.
    """
    start, stop = capture.window
    begun = capture.table("task_waits")
    begun = begun[begun["behavior"].to_numpy() == SYNCHRONOUS]
    waits = capture.table("waits")
    waits = waits[waits["kind"].to_numpy() != CONTENTION]
    order = np.lexsort((items.dequeue, items.worker))
    order = order[items.started[order]]
    threads = np.unique(items.worker[order])
    span = np.int64(stop - start + 1)

    def key(tid: IntArray, time: IntArray) -> IntArray:
        return np.asarray(np.searchsorted(threads, tid) * span + np.clip(time, 0, span - 1))

    def on_worker(tid: IntArray) -> IntArray:
        return np.flatnonzero(np.isin(tid, threads))

    tid = begun["tid"].to_numpy().astype(np.int64)
    chosen = on_worker(tid)
    announced = np.sort(key(tid[chosen], begun["start"].to_numpy()[chosen] - start))
    wait_tid = waits["tid"].to_numpy().astype(np.int64)
    rows = on_worker(wait_tid)
    begin = np.clip(waits["start"].to_numpy()[rows] - start, 0, stop - start)
    ended = waits["end"].to_numpy()[rows]
    end = np.where(ended < 0, stop - start, np.minimum(ended - start, stop - start))
    wait_key = key(wait_tid[rows], begin)
    by_key = np.argsort(wait_key, kind="stable")
    wait_key, begin, end, wait_tid = wait_key[by_key], begin[by_key], end[by_key], wait_tid[rows][by_key]

    # The last announcement before each wait, if it is this thread's, in the same item, and not an earlier wait's.
    last = np.searchsorted(announced, wait_key, side="right") - 1
    item_key = key(items.worker[order], items.dequeue[order])
    place = np.searchsorted(item_key, wait_key, side="right") - 1
    item = order[np.maximum(place, 0)] if len(order) else np.zeros(len(place), dtype=np.int64)
    known = (last >= 0) & (place >= 0)
    if len(announced) and len(order):
        known &= announced[np.maximum(last, 0)] >= item_key[np.maximum(place, 0)]
    known &= np.append(True, last[1:] != last[:-1])
    if len(order):
        end = np.minimum(end, items.end[item])
        known &= items.worker[item] == wait_tid
    known &= end > begin
    return TaskWaits(item[known], begin[known], end[known])


def behind_task_waits(attribution: Attribution, waits: TaskWaits, standing: Steps) -> FloatArray:
    """Share of the threads with an item that were in such a wait, as a mean over each item's wait, 0 ... 1, shape
    (items,). `standing`: how many more had been since before the capture."""
    items, busy = attribution.items, attribution.pool.busy
    waiting = Steps.count(waits.start, waits.end).combine(standing, np.add)
    share = waiting.combine(busy, lambda w, n: np.where(n > 0, w / np.maximum(n, 1.0), 0.0))
    working = Steps(busy.time, (busy.value > 0).astype(np.float64))
    while_busy = working.integral(items.enqueue, items.dequeue)
    mean = share.integral(items.enqueue, items.dequeue) / np.maximum(while_busy, 1.0)
    return np.asarray(np.clip(mean, 0.0, 1.0))
