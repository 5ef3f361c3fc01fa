"""Who queued each item and who ended each blocked stretch of an execution: which item, at which point."""

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
"""An item's end may be corrected to before its last wake-up (docs/event-semantics.md: the spin before a park), and its
thread may lose its core between. Up to its next dequeue a worker wakes only what its last item left to wake."""

PRINTED = "perf-script"
"""The `format` of such a text in `made_from` of capture.json."""

UNKNOWN = -2
OUTSIDE = -1


@dataclass(frozen=True)
class Wakers:
    """For each segment, meaningful for blocked ones; shape (segments,)."""

    execution: IntArray
    """Index into Executions of the execution that ended it; OUTSIDE: a thread without an item, the kernel, a timer;
    UNKNOWN: no event shows."""
    time: IntArray
    """When, ns from the start of the window: within that execution."""

    @property
    def inside(self) -> BoolArray:
        return self.execution >= 0


def find_wakers(capture: DecodedCapture, executions: Executions, segments: Segments) -> Wakers:
    """Returns who ended each blocked segment. A blocked state ends at the event that made its thread runnable, so the times
    are equal."""
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
    """Returns whether the stream distinguishes a wake-up by an interrupt from one by the interrupted thread. The text that `perf script` prints
    names that thread for both (docs/other-tools.md)."""
    made_from = capture.manifest.get("made_from")
    return not any(source["format"] == PRINTED for source in (made_from if isinstance(made_from, list) else []))


def running_item(executions: Executions, tid: IntArray, time: IntArray, grace: int = 0) -> IntArray:
    """Returns the execution that each thread was in at each time, or had ended at most `grace` ns before; OUTSIDE: none.

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
"""The runtime's epoll thread on Linux. Up to .NET 10 it queues the socket engine: one object that stands for all events that
come until a worker takes it."""
COMPLETIONS_THREADS = (".NET ThreadPool IO", ".NET TP I/O")
"""The runtime's thread that takes completed I/O from Windows, by its name in .NET 8 to 10 and in later ones (IOCompletionPoller
in dotnet/runtime). What it queues is one object too, a ThreadPoolTypedWorkItemQueue, for all that completes until a worker
takes it."""
ENGINE_THREADS = (SOCKETS_THREAD, *COMPLETIONS_THREADS)
IO_THREADS = (*ENGINE_THREADS, ".NET Timer")
"""Threads of the runtime that queue an item because something is over that an item began: a request, a delay."""


@dataclass(frozen=True)
class Arrivals:
    """Per item, shape (items,)."""

    parent: IntArray
    """Index into Executions of the execution that queued it; OUTSIDE: a thread without an item, or not seen."""
    completion: BoolArray
    """Queued by a thread of IO_THREADS."""
    by_sockets: BoolArray
    """Queued by one of ENGINE_THREADS."""
    by_thread: BoolArray
    """Queued by a thread of the target that is neither a worker of the pool nor one of IO_THREADS."""


def find_arrivals(capture: DecodedCapture, items: Items, executions: Executions) -> Arrivals:
    """Finds which item queued each one: by the thread that queued it and the time, inside the execution of that worker.
    An item that ran inside another one (inlined) queues in the other's name. Arrivals before the capture have no cause
    that it could show."""
    table = capture.table("work_items")
    row = items.row
    tid = table["enqueue_tid"].to_numpy().astype(np.int64)[row]
    parent = running_item(executions, tid, items.enqueue)
    # Where one item follows another at the very time of the enqueue, the decoder saw the order of events.
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
