"""Items that hand on what came while they waited: the runtime's socket engine, and the queues behind it.

The engine is one object. While its work item is queued, everything that comes on sockets waits for it, and each request
that it then hands on has an enqueue of that moment: a queue hides inside an item. Had the engine run at once, these
requests would have come one by one. When each of them came nothing tells. The first one is taken to have come when the
engine began to wait, and the others at any moment of the time that it, and each relay between, had waited: independent
of each other, as from many clients.
"""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.executions.items import Items

AGAIN = 3
"""A relay is one object that is queued again and again. A work id that occurs so often is one, or the state of one async
method; twice it may be chance (2^26 ids)."""
SEED = 1
"""Of these moments: the same capture, the same moments."""
DEEPEST = 16
"""Relays that queue each other are followed so far. Engine, connection, request: three."""


def not_before(items: Items, work_id: IntArray, parent: IntArray, by_sockets: BoolArray) -> FloatArray:
    """When what an item stands for had come, ns from the start of the window, shape (items,); 0: when it was queued.

    `parent`: index of the item that queued it, others are not followed; `by_sockets`: queued by the thread that watches
    the sockets.
    """
    count = items.count
    came = np.zeros(count)
    if not by_sockets.any():
        return came
    _, object_, times = np.unique(work_id, return_inverse=True, return_counts=True)
    again = (times[object_] >= AGAIN) & (work_id >= 0)
    queued_by = np.where((parent >= 0) & (parent < count), parent, -1)
    since = _waiting_since(items, object_, again, queued_by, by_sockets & again)
    handed = np.flatnonzero((queued_by >= 0) & (object_ != object_[queued_by]))
    handed = handed[since[queued_by[handed]] >= 0]
    order = handed[np.lexsort((items.rank[handed], items.enqueue[handed], queued_by[handed]))]
    by = queued_by[order]
    drawn = np.random.default_rng(SEED).random(len(by))
    drawn = drawn[np.lexsort((drawn, by))]
    drawn[np.searchsorted(by, by, side="left") == np.arange(len(by))] = 0.0
    came[order] = np.rint(since[by] + (items.dequeue[by] - since[by]) * drawn)
    return came


def _waiting_since(
    items: Items, object_: IntArray, again: BoolArray, queued_by: IntArray, engine: BoolArray
) -> IntArray:
    """From when on things gathered for each relay; -1: the item is none.

    For the engine since it was queued, also by itself to let another worker look for more; for a relay that a relay
    queued since things gathered for that one.
    """
    since = np.where(engine, items.enqueue, -1)
    for _ in range(DEEPEST):
        reached = again & (since < 0) & (queued_by >= 0)
        reached &= since[queued_by] >= 0
        if not reached.any():
            break
        itself = object_ == object_[queued_by]
        since = np.where(reached, np.where(itself, items.enqueue, since[queued_by]), since)
    return since
