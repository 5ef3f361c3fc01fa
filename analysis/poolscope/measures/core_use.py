"""Who used the cores over time: the target, and everybody else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import RUNNING


@dataclass(frozen=True)
class CoreUse:
    """Cores in use, means per bin."""

    target: FloatArray
    """Every thread of the target, not its workers alone."""
    others: FloatArray | None
    """Every other thread, also those of which no stream says whose they are; None if the kernel stream shows the
    target alone."""


def measure_core_use(capture: DecodedCapture, edges: FloatArray) -> CoreUse | None:
    """Returns the cores in use between neighbouring edges, which are equally far apart; None without a kernel stream."""
    if capture.kernel_tier == "none":
        return None
    start, stop = capture.window
    states = capture.table("thread_states")
    tid = states["tid"].to_numpy()
    rows = np.flatnonzero((states["state"].to_numpy() == RUNNING) & (tid > 0))  # thread 0: an idle core
    tid = tid[rows]
    begin, end = (
        (np.clip(states[name].to_numpy()[rows], start, stop) - start).astype(np.float64) for name in ("start", "end")
    )
    own = np.isin(tid, capture.table("workers")["tid"].to_numpy())
    if capture.has("threads"):
        # A number that a second thread was given again names the later one, as for antagonists.
        known = capture.table("threads").drop_duplicates("tid", keep="last")
        mine = known["pid"].to_numpy() == int(capture.manifest["target"]["pid"])
        own |= np.isin(tid, known["tid"].to_numpy()[mine])
    return CoreUse(
        target=_mean_open(begin[own], end[own], edges),
        others=_mean_open(begin[~own], end[~own], edges) if capture.sees_other_processes else None,
    )


def _mean_open(begin: FloatArray, end: FloatArray, edges: FloatArray) -> FloatArray:
    """Returns how many intervals are open, on average over each bin: as Steps.count(...).mean(edges), without sorting what may
    be millions of switches."""
    bins, width = len(edges) - 1, float(edges[1] - edges[0])
    first = np.clip(((begin - edges[0]) / width).astype(np.int64), 0, bins - 1)
    last = np.clip(((end - edges[0]) / width).astype(np.int64), 0, bins - 1)
    # Every interval as if it filled its bins from the first to the last, less what it misses at both ends.
    whole = np.cumsum(np.bincount(first, minlength=bins + 1) - np.bincount(last + 1, minlength=bins + 1))[:bins] * width
    before = np.bincount(first, weights=begin - (edges[0] + first * width), minlength=bins)
    after = np.bincount(last, weights=edges[0] + (last + 1) * width - end, minlength=bins)
    return np.asarray(np.maximum(whole - before - after, 0.0) / width)
