"""Adds to the tables what no event says: states of threads before their first event, items that only counters show, and pool
workers without an event.

A thread whose first event is that it leaves a CPU was running, one that comes to a CPU without a wake-up was ready; since
when, no event shows, and the table says: since the recording began. Where a thread's birth was not reported (some tasks fire
no tracepoints, docs/event-semantics.md) it was born since, and the table has threads that run side by side for seconds on
cores on which others are seen.

A pool logs an enqueue only after some worker next takes an item, so a pool that stands still when we attach logs nothing.
Its counters still say how many items are queued. Every start is logged, so what a reading counts beyond the known items
was still queued at the end of the capture: its wait has a lower bound. The names that the runtime gives identify the workers of such a pool.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.capture.schema import enum, flag

NOTABLE_SHARE = 0.05
"""For the queue: the counters and the events are read at slightly different moments, so fewer items may be none."""
LEAST = 2


def with_counted(items: pd.DataFrame, counters: pd.DataFrame, window: tuple[int, int]) -> pd.DataFrame:
    """Returns `work_items` with a row for each item that only `pool_counters` counts. Its enqueue is -1 (before the
    capture), or the first reading that counts it: its wait is at least as long."""
    start, stop = window
    counters = counters[(counters["queue_length"] >= 0) & (counters["time"] <= stop)].sort_values("time")
    if counters.empty:
        return items
    time = np.maximum(counters["time"].to_numpy(), start)
    unseen = counters["queue_length"].to_numpy() - _queued_at(items, time)
    # What a later reading no longer counts was not in the queue to the end.
    lasting = np.maximum(np.minimum.accumulate(unseen[::-1])[::-1], 0)
    if lasting[-1] < max(LEAST, NOTABLE_SHARE * float(counters["queue_length"].iloc[-1])):
        return items
    came = np.diff(lasting, prepend=0)
    enqueue = np.repeat(np.where(time <= start, -1, time), came)
    more = pd.DataFrame({"enqueue": enqueue})
    for column in items.columns:
        if column != "enqueue":
            more[column] = -1
    for column in ("enqueue_known", "dequeue_known", "end_known", "kind"):
        more[column] = 0
    before = flag("work_items", "censored_start") * (enqueue < 0)
    more["flags"] = before | flag("work_items", "queued_at_end")
    more["id"] = np.arange(len(more)) + len(items)
    return pd.concat((items, more[items.columns].astype(items.dtypes.to_dict())), ignore_index=True)


def _queued_at(items: pd.DataFrame, time: IntArray) -> IntArray:
    """Returns how many known items were queued at each time; one whose enqueue is not known was so from the beginning."""
    enqueue = np.sort(items["enqueue"].to_numpy())
    dequeue = items["dequeue"].to_numpy()
    started = np.sort(dequeue[dequeue >= 0])
    queued = np.searchsorted(enqueue, time, side="right") - np.searchsorted(started, time, side="right")
    return np.asarray(queued, dtype=np.int64)


WORKER_NAME = ".NET TP Worker"
"""The kernel's name of a worker of the runtime's pool on Linux, .NET 8 and later."""


def with_named(workers: pd.DataFrame, threads: pd.DataFrame, pid: int) -> pd.DataFrame:
    """Returns `workers` with those threads of process `pid` that have the name of a worker but no event."""
    mine = (threads["pid"].to_numpy() == pid) & (threads["name"] == WORKER_NAME).to_numpy()
    mine &= ~np.isin(threads["tid"].to_numpy(), workers["tid"].to_numpy())
    if not mine.any():
        return workers
    found = threads[mine].drop_duplicates("tid", keep="last")
    more = pd.DataFrame({"tid": found["tid"], "start": found["start"], "stop": found["end"]})
    return pd.concat((workers, more.astype(workers.dtypes.to_dict())), ignore_index=True)


LONGEST_NS = 100 * NS_PER_MS
"""States that were assumed for less are left as they are: some time slices, or one period of a CPU quota, in which a
thread is really ready that was so when the recording began."""
RUNNING = enum("thread_states", "state", "running")
READY = enum("thread_states", "state", "ready")


def has_doubtful(states: pd.DataFrame) -> bool:
    """Returns whether a thread is said to have run, or to have been ready, for long since the recording began."""
    return bool(len(_doubtful(states)))


def without_impossible(states: pd.DataFrame, switches: pd.DataFrame) -> pd.DataFrame:
    """Returns `states` in which no long assumed state begins before the last switch before its end on the CPU that
    ended it: another thread came to that CPU then. Later records of the thread are not changed."""
    rows = _doubtful(states)
    if not len(rows):
        return states
    time, cpu = switches["time"].to_numpy(), switches["cpu"].to_numpy()
    left, came = switches["prev_tid"].to_numpy(), switches["next_tid"].to_numpy()
    switches_of = [np.flatnonzero(cpu == c) for c in np.unique(cpu)]
    start = states["start"].to_numpy().copy()
    end, tid, state = states["end"].to_numpy(), states["tid"].to_numpy(), states["state"].to_numpy()
    for row in rows:
        who = left if state[row] == RUNNING else came
        for own in switches_of:
            at = int(np.searchsorted(time[own], end[row]))
            if at < len(own) and time[own[at]] == end[row] and who[own[at]] == tid[row]:
                start[row] = max(start[row], time[own[at - 1]]) if at else start[row]
    # Not `assign`, which copies every column.
    return pd.DataFrame({name: start if name == "start" else states[name] for name in states}, copy=False)


def _doubtful(states: pd.DataFrame) -> IntArray:
    if states.empty:
        return np.empty(0, dtype=np.int64)
    start, state = states["start"].to_numpy(), states["state"].to_numpy()
    first = start == start.min()
    first &= np.isin(state, (RUNNING, READY)) & (states["end"].to_numpy() - start > LONGEST_NS)
    return np.flatnonzero(first)
