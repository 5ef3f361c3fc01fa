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
from poolscope.base.series import AT_ONCE
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
    start, end, state, of = (states[name].to_numpy() for name in ("start", "end", "state", "tid"))
    runs = Runs.of(of)
    # A launched target waits for the kernel stream; an attached one ran before it.
    since = 0 if capture.manifest["target"]["launched"] else _from(capture)
    # A capture of `watch` is cut from its streams one after the other, the kernel's first.
    until = _until(capture)
    for table, time, tid, words in EVENTS:
        rows = capture.stored(table)
        if rows is None:
            continue
        times, threads = rows[time].to_numpy(), rows[tid].to_numpy()
        known = (times >= 0) & (threads > 0)
        times, threads = times[known], threads[known].astype(np.int64)
        run = runs.number(threads)
        row = latest_of(start, (runs.first, runs.count), run, times)
        if row is None:
            row, known = latest(of.astype(np.int64), start, threads, times)
        else:
            known = row >= 0
        wrong = known & (times - start[row] > SLACK_NS) & (end[row] - times > SLACK_NS) & (state[row] != RUNNING)
        wrong |= _outside(runs, start, end, run, times)
        wrong &= (times > since) & (times < until)
        yield Contradiction(
            f"{table}, thread_states",
            f"{words} lie at times when their thread was on no core",
            int(wrong.sum()),
            len(times),
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
    theirs = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
    tid, start, end, state = (states[name].to_numpy() for name in ("tid", "start", "end", "state"))
    runs = Runs.of(tid)
    mine = np.isin(runs.group, theirs)
    if not mine.any():
        return
    first = start[runs.first[mine]].min()
    time = switches["time"].to_numpy()
    came, left = switches["next_tid"].to_numpy(), switches["prev_tid"].to_numpy()
    woke, wakee = wakeups["time"].to_numpy(), wakeups["wakee_tid"].to_numpy()
    gaps = odd = runs_untold = all_runs = waits_untold = all_waits = 0
    for at in range(0, len(tid), AT_ONCE):
        piece = slice(at, at + AT_ONCE)
        before, later = slice(max(at, 1) - 1, at + AT_ONCE - 1), slice(max(at, 1), at + AT_ONCE)
        own = is_among(tid[piece], theirs)
        follows = own[later.start - at :] & (tid[later] == tid[before][: len(tid[later])])
        was, now = state[before][: len(follows)], state[later]
        gaps += int((follows & (start[later] != end[before][: len(follows)])).sum())
        odd += int((follows & ((now == was) | ((was == READY) & (now == BLOCKED)))).sum())
        own &= start[piece] != first
        rows = at + np.flatnonzero(own & (state[piece] == RUNNING))
        all_runs += len(rows)
        runs_untold += int((~_told(time, came, start[rows], tid[rows])).sum())
        rows = at + np.flatnonzero(own & (state[piece] == READY))
        all_waits += len(rows)
        rows = rows[~_told(woke, wakee, start[rows], tid[rows])]
        waits_untold += int((~_told(time, left, start[rows], tid[rows])).sum())
    whole = int(runs.count[mine].sum())
    yield Contradiction(
        "thread_states", "states of a thread do not begin at the end of the previous state", gaps, whole
    )
    yield Contradiction("thread_states", "states of a thread cannot follow the previous state", odd, whole)
    yield Contradiction(
        "thread_states, switches", "stretches on a core begin without a context switch", runs_untold, all_runs
    )
    yield Contradiction(
        "thread_states, wakeups", "waits for a core begin without a wake-up or a preemption", waits_untold, all_waits
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
