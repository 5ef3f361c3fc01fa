"""When items were late: late ones that overlap, or follow each other within a second, are one incident."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.executions.items import Items

GAP_NS = NS_PER_S
"""Late items that follow each other within this time belong to one incident: an injected thread takes about a second, so
a pool that runs out of threads makes items late at least that often."""


@dataclass(frozen=True)
class Incident:
    """One stretch in which items were late. Times are ns from the start of the window."""

    start: int
    """When the first late item was queued."""
    end: int
    """When the last one started; the end of the window if it never did."""
    late: IntArray
    """Indexes into Items, in order of enqueue."""
    items: int
    """Items that were queued, waited or started in this time, the late ones among them."""


def late_items(items: Items, limit_ms: float = LATE_LIMIT_MS) -> BoolArray:
    """Returns which items waited longer than `limit_ms`, shape (items,). A lower bound that is longer counts."""
    return np.asarray(items.wait > limit_ms * NS_PER_MS)


def find_incidents(items: Items, limit_ms: float = LATE_LIMIT_MS) -> list[Incident]:
    """Returns the incidents by start; none if nothing was late."""
    late = np.flatnonzero(late_items(items, limit_ms))
    if len(late) == 0:
        return []
    order = late[np.argsort(items.enqueue[late], kind="stable")]
    begin = items.enqueue[order]
    reached = np.maximum.accumulate(items.dequeue[order])
    first = np.flatnonzero(np.append(True, begin[1:] > reached[:-1] + GAP_NS))
    enqueued, started = np.sort(items.enqueue), np.sort(items.dequeue)
    found = []
    for at, members in zip(first, np.split(order, first[1:]), strict=True):
        start, end = int(begin[at]), int(items.dequeue[members].max())
        there = int(np.searchsorted(enqueued, end, side="right") - np.searchsorted(started, start, side="left"))
        found.append(Incident(start, end, members, there))
    return found
