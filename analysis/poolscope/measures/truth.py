"""Compares a capture's tables with the workload's own clock readings."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from poolscope.attribution import attribute
from poolscope.base.arrays import IntArray
from poolscope.base.errors import InsufficientEvidence
from poolscope.base.lookup import latest
from poolscope.base.units import NS_PER_US
from poolscope.capture import DecodedCapture


@dataclass(frozen=True)
class Verification:
    """The result. The field names are the keys of `poolscope verify --json`."""

    items: int
    """The number of items that the workload reports as started."""
    joined: int
    """The number of these whose enqueue and dequeue events are one work item of the tables."""
    start_latency_error_us: dict[str, float | None]
    """The absolute difference of the start latency between tables and workload: median, p99, max."""
    end_error_us: dict[str, float | None]
    """The same for the end of items that did not await: the code after an await is another item of the tables."""
    residual_ns: int | None
    """The largest difference between an item's wait and the sum of its parts. None without a kernel stream."""

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def verify(capture: DecodedCapture) -> Verification:
    """Matches every truth item to the nearest enqueue and dequeue events on its threads.

    Raises InsufficientEvidence if the capture has no truth.npz.
    """
    truth = capture.truth()
    if truth is None:
        raise InsufficientEvidence(f"{capture.path}: no truth.npz; only bundled workloads write one")
    started = truth["start_ns"] >= 0
    truth = {name: values[started] for name, values in truth.items()}
    table = capture.table("work_items")
    enqueue = table["enqueue"].to_numpy()
    dequeue = table["dequeue"].to_numpy()
    seen = np.flatnonzero((enqueue >= 0) & (dequeue >= 0))

    # The enqueue event follows the workload's reading, the dequeue event precedes it, each on the same thread.
    by_enqueue = _nearest(
        table["enqueue_tid"].to_numpy()[seen], enqueue[seen], truth["enqueue_tid"], truth["enqueue_ns"], after=True
    )
    by_dequeue = _nearest(
        table["worker_tid"].to_numpy()[seen], dequeue[seen], truth["start_tid"], truth["start_ns"], after=False
    )
    same = (by_enqueue == by_dequeue) & (by_enqueue >= 0)
    _, first_use = np.unique(by_dequeue, return_index=True)
    once = np.zeros(len(same), dtype=bool)
    once[first_use] = True
    joined = same & once
    row = seen[by_dequeue[joined]]
    measured = dequeue[row] - enqueue[row]
    own = (truth["start_ns"] - truth["enqueue_ns"])[joined]
    end = table["end"].to_numpy()[row]
    own_end = truth["end_ns"][joined]
    dequeued = np.flatnonzero(dequeue >= 0)
    at_end = _nearest(
        table["worker_tid"].to_numpy()[dequeued], dequeue[dequeued], truth["end_tid"], truth["end_ns"], after=False
    )
    whole = (end >= 0) & (own_end >= 0) & (dequeued[at_end] == seen[by_dequeue])[joined]
    attribution = attribute(capture)
    split = attribution.split
    residual = None if split is None else int(np.abs(split.parts.residual).max(initial=0))
    return Verification(
        items=len(same),
        joined=int(joined.sum()),
        start_latency_error_us=_errors_us(measured - own),
        end_error_us=_errors_us((end - own_end)[whole]),
        residual_ns=residual,
    )


def _nearest(tid: IntArray, time: IntArray, at_tid: IntArray, at_time: IntArray, after: bool) -> IntArray:
    """Returns the index of the nearest event on the same thread for each (at_tid, at_time), not before it, or without
    `after` not after it; -1 if there is none."""
    sign = -1 if after else 1
    row, same = latest(tid.astype(np.int64), sign * time, at_tid.astype(np.int64), sign * at_time)
    return np.where(same, row, -1)


def _errors_us(difference: IntArray) -> dict[str, float | None]:
    """Returns median, p99 and maximum of differences in ns, shape (items,), as µs. Each is None if there are no
    items."""
    error = np.abs(difference) / NS_PER_US
    if not len(error):
        return {"median": None, "p99": None, "max": None}
    figures = {"median": np.median(error), "p99": np.quantile(error, 0.99), "max": error.max()}
    return {name: round(float(value), 3) for name, value in figures.items()}
