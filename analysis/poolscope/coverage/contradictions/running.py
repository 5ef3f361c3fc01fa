"""A thread that reports an event is running: what the runtime says against what the kernel says.

Held in every one of a million events of some 290 real captures. It is also what shows that two streams are on one clock.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.groups import Runs
from poolscope.base.lookup import latest
from poolscope.base.searches import latest_of
from poolscope.base.units import NS_PER_US
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.coverage.contradictions.contradiction import Contradiction

TIERS = ("tracepoint",)
"""Kernel tiers whose states are exact to the event, and whose wake-ups are reported."""
SLACK_NS = int(100 * NS_PER_US)
"""By this much the two may differ: an event's time is read a little before or after its thread leaves the core."""
RUNNING = enum("thread_states", "state", "running")
EVENTS = (
    ("work_items", "enqueue", "enqueue_tid", "enqueues"),
    ("work_items", "dequeue", "worker_tid", "dequeues"),
    ("parked", "start", "tid", "parks"),
    ("timers", "fired", "tid", "timer callbacks"),
    ("task_waits", "start", "tid", "waits for tasks"),
    ("waits", "start", "tid", "beginnings of waits"),
    ("waits", "end", "tid", "ends of waits"),
    ("pool_changes", "time", "tid", "changes of the goal"),
)
"""Table, its time, its thread, and its subject."""


def check(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields one for each kind of event of which some lie where their thread did not run.

    Where the kernel stream lost events nothing is compared: a loss says more.
    """
    states = capture.stored("thread_states")
    if capture.kernel_tier not in TIERS or states is None or _lost(capture):
        return
    told = []
    for table, time, tid, _ in EVENTS:
        rows = capture.stored(table)
        at = np.empty(0, np.int64) if rows is None else rows[time].to_numpy()
        by = np.empty(0, np.int64) if rows is None else rows[tid].to_numpy().astype(np.int64)
        known = (at >= 0) & (by > 0)
        told.append((at[known], by[known]))
    times, threads = (np.concatenate(parts) for parts in zip(*told, strict=True))
    start, end, state, of = (states[name].to_numpy() for name in ("start", "end", "state", "tid"))
    runs = Runs.of(of)
    run = runs.number(threads)
    if not (run >= 0).any():
        return
    row = latest_of(start, (runs.first, runs.count), run, times)
    if row is None:
        row, known = latest(of.astype(np.int64), start, threads, times)
    else:
        known = row >= 0
    inside = (times - start[row] > SLACK_NS) & (end[row] - times > SLACK_NS) & (state[row] != RUNNING)
    # A target that we launched waits for the kernel stream; one that we attached to was there before it.
    seen = times > (0 if capture.manifest["target"]["launched"] else _from(capture))
    # A capture of `watch` is cut from its streams one after the other, the kernel's first.
    seen &= times < _until(capture)
    wrong = seen & ((known & inside) | _outside(runs, start, end, run, times))
    begin = 0
    for (table, _, _, words), (at, _) in zip(EVENTS, told, strict=True):
        count = int(wrong[begin : begin + len(at)].sum())
        begin += len(at)
        yield Contradiction(
            f"{table}, thread_states", f"{words} lie at times when their thread was on no core", count, len(at)
        )


def _outside(runs: Runs, start: IntArray, end: IntArray, run: IntArray, time: IntArray) -> BoolArray:
    """Returns whether each time lies before the first state of its thread or after the last; not where the thread has none (-1)."""
    first, last = start[runs.first] - SLACK_NS, end[runs.first + runs.count - 1] + SLACK_NS
    return np.asarray((run >= 0) & ((time < first[run]) | (time > last[run])))


def _from(capture: DecodedCapture) -> int:
    """Returns the time from which the kernel stream has every thread."""
    streams = capture.table("streams")
    return int(streams["start"][streams["file"] == capture.scheduler_stream].max())


def _until(capture: DecodedCapture) -> int:
    """Returns the time up to which the kernel stream has every thread."""
    streams = capture.table("streams")
    return int(streams["end"][streams["file"] == capture.scheduler_stream].max())


def _lost(capture: DecodedCapture) -> bool:
    streams = capture.table("streams")
    kernel = streams[streams["file"] == capture.scheduler_stream]
    return bool((kernel["lost"] != 0).any() or (kernel["cut"] != 0).any())
