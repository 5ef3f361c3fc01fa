"""Finds the item that queued each item and the item that ended each blocked stretch, and the point in its execution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import BLOCKED, Executions, Segments, ended_by


GRACE_NS = int(5 * NS_PER_MS)
"""The time after its end in which an execution still counts as the cause. An item's end may be corrected to before its
last wake-up (docs/event-semantics.md: the spin before a park), and its thread may lose its core in between. Until its
next dequeue, a worker only wakes threads that its last item left to wake."""

PRINTED = "perf-script"
"""The `format` of text from `perf script` in `made_from` of capture.json."""

UNKNOWN = -2
OUTSIDE = -1


@dataclass(frozen=True)
class Wakers:
    """The execution that ended each segment, shape (segments,); only blocked segments have a meaningful value."""

    execution: IntArray
    """Index into Executions of the execution that ended the segment; OUTSIDE: a thread without an item, the kernel, a
    timer; UNKNOWN: no event shows."""
    time: IntArray
    """When it ended the segment, ns from the start of the window; within that execution."""

    @property
    def inside(self) -> BoolArray:
        return self.execution >= 0


def find_wakers(capture: DecodedCapture, executions: Executions, segments: Segments) -> Wakers:
    """Returns the execution that ended each blocked segment. A blocked state ends at the event that made its thread
    runnable, so the times are equal."""
    count = len(segments.item)
    who = np.full(count, UNKNOWN, dtype=np.int64)
    if count == 0 or not capture.has("wakeups"):
        return Wakers(who, segments.end)
    blocked = np.flatnonzero(segments.state == BLOCKED)
    end = segments.end[blocked]
    tid, known = ended_by(capture, executions.worker[segments.item[blocked]], end)
    if not known.any():
        return Wakers(who, segments.end)
    who[blocked] = np.where(known, running_item(executions, tid, end, GRACE_NS), UNKNOWN)
    who[who == segments.item] = OUTSIDE
    inside = np.maximum(who, 0)
    return Wakers(who, np.where(who >= 0, np.minimum(segments.end, executions.end[inside]), segments.end))


def interrupts_are_told(capture: DecodedCapture) -> bool:
    """Returns whether the stream distinguishes a wake-up by an interrupt from a wake-up by the interrupted thread. The
    text that `perf script` prints names that thread for both (docs/other-tools.md)."""
    made_from = capture.manifest.get("made_from")
    return not any(source["format"] == PRINTED for source in (made_from if isinstance(made_from, list) else []))


def running_item(executions: Executions, tid: IntArray, time: IntArray, grace: int = 0) -> IntArray:
    """Returns the execution that each thread was in at each time, or that had ended at most `grace` ns before; OUTSIDE:
    none.

    If one execution begins at exactly that time, the event belongs to the one before it, unless that ended more than
    `grace` ns earlier.
    """
    found = np.full(len(tid), OUTSIDE, dtype=np.int64)
    if executions.count == 0:
        return found
    order, worker, start = executions.by_worker
    for earlier in (1, 0):
        rest = np.flatnonzero((found == OUTSIDE) & (tid >= 0))
        at, same = latest(worker, start, tid[rest], time[rest] - earlier)
        at = order[at]
        inside = same & (time[rest] <= executions.end[at] + grace)
        found[rest[inside]] = at[inside]
    return found


SOCKETS_THREAD = ".NET Sockets"
"""The runtime's epoll thread on Linux. Up to .NET 10 it queues the socket engine: one object for all events that arrive
until a worker takes it."""
COMPLETIONS_THREADS = (".NET ThreadPool IO", ".NET TP I/O")
"""The runtime's thread that receives completed I/O from Windows, by its name in .NET 8 to 10 and in later versions
(IOCompletionPoller in dotnet/runtime). It also queues a single object, a ThreadPoolTypedWorkItemQueue, for all I/O that
completes until a worker takes it."""
ENGINE_THREADS = (SOCKETS_THREAD, *COMPLETIONS_THREADS)
IO_THREADS = (*ENGINE_THREADS, ".NET Timer")
"""Threads of the runtime that queue an item when something ends that an item began: a request, a delay."""


@dataclass(frozen=True)
class Arrivals:
    """The origin of each item, shape (items,)."""

    parent: IntArray
    """Index into Executions of the execution that queued the item; OUTSIDE: a thread without an item, or not seen."""
    completion: BoolArray
    """Whether a thread of IO_THREADS queued it."""
    by_sockets: BoolArray
    """Whether one of ENGINE_THREADS queued it."""
    by_thread: BoolArray
    """Whether a thread of the target queued it that is neither a worker of the pool nor one of IO_THREADS."""


def find_arrivals(capture: DecodedCapture, items: Items, executions: Executions) -> Arrivals:
    """Finds the item that queued each item, by the enqueuing thread and the time: the execution that the worker was in.
    An item that ran inside another one (inlined) queues in the other's name. Arrivals before the capture have no
    visible cause."""
    table = capture.table("work_items")
    row = items.row
    tid = table["enqueue_tid"].to_numpy().astype(np.int64)[row]
    parent = running_item(executions, tid, items.enqueue)
    # If one item follows another at the exact time of the enqueue, the decoder saw the order of events.
    by_event = items.index_of(table["parent"].to_numpy()[row])
    fits = (by_event >= 0) & (executions.start[by_event] <= items.enqueue) & (executions.end[by_event] >= items.enqueue)
    parent = np.where(fits, by_event, parent)
    parent[items.censored_start | (parent == np.arange(items.count))] = OUTSIDE
    threads = capture.table("threads")
    names = pd.Series(threads["name"].astype(object))
    io = threads["tid"].to_numpy()[names.isin(IO_THREADS).to_numpy()]
    completion = np.isin(tid, io) & (parent == OUTSIDE) & ~items.censored_start
    sockets = threads["tid"].to_numpy()[names.isin(ENGINE_THREADS).to_numpy()]
    own = (tid > 0) & (parent == OUTSIDE) & ~items.censored_start & ~completion & ~np.isin(tid, items.worker)
    return Arrivals(parent, np.asarray(completion), np.asarray(completion & np.isin(tid, sockets)), np.asarray(own))
