"""Which items were queued by which item, at which point of its execution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.causes.wakers import OUTSIDE, running_item
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions

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
