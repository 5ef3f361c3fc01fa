"""For each blocked stretch of an item's execution, the best evidence of what it waited for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.arrays import BoolArray, IntArray
from poolscope.attribution import Attribution
from poolscope.attribution.carried import find_carried
from poolscope.attribution.execution import BLOCKED, Executions
from poolscope.capture import Capture
from poolscope.capture.schema import enum
from poolscope.series import Steps

CONTENTION = enum("waits", "kind", "contention")
COVERED = 0.5
"""A wait event tells of a blocked stretch when it covers at least this share of it: the two come from two streams, and
the event begins before the thread spins and blocks and ends after it runs again."""

NONE, EVENT, SNAPSHOT = 0, 1, 2
"""Origin of a stretch's stack."""


@dataclass(frozen=True)
class Blocked:
    """Blocked stretches while items waited, of items and of executions carried into the capture; arrays of one length."""

    held: IntArray
    """How much of the stretch items waited in the queue, ns, > 0."""
    stack: IntArray
    """`stacks.id`; -1: not known."""
    origin: IntArray
    """NONE, EVENT or SNAPSHOT."""
    lock: IntArray
    """1: a contention event covers it."""
    waited: IntArray
    """1: any wait event covers it."""


def gather(capture: Capture, attribution: Attribution) -> Blocked:
    """Each stretch is charged to the wait event that covers it, else to the last snapshot of its thread within it."""
    segments = attribution.segments
    workers = Executions.of(attribution.items, find_carried(capture, attribution.items)).worker
    queued = attribution.pool.queued
    waiting = Steps(queued.time, (queued.value > 0).astype(np.float64))
    blocked = segments.state == BLOCKED
    start, end = segments.start[blocked], segments.end[blocked]
    tid = workers[segments.item[blocked]]
    held = np.rint(waiting.integral(start, end)).astype(np.int64)
    some = held > 0
    start, end, tid, held = start[some], end[some], tid[some], held[some]

    base = capture.window[0]
    waits = capture.table("waits")
    contention = waits["kind"].to_numpy() == CONTENTION
    stack = np.full(len(held), -1, dtype=np.int64)
    origin = np.full(len(held), NONE, dtype=np.int64)
    lock = np.zeros(len(held), dtype=np.int64)
    waited = np.zeros(len(held), dtype=np.int64)

    # A contended lock waits inside its contention: the contention, found last, has the last word.
    for rows, is_lock in ((waits[~contention], 0), (waits[contention], 1)):
        found, covers = _covering(rows, tid, start, end, base)
        waited[covers] = 1
        lock[covers] = is_lock
        has_stack = covers & (found >= 0)
        stack[has_stack] = found[has_stack]
        origin[has_stack] = EVENT
    if capture.has("snapshots"):
        found = _within(capture.table("snapshots"), tid, start, end, base)
        use = (origin == NONE) & (found >= 0)
        stack[use] = found[use]
        origin[use] = SNAPSHOT
    return Blocked(held, stack, origin, lock, waited)


def _covering(
    rows: pd.DataFrame, tid: IntArray, start: IntArray, end: IntArray, base: int
) -> tuple[IntArray, BoolArray]:
    """The stack of the latest wait of the thread that began before the stretch, and whether it covers it."""
    if rows.empty:
        return np.full(len(tid), -1, dtype=np.int64), np.zeros(len(tid), dtype=bool)
    begin = rows["start"].to_numpy() - base
    stop = np.where(rows["end"].to_numpy() < 0, np.iinfo(np.int64).max, rows["end"].to_numpy() - base)
    at, same = _latest(rows["tid"].to_numpy(), begin, tid, start)
    covered = np.minimum(stop[at], end) - start
    return rows["stack"].to_numpy().astype(np.int64)[at], same & (covered >= COVERED * (end - start))


def _within(rows: pd.DataFrame, tid: IntArray, start: IntArray, end: IntArray, base: int) -> IntArray:
    """The stack of the last snapshot of the thread up to the stretch's end, where it lies within; else -1."""
    if rows.empty:
        return np.full(len(tid), -1, dtype=np.int64)
    time = rows["time"].to_numpy() - base
    at, same = _latest(rows["tid"].to_numpy(), time, tid, end)
    inside = same & (time[at] >= start)
    return np.asarray(np.where(inside, rows["stack"].to_numpy().astype(np.int64)[at], -1))


def _latest(of_tid: IntArray, of_time: IntArray, tid: IntArray, time: IntArray) -> tuple[IntArray, BoolArray]:
    """For each (tid, time) the row of the same thread with the greatest time up to it, and whether there is one."""
    threads = np.unique(np.concatenate((of_tid, tid)))
    low = int(min(of_time.min(), time.min(initial=0)))
    span = int(max(of_time.max(), time.max(initial=0))) - low + 1
    key = np.searchsorted(threads, of_tid).astype(np.int64) * span + (of_time - low)
    order = np.argsort(key, kind="stable")
    asked = np.searchsorted(threads, tid).astype(np.int64) * span + (time - low)
    at = np.searchsorted(key[order], asked, side="right") - 1
    row = order[np.maximum(at, 0)]
    return row, (at >= 0) & (of_tid[row] == tid)
