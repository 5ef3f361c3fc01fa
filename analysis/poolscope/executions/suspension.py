"""Stop-the-world intervals, and the blocked time of items that they caused."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import BLOCKED, RUNNING, Executions, Segments, ended_by

WAIT_EVENT_LEAD_NS = int(5 * NS_PER_MS)
"""The longest time from a wait's event until its thread is blocked: some us, or a time slice if it loses its core in
between."""


def suspended(capture: DecodedCapture) -> Steps:
    """Returns 1 while the runtime is suspended, otherwise 0; ns from the start of the window."""
    if not capture.has("suspensions"):
        return Steps.constant(0.0)
    start, stop = capture.window
    table = capture.table("suspensions")
    begin = table["start"].to_numpy()
    end = table["end"].to_numpy()
    end = np.where(end < 0, stop, end)
    begin, end = np.clip(begin, start, stop) - start, np.clip(end, start, stop) - start
    open_intervals = Steps.count(begin, end)
    return Steps(open_intervals.time, np.minimum(open_intervals.value, 1.0))


def caused_by_suspension(
    capture: DecodedCapture, executions: Executions, segments: Segments, suspension: Steps
) -> AnyArray:
    """Returns the part of each segment that a suspension caused, ns, shape (segments,): blocked time, and the time of
    the collecting thread. int32 if all fit. Must not be written to."""
    if not suspension.value.any():
        return np.broadcast_to(np.int64(0), len(segments.item))  # in the memory of one value
    caused = _blocked_by_suspension(capture, executions, segments, suspension)
    caused += running_while_suspended(segments, suspension)
    return caused.astype(np.int32) if caused.max(initial=0) <= np.iinfo(np.int32).max else caused


def _blocked_by_suspension(
    capture: DecodedCapture, executions: Executions, segments: Segments, suspension: Steps
) -> IntArray:
    """Returns the blocked part of each segment that a suspension caused, ns, shape (segments,).

    Only blocked time that begins inside a suspension counts: a thread that slept before it would have slept on anyway.
    Time beyond the suspension counts if the thread came back late from it. That is so if a thread of the process woke
    it, and no wait event shows that it waited for something else. If far more threads run than the machine has cores,
    they wake each other one by one, up to two seconds after a suspension of 10 ms.
    """
    rows = np.flatnonzero(segments.state == BLOCKED)
    rows = rows[suspension.at(segments.start[rows]) > 0]
    start, end = segments.start[rows], segments.end[rows]
    inside = np.rint(suspension.integral(start, end)).astype(np.int64)
    late = np.flatnonzero(end - start > inside)
    late = late[_came_back_late(capture, executions.worker[segments.item[rows[late]]], start[late], end[late])]
    inside[late] = end[late] - start[late]
    return _only(segments, rows, inside)


def running_while_suspended(segments: Segments, suspension: Steps) -> IntArray:
    """Returns the part of each running segment inside a suspension, ns, shape (segments,).

    A thread that collects does so inside its own item. That time is the suspension itself and no demand of the item. If
    it counted as demand, a replay could never finish it in that time, because it runs nothing while the runtime is
    suspended.
    """
    rows = np.flatnonzero(segments.state == RUNNING)
    start, end = segments.start[rows], segments.end[rows]
    inside = np.rint(suspension.integral(start, end)).astype(np.int64)
    return _only(segments, rows, np.minimum(inside, end - start))


def _only(segments: Segments, rows: IntArray, part: IntArray) -> IntArray:
    """Returns `part` for these segments, and 0 for all others."""
    result = np.zeros(len(segments.item), dtype=np.int64)
    result[rows] = part
    return result


def stopped_while_waiting(
    items: Items, segments: Segments, by_suspension: IntArray, suspension: Steps, busy: Steps
) -> IntArray:
    """Returns the part of each item's wait in suspensions, as far as these stopped the threads that had an item, ns,
    shape (items,). A thread that was blocked before a suspension began, and stays so after it, loses nothing by it."""
    if not suspension.value.any():
        return np.zeros(items.count, dtype=np.int64)
    held = by_suspension > 0
    stopped = Steps.count(segments.start[held], segments.end[held])
    share = stopped.combine(busy, lambda s, b: np.where(b > 0, np.minimum(s / np.maximum(b, 1.0), 1.0), 0.0))
    lost = share.combine(suspension, np.multiply)
    return np.minimum(np.rint(lost.integral(items.enqueue, items.dequeue)).astype(np.int64), items.wait)


def _came_back_late(capture: DecodedCapture, tid: IntArray, start: IntArray, end: IntArray) -> BoolArray:
    """Returns whether a thread of the process ended the blocked time of each of these threads, and no wait event
    reports that time."""
    if len(tid) == 0 or not (capture.has("wakeups") and capture.has("waits")):
        return np.zeros(len(tid), dtype=bool)
    base, stop = capture.window
    threads = capture.table("threads")
    own = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
    waker, told = ended_by(capture, tid, end)
    woken_by_own = told & np.isin(waker, own)

    # A wait that begins just before the thread is blocked, or at any time until it continues.
    waits = capture.table("waits")
    begun = np.clip(waits["start"].to_numpy() - base, 0, stop - base)
    if len(begun) == 0:
        return np.asarray(woken_by_own)
    last, known = latest(waits["tid"].to_numpy().astype(np.int64), begun, tid, end)
    reported = known & (begun[last] >= start - WAIT_EVENT_LEAD_NS)
    return np.asarray(woken_by_own & ~reported)
