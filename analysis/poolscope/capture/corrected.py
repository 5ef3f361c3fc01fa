"""Adds facts to the tables that no event shows: states of threads before their first event, items that only counters
show, and pool workers without an event.

A thread whose first event is that it leaves a CPU was running before. A thread that comes to a CPU without a wake-up
was ready. No event shows the begin of either state, and the table has the begin of the recording. If the kernel did not
report a thread's birth (some tasks fire no tracepoints, docs/event-semantics.md), the thread was born later than that.
The table then has threads that run side by side for seconds on cores that other threads use.

A pool logs an enqueue only after some worker next takes an item, so a pool that stands still when the recording begins
logs nothing. Its counters still show the number of queued items. The runtime logs every start, so items that a reading
counts beyond the known ones were still queued at the end of the capture: their wait has a lower bound. The runtime's
thread names identify the workers of such a pool.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.searches import rows_before
from poolscope.base.units import NS_PER_MS
from poolscope.capture.schema import enum, flag

NOTABLE_SHARE = 0.05
"""The least share of the queue. Poolscope reads the counters and the events at slightly different moments, so a smaller
difference may mean no item at all."""
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
    # Items that a later reading no longer counts were not queued to the end.
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
    """Returns how many known items were queued at each time. An item with an unknown enqueue counts from the
    beginning."""
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
"""Assumed states up to this length stay unchanged. It covers some time slices, or one period of a CPU quota, during
which a thread may really be ready from the begin of the recording."""
RUNNING = enum("thread_states", "state", "running")
READY = enum("thread_states", "state", "ready")


def without_impossible(states: pd.DataFrame, doubtful: IntArray, switches: pd.DataFrame) -> pd.DataFrame:
    """Returns `states` without impossible begins, with `doubtful` from `doubtful_rows`. A long assumed state ends at a
    switch on some CPU, and begins no earlier than the previous switch on that CPU, at which another thread came to it.
    Later records of the thread are not changed."""
    time, cpu = switches["time"].to_numpy(), switches["cpu"].to_numpy()
    left, came = switches["prev_tid"].to_numpy(), switches["next_tid"].to_numpy()
    begin, end, tid, state = (states[name].to_numpy()[doubtful] for name in ("start", "end", "tid", "state"))
    low, high = rows_before(time, end), rows_before(time, end, side="right")
    for k, (whose, is_in, first, last) in enumerate(zip(tid, state, low, high)):
        who = left if is_in == RUNNING else came
        for at in first + np.flatnonzero(who[first:last] == whose):
            before = _last_before(cpu, at)
            # The first switch on its CPU at that time.
            if before >= 0 and time[before] < time[at]:
                begin[k] = max(begin[k], time[before])
    start = states["start"].to_numpy()
    if np.array_equal(begin, start[doubtful]):
        return states
    start = start.copy()
    start[doubtful] = begin
    # `assign` would copy every column.
    return pd.DataFrame({name: start if name == "start" else states[name] for name in states}, copy=False)


NEAR = 1_024
"""The rows to search first: the previous switch on a CPU is mostly among the last few."""


def _last_before(values: AnyArray, at: int) -> int:
    """Returns the last row before `at` with the same value; -1 if there is none."""
    end, room = at, NEAR
    while end > 0:
        begin = max(end - room, 0)
        same = np.flatnonzero(values[begin:end] == values[at])
        if len(same):
            return begin + int(same[-1])
        end, room = begin, 2 * room
    return -1


def doubtful_rows(states: pd.DataFrame) -> IntArray:
    """Returns the rows of threads that ran, or were ready, for long from the begin of the recording."""
    if states.empty:
        return np.empty(0, dtype=np.int64)
    start, end, state = (states[name].to_numpy() for name in ("start", "end", "state"))
    first = np.flatnonzero(start == start.min())
    long = end[first] - start[first] > LONGEST_NS
    return np.asarray(first[long & np.isin(state[first], (RUNNING, READY))])
