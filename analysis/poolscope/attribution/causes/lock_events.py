"""Finds waits of executions for locks, and the moments at which an execution gave a lock to a waiter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.origins import Wakers, running_item
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import first_after, latest, ordered
from poolscope.base.units import NS_PER_MS, NS_PER_US
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.segments import BLOCKED, Executions, Segments

CONTENTION = enum("waits", "kind", "contention")
COVERED = 0.5
"""A wait event covers a blocked stretch if it covers at least this share of it (as in blame/evidence.py)."""
LEAST_LOCK_NS = int(NS_PER_MS)
"""A lock that cost all items together less than this is not replayed: the waits for it stay own demand."""


@dataclass(frozen=True)
class Contentions:
    """Contention events inside executions, shape (events,). Times are ns from the start of the window."""

    lock: IntArray
    """0 ... locks - 1."""
    execution: IntArray
    """The execution that waited."""
    begin: IntArray
    end: IntArray
    owner: IntArray
    """The execution that held the lock at `begin`; -1: none, or not known."""
    replayed: BoolArray
    """Shape (locks,): whether the lock cost enough to be replayed."""

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
    """Returns the contention events on threads that were running an item; None if the capture has no such event."""
    if not capture.has("waits") or executions.count == 0:
        return None
    start, stop = capture.window
    table = capture.table("waits")
    rows = np.flatnonzero(table["kind"].to_numpy() == CONTENTION)
    # Column by column: pandas would first copy the whole table.
    tid = table["tid"].to_numpy()[rows].astype(np.int64)
    begin = np.clip(table["start"].to_numpy()[rows], start, stop) - start
    item = running_item(executions, tid, begin)
    own = item >= 0
    if not own.any():
        return None
    begin, item, rows = begin[own], item[own], rows[own]
    ended = table["end"].to_numpy()[rows]
    end = np.minimum(np.where(ended < 0, stop, np.minimum(ended, stop)) - start, executions.end[item])
    end = np.maximum(end, begin)
    owner = running_item(executions, table["owner_tid"].to_numpy()[rows].astype(np.int64), begin)
    owner[owner == item] = -1  # an execution that begins to wait does not hold the lock
    objects, lock = np.unique(table["object"].to_numpy()[rows], return_inverse=True)
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


REPEATED_NS = int(200 * NS_PER_US)
"""The time in which a second wake-up by the same execution, with no wait for the lock in between, shows no second
hold. The first waiter lost the lock to another thread, or went to sleep inside the runtime's own code on its way to
the lock."""


@dataclass(frozen=True)
class Asks:
    """Waits of executions for locks, shape (asks,). Times are ns from the start of the window."""

    lock: IntArray
    execution: IntArray
    asked: IntArray
    """When the execution asked for the lock; if the holder was outside the pool, when the execution got it."""
    got: IntArray


@dataclass(frozen=True)
class Releases:
    """Releases of locks, shape (releases,). Times are ns from the start of the window."""

    lock: IntArray
    execution: IntArray
    time: IntArray
    asked: IntArray
    """When the waiter had asked for the lock."""

    def where(self, keep: BoolArray) -> Releases:
        return Releases(self.lock[keep], self.execution[keep], self.time[keep], self.asked[keep])


def releases_by_wakeups(found: Contentions, stretches: Stretches, wakers: Wakers) -> Releases:
    """Returns a release for each blocked stretch that an execution ended with a wake-up."""
    by_item = wakers.inside[stretches.segment]
    segment, event = stretches.segment[by_item], stretches.event[by_item]
    return Releases(found.lock[event], wakers.execution[segment], wakers.time[segment], found.begin[event])


def releases_by_owners(found: Contentions, executions: Executions) -> Releases:
    """Returns releases for captures without wake-ups.

    The owner named by the event that begins a wait held the lock until the next wait for it ended. If several waiters
    name one hold, the first to ask comes first.
    """
    rows = np.flatnonzero(found.replayed[found.lock])
    lock, owner, begin, end = found.lock[rows], found.owner[rows], found.begin[rows], found.end[rows]
    order = ordered(lock, end)
    after, same = first_after(lock[order], end[order], lock, begin)
    until = np.where(same, end[order][after], begin)
    known = (owner >= 0) & same
    held = np.minimum(until[known], executions.end[owner[known]])
    order = np.argsort(begin[known], kind="stable")
    return Releases(lock[known][order], owner[known][order], held[order], begin[known][order])


def first_of_each_hold(releases: Releases, asks: Asks, executions: int) -> Releases:
    """Drops repeated wake-ups, and wake-ups by an execution that is itself waiting for the lock."""
    who = releases.lock * executions + releases.execution
    waiter = asks.lock * executions + asks.execution
    at, same = latest(waiter, asks.asked, who, releases.time)
    waits = same & (releases.time < asks.got[at]) if len(waiter) else same
    order = ordered(who, releases.time)
    soon = np.zeros(len(who), dtype=bool)
    by_who, time = who[order], releases.time[order]
    soon[order[1:]] = (by_who[1:] == by_who[:-1]) & (time[1:] - time[:-1] <= REPEATED_NS)
    return releases.where(~(waits | soon))
