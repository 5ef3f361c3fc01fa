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
    """The field names are the keys of `poolscope verify --json`."""

    items: int
    """Items that the workload says it started."""
    joined: int
    """Of those, the ones whose own enqueue and dequeue events are one work item of the tables."""
    start_latency_error_us: dict[str, float | None]
    """Absolute difference of the start latency, tables against workload: median, p99, max."""
    residual_ns: int | None
    """Largest difference between an item's wait and the sum of its parts; None without a kernel stream."""

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def verify(capture: DecodedCapture) -> Verification:
    """Matches every truth item to the enqueue and dequeue events on its threads that are nearest in time.

    Raises InsufficientEvidence when the capture has no truth.npz.
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
    error = np.abs(measured - own) / NS_PER_US
    attribution = attribute(capture)
    split = attribution.split
    residual = None if split is None else int(np.abs(split.parts.residual).max(initial=0))
    return Verification(
        items=len(same),
        joined=int(joined.sum()),
        start_latency_error_us={
            "median": _rounded(np.median(error)) if len(error) else None,
            "p99": _rounded(np.quantile(error, 0.99)) if len(error) else None,
            "max": _rounded(error.max()) if len(error) else None,
        },
        residual_ns=residual,
    )


def _nearest(tid: IntArray, time: IntArray, at_tid: IntArray, at_time: IntArray, after: bool) -> IntArray:
    """For each (at_tid, at_time) the index of the nearest event on that thread, not before it (or not after it); -1."""
    sign = -1 if after else 1
    row, same = latest(tid.astype(np.int64), sign * time, at_tid.astype(np.int64), sign * at_time)
    return np.where(same, row, -1)


def _rounded(value: float) -> float:
    return round(float(value), 3)
