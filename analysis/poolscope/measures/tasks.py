"""Tasks: synchronous waits for them inside items (Task.Wait, Result, GetAwaiter().GetResult()), and tasks with a thread
of their own (TaskCreationOptions.LongRunning), which are scheduled and started but never queued to the pool.

If no wait event shows how long a wait lasted, thread states do: on .NET 8, and for items that were already blocked when
a late capture began.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.lookup import latest, ordered
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items, last_begun
from poolscope.executions.running_at_attach import first_stacks, passes
from poolscope.executions.segments import BLOCKED


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


def find_task_waits(capture: DecodedCapture, items: Items) -> TaskWaits:
    """Ties each TaskWaitBegin, the announcement that the thread will block, to the thread's next wait event, which has
    the duration.

    If the task completes while the thread still spins, there is no wait event and no wait. The two events must be
    inside one item and before the thread's next TaskWaitBegin, so that no other wait is mistaken for this one.
    """
    start, stop = capture.window
    begun = capture.table("task_waits")
    begun = begun[begun["behavior"].to_numpy() == SYNCHRONOUS]
    waits = capture.table("waits")
    waits = waits[waits["kind"].to_numpy() != CONTENTION]
    length = stop - start
    tid = waits["tid"].to_numpy().astype(np.int64)
    begin = np.clip(waits["start"].to_numpy() - start, 0, length)
    ended = waits["end"].to_numpy()
    end = np.where(ended < 0, length, np.minimum(ended - start, length))
    order = ordered(tid, begin)
    tid, begin, end = tid[order], begin[order], end[order]
    item, in_item = last_begun(items, tid, begin)

    # The last announcement before each wait, if it is in the same item and does not belong to an earlier wait.
    announced = np.clip(begun["start"].to_numpy() - start, 0, length)
    row, told = latest(begun["tid"].to_numpy().astype(np.int64), announced, tid, begin)
    item, begin, end, row = (column[in_item & told] for column in (item, begin, end, row))
    end = np.minimum(end, items.end[item])
    first = np.append(True, row[1:] != row[:-1])[: len(row)]
    known = first & (announced[row] >= items.dequeue[item]) & (end > begin)
    return TaskWaits(item[known], begin[known], end[known])


def behind_task_waits(attribution: Attribution, waits: TaskWaits, standing: Steps) -> FloatArray:
    """Returns the share of the threads with an item that were in such a wait, as a mean over each item's wait, 0 to 1,
    shape (items,). `standing` counts further threads that had been in one since before the capture."""
    items, busy = attribution.items, attribution.pool.busy
    waiting = Steps.count(waits.start, waits.end).combine(standing, np.add)
    share = waiting.combine(busy, lambda w, n: np.where(n > 0, w / np.maximum(n, 1.0), 0.0))
    working = Steps(busy.time, (busy.value > 0).astype(np.float64))
    while_busy = working.integral(items.enqueue, items.dequeue)
    mean = share.integral(items.enqueue, items.dequeue) / np.maximum(while_busy, 1.0)
    return np.asarray(np.clip(mean, 0.0, 1.0))


NO_WAIT_EVENTS = "no-wait-handle-events"
"""An entry of the manifest's target.limits: the runtime has no WaitHandleWait events (.NET 8)."""
TASK_WAIT_FRAMES = (
    "System.Threading.Tasks.Task.InternalWait",
    "System.Threading.Tasks.Task.SpinThenBlockingWait",
    "System.Threading.Tasks.Task.Wait",
)


def blocked_after_announcement(
    capture: DecodedCapture, attribution: Attribution
) -> tuple[IntArray, IntArray, IntArray]:
    """Finds the waits that TaskWaitBegin announced and no event ends: item (index into Items), start and end (ns from
    the start of the window).

    Each lasts to the end of the longest blocked stretch before the item's next announcement or its end.
    """
    items, segments = attribution.items, attribution.segments
    begun = capture.table("task_waits")
    begun = begun[begun["behavior"].to_numpy() == SYNCHRONOUS]
    time = begun["start"].to_numpy() - capture.window[0]
    item = _item_at(attribution, begun["tid"].to_numpy().astype(np.int64), time)
    known = item >= 0
    item, time = item[known], time[known]
    order = ordered(item, time)
    item, time = item[order], time[order]
    blocked = np.flatnonzero((segments.state == BLOCKED) & (segments.item < items.count))
    owner, begin, end = segments.item[blocked], segments.start[blocked], segments.end[blocked]
    at, tied = latest(item, time, owner, begin)
    at, begin, end = at[tied], begin[tied], end[tied]
    longest = ordered(at, begin - end)
    waits, first = np.unique(at[longest], return_index=True)
    return item[waits], time[waits], end[longest][first]


def standing_in_task_waits(capture: DecodedCapture, attribution: Attribution) -> Steps:
    """Returns how many workers were in a wait for a task since before the capture began, as their first snapshots show;
    ns from the start of the window."""
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
    """Returns the item that each thread was running at each time (index into Items), -1 if none."""
    items = attribution.items
    if items.count == 0:
        return np.full(len(tid), -1, dtype=np.int64)
    found, known = last_begun(items, tid, np.maximum(time, 0))
    return np.asarray(np.where(known & (items.end[found] >= time), found, -1))


@dataclass(frozen=True)
class DedicatedTasks:
    """Tasks that a thread other than the scheduling one ran, and that were no work item."""

    count: int
    p99_start_ns: float
    """From TaskScheduled to TaskStarted: mostly the creation of the thread."""


def dedicated_tasks(capture: DecodedCapture) -> DedicatedTasks | None:
    """Measures how long tasks waited for threads of their own. Returns None without such tasks.

    Tasks that the scheduling thread itself ran do not count, because they waited for no thread.
    """
    if not capture.has("tasks"):
        return None
    tasks, items = capture.table("tasks"), capture.table("work_items")
    scheduled, started = tasks["scheduled"].to_numpy(), tasks["started"].to_numpy()
    queued = np.isin(tasks["task_id"].to_numpy(), items["task_id"].to_numpy())
    other = tasks["scheduled_tid"].to_numpy() != tasks["started_tid"].to_numpy()
    own = (scheduled >= 0) & (started >= 0) & other & ~queued
    if not own.any():
        return None
    return DedicatedTasks(int(own.sum()), float(np.quantile((started - scheduled)[own], 0.99)))
