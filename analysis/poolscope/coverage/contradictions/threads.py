"""Compares the runtime's events of threads with the kernel's.

A thread that reports an event is running. States follow from context switches and wake-ups. While the runtime is
suspended, no managed code runs. The first rule held for every one of a million events in some 290 real captures; it
also shows that two streams use one clock.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import Runs, is_among, latest
from poolscope.base.searches import latest_of, rows_before, told
from poolscope.base.units import NS_PER_MS, NS_PER_US
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.coverage.contradictions.contradiction import Contradiction

TIERS = ("tracepoint",)
"""Kernel tiers with states that are exact to the event, and with wake-ups."""
SLACK_NS = int(100 * NS_PER_US)
"""The most by which the two may differ: a thread reads the time of an event a little before or after it leaves the
core."""
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
"""The table, its time, its thread, and its subject."""


def check_running(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields a contradiction for each kind of event that happened while its thread did not run.

    Compares nothing if the kernel stream lost events: the loss explains more.
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
    # A launched target waits for the kernel stream; an attached one ran before it.
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
    """Returns whether each time lies before the first state of its thread or after the last; False if the thread has no
    state (-1)."""
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


EDGE_NS = 50 * NS_PER_MS
"""The margin after the begin and before the end of a suspension: a thread that stops, or continues, may report an event
shortly before it notices."""
EVENTS_INSIDE = 5
"""The number of events that no suspension contains. In some 290 captures it is 2 at most, from threads on a machine
that was short of cores."""


def check_suspended(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields suspensions with events of the pool in their middle."""
    suspensions = capture.stored("suspensions")
    if suspensions is None or suspensions.empty:
        return
    told = [rows[time].to_numpy() for table, time, _, _ in EVENTS if (rows := capture.stored(table)) is not None]
    times = np.sort(np.concatenate([*told, np.empty(0, np.int64)]))
    start, end = suspensions["start"].to_numpy(), suspensions["end"].to_numpy()
    inside = np.searchsorted(times, end - EDGE_NS) - np.searchsorted(times, start + EDGE_NS)
    wrong = (end >= 0) & (inside >= EVENTS_INSIDE)
    yield Contradiction(
        "suspensions, work_items",
        "suspensions contain events of the pool",
        int(wrong.sum()),
        len(suspensions),
    )


READY = enum("thread_states", "state", "ready")
BLOCKED = enum("thread_states", "state", "blocked")
TIES = 4
"""The number of events of other threads at the same nanosecond that the search skips."""


def check_states(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields states of one thread that leave a gap, that cannot follow each other, or that begin without a switch or a
    wake-up."""
    states, switches, wakeups = (capture.stored(name) for name in ("thread_states", "switches", "wakeups"))
    threads = capture.stored("threads")
    if capture.kernel_tier not in TIERS or states is None or switches is None or wakeups is None or threads is None:
        return
    if not len(switches):
        return
    pid = int(capture.manifest["target"]["pid"])
    own = is_among(states["tid"].to_numpy(), threads["tid"].to_numpy()[threads["pid"].to_numpy() == pid])
    tid, start, end, state = (states[name].to_numpy()[own] for name in ("tid", "start", "end", "state"))
    if not len(tid):
        return
    follows = tid[1:] == tid[:-1]
    gap = follows & (start[1:] != end[:-1])
    odd = follows & ((state[1:] == state[:-1]) | ((state[:-1] == READY) & (state[1:] == BLOCKED)))
    odd |= follows & (state[:-1] == BLOCKED) & (state[1:] == BLOCKED)
    yield Contradiction(
        "thread_states", "states of a thread do not begin at the end of the previous state", int(gap.sum()), len(tid)
    )
    yield Contradiction(
        "thread_states", "states of a thread cannot follow the previous state", int(odd.sum()), len(tid)
    )
    del end, follows, gap, odd  # as long as the capture
    began = start != start.min()
    time = switches["time"].to_numpy()
    came, left = switches["next_tid"].to_numpy(), switches["prev_tid"].to_numpy()
    runs = began & (state == RUNNING)
    wrong = ~_told(time, came, start[runs], tid[runs])
    yield Contradiction(
        "thread_states, switches",
        "stretches on a core begin without a context switch",
        int(wrong.sum()),
        int(runs.sum()),
    )
    waits = began & (state == READY)
    woken = _told(wakeups["time"].to_numpy(), wakeups["wakee_tid"].to_numpy(), start[waits], tid[waits])
    wrong = ~(woken | _told(time, left, start[waits], tid[waits]))
    yield Contradiction(
        "thread_states, wakeups",
        "waits for a core begin without a wake-up or a preemption",
        int(wrong.sum()),
        int(waits.sum()),
    )


def _told(time: IntArray, of: IntArray, at: IntArray, tid: IntArray) -> BoolArray:
    """Returns for each (at, tid) whether a row (time, of), in order of time, is equal to it."""
    if (found := told(time, of, at, tid, TIES)) is not None:
        return found
    found = np.zeros(len(at), dtype=bool)
    if not len(time):
        return found
    first = rows_before(time, at)
    rest = np.arange(len(at))
    for step in range(TIES):
        row = np.minimum(first[rest] + step, len(time) - 1)
        same = (time[row] == at[rest]) & (of[row] == tid[rest])
        found[rest[same]] = True
        rest = rest[~same]
    return found
