"""Finds the best evidence of what each blocked stretch of an item's execution waited for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.series import Steps
from poolscope.blame.stacks import StackNames
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.segments import BLOCKED

CONTENTION = enum("waits", "kind", "contention")
COVERED = 0.5
"""A wait event covers a blocked stretch if it covers at least this share of it. The two come from two streams: the
event begins before the thread spins and blocks, and ends after it runs again."""

NONE, EVENT, SNAPSHOT = 0, 1, 2
"""The origin of a stretch's stack."""


@dataclass(frozen=True)
class Blocked:
    """Blocked stretches that count, of items and of executions carried into the capture; arrays of one length.

    Times are ns from the start of the window.
    """

    tid: IntArray
    start: IntArray
    end: IntArray
    held: IntArray
    """The part of the stretch that counts (items waited in the queue), ns, > 0."""
    stack: AnyArray
    """`stacks.id`; -1: not known."""
    origin: AnyArray
    """NONE, EVENT or SNAPSHOT."""
    lock: AnyArray
    """1: a contention event covers the stretch."""
    waited: AnyArray
    """1: a wait event of any kind covers the stretch."""
    contended: IntArray
    """The lock (`waits.object`) of the contention; 0 without one."""
    sampled: IntArray
    """The time of the snapshot that names the stretch; -1: no snapshot does."""
    samples: AnyArray
    """The number of snapshots of the stretch's thread within it."""


def gather(capture: DecodedCapture, attribution: Attribution, counted: Steps | None = None) -> Blocked:
    """Charges each blocked stretch to the wait event that covers it, or else to the last snapshot of its thread within
    it.

    `counted`: the weight of each moment, from 0 to 1; default: 1 while at least one item waits in the queue.

    Blocked time that a suspension caused belongs to no code. A snapshot itself suspends the runtime, so a snapshot does
    not name a stretch that begins inside a suspension.
    """
    segments = attribution.segments
    waiting = waiting_items(attribution) if counted is None else counted
    first, last = _support(waiting)
    blocked = np.flatnonzero((segments.state == BLOCKED) & (segments.end > first) & (segments.start < last))
    waited = waiting.integral(segments.start[blocked], segments.end[blocked])
    held = np.rint(waited, out=waited).astype(np.int64) - attribution.by_suspension[blocked]
    del waited
    blocked, held = blocked[held > 0], held[held > 0]
    tid = attribution.executions.worker[segments.item[blocked]]
    start, end, suspended = segments.start[blocked], segments.end[blocked], attribution.by_suspension[blocked]
    return name_stretches(capture, tid, start, end, held, suspended)


def name_stretches(
    capture: DecodedCapture, tid: IntArray, start: IntArray, end: IntArray, held: IntArray, suspended: IntArray
) -> Blocked:
    """Returns the evidence for each blocked stretch of a thread. `suspended`: the part of it in which the runtime was
    suspended, ns.

    The capture has the tables `waits` and `stacks`.
    """
    base = capture.window[0]
    waits = {name: column.to_numpy() for name, column in capture.table("waits").items()}
    contention = waits["kind"] == CONTENTION
    stack = np.full(len(held), -1, dtype=np.int32)
    origin = np.full(len(held), NONE, dtype=np.int8)
    lock = np.zeros(len(held), dtype=np.int8)
    waited = np.zeros(len(held), dtype=np.int8)
    contended = np.zeros(len(held), dtype=np.int64)
    sampled = np.full(len(held), -1, dtype=np.int64)
    samples = np.zeros(len(held), dtype=np.int32)

    # A contended lock waits inside its contention. The contentions come last, so that they overwrite that wait.
    for rows, is_lock in ((np.flatnonzero(~contention), 0), (np.flatnonzero(contention), 1)):
        covered, row = _covering(waits, rows, tid, start, end, base)
        waited[covered] = 1
        lock[covered] = is_lock
        if is_lock:
            contended[covered] = waits["object"][row]
        found = waits["stack"][row]
        told = covered[found >= 0]
        stack[told] = found[found >= 0]
        origin[told] = EVENT
    if capture.has("snapshots"):
        snapshots = capture.table("snapshots")
        time = snapshots["time"].to_numpy() - base
        samples = _samples(snapshots["tid"].to_numpy(), time, tid, start, end)
        at, same = latest(snapshots["tid"].to_numpy(), time, tid, end)
        inside = np.flatnonzero(same)
        inside = inside[(time[at[inside]] >= start[inside]) & (suspended[inside] == 0) & (origin[inside] == NONE)]
        found = snapshots["stack"].to_numpy()[at[inside]]
        stack[inside], sampled[inside] = found, time[at[inside]]
        origin[inside[found >= 0]] = SNAPSHOT
    return Blocked(tid, start, end, held, stack, origin, lock, waited, contended, sampled, samples)


def _samples(of_tid: IntArray, time: IntArray, tid: IntArray, start: IntArray, end: IntArray) -> AnyArray:
    """Returns the number of snapshots of its thread in each stretch."""
    at, same = latest(tid, start, of_tid, time)
    inside = at[same]
    inside = inside[time[same] <= end[inside]]
    return np.bincount(inside, minlength=len(tid)).astype(np.int32)


def initialising(capture: DecodedCapture, blocked: Blocked, names: StackNames) -> BoolArray:
    """Returns the stretches that waited for a static constructor that another thread was running, shape (stretches,).

    Up to .NET 9 the runtime waits for the constructor in native code, so the innermost frame of such a thread is the
    method that needs the class. The same method called the constructor on the thread that runs it.
    """
    found = np.zeros(len(blocked.held), dtype=bool)
    if not names.constructing:
        return found
    snapshots = capture.table("snapshots")
    time = snapshots["time"].to_numpy() - capture.window[0]
    of_snapshot = snapshots["stack"].to_numpy()
    for needs, constructing in names.constructing.items():
        when = np.sort(time[np.isin(of_snapshot, constructing)])
        waiting = [s for s in np.unique(blocked.stack[blocked.stack >= 0]).tolist() if names.path(s)[0] == needs]
        meanwhile = np.searchsorted(when, blocked.end) > np.searchsorted(when, blocked.start)
        found |= np.isin(blocked.stack, waiting) & meanwhile
    return found


def waiting_items(attribution: Attribution) -> Steps:
    """Returns 1 while at least one item waits in the queue, otherwise 0."""
    queued = attribution.pool.queued
    return Steps(queued.time, (queued.value > 0).astype(np.float64)).merged()


def _support(counted: Steps) -> tuple[float, float]:
    """Returns the first and the last moment that counts: outside them the integral is 0."""
    some = np.flatnonzero(counted.value > 0)
    if len(some) == 0:
        return np.inf, -np.inf
    first, last = int(some[0]), int(some[-1])
    ends = last < len(counted.time) - 1
    return float(counted.time[first]) if first else -np.inf, float(counted.time[last + 1]) if ends else np.inf


def _covering(
    waits: dict[str, AnyArray], rows: IntArray, tid: IntArray, start: IntArray, end: IntArray, base: int
) -> tuple[IntArray, IntArray]:
    """Returns the stretches that one of these waits covers, and the row of that wait: the latest one of the thread that
    began before the stretch."""
    if len(rows) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    at, same = latest(waits["tid"][rows], waits["start"][rows] - base, tid, start)
    stretch = np.flatnonzero(same)
    row = rows[at[stretch]]
    start, end, stop = start[stretch], end[stretch], waits["end"][row]
    covered = np.minimum(np.where(stop < 0, end, stop - base), end) - start
    covers = covered >= COVERED * (end - start)
    return stretch[covers], row[covers]
