"""The work items of the attribution, as arrays on the capture's own time axis, and the item that a thread was in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import latest, ordered
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import flag


@dataclass(frozen=True)
class Items:
    """Every item that waited for a worker of its own, in the order of `work_items`.

    Times are ns from the start of the window. Unseen times are bounded. An unseen enqueue counts from the start of the
    window, or from when the queue is known to have held the item (`_queued_by`). An item still queued or running at the
    end counts up to the end of the window. Items that a waiting thread ran inline never waited for a worker and are
    left out; coverage counts them.
    """

    row: IntArray
    """Shape (items,): `work_items.id`."""
    enqueue: IntArray
    dequeue: IntArray
    end: IntArray
    worker: IntArray
    """The OS thread id of the worker; -1: never started."""
    kind: AnyArray
    """`work_items.kind`, as stored."""
    censored_start: BoolArray
    """The enqueue was not seen: the wait is a lower bound."""
    queued_at_end: BoolArray
    """The item was never dequeued: the wait is a lower bound and the demand unknown."""
    running_at_end: BoolArray
    rank: AnyArray
    """int32. The order of dequeue, 0 ...; items never dequeued come last, in order of enqueue."""

    @property
    def count(self) -> int:
        return len(self.row)

    def index_of(self, row: IntArray) -> IntArray:
        """Returns the index of each `work_items.id` in these arrays; -1 if the item is not one of these, or the id is
        -1."""
        if self.count == 0:
            return np.full(len(row), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.row, row), self.count - 1)
        return np.where(self.row[at] == row, at, -1)

    @property
    def wait(self) -> IntArray:
        """The measured wait in ns; a lower bound if `censored`."""
        return self.dequeue - self.enqueue

    @property
    def started(self) -> BoolArray:
        return ~self.queued_at_end

    @property
    def censored(self) -> BoolArray:
        """Whether the true wait may be longer than `wait`."""
        return self.censored_start | self.queued_at_end


def load_items(capture: DecodedCapture) -> Items:
    """Reads `work_items` against the capture's window."""
    start, stop = capture.window
    table = capture.table("work_items")
    inlined = (table["flags"].to_numpy() & flag("work_items", "inlined")) != 0
    own = ~inlined if inlined.any() else slice(None)  # a slice shares the columns
    # Column by column: pandas would first copy the whole table, and keep it for one of its columns.
    row, enqueue, dequeue, end, worker, kind = (
        table[name].to_numpy()[own] for name in ("id", "enqueue", "dequeue", "end", "worker_tid", "kind")
    )
    queued = dequeue < 0
    running = ~queued & (end < 0)
    begin = np.clip(np.where(enqueue < 0, _queued_by(capture, enqueue, dequeue), enqueue), start, stop)
    taken = np.maximum(np.where(queued, stop, np.minimum(dequeue, stop)), begin)
    given_back = np.maximum(np.where(queued | running, stop, np.minimum(end, stop)), taken)
    pick_order = ordered(queued, taken, begin)
    rank = np.empty(len(row), dtype=np.int32)
    rank[pick_order] = np.arange(len(row))
    for time in (begin, taken, given_back):
        time -= start
    return Items(
        row=row,
        enqueue=begin,
        dequeue=taken,
        end=given_back,
        worker=worker.astype(np.int64),
        kind=kind,
        censored_start=enqueue < 0,
        queued_at_end=queued,
        running_at_end=running,
        rank=rank,
    )


def _queued_by(capture: DecodedCapture, enqueue: IntArray, dequeue: IntArray) -> IntArray:
    """Returns the latest possible enqueue of each item whose enqueue was not seen, ns on the capture's clock, shape
    (items,).

    The runtime logs an enqueue only after some worker has taken an item since the recording began. A process that was
    idle until then has unseen enqueues, too, and these were no long waits. Its counters show how many items were queued
    at each reading. Items start first in, first out, so if n items were queued at a reading, they are the first n that
    start after it.
    """
    start, _ = capture.window
    by = np.full(len(enqueue), start, dtype=np.int64)
    unseen = np.flatnonzero((enqueue < 0) & (dequeue >= 0))
    if len(unseen) == 0 or not capture.has("pool_counters"):
        return by
    counters = capture.table("pool_counters")
    time, queued = counters["time"].to_numpy(), counters["queue_length"].to_numpy().astype(np.int64)
    time, queued = time[queued >= 0], queued[queued >= 0]
    unseen = unseen[np.argsort(dequeue[unseen], kind="stable")]
    started = np.searchsorted(dequeue[unseen], time, side="right")
    known = np.searchsorted(np.sort(enqueue[enqueue >= 0]), time, side="right")
    known -= np.searchsorted(np.sort(dequeue[(enqueue >= 0) & (dequeue >= 0)]), time, side="right")
    lasting = int(((enqueue < 0) & (dequeue < 0)).sum())
    # From this item on, in the order of their dequeues, items were not in the queue at the reading.
    first = started + np.maximum(queued - known - lasting, 0)
    last_without = np.full(len(unseen) + 1, -1, dtype=np.int64)
    np.maximum.at(last_without, np.minimum(first, len(unseen)), np.arange(len(time)))
    last_without = np.maximum.accumulate(last_without[:-1])
    after = last_without >= 0
    then = np.append(time, np.iinfo(np.int64).max)[last_without + 1]
    by[unseen[after]] = np.minimum(then, dequeue[unseen])[after]
    return by


def last_begun(items: Items, tid: IntArray, time: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns for each (tid, time) the item (index into Items) that the thread had begun last, and whether it exists.

    Times are ns from the start of the window. The item may have ended by then.
    """
    started = np.flatnonzero(items.started)
    at, known = latest(items.worker[started], items.dequeue[started], tid, time)
    return started[at] if len(started) else at, known
