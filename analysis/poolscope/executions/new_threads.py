"""How long a new worker takes from its creation to its first event, on the machine and under the recording of a capture."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.lookup import latest
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import READY

FEWEST = 3
"""New workers without which nothing is concluded."""


def new_thread_ns(capture: DecodedCapture) -> float | None:
    """Returns the median time from a worker's creation to its first event, ns, without the time in which it was ready
    and had no core, because the replay has a rule of its own for that. None if fewer than FEWEST workers were seen
    being created."""
    if not (capture.has("threads") and capture.has("thread_states")):
        return None
    threads, workers = capture.table("threads"), capture.table("workers")
    created, of = (
        threads[name].to_numpy()[threads["start"].to_numpy() > 0].astype(np.int64) for name in ("start", "tid")
    )
    start, tid = (
        workers[name].to_numpy()[workers["start"].to_numpy() > 0].astype(np.int64) for name in ("start", "tid")
    )
    # A number may be given to a second thread: the last one that was created before the worker's first event counts.
    row, seen = latest(of, created, tid, start)
    if np.count_nonzero(seen) < FEWEST:
        return None
    born, tid, start = created[row[seen]], tid[seen], start[seen]
    return float(np.median(start - born - _ready(capture, tid, born, start)))


def _ready(capture: DecodedCapture, tid: IntArray, begin: IntArray, end: IntArray) -> FloatArray:
    """Returns for how long each thread was ready between two moments, ns, shape (threads,)."""
    states = capture.table("thread_states")
    ready = (states["state"].to_numpy() == READY) & np.isin(states["tid"].to_numpy(), tid)
    of, since, until = (states[name].to_numpy()[ready].astype(np.int64) for name in ("tid", "start", "end"))
    row, known = latest(tid, begin, of, since)
    overlap = np.where(known, np.minimum(until, end[row]) - since, 0)
    total: FloatArray = np.bincount(row, np.maximum(overlap, 0), len(tid)).astype(np.float64)
    return total
