"""Executions as measured: each item's time on its worker, cut along the worker's scheduler states, and the thread that
ended a blocked stretch. In a lesser kernel tier, also the bounds of each part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import Runs, latest, ordered
from poolscope.base.searches import cut, rows_before
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items
from poolscope.executions.running_at_attach import Carried


def ended_by(capture: DecodedCapture, tid: IntArray, end: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns the thread that ended each block of the thread `tid` up to `end`, and whether an event shows it. The
    thread is an id; -1 for an interrupt, such as a timer's. `end` is in ns from the start of the window.

    A blocked state ends at the event that made its thread runnable, so the times are equal. Requires the table
    `wakeups`.
    """
    rows = capture.table("wakeups")
    # `wakeup` on another CPU names the idle task.
    named = rows["event"].to_numpy() != enum("wakeups", "event", "wakeup")
    chosen = np.flatnonzero(named & np.isin(rows["wakee_tid"].to_numpy(), np.unique(tid)))
    if len(chosen) == 0:
        return np.full(len(tid), -1, dtype=np.int64), np.zeros(len(tid), dtype=bool)
    time = rows["time"].to_numpy()[chosen] - capture.window[0]
    at, found = latest(rows["wakee_tid"].to_numpy()[chosen].astype(np.int64), time, tid, end)
    found &= time[at] == end
    del time
    return rows["waker_tid"].to_numpy()[chosen[at]].astype(np.int64), found


RUNNING = enum("thread_states", "state", "running")
READY = enum("thread_states", "state", "ready")
BLOCKED = enum("thread_states", "state", "blocked")


@dataclass(frozen=True)
class Executions:
    """Intervals in which an item held a worker, ns from the start of the window.

    Rows 0 ... `items` - 1 are those of Items, empty if the item never started. The rest were carried into the capture
    (running_at_attach.py) and only occupy threads and cores.
    """

    worker: IntArray
    start: IntArray
    end: IntArray
    items: int

    @staticmethod
    def of(items: Items, carried: Carried) -> Executions:
        if not len(carried.worker):  # shares the columns
            return Executions(items.worker, items.dequeue, items.end, items.count)
        return Executions(
            worker=np.concatenate((items.worker, carried.worker)),
            start=np.concatenate((items.dequeue, carried.start)),
            end=np.concatenate((items.end, carried.end)),
            items=items.count,
        )

    @property
    def count(self) -> int:
        return len(self.worker)

    @property
    def by_worker(self) -> tuple[IntArray, IntArray, IntArray]:
        """The executions in order of worker and start: their indices, workers and starts."""
        return self._order, self.worker[self._order], self.start[self._order]

    @cached_property
    def _order(self) -> IntArray:
        order = ordered(self.worker, self.start)
        return order.astype(np.int32) if len(order) < 1 << 31 else order

    def forget(self) -> None:
        """Drops the order of `by_worker`. It is computed again when it is next read."""
        self.__dict__.pop("_order", None)


@dataclass(frozen=True)
class Segments:
    """Parts of executions in which the worker was in one state, ordered by item and time.

    Times are ns from the start of the window; no segment is empty.
    """

    item: IntArray
    """Shape (segments,): index into Executions."""
    start: IntArray
    end: IntArray
    state: AnyArray
    """The stored state, one byte each."""
    resolution: AnyArray
    """The uncertainty of the state's own start and end, ns; meaningless at a cut by the item. Must not be written
    to."""

    @property
    def duration(self) -> IntArray:
        return np.asarray(self.end - self.start)

    def where(self, chosen: BoolArray) -> Segments:
        """Returns the chosen segments; this object itself if all are."""
        if chosen.all():
            return self
        return Segments(*(column[chosen] for column in (self.item, self.start, self.end, self.state, self.resolution)))

    def count(self, state: int) -> Steps:
        """Returns the number of executions in this state over time; computed once."""
        if state not in self._counts:
            self._counts[state] = self.counted(state)
        return self._counts[state]

    def counted(self, state: int) -> Steps:
        """Returns the result of `count` without caching it."""
        chosen = self.state == state
        return Steps.count(self.start[chosen], self.end[chosen])

    def forget(self, *states: int) -> None:
        """Drops cached counts. They are recomputed on the next call."""
        for state in states:
            self._counts.pop(state, None)

    @cached_property
    def _counts(self) -> dict[int, Steps]:
        return {}

    def total(self, state: int, count: int) -> IntArray:
        """Returns the time in this state of each of the first `count` executions, ns, shape (count,)."""
        chosen = self.state == state
        total: IntArray = np.rint(np.bincount(self.item[chosen], self.duration[chosen], count)[:count]).astype(np.int64)
        return total


def cut_executions(capture: DecodedCapture, executions: Executions) -> Segments:
    """Intersects every execution with `thread_states` of its worker. Empty without a kernel stream."""
    empty = np.zeros(0, dtype=np.int64)
    if capture.kernel_tier == "none":
        return Segments(empty, empty, empty, empty, empty)
    states = capture.table("thread_states")
    item, row, start, end = _cut(states, capture.window[0], executions)
    state, resolution = (states[name].to_numpy() for name in ("state", "resolution"))
    return Segments(item, start, end, state[row], _taken(resolution, row))


def _cut(states: pd.DataFrame, base: int, executions: Executions) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Cuts the states by executions. Returns for each part its execution, its row of `states`, and its start and end,
    ns from `base`."""
    runs = Runs.of(states["tid"].to_numpy())
    rows = states["start"].to_numpy(), states["end"].to_numpy()
    asked = executions.start + base, executions.end + base
    found = cut(rows, (runs.first, runs.count), runs.number(executions.worker), asked)
    if found is not None:
        for column in found[2:]:
            column -= base
        return found
    return _cut_by_keys(states, base, executions)


def _cut_by_keys(
    states: pd.DataFrame, base: int, executions: Executions
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Returns the result of `_cut` with NumPy: one key orders threads and time at once, so that one binary search finds
    the states of every item."""
    workers = np.unique(executions.worker)
    theirs = np.flatnonzero(np.isin(states["tid"].to_numpy(), workers))
    tid = states["tid"].to_numpy()[theirs]
    begin = states["start"].to_numpy()[theirs] - base
    end = states["end"].to_numpy()[theirs] - base

    # Rows are sorted by (tid, start) and do not overlap per thread. `low` allows for times before the window, which are
    # negative.
    low = int(min(begin.min(initial=0), 0))
    span = int(max(end.max(initial=0), executions.end.max(initial=0))) - low + 1
    key = rows_before(workers, tid) * span - low
    item_key = rows_before(workers, executions.worker) * span - low
    from_row = rows_before(key + end, item_key + executions.start, side="right")
    to_row = rows_before(key + begin, item_key + executions.end, side="left")
    count = np.maximum(to_row - from_row, 0)
    item = np.repeat(np.arange(executions.count), count)
    row = np.repeat(from_row - (np.cumsum(count) - count), count)
    row += np.arange(count.sum())

    del key, item_key, from_row, to_row
    cut_begin, cut_end = begin[row], end[row]
    np.maximum(cut_begin, executions.start[item], out=cut_begin)
    np.minimum(cut_end, executions.end[item], out=cut_end)
    keep = cut_end > cut_begin
    if not keep.all():
        item, row, cut_begin, cut_end = item[keep], row[keep], cut_begin[keep], cut_end[keep]
    return item, theirs[row], cut_begin, cut_end


def _taken(column: AnyArray, row: IntArray) -> AnyArray:
    """Returns the column's values in these rows. If all values of the column are equal, they share the memory of one
    value: states are exact in every tier but one."""
    if len(column) and (column == column[0]).all():
        return np.broadcast_to(column[:1].copy(), len(row))
    return np.asarray(column[row])


TICK_NS = 10_000_000
"""The longest tick of a Linux kernel (CONFIG_HZ=100). The kernel counts the time of a running thread at ticks and
when the thread leaves the core (update_curr in kernel/sched/fair.c), so each reading of /proc may lack up to a tick
of it."""


@dataclass(frozen=True)
class ExecutionBounds:
    """The least and the most time that each state can have in an item's execution, ns per item."""

    cpu: tuple[IntArray, IntArray]
    blocked: tuple[IntArray, IntArray]
    ready: tuple[IntArray, IntArray]
    unresolved: IntArray
    """Execution in polling steps that began before the item or ended after it. Only the sums over item and worker
    together are known for it. 0 in tier switch, which has only the item's own states."""


def execution_bounds(
    capture: DecodedCapture, items: Items, segments: Segments, suspension: Steps
) -> ExecutionBounds | None:
    """Returns bounds for the parts of each execution; None if states are exact (tier `tracepoint`) or missing.

    In `switch`, any part of blocked time may have been a wait for a core. In `schedstat`, the steps at an item's start
    and end are open. The sums of the steps between are known except for a tick that the first and the last reading may
    lack if the thread ran. Blocked time whose step touches a suspension may belong entirely to the suspension, which
    execution counts separately. Its place within the step is unknown, and so is how late the thread came back.
    """
    count = items.count
    total = {state: segments.total(state, count) for state in (RUNNING, READY, BLOCKED)}
    if capture.kernel_tier == "switch":
        nothing = np.zeros(count, dtype=np.int64)
        cpu = (total[RUNNING], total[RUNNING])
        return ExecutionBounds(cpu, (nothing, total[BLOCKED]), (total[READY], total[READY] + total[BLOCKED]), nothing)
    if capture.kernel_tier != "schedstat":
        return None
    begin, end = _edges(items, segments)
    at_edges = np.minimum(segments.end, begin[segments.item]) - segments.start
    at_edges = np.maximum(at_edges, 0) + np.maximum(segments.end - np.maximum(segments.start, end[segments.item]), 0)
    part = {s: _sum(segments.item, np.where(segments.state == s, at_edges, 0), count) for s in total}
    unresolved = part[RUNNING] + part[READY] + part[BLOCKED]

    lag = np.where(total[RUNNING] > 0, TICK_NS, 0)
    length = items.end - items.dequeue

    def bounds(state: int, apart: IntArray | int = 0) -> tuple[IntArray, IntArray]:
        within = total[state] - part[state]
        return np.maximum(within - apart - lag, 0), np.minimum(within + unresolved + lag, length)

    touched = suspension.integral(segments.start - segments.resolution, segments.end + segments.resolution) > 0
    suspended = (segments.state == BLOCKED) & touched
    the_suspension_s = _sum(segments.item, np.where(suspended, segments.duration - at_edges, 0), count)
    return ExecutionBounds(bounds(RUNNING), bounds(BLOCKED, the_suspension_s), bounds(READY), unresolved)


def _edges(items: Items, segments: Segments) -> tuple[IntArray, IntArray]:
    """Returns the time up to which the first step of each execution may reach, and the time from which the last one may
    begin; includes carried executions."""
    count = int(segments.item.max(initial=items.count - 1)) + 1
    first = np.searchsorted(segments.item, np.arange(count))
    last = np.searchsorted(segments.item, np.arange(count), side="right") - 1
    begin, end = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    some = np.flatnonzero(last >= first)
    begin[some] = segments.start[first[some]] + segments.resolution[first[some]]
    end[some] = np.maximum(segments.end[last[some]] - segments.resolution[last[some]], begin[some])
    return begin, end


def _sum(item: IntArray, amount: IntArray, count: int) -> IntArray:
    return np.asarray(np.rint(np.bincount(item, amount, count)[:count]).astype(np.int64))
