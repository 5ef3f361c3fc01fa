"""Waits of executions for locks, as the runtime's contention events show them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.wakers import running_item
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.segments import BLOCKED, Executions, Segments

CONTENTION = enum("waits", "kind", "contention")
COVERED = 0.5
"""A wait event covers a blocked stretch when it covers at least this share of it (as in blame/evidence.py)."""
LEAST_LOCK_NS = int(NS_PER_MS)
"""A lock that cost all items together less than this is not replayed: what was waited for it stays own demand."""


@dataclass(frozen=True)
class Contentions:
    """Contention events inside executions, shape (events,). Times are ns from the start of the window."""

    lock: IntArray
    """0 ... locks - 1."""
    execution: IntArray
    """The one that waited."""
    begin: IntArray
    end: IntArray
    owner: IntArray
    """The execution that held the lock at `begin`; -1: none, or not known."""
    replayed: BoolArray
    """Shape (locks,): the lock cost enough to be replayed."""

    @property
    def locks(self) -> int:
        return len(self.replayed)


@dataclass(frozen=True)
class Stretches:
    """Blocked segments that a contention event covers, shape (stretches,)."""

    segment: IntArray
    event: IntArray
    """The row of Contentions."""


def find_contentions(capture: DecodedCapture, executions: Executions) -> Contentions | None:
    """Returns the contention events on threads that were running an item; None if there are none."""
    if not capture.has("waits") or executions.count == 0:
        return None
    start, stop = capture.window
    table = capture.table("waits")
    table = table[table["kind"].to_numpy() == CONTENTION]
    tid = table["tid"].to_numpy().astype(np.int64)
    begin = np.clip(table["start"].to_numpy(), start, stop) - start
    item = running_item(executions, tid, begin)
    own = item >= 0
    if not own.any():
        return None
    begin, item = begin[own], item[own]
    ended = table["end"].to_numpy()[own]
    end = np.minimum(np.where(ended < 0, stop, np.minimum(ended, stop)) - start, executions.end[item])
    end = np.maximum(end, begin)
    owner = running_item(executions, table["owner_tid"].to_numpy().astype(np.int64)[own], begin)
    owner[owner == item] = -1  # an execution that begins to wait does not hold the lock
    objects, lock = np.unique(table["object"].to_numpy()[own], return_inverse=True)
    replayed = np.bincount(lock, end - begin, len(objects)) >= LEAST_LOCK_NS
    return Contentions(lock, item, begin, end, owner, replayed)


def blocked_stretches(found: Contentions, executions: Executions, segments: Segments, usable: BoolArray) -> Stretches:
    """Ties each usable blocked segment to the contention event that covers most of it, for locks that are replayed."""
    blocked = np.flatnonzero((segments.state == BLOCKED) & usable)
    middle = (segments.start[blocked] + segments.end[blocked]) // 2
    worker = executions.worker
    at, same = latest(worker[found.execution], found.begin, worker[segments.item[blocked]], middle)
    inside = np.minimum(found.end[at], segments.end[blocked]) - np.maximum(found.begin[at], segments.start[blocked])
    covered = same & (inside >= COVERED * segments.duration[blocked]) & (found.execution[at] == segments.item[blocked])
    covered &= found.replayed[found.lock[at]]
    return Stretches(blocked[covered], at[covered])
