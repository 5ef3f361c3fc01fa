"""How late timer callbacks ran, and how much of that they waited for a thread of the pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture

AT_ONCE = 1 << 16
"""The number of callbacks that are compared together."""


@dataclass(frozen=True)
class TimerCallbacks:
    """Callbacks with a known due time."""

    due: IntArray
    """ns from the start of the window; shape (callbacks,), like all others."""
    late: FloatArray
    """From due time to the callback, ns, never negative: the runtime's clock counts ticks, so a timer may run a little
    early."""
    waited: FloatArray
    """The part of that in which an item that the callback needed was queued, ns."""
    interval: FloatArray
    """The timer's setting: its period, or its due time if it has none, ns."""
    periodic: BoolArray
    item: IntArray
    """The `work_items.id` in which the callback ran, -1 if unknown."""
    unknown: int
    """The number of further callbacks, of timers started before the capture, whose due time is unknown."""

    @property
    def count(self) -> int:
        return len(self.due)


def measure_timers(capture: DecodedCapture) -> TimerCallbacks:
    """Compares `timers` with the waits of the items that ran the callbacks.

    If a callback has an item of its own (the work id equals the timer id), the item that serves all timers queued it.
    The wait of that item after the due time was lost as well.
    """
    start, _ = capture.window
    table = capture.table("timers")
    known = table["due"].to_numpy() >= 0
    whole = bool(known.all())
    # Column by column: pandas would first copy the whole table. A slice shares the columns.
    due, fired, item, timer, period, due_in = (
        table[name].to_numpy()[slice(None) if whole else known]
        for name in ("due", "fired", "item", "timer_id", "period", "due_in")
    )
    items = capture.table("work_items")
    enqueue, dequeue, work_id, queued_by = (
        items[name].to_numpy() for name in ("enqueue", "dequeue", "work_id", "parent")
    )

    def queued(item: IntArray, due: IntArray, fired: IntArray) -> IntArray:
        """Returns how long this item was queued between due time and callback; 0 for item -1."""
        at = np.maximum(item, 0)
        begin = np.maximum(np.where(enqueue[at] < 0, start, enqueue[at]), due)
        length = np.maximum(np.minimum(dequeue[at], fired) - begin, 0)
        return np.where((item >= 0) & (dequeue[at] >= 0), length, 0)

    late = np.maximum(fired - due, 0).astype(np.float64)
    waited = np.zeros(len(item))
    for begin in range(0, len(item) if len(items) else 0, AT_ONCE):
        rows = slice(begin, begin + AT_ONCE)
        mine, times = item[rows], (due[rows], fired[rows])
        own = (mine >= 0) & (work_id[np.maximum(mine, 0)] == timer[rows])
        parent = np.where(own, queued_by[np.maximum(mine, 0)], -1)
        waited[rows] = np.minimum(queued(mine, *times) + queued(parent, *times), late[rows])
    return TimerCallbacks(
        due=due - start,
        late=late,
        waited=waited,
        interval=np.where(period > 0, period, due_in) * float(NS_PER_MS),
        periodic=period > 0,
        item=np.asarray(item, dtype=np.int64),
        unknown=int((~known).sum()),
    )
