"""Finds the blocked stretches that another item ended, and the point in that item's execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.lock_events import CONTENTION, COVERED
from poolscope.attribution.causes.origins import GRACE_NS, OUTSIDE, UNKNOWN, interrupts_are_told, running_item
from poolscope.attribution.causes.origins import Arrivals, Wakers
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import ends, latest, ordered
from poolscope.base.searches import rows_before
from poolscope.base.units import NS_PER_MS, NS_PER_US
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items
from poolscope.executions.segments import BLOCKED, READY, Executions, Segments

SYNCHRONOUS = enum("task_waits", "behavior", "synchronous")
LEAST_UNTOLD_NS = int(50 * NS_PER_MS)
"""A shorter stretch without a runtime event is not a wait of the code. The runtime itself blocks there (the
compiler's locks, type initialisers, the event buffers), and a changed order would not repeat it. When 60 threads
leave their waits at once on two cores, such locks hold threads for up to 12 ms. As an edge, the stretch would make
an item wait for the end of another one in worlds in which they never meet. Without the edge, the stretch keeps its
duration, which is short."""
INSTANT_NS = int(NS_PER_MS)
"""A thread may be held up this long on its way out of any wait, however short the wait was."""
LEAVING = 0.1
"""A woken thread may block again on its way out of the wait, because of any other thread: for microseconds, or for
some ms when many threads leave at once. A block of less than this share of the time waited so far is not a wait of
the code."""
HANDOVER_NS = int(200 * NS_PER_US)
"""The most own demand between being woken and waking the next execution with which an execution only hands a wake-up
on. The last arriver at a barrier wakes one thread, which wakes the next, a few us each. The holder of a semaphore does
some work in between."""
LONGEST_CHAIN = 64
"""The most steps for which a chain of arrivals is followed back."""

BY_WAKEUP, BY_TASK = 0, 1


@dataclass(frozen=True)
class Awaited:
    """Blocked stretches that another execution ended, shape (stretches,)."""

    segment: IntArray
    cause: IntArray
    """Index into Executions."""
    time: IntArray
    """When the cause reached that point, ns from the start of the window; within its execution."""
    task: BoolArray
    """Whether the stretch is a synchronous wait for a task."""
    known: IntArray
    """BY_WAKEUP or BY_TASK."""
    completion: IntArray
    """The item that came from outside when something ended that the waiting item had begun, and that the end of this
    wait depends on; -1: none."""

    def where(self, chosen: BoolArray) -> Awaited:
        return Awaited(*(column[chosen] for column in vars(self).values()))

    def and_these(self, others: Awaited) -> Awaited:
        columns = zip(vars(self).values(), vars(others).values(), strict=True)
        return Awaited(*(np.concatenate(pair) for pair in columns))


@dataclass(frozen=True)
class Told:
    """The runtime's own events about each segment."""

    waited: BoolArray
    """Shape (segments,): whether a wait event covers the segment."""
    task: AnyArray
    """int32, shape (segments,): the task that the segment waits for synchronously; -1: none."""
    leaving: BoolArray
    """Shape (segments,): whether the segment only held the thread up on its way out of a wait."""
    blocked: IntArray
    """The blocked segments, in ascending order."""
    since_of: IntArray
    """Shape (blocked,), as `handle_of`: when the wait began, if a wait event covers the segment; otherwise the start of
    the segment."""
    handle_of: IntArray
    """The object that a wait event says the segment waits for; -1: no event says."""

    def since(self, segment: IntArray) -> IntArray:
        """Returns `since_of` these blocked segments."""
        return self.since_of[rows_before(self.blocked, segment)]

    def handle(self, segment: IntArray) -> IntArray:
        """Returns `handle_of` these blocked segments."""
        return self.handle_of[rows_before(self.blocked, segment)]


def told_by_events(capture: DecodedCapture, executions: Executions, segments: Segments) -> Told:
    """Ties the runtime's wait events to segments. A wait event covers a blocked stretch if it covers most of it. The
    event of a synchronous wait for a task comes right before the wait."""
    base, stop = capture.window
    blocked = np.flatnonzero(segments.state == BLOCKED)
    tid, begin, end = executions.worker[segments.item[blocked]], segments.start[blocked], segments.end[blocked]
    waited = np.zeros(len(blocked), dtype=bool)
    since = begin.copy()
    handle = np.full(len(blocked), -1, dtype=np.int64)
    leaving = np.zeros(len(blocked), dtype=bool)
    before = np.zeros(len(blocked), dtype=np.int64)  # when the thread's previous wait began
    has_waits = capture.has("waits") and not capture.table("waits").empty
    if has_waits:
        table = capture.table("waits")
        # Column by column: pandas would first copy the whole table.
        rows = np.flatnonzero(
            (table["kind"].to_numpy() != CONTENTION) & np.isin(table["tid"].to_numpy(), np.unique(tid))
        )
        wait_tid, started = table["tid"].to_numpy()[rows].astype(np.int64), table["start"].to_numpy()[rows] - base
        order = ordered(wait_tid, started)
        wait_tid, started, rows = wait_tid[order], started[order], rows[order]
        ended = table["end"].to_numpy()[rows]
        ended = np.where(ended < 0, stop, ended) - base
        at, same = latest(wait_tid, started, tid, (begin + end) // 2)
        if len(started):
            inside = np.minimum(ended[at], end) - np.maximum(started[at], begin)
            waited = same & (inside >= COVERED * (end - begin))
            again = _ended_before(segments, blocked) > started[at]
            held_up = np.maximum(LEAVING * (begin - started[at]), INSTANT_NS)
            leaving = waited & again & (end - begin < held_up)
            waited &= ~leaving
            since = np.where(waited, np.minimum(started[at], begin), since)
            handle = np.where(waited, table["object"].to_numpy()[rows[at]].astype(np.int64), handle)
            previous = np.maximum(at - 1, 0)
            follows = waited & (at > 0) & (wait_tid[previous] == tid)
            before = np.where(follows, started[previous], before)
    task = np.full(len(blocked), -1, dtype=np.int64)
    if capture.has("task_waits"):
        said = capture.table("task_waits")
        said = said[said["behavior"].to_numpy() == SYNCHRONOUS]
        said_at = said["start"].to_numpy() - base
        at, same = latest(said["tid"].to_numpy().astype(np.int64), said_at, tid, since)
        if len(said):
            own = same & (said_at[at] >= executions.start[segments.item[blocked]]) & (said_at[at] >= before)
            # .NET 8 has no wait events: the thread's next block after this event is the wait.
            own &= waited if has_waits else _ended_before(segments, blocked) <= said_at[at]
            task = np.where(own, said["task_id"].to_numpy().astype(np.int64)[at], task)
    count = len(segments.item)
    told = Told(
        waited=np.zeros(count, dtype=bool),
        task=np.full(count, -1, dtype=np.int32),
        leaving=np.zeros(count, dtype=bool),
        blocked=blocked,
        since_of=since,
        handle_of=handle,
    )
    told.waited[blocked], told.task[blocked], told.leaving[blocked] = waited, task, leaving
    return told


def _ended_before(segments: Segments, blocked: IntArray) -> IntArray:
    """Returns when the previous blocked stretch of the same item ended; -1: no such stretch."""
    item, end = segments.item[blocked], segments.end[blocked]
    result = np.full(len(blocked), -1, dtype=np.int64)
    result[1:] = np.where(item[1:] == item[:-1], end[:-1], -1)
    return result


def find_awaited(
    capture: DecodedCapture,
    items: Items,
    executions: Executions,
    segments: Segments,
    wakers: Wakers,
    told: Told,
    arrivals: Arrivals,
    candidates: BoolArray,
) -> Awaited:
    """Finds the item that ended each wait. `candidates` are segments that neither a suspension nor a lock's replay
    explains."""
    chosen = candidates & (segments.state == BLOCKED)
    worth = told.waited | (told.task >= 0)
    if interrupts_are_told(capture):
        worth = worth | ((segments.duration >= LEAST_UNTOLD_NS) & ~told.leaving)
    by_wakeup = np.flatnonzero(chosen & wakers.inside & worth)
    segment, cause, time = by_wakeup, wakers.execution[by_wakeup], wakers.time[by_wakeup]
    cause, time = _before_handovers(executions, segments, told, segment, cause, time)
    found = Awaited(
        segment=segment,
        cause=cause,
        time=time,
        task=told.task[segment] >= 0,
        known=np.full(len(segment), BY_WAKEUP, dtype=np.int64),
        completion=np.full(len(segment), -1, dtype=np.int64),
    )
    by_task = _by_task_events(capture, executions, segments, told, chosen & (wakers.execution == UNKNOWN))
    both = found.and_these(by_task)
    completion = completions(items, segments, told, arrivals, both, both.cause)
    return Awaited(both.segment, both.cause, both.time, both.task, both.known, completion)


def _by_task_events(
    capture: DecodedCapture, executions: Executions, segments: Segments, told: Told, chosen: BoolArray
) -> Awaited:
    """Finds causes without wake-ups: the end of the awaited task, inside the execution of the worker that ran it."""
    nothing = np.zeros(0, dtype=np.int64)
    none = Awaited(nothing, nothing, nothing, nothing.astype(bool), nothing, nothing)
    segment = np.flatnonzero(chosen & (told.task >= 0))
    if len(segment) == 0 or not capture.has("tasks") or capture.table("tasks").empty:
        return none
    base = capture.window[0]
    tasks = capture.table("tasks")
    tasks = tasks[(tasks["completed"].to_numpy() >= 0) & (tasks["started_tid"].to_numpy() >= 0)]
    tasks = tasks.drop_duplicates("task_id", keep="last").sort_values("task_id")
    ids = tasks["task_id"].to_numpy().astype(np.int64)
    if len(ids) == 0:
        return none
    at = np.minimum(np.searchsorted(ids, told.task[segment]), len(ids) - 1)
    completed = tasks["completed"].to_numpy()[at] - base
    cause = running_item(executions, tasks["started_tid"].to_numpy().astype(np.int64)[at], completed, GRACE_NS)
    # The task must have ended within the stretch; otherwise its end did not end the stretch.
    fits = (ids[at] == told.task[segment]) & (cause >= 0) & (cause != segments.item[segment])
    fits &= (completed > segments.start[segment]) & (completed <= segments.end[segment] + GRACE_NS)
    segment, cause, completed = segment[fits], cause[fits], completed[fits]
    time = np.clip(completed, executions.start[cause], executions.end[cause])
    count = len(segment)
    return Awaited(
        segment, cause, time, np.ones(count, bool), np.full(count, BY_TASK), np.full(count, -1, dtype=np.int64)
    )


def _before_handovers(
    executions: Executions, segments: Segments, told: Told, segment: IntArray, cause: IntArray, time: IntArray
) -> tuple[IntArray, IntArray]:
    """Follows wake-ups that executions only handed on, back to the execution that began them.

    In another world the executions between may come late, or never, and a thread that waits for the barrier does not
    wait for them. A hand-over is a wake-up by an execution that was itself woken from a wait for the same object while
    this one was already waiting, and that did next to nothing in between.
    """
    count = len(segment)
    if count == 0:
        return cause, time
    woken = segments.end[segment]
    # The last wake-up that the cause received before the one it gave.
    at, same = latest(segments.item[segment], woken, cause, time - 1)
    own = _own_demand(segments)
    spent = own(cause, time) - own(segments.item[segment[at]], woken[at])
    handle = told.handle(segment)
    handed = same & (spent <= HANDOVER_NS) & (handle >= 0) & (handle == handle[at])
    handed &= woken[at] > segments.start[segment]
    origin = ends(np.where(handed, at, np.arange(count)))
    return cause[origin], time[origin]


def _own_demand(segments: Segments) -> Callable[[IntArray, IntArray], IntArray]:
    """Returns a function (execution, time) -> the time in ns that all executions up to this one had run or been blocked
    by then. The difference between two moments of one execution is its own time."""
    own = segments.state != READY
    spent = np.where(own, segments.duration, 0)
    before = np.cumsum(spent) - spent

    def until(execution: IntArray, time: IntArray) -> IntArray:
        at, _ = latest(segments.item, segments.start, execution, time)
        inside = np.where(own[at], np.clip(time - segments.start[at], 0, segments.duration[at]), 0)
        return np.asarray(before[at] + inside)

    return until


def completions(
    items: Items,
    segments: Segments,
    told: Told,
    arrivals: Arrivals,
    awaited: Awaited,
    cause: IntArray,
    up_to: BoolArray | None = None,
) -> IntArray:
    """Returns the item from outside that the end of each wait goes back to, if a thread of IO_THREADS queued it during
    the wait: for a response, or for a delay that ended. The wait up to that item keeps its duration.

    `cause`: the execution to go back from, for each row of `awaited`. `up_to`, per item: the search stops at this item,
    no matter which thread queued it; None: at no such item.
    """
    result = np.full(len(awaited.segment), -1, dtype=np.int64)
    root = cause.copy()
    since = told.since(awaited.segment)
    open_ = np.flatnonzero(root < items.count)
    for _ in range(LONGEST_CHAIN):
        # Go back along the arrivals while they lie within the wait.
        late = items.enqueue[root[open_]] > since[open_]
        open_ = open_[late]
        if len(open_) == 0:
            return result
        if up_to is not None:
            there = up_to[root[open_]]
            result[open_[there]] = root[open_[there]]
            open_ = open_[~there]
        parent = arrivals.parent[root[open_]]
        outside = parent == OUTSIDE
        ends = open_[outside]
        is_completion = arrivals.completion[root[ends]]
        result[ends[is_completion]] = root[ends[is_completion]]
        open_, parent = open_[~outside], parent[~outside]
        root[open_] = parent
        open_ = open_[root[open_] < items.count]
    return result
