"""The work items that take part in the attribution, as arrays on the capture's own time axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import flag


@dataclass(frozen=True)
class Items:
    """Every item that waited for a worker of its own, in the order of `work_items`.

    Times are ns from the start of the window. What was not seen is bounded by the window: an enqueue before it counts
    from its start, an item still queued or running at the end counts up to its end. Items that a waiting thread ran
    inline never waited for a worker and are left out; coverage counts them.
    """

    row: IntArray
    """Shape (items,): `work_items.id`."""
    enqueue: IntArray
    dequeue: IntArray
    end: IntArray
    worker: IntArray
    """OS thread id of the worker; -1: never started."""
    kind: IntArray
    censored_start: BoolArray
    """The enqueue was not seen: the wait is a lower bound."""
    queued_at_end: BoolArray
    """Never dequeued: the wait is a lower bound and the demand unknown."""
    running_at_end: BoolArray
    rank: IntArray
    """Order of dequeue, 0 ...; items never dequeued come last, in order of enqueue."""

    @property
    def count(self) -> int:
        return len(self.row)

    def index_of(self, row: IntArray) -> IntArray:
        """The index here of each `work_items.id`; -1: it is not one of these items, as -1 is none."""
        if self.count == 0:
            return np.full(len(row), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.row, row), self.count - 1)
        return np.where(self.row[at] == row, at, -1)

    @property
    def wait(self) -> IntArray:
        """Measured wait in ns; a lower bound where `censored`."""
        return self.dequeue - self.enqueue

    @property
    def started(self) -> BoolArray:
        return ~self.queued_at_end

    @property
    def censored(self) -> BoolArray:
        """The true wait is at least `wait`."""
        return self.censored_start | self.queued_at_end


def load_items(capture: DecodedCapture) -> Items:
    """Reads `work_items` against the capture's window."""
    start, stop = capture.window
    table = capture.table("work_items")
    own = (table["flags"].to_numpy() & flag("work_items", "inlined")) == 0
    # Column by column: pandas would first copy the whole table, and keep it for one of its columns.
    row, enqueue, dequeue, end, worker, kind = (
        table[name].to_numpy()[own] for name in ("id", "enqueue", "dequeue", "end", "worker_tid", "kind")
    )
    queued = dequeue < 0
    running = ~queued & (end < 0)
    begin = np.clip(np.where(enqueue < 0, start, enqueue), start, stop)
    taken = np.maximum(np.where(queued, stop, np.minimum(dequeue, stop)), begin)
    given_back = np.maximum(np.where(queued | running, stop, np.minimum(end, stop)), taken)
    pick_order = np.lexsort((begin, taken, queued))
    rank = np.empty(len(row), dtype=np.int64)
    rank[pick_order] = np.arange(len(row))
    return Items(
        row=row,
        enqueue=begin - start,
        dequeue=taken - start,
        end=given_back - start,
        worker=worker.astype(np.int64),
        kind=kind.astype(np.int64),
        censored_start=enqueue < 0,
        queued_at_end=queued,
        running_at_end=running,
        rank=rank,
    )
