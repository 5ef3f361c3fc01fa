"""Sums intervals in the cells of a picture: one row of bins for each lane. The bins have one width, and divide the time
from 0 to `length`, ns. Cell `lane * bins + bin`.

The native extension takes one pass (analysis/native/cells.hpp). Without it, NumPy gives the same result to the bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from poolscope import native
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Executions, Segments

STATES = 1 + max(RUNNING, READY, BLOCKED)
"""The number of states in sums by state."""
SEGMENTS_AT_ONCE = 1_000_000
"""Approximate. A dozen arrays have this length."""

Lanes = npt.NDArray[np.int8]
"""The lane of each execution; -1: none."""


def time_in_cells(segments: Segments, lane: Lanes, lanes: int, bins: int, length: int) -> FloatArray:
    """Returns the time of the segments by state and cell, ns, shape (STATES, lanes * bins)."""
    cells, width = lanes * bins, length / bins
    time = np.zeros((STATES, cells))
    if native.extension is not None:
        item, start, end = (np.ascontiguousarray(c) for c in (segments.item, segments.start, segments.end))
        state, of = (np.ascontiguousarray(c, dtype=np.int8) for c in (segments.state, lane))
        native.extension.time_in_cells(item, start, end, state, of, lanes, bins, length, time.reshape(-1))
        return time
    # A cell belongs to one lane, so it is summed in one piece, whichever lanes are processed together.
    of_segment = lane[segments.item]
    some = max(1, lanes * SEGMENTS_AT_ONCE // max(len(of_segment), 1))
    for low in range(0, lanes, some):
        mine = np.flatnonzero((of_segment >= low) & (of_segment < low + some))
        which, cell, part = _spread(of_segment[mine], segments.start[mine], segments.end[mine], bins, width)
        # One count over (state, cell), because states are small numbers.
        of_piece = segments.state[mine][which].astype(np.int64)
        time += np.bincount(of_piece * cells + cell, part, STATES * cells).reshape(-1, cells)
    return time


def most_in_cells(executions: Executions, lane: Lanes, lanes: int, bins: int, length: int) -> IntArray:
    """Returns the execution that takes most of each cell, the last one of equals; -1: none. Shape (lanes * bins,)."""
    most = np.full(lanes * bins, -1)
    if native.extension is not None:
        start, end, of = (np.ascontiguousarray(c) for c in (executions.start, executions.end, lane))
        native.extension.most_in_cells(start, end, of, lanes, bins, length, np.full(lanes * bins, -1.0), most)
        return most
    held = np.flatnonzero((lane >= 0) & (executions.end > executions.start))
    which, cell, part = _spread(lane[held], executions.start[held], executions.end[held], bins, length / bins)
    order = np.lexsort((part, cell))
    last = np.append(cell[order][1:] != cell[order][:-1], True)[: len(order)]
    most[cell[order][last]] = held[which[order][last]]
    return most


def _spread(
    lane: Lanes, start: IntArray, end: IntArray, bins: int, width: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Cuts intervals at the edges of bins. Returns, for each piece, its interval, its cell (lane * bins + bin) and
    length in ns.

    A worker does one thing at a time, so there are at most as many pieces as intervals plus cells.
    """
    low = np.clip((start / width).astype(np.int64), 0, bins - 1)
    high = np.clip(np.ceil(end / width).astype(np.int64) - 1, low, bins - 1)
    count = high - low + 1
    which = np.repeat(np.arange(len(lane)), count)
    bin_of = np.repeat(low - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
    part = np.minimum(end[which], (bin_of + 1) * width) - np.maximum(start[which], bin_of * width)
    return which, lane[which].astype(np.int64) * bins + bin_of, np.maximum(part, 0.0)
