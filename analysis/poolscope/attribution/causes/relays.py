"""Items that hand on what came while they waited: the runtime's socket engine, and the queues behind it.

The engine is one object. While its work item is queued, everything that comes on sockets waits for it, and each request
that it then hands on has an enqueue of that moment: a queue hides inside an item. Had the engine run at once, these
requests would have come one by one. Where sockets were recorded the wire says when each of them came. Elsewhere the first
one is taken to have come when the engine began to wait, and the others at any moment of the time that it, and each relay
between, had waited: independent of each other, as from many clients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.executions.items import Items

AGAIN = 3
"""A relay is one object that is queued again and again. A work id that occurs this often is one, or the state of one async
method; twice it may be chance (2^26 ids)."""
SEED = 1
"""For the moments that are drawn: the same capture, the same moments."""
DEEPEST = 16
"""Relays that queue each other are followed so far. Engine, connection, request: three."""


@dataclass(frozen=True)
class Relays:
    """Per item, shape (items,)."""

    root: IntArray
    """For a relay: the engine's item that the thread of the sockets queued and that led to it, itself for one; -1: no
    relay."""
    since: IntArray
    """From when on things gathered for a relay, ns from the start of the window; -1: no relay.

    For the engine since it was queued, also by itself to let another worker look for more; for a relay that a relay queued
    since things gathered for that one."""
    by: IntArray
    """The relay that handed on what the item stands for; -1: none did."""


def find_relays(items: Items, work_id: IntArray, parent: IntArray, by_sockets: BoolArray) -> Relays:
    """Finds the items that hand on others. `parent` is the index of the item that queued each one, others are not
    followed; `by_sockets`: queued by the thread that watches the sockets."""
    _, object_, times = np.unique(work_id, return_inverse=True, return_counts=True)
    again = (times[object_] >= AGAIN) & (work_id >= 0) if items.count else np.zeros(0, dtype=bool)
    queued_by = np.where((parent >= 0) & (parent < items.count), parent, -1)
    engine = by_sockets & again
    root = np.where(engine, np.arange(items.count), -1)
    since = np.where(engine, items.enqueue, -1)
    for _ in range(DEEPEST):
        reached = again & (root < 0) & (queued_by >= 0)
        reached &= root[queued_by] >= 0
        if not reached.any():
            break
        itself = object_ == object_[queued_by]
        since = np.where(reached, np.where(itself, items.enqueue, since[queued_by]), since)
        root = np.where(reached, root[queued_by], root)
    handed = (queued_by >= 0) & (object_ != object_[queued_by]) & (root[queued_by] >= 0)
    return Relays(root, since, np.where(handed, queued_by, -1))


def not_before(items: Items, relays: Relays, came: IntArray) -> FloatArray:
    """Returns when what an item stands for had come, ns from the start of the window, shape (items,); 0: when it was queued.

    `came`: what the wire tells of that, shape (items,); -1: nothing.
    """
    result = np.zeros(items.count)
    handed = np.flatnonzero(relays.by >= 0)
    order = handed[np.lexsort((items.rank[handed], items.enqueue[handed], relays.by[handed]))]
    by = relays.by[order]
    drawn = np.random.default_rng(SEED).random(len(by))
    drawn = drawn[np.lexsort((drawn, by))]
    drawn[np.searchsorted(by, by, side="left") == np.arange(len(by))] = 0.0
    since = relays.since[by]
    moment = np.rint(since + (items.dequeue[by] - since) * drawn)
    # An engine that had queued itself again shares with the one before it what came: that may be older than its own wait.
    told = np.minimum(came[order], items.enqueue[order])
    result[order] = np.where(came[order] >= 0, told, moment)
    return result
