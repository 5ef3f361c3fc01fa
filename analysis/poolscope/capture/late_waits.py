"""The waits of all items of a recording, read once in pieces: counts, their distribution, and when items waited."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.sketch import EMPTY, Sketch, merged, sketch_of
from poolscope.capture.capture import DecodedCapture
from poolscope.capture.pieces import Piece, TableFile
from poolscope.capture.schema import flag, load_schema

BINS = 4096
"""Stretches of equal length that a recording is divided into."""
SHORTEST_NS = 1_000_000
"""No stretch is shorter."""


@dataclass(frozen=True)
class Bins:
    """Stretches of equal length, the last one perhaps shorter. Times are CLOCK_MONOTONIC ns."""

    start: int
    stop: int

    @property
    def width(self) -> int:
        return max(-(-(self.stop - self.start) // BINS), SHORTEST_NS)

    @property
    def count(self) -> int:
        return max(-(-(self.stop - self.start) // self.width), 1)

    def edge(self, number: int) -> int:
        """Returns when a stretch begins; of `count`: the end of the recording."""
        return min(self.start + number * self.width, self.stop)

    def of(self, time: IntArray) -> IntArray:
        """Returns the stretch of each time; what is outside counts to the first or the last one."""
        return np.clip((time - self.start) // self.width, 0, self.count - 1)


@dataclass
class Waits:
    """What all items of a recording waited, as `load_items` counts them: without those that a waiting thread ran inline."""

    bins: Bins
    late_ns: int
    """An item that waits longer is late."""
    sketch: Sketch = EMPTY
    late: int = 0
    waiting: FloatArray = field(init=False)
    """Item-ns that items waited in each stretch, shape (bins.count,)."""
    waiting_late: FloatArray = field(init=False)
    """The same, of late items."""
    queued: IntArray = field(init=False)
    """How many items were waiting as each stretch began, shape (bins.count + 1,): the last one for the end."""

    def __post_init__(self) -> None:
        count = self.bins.count
        self.waiting, self.waiting_late = np.zeros(count), np.zeros(count)
        self.queued = np.zeros(count + 1, np.int64)

    def add(self, piece: Piece) -> None:
        """Adds the items of a piece of `work_items`."""
        own = (piece.column("flags") & flag("work_items", "inlined")) == 0
        enqueue, dequeue = piece.column("enqueue")[own], piece.column("dequeue")[own]
        bins = self.bins
        begin = np.clip(np.where(enqueue < 0, bins.start, enqueue), bins.start, bins.stop)
        taken = np.maximum(np.where(dequeue < 0, bins.stop, np.minimum(dequeue, bins.stop)), begin)
        wait = taken - begin
        late = wait > self.late_ns
        self.sketch = merged([self.sketch, sketch_of(wait, (enqueue < 0) | (dequeue < 0))])
        self.late += int(late.sum())
        self.waiting += self._spread(begin, taken)
        self.waiting_late += self._spread(begin[late], taken[late])
        # Queued before a stretch begins, and not taken before it.
        self.queued[1:] += np.cumsum(
            np.bincount(bins.of(begin), minlength=bins.count) - np.bincount(bins.of(taken), minlength=bins.count)
        )
        self.queued[-1] += int((taken >= bins.stop).sum())

    def late_share(self, start: int, stop: int) -> float | None:
        """Returns the share of the waiting of late items that lies between two moments, 0..1; None without late items.
        A stretch that a moment divides counts in proportion to its length."""
        if not self.late:
            return None
        edges = [self.bins.edge(number) for number in range(self.bins.count + 1)]
        until = np.interp([start, stop], edges, np.append(0.0, np.cumsum(self.waiting_late)))
        return min(max(float((until[1] - until[0]) / self.waiting_late.sum()), 0.0), 1.0)

    def _spread(self, begin: IntArray, end: IntArray) -> FloatArray:
        """Returns how much of all these intervals lies in each stretch, item-ns: in the first one up to its end, in every later one
        all of it, and in the last one less what comes after the interval."""
        bins, width = self.bins, self.bins.width
        first, last = bins.of(begin), bins.of(end)
        open_at = np.bincount(first, minlength=bins.count) - np.bincount(last, minlength=bins.count)
        whole = np.append(0, np.cumsum(open_at)[:-1]) * float(width)
        rest = (first + 1) * width - (begin - bins.start)
        over = (last + 1) * width - (end - bins.start)
        began = np.bincount(first, weights=rest, minlength=bins.count)
        return np.asarray(whole + began - np.bincount(last, weights=over, minlength=bins.count))


def survey_waits(capture: DecodedCapture, late_ns: int) -> Waits:
    """Reads `work_items` once, in pieces. Raises UnreadableCapture without that table, or where it is damaged."""
    waits = Waits(Bins(*capture.window), late_ns)
    with capture.opened("work_items") as file:
        if file is not None:
            for piece in TableFile(file, load_schema().tables["work_items"]).pieces():
                waits.add(piece)
    return waits
