"""Time that items spend waiting for locks, from the runtime's own contention events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items, last_begun

CONTENTION = enum("waits", "kind", "contention")


@dataclass(frozen=True)
class LockWaits:
    """Waits for one lock inside items, in order of their end. Times are ns from the start of the window."""

    lock: int
    """The runtime's id of the lock."""
    item: IntArray
    """Shape (waits,): index into Items."""
    start: IntArray
    end: IntArray
    owner: IntArray
    """The thread that held the lock when the wait began. -1 if unknown."""

    @property
    def total(self) -> int:
        """The time that items were blocked on it, summed over items, ns."""
        return int((self.end - self.start).sum())

    @property
    def items(self) -> int:
        """The number of items that waited for it."""
        return len(np.unique(self.item))


def costliest_lock(capture: DecodedCapture, items: Items) -> LockWaits | None:
    """Returns the lock that items waited for longest. None if no item waited for a lock, or if the capture has no such
    events."""
    if not capture.has("waits") or items.count == 0:
        return None
    start, stop = capture.window
    waits = capture.table("waits")
    rows = np.flatnonzero(waits["kind"].to_numpy() == CONTENTION)
    # Column by column: pandas would first copy the whole table.
    begin, end, tid, locked, owner = (
        waits[name].to_numpy()[rows] for name in ("start", "end", "tid", "object", "owner_tid")
    )
    begin = np.clip(begin, start, stop) - start
    end = np.where(end < 0, stop, np.minimum(end, stop)) - start

    # A blocked thread cannot change its item, so the waiting item is the last one that the thread began.
    item, known = last_begun(items, tid.astype(np.int64), begin)
    end = np.minimum(end, items.end[item])
    inside = known & (end > begin)
    if not inside.any():
        return None
    locks, lock = np.unique(locked[inside], return_inverse=True)
    costliest = int(np.argmax(np.bincount(lock, (end - begin)[inside])))
    chosen = np.flatnonzero(inside)[lock == costliest]
    chosen = chosen[np.argsort(end[chosen], kind="stable")]
    return LockWaits(int(locks[costliest]), item[chosen], begin[chosen], end[chosen], owner[chosen].astype(np.int64))
