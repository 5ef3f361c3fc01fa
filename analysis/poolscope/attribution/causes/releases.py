"""Moments at which an execution gave a lock to a waiter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.contentions import Contentions, Stretches
from poolscope.attribution.causes.wakers import Wakers
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import first_after, latest
from poolscope.base.units import NS_PER_US
from poolscope.executions.segments import Executions

REPEATED_NS = int(200 * NS_PER_US)
"""A second wake-up by the same execution so soon after the first one, with no wait for the lock between, tells of no second
hold: the first waiter lost the lock to another thread, or went to sleep on the runtime's own way to it."""


@dataclass(frozen=True)
class Asks:
    """Waits of executions for locks, shape (asks,). Times are ns from the start of the window."""

    lock: IntArray
    execution: IntArray
    asked: IntArray
    """When the execution asked for the lock; when it got it, if the holder was outside the pool."""
    got: IntArray


@dataclass(frozen=True)
class Releases:
    """One row per release, shape (releases,). Times are ns from the start of the window."""

    lock: IntArray
    execution: IntArray
    time: IntArray
    asked: IntArray
    """When the waiter had asked for it."""

    def where(self, keep: BoolArray) -> Releases:
        return Releases(self.lock[keep], self.execution[keep], self.time[keep], self.asked[keep])


def releases_by_wakeups(found: Contentions, stretches: Stretches, wakers: Wakers) -> Releases:
    """Returns a release for each blocked stretch that an execution ended with a wake-up."""
    by_item = wakers.inside[stretches.segment]
    segment, event = stretches.segment[by_item], stretches.event[by_item]
    return Releases(found.lock[event], wakers.execution[segment], wakers.time[segment], found.begin[event])


def releases_by_owners(found: Contentions, executions: Executions) -> Releases:
    """Returns releases for captures without wake-ups.

    The owner that a wait's begin names held the lock until the next wait for it ended. If several waiters name one hold,
    the first to ask comes first.
    """
    rows = np.flatnonzero(found.replayed[found.lock])
    lock, owner, begin, end = found.lock[rows], found.owner[rows], found.begin[rows], found.end[rows]
    order = np.lexsort((end, lock))
    after, same = first_after(lock[order], end[order], lock, begin)
    until = np.where(same, end[order][after], begin)
    known = (owner >= 0) & same
    held = np.minimum(until[known], executions.end[owner[known]])
    order = np.argsort(begin[known], kind="stable")
    return Releases(lock[known][order], owner[known][order], held[order], begin[known][order])


def first_of_each_hold(releases: Releases, asks: Asks, executions: int) -> Releases:
    """Leaves out repeated wake-ups, and those by an execution that is itself waiting for the lock."""
    who = releases.lock * executions + releases.execution
    waiter = asks.lock * executions + asks.execution
    at, same = latest(waiter, asks.asked, who, releases.time)
    waits = same & (releases.time < asks.got[at]) if len(waiter) else same
    order = np.lexsort((releases.time, who))
    soon = np.zeros(len(who), dtype=bool)
    by_who, time = who[order], releases.time[order]
    soon[order[1:]] = (by_who[1:] == by_who[:-1]) & (time[1:] - time[:-1] <= REPEATED_NS)
    return releases.where(~(waits | soon))
