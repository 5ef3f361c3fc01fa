"""Who held which lock from when to when, so that a replay can let items queue for it again.

The runtime tells of a lock only where a thread had to wait for it. A hold after a wait begins with the wait's end; a hold
without one shows by the waiter that its end wakes. Where neither end nor beginning has an event, the lock's other holds
tell how long it is held.

The way from events to holds: contentions.py, releases.py, pairing.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.contentions import Contentions, Stretches, blocked_stretches, find_contentions
from poolscope.attribution.causes.pairing import pair
from poolscope.attribution.causes.releases import Asks, releases_by_owners, releases_by_wakeups
from poolscope.attribution.causes.wakers import Wakers
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import Executions, Segments


@dataclass(frozen=True)
class Holds:
    """Locks held by executions, shape (holds,). Times are ns from the start of the window."""

    lock: IntArray
    """0 ... locks - 1."""
    execution: IntArray
    asked: IntArray
    """When the execution asked for it: where a replay lets it queue."""
    released: IntArray
    """After `asked`."""
    known: IntArray
    """EVENT: both ends by events; ESTIMATE: one of them from the lock's other holds."""
    locks: int
    replaced: BoolArray
    """Shape (segments,): blocked stretches that a replay of the lock brings about itself."""
    handed: IntArray
    """Shape (segments,): of these the lock; else -1."""


def no_holds(segments: Segments) -> Holds:
    """Returns holds for a capture in which no item waited for a lock."""
    nothing = np.zeros(0, dtype=np.int64)
    count = len(segments.item)
    return Holds(
        nothing, nothing, nothing, nothing, nothing, 0, np.zeros(count, bool), np.full(count, -1, dtype=np.int64)
    )


def find_holds(
    capture: DecodedCapture, executions: Executions, segments: Segments, wakers: Wakers, usable: BoolArray
) -> Holds:
    """Returns every hold of a lock that items waited for. `usable`: segments that no suspension caused."""
    found = find_contentions(capture, executions)
    if found is None:
        return no_holds(segments)
    stretches = blocked_stretches(found, executions, segments, usable)
    by_item = _held_by_an_item(found, stretches, wakers)
    if wakers.inside.any():
        releases = releases_by_wakeups(found, stretches, wakers)
    else:
        releases = releases_by_owners(found, executions)
    holds = pair(executions, _asks(found, by_item), releases, found.locks)
    replaced, handed = _replayed_stretches(found, stretches, by_item, len(segments.item))
    return Holds(holds.lock, holds.execution, holds.asked, holds.released, holds.known, found.locks, replaced, handed)


def _held_by_an_item(found: Contentions, stretches: Stretches, wakers: Wakers) -> BoolArray:
    """Returns which contention events waited for a lock that an item held. A lock that a thread outside the pool held keeps its wait
    in every world."""
    by_item = found.owner >= 0
    by_item[stretches.event[wakers.inside[stretches.segment]]] = True
    return by_item


def _asks(found: Contentions, by_item: BoolArray) -> Asks:
    rows = np.flatnonzero(found.replayed[found.lock])
    asked = np.where(by_item, found.begin, found.end)
    return Asks(found.lock[rows], found.execution[rows], asked[rows], found.end[rows])


def _replayed_stretches(
    found: Contentions, stretches: Stretches, by_item: BoolArray, segments: int
) -> tuple[BoolArray, IntArray]:
    """Returns whether a replay of a lock brings each segment about, and which lock that is (-1: none)."""
    replaced = np.zeros(segments, dtype=bool)
    replaced[stretches.segment] = by_item[stretches.event]
    handed = np.full(segments, -1, dtype=np.int64)
    handed[stretches.segment] = np.where(by_item[stretches.event], found.lock[stretches.event], -1)
    return replaced, handed
